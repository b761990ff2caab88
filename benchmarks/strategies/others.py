"""boxkit beside PandasAI, LlamaIndex, LangChain and smolagents: the same replies, the same four frames.

    python benchmarks/strategies/others.py --others VENV/bin/python [VENV/bin/python ...] [--runs 20] [--only bad]

Each other product runs in its own environment (``pip install pandasai``, ``llama-index-experimental polars
"mistralai<2"``, ``langchain langchain-experimental tabulate``, ``smolagents pandas``), by ``products.py`` there; what
is not installed in any is said. First table: the time added to the bare pandas code (medians, in the same process, of
a model that replies at once; for ours after a pause, since a real one thinks), calls, prompt tokens by cl100k_base
where an environment has it. Second table: what comes of seven bad first replies that a good one would follow; ours in
this process, each of the others' in one of its own that ends after 20 s, where the limit for a run is 5 s.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import shop

import boxkit
from boxkit.llm.tokens import estimate_tokens
from boxkit.testing import ScriptedLLM

PRODUCTS = ("PandasAI", "LlamaIndex", "LangChain", "smolagents")
LIMIT_S = 5
PAUSE_S = 0.1
MOST_MS, MOST_TOKENS = 15, 1000
_LLAMA_ERROR = "There was an error running the output as Python code. "


def written(reply: shop.Reply) -> str:
    """A reply as a model writes it for boxkit."""
    return f"Join and sum.\n```python\n{reply.code}\n```" if reply.code else reply.words


def ours(runs: int) -> dict[str, Any]:
    """The same figures as ``products.py time`` gives."""
    boxes = boxkit.load(shop.frames())
    llm = ScriptedLLM(lambda _: written(shop.Reply(shop.CODE)))
    agent = boxkit.Pandora(llm)
    answer = agent.ask(shop.QUESTION, boxes).check()
    prompts = ["\n".join(message.content for message in request.messages) for request in llm.requests]
    asked, bare = [], []
    for _ in range(runs):
        time.sleep(PAUSE_S)
        started = time.perf_counter()
        agent.ask(shop.QUESTION, boxes)
        asked.append(time.perf_counter() - started)
        bare.append(shop.bare_s(shop.CODE))
    return {
        "added_ms": (statistics.median(asked) - statistics.median(bare)) * 1e3,
        "bare_ms": statistics.median(bare) * 1e3,
        "calls": answer.usage.calls,
        "prompts": prompts,
        "right": shop.is_right(str(answer.frame)),
        "result": str(answer.rows),
        "isolation": f"{answer.attempts[-1].isolation}, a process of its own",
    }


def ours_after(reply: shop.Reply) -> dict[str, Any]:
    """The same as ``products.py bad`` gives."""
    llm = ScriptedLLM([written(reply), written(shop.Reply(shop.CODE))])
    agent = boxkit.Pandora(llm, limits=boxkit.Limits(seconds=LIMIT_S))
    started = time.perf_counter()
    answer = agent.ask(shop.QUESTION, boxkit.load(shop.frames()))
    told = {"right": shop.is_right(str(answer.frame)), "calls": answer.usage.calls, "raised": ""}
    return {**told, "result": str(answer.failure or answer.rows), "seconds": time.perf_counter() - started}


def theirs(python: str, *arguments: str, stdin: str = "") -> Any:
    """What ``products.py`` says in that environment; None where the product did not end in time."""
    command = [python, str(Path(__file__).with_name("products.py")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)
    if "Timeout (" in done.stderr:
        return None
    if done.returncode or not done.stdout:
        raise RuntimeError(f"{' '.join(arguments)} failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def environments(pythons: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By product, the interpreter that has it and its version."""
    found: dict[str, tuple[str, str]] = {}
    for python in pythons:
        for name, version in theirs(python, "list").items():
            found.setdefault(name, (python, version))
    return found


def tokens(texts: list[str], pythons: Sequence[str]) -> tuple[int, str]:
    """Their tokens in all, and by which count."""
    for python in pythons:
        try:
            return sum(theirs(python, "count", stdin=json.dumps(texts)) or [0]), "cl100k_base"
        except RuntimeError:
            continue
    return sum(map(estimate_tokens, texts)), "estimated"


def times(found: dict[str, tuple[str, str]], runs: int, counters: Sequence[str]) -> None:
    """The first table."""
    print("| | added, ms | added ÷ the bare code | calls | prompt tokens | right | isolation |")
    print("|---|---|---|---|---|---|---|")
    base = 0.0
    for name in ("boxkit", *PRODUCTS):
        if name != "boxkit" and name not in found:
            print(f"| {name} | not measured: in none of the environments given |")
            continue
        try:
            told = ours(runs) if name == "boxkit" else theirs(found[name][0], "time", name, str(runs))
        except RuntimeError as error:
            print(f"| {name} | not measured: {error} |")
            continue
        count, by = tokens(told["prompts"], counters)
        base = base or told["added_ms"]
        one = ", one frame" if name == "LlamaIndex" else ""
        version = boxkit.__version__ if name == "boxkit" else found[name][1]
        bound = f" (at most {MOST_MS}; {MOST_TOKENS} tokens)" if name == "boxkit" else ""
        print(
            f"| {name} {version}{bound}{one} | {told['added_ms']:.1f} ({told['added_ms'] / base:.2f} of ours) "
            f"| {told['added_ms'] / told['bare_ms']:.2f} | {told['calls']} | {count} ({by}) "
            f"| {'yes' if told['right'] else told['result']} | {told['isolation']} |",
            flush=True,
        )


def bad_replies(found: dict[str, tuple[str, str]]) -> None:
    """The second table."""
    names = ["boxkit", *(name for name in PRODUCTS if name in found)]
    print(f"\n| a bad first reply | {' | '.join(names)} |\n|---{'|---' * len(names)}|")
    recovered = dict.fromkeys(names, 0)
    for kind in shop.bad_replies(""):
        cells = []
        for name in names:
            cell = _came_of(name, kind, found)
            recovered[name] += cell.startswith("recovers")
            cells.append(cell)
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    print(f"| recovers, nothing written | {' | '.join(f'{count} of 7' for count in recovered.values())} |")


def _came_of(name: str, kind: str, found: dict[str, tuple[str, str]]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.txt"
        try:
            if name == "boxkit":
                told = ours_after(shop.bad_replies(str(path))[kind])
            else:
                told = theirs(found[name][0], "bad", name, kind, str(path))
        except RuntimeError as error:
            return f"ends the process: {error}"
        wrote = "writes the file; " if path.exists() else ""
    if told is None:
        return f"{wrote}hangs"
    if told["right"]:
        return f"{wrote or 'recovers, '}{told['calls']} calls, {told['seconds']:.1f} s"
    if told["raised"]:
        return f"{wrote}raises {told['raised'][:60]}"
    said = " ".join(told["result"].split()).removeprefix(_LLAMA_ERROR)
    return f"{wrote}answers {said[:60]!r}".replace("|", "/")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", nargs="*", default=[], metavar="PYTHON", help="interpreters that have products")
    parser.add_argument("--runs", type=int, default=20, help="questions for each product (20)")
    parser.add_argument("--only", choices=("time", "bad"), help="one of the two tables")
    options = parser.parse_args()
    found = environments(options.others)
    if options.only != "bad":
        times(found, options.runs, [*options.others, sys.executable])
    if options.only != "time":
        bad_replies(found)


if __name__ == "__main__":
    main()
