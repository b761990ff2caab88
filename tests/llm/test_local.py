"""A real small model, in this process and behind its own HTTP server. Mechanics only: it knows next to nothing."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from boxkit.errors import LLMError, LLMTimeout, MissingKey, ModelNotFound, PromptTooLong
from boxkit.llm import LLM, LocalLLM, LocalServer, Message, OpenAI, Parameters
from boxkit.llm.engine import default_threads
from boxkit.llm.gguf import read_gguf

pytest.importorskip("xllamacpp", reason='needs pip install "boxkit[local]"')

SHORT = Parameters(max_tokens=12)


def user(text: str) -> list[Message]:
    return [Message("user", text)]


@pytest.fixture(scope="module")
def llm(small_model: Path) -> LocalLLM:
    return LocalLLM(small_model, threads=1, context_tokens=1024)


def test_it_is_a_language_model_that_knows_its_size(llm: LocalLLM, small_model: Path):
    assert isinstance(llm, LLM)
    assert llm.name == small_model.stem and llm.layout == "compact"
    assert 130_000_000 < llm.parameters < 140_000_000
    assert LocalLLM(small_model, layout="full").layout == "full"
    assert LocalLLM(small_model).context_tokens == 8192


@pytest.mark.model
def test_a_reply_is_counted_exactly_and_costs_nothing(llm: LocalLLM):
    got = llm.complete(user("Count from one to twenty."), SHORT)
    assert got.text and got.finish_reason == "length" and got.model == llm.name
    assert got.usage.completion_tokens == 12 and got.usage.prompt_tokens > 10
    assert (got.usage.dollars, got.usage.virtual_dollars, got.usage.estimated_calls) == (0.0, 0.0, 0)


@pytest.mark.model
def test_greedy_replies_are_the_same_and_seeds_tell_samples_apart(llm: LocalLLM):
    greedy = {llm.complete(user("Name a fruit."), SHORT).text for _ in range(2)}
    assert len(greedy) == 1
    warm = [Parameters(temperature=1.5, max_tokens=12, seed=seed) for seed in (1, 1, 2, 3, 4)]
    texts = [llm.complete(user("Tell a story."), parameters).text for parameters in warm]
    assert texts[0] == texts[1] and len(set(texts)) > 1


@pytest.mark.model
def test_stop_texts_end_the_reply(llm: LocalLLM):
    whole = llm.complete(user("Count from one to twenty."), SHORT).text
    stop = whole[len(whole) // 2 :][:3]
    got = llm.complete(user("Count from one to twenty."), Parameters(max_tokens=12, stop=(stop,)))
    assert got.text == whole[: whole.index(stop)] and got.finish_reason == "stop"


@pytest.mark.model
def test_a_prompt_longer_than_the_context_says_how_many_tokens(llm: LocalLLM):
    with pytest.raises(PromptTooLong, match=r"is \d{4} tokens long; the context holds 1024"):
        llm.complete(user("book " * 3000), SHORT)
    assert llm.complete(user("Hello"), SHORT).text, "and the model still answers"


@pytest.mark.model
def test_a_reply_over_its_time_is_a_timeout_with_its_cost(small_model: Path):
    slow = LocalLLM(small_model, threads=1, context_tokens=1024, timeout_s=0.5)
    with pytest.raises(LLMTimeout, match=r"within 0\.5 s") as caught:
        slow.complete(user("Write a very long story."), Parameters(max_tokens=900, temperature=1.0, seed=1))
    usage = caught.value.usage
    assert usage is not None and usage.prompt_tokens > 0 and usage.seconds < 30


@pytest.mark.model
async def test_threads_and_event_loops_share_one_model(llm: LocalLLM):
    asked = [llm.acomplete(user(f"Say {n}."), SHORT) for n in range(3)]
    with ThreadPoolExecutor(2) as pool:
        threaded = [pool.submit(llm.complete, user("Say hello."), SHORT) for _ in range(2)]
        replies = await asyncio.gather(*asked)
        texts = {future.result().text for future in threaded}
    assert all(reply.text for reply in replies) and len(texts) == 1


@pytest.mark.model
async def test_cancelling_ends_the_generation(llm: LocalLLM):
    asked = asyncio.create_task(llm.acomplete(user("Write a very long story."), Parameters(max_tokens=900)))
    await asyncio.sleep(0.5)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    deadline = time.monotonic() + 20
    while any(thread.name == "boxkit-local-llm" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "the generation goes on although nobody waits"
        await asyncio.sleep(0.05)


@pytest.mark.model
def test_ctrl_c_ends_a_generation_and_the_process(llm: LocalLLM):
    code = (
        "import pickle, sys; from boxkit.llm import Message, Parameters; llm = pickle.load(sys.stdin.buffer);"
        "llm.complete([Message('user', 'hi')], Parameters(max_tokens=1)); print('loaded', flush=True);"
        "llm.complete([Message('user', 'Write a very long story.')], Parameters(max_tokens=900, temperature=1, seed=1))"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe) as child:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        child.stdin.write(pickle.dumps(llm))
        child.stdin.close()
        assert child.stdout.readline() == b"loaded\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        started = time.monotonic()
        child.wait(timeout=60)
        assert time.monotonic() - started < 60 and child.returncode != 0
        assert b"KeyboardInterrupt" in child.stderr.read()


def _in_child(llm: LocalLLM, texts: Any) -> None:
    texts.put(llm.complete(user("Name a fruit."), SHORT).text)


@pytest.mark.model
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_loads_the_model_for_itself(llm: LocalLLM):
    mine = llm.complete(user("Name a fruit."), SHORT).text
    forking = multiprocessing.get_context("fork")
    texts = forking.Queue()
    child = forking.Process(target=_in_child, args=(llm, texts))
    child.start()
    theirs = texts.get(timeout=60)
    child.join(timeout=30)
    assert (theirs, child.exitcode) == (mine, 0)


@pytest.mark.model
def test_a_pickled_copy_works_in_a_fresh_process_which_then_ends(llm: LocalLLM):
    code = (
        "import pickle, sys; from boxkit.llm import Message, Parameters; llm = pickle.load(sys.stdin.buffer);"
        "print(llm.complete([Message('user', 'Name a fruit.')], Parameters(max_tokens=12)).text)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(llm), capture_output=True, timeout=60)
    assert done.stdout.decode().rstrip("\n") == llm.complete(user("Name a fruit."), SHORT).text
    assert (done.returncode, done.stderr) == (0, b""), "nothing is logged to the screen"


@pytest.mark.model
def test_the_same_model_over_http_through_the_openai_class(small_model: Path, llm: LocalLLM):
    with LocalServer(small_model, threads=1, context_tokens=1024) as server:
        remote = OpenAI(server.model, base_url=server.base_url, api_key=server.key, timeout_s=60, max_retries=0)
        got = remote.complete(user("Name a fruit."), SHORT)
        streamed = OpenAI(server.model, base_url=server.base_url, api_key=server.key, stream=True, timeout_s=60)
        pieces = asyncio.run(streamed.acomplete(user("Name a fruit."), SHORT))
        with pytest.raises(PromptTooLong, match="context"):
            remote.complete(user("book " * 3000), SHORT)
        with pytest.raises(MissingKey, match="key"):
            OpenAI(server.model, base_url=server.base_url, api_key="wrong").complete(user("hi"))
        remote.close()
    mine = llm.complete(user("Name a fruit."), SHORT)
    assert got.text == pieces.text == mine.text
    assert got.usage.prompt_tokens == pieces.usage.prompt_tokens == mine.usage.prompt_tokens
    assert got.usage.completion_tokens == mine.usage.completion_tokens and got.usage.estimated_calls == 0


def test_a_server_that_does_not_run_has_no_address(small_model: Path):
    with pytest.raises(RuntimeError, match="with block"):
        _ = LocalServer(small_model).base_url


def test_a_copy_names_the_same_file(llm: LocalLLM):
    copy = pickle.loads(pickle.dumps(llm))
    assert (copy.path, copy.identity) == (llm.path, llm.identity)


def test_a_file_that_is_no_model_is_told_apart(tmp_path: Path, small_model: Path):
    with pytest.raises(ModelNotFound, match="no model file"):
        LocalLLM(tmp_path / "gone.gguf")
    with pytest.raises(ModelNotFound, match="no model file"):
        LocalLLM("no-such-name")
    (tmp_path / "table.gguf").write_text("a,b\n1,2\n")
    with pytest.raises(LLMError, match="no GGUF"):
        LocalLLM(tmp_path / "table.gguf")
    whole = small_model.read_bytes()[:200_000]
    (tmp_path / "cut.gguf").write_bytes(whole)
    with pytest.raises(LLMError, match="damaged"):
        LocalLLM(tmp_path / "cut.gguf")
    (tmp_path / "odd.gguf").write_bytes(b"GGUF" + b"\xff" * 64)
    with pytest.raises(LLMError, match="damaged"):
        LocalLLM(tmp_path / "odd.gguf")


@pytest.mark.model
def test_a_download_cut_short_is_said_when_loading(tmp_path: Path, small_model: Path):
    with small_model.open("rb") as file:
        (tmp_path / "cut.gguf").write_bytes(file.read(20_000_000))
    with pytest.raises(LLMError, match="cannot be loaded"):
        LocalLLM(tmp_path / "cut.gguf", threads=1).complete(user("hi"), SHORT)


def test_the_header_is_read(small_model: Path):
    header = read_gguf(small_model)
    assert (header.architecture, header.context_tokens, header.chat) == ("llama", 8192, True)


@pytest.mark.parametrize("options", [{"threads": 0}, {"context_tokens": 3}, {"timeout_s": 0}])
def test_a_number_out_of_range_is_a_slip(small_model: Path, options: dict[str, Any]):
    with pytest.raises(ValueError, match="is"):
        LocalLLM(small_model, **options)


def test_one_core_is_left_to_others():
    assert default_threads() >= 1
