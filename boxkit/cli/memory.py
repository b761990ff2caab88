"""``boxkit memory``: what a memory holds, what it would show for a question, more of it, and whether it is whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.exits import Exit, end, reported
from boxkit.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxkit.box import BoxSet
    from boxkit.memory import Demonstration, Memory

__all__ = ["memory"]

#: The word for the memory that comes with boxkit.
_STARTER = "starter"

_folder = click.argument("folder", metavar="MEMORY")
_json = click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")


@click.group()
def memory() -> None:
    """Look at demonstrations, search them, add your own, check that they are whole and right.

    A MEMORY is its folder, or the word starter for the one that comes with boxkit.
    """


@memory.command()
@_folder
@click.option("--id", "identifier", metavar="ID", help="Show one demonstration, whole.")
@click.option("--list", "listed", is_flag=True, help="List the questions, with their ids.")
@_json
def show(folder: str, identifier: str | None, listed: bool, as_json: bool) -> None:
    """Show what a MEMORY holds."""
    with reported():
        held = _opened(folder)
        if identifier is not None:
            _show_one(_named(held, identifier), as_json)
        elif listed:
            _put(("id", "dataset", "kind", "question"), _questions(held), as_json)
        else:
            _show_parts(held, as_json)


@memory.command()
@_folder
@click.argument("question")
@click.option("--k", type=click.IntRange(min=1), default=10, show_default=True, help="Demonstrations at the most.")
@click.option(
    "--mode",
    type=click.Choice(["similar", "masked", "diverse", "random"]),
    default="similar",
    show_default=True,
    help="How they are chosen.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="For --mode random.")
@click.option("--exclude", multiple=True, metavar="SPLIT", help="Leave a split out: dev, or spider/dev. Repeatable.")
@click.option("--source", "sources", multiple=True, metavar="SOURCE", help="For --mode masked: what is asked of.")
@click.option("--draft", type=click.File(encoding="utf-8"), help="For --mode masked: a program that may answer it.")
@click.option("--code", "with_code", is_flag=True, help="Print the code of each as well.")
@_json
def search(folder: str, question: str, with_code: bool, as_json: bool, **how: Any) -> None:
    """Print the demonstrations of MEMORY that a model would be shown for QUESTION, best first."""
    from boxkit.cli.terminal import print_json, text
    from boxkit.cli.terminal import show as put

    with reported():
        held = _opened(folder)
        boxes = _loaded(how.pop("sources"))
        draft = how.pop("draft")
        found = held.select(question, **how, boxes=boxes, draft=None if draft is None else draft.read())
        if as_json:
            print_json([{"similarity": each.similarity, **each.demonstration.to_json()} for each in found])
        elif with_code:
            for each in found:
                put(text(f"# {each.similarity:.2f} {each.demonstration.question}"))
                put(text(f"{each.demonstration.code.rstrip()}\n", lines=True))
        else:
            rows = [(f"{each.similarity:.2f}", each.demonstration.id, each.demonstration.question) for each in found]
            _put(("similarity", "id", "question"), rows, as_json=False)
        end(Exit.ANSWERED if found else Exit.NO_ANSWER)


@memory.command()
@_folder
@click.argument("written", metavar="FILE", type=click.Path(exists=True))
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--dataset", default="own", show_default=True, metavar="NAME", help="What to call where they are from.")
@click.option("--new", is_flag=True, help="Make the MEMORY if there is none; without it, a mistyped name is refused.")
@click.option("--embedding", metavar="NAME", help="How a new memory compares questions. [default: the best there is]")
def add(folder: str, written: str, sources: tuple[str, ...], dataset: str, new: bool, embedding: str | None) -> None:
    """Add the demonstrations of FILE to MEMORY.

    FILE is Markdown, whose code is run over the SOURCEs and must give the rows that are written there; or another
    memory, or a file of its lines.
    """
    from boxkit.cli.terminal import say, text

    with reported():
        held = _to_write(folder, new, embedding)
        more = _demonstrations(Path(written), sources, dataset)
        try:
            added = held.add(more)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        held.save()
        there = f", {counted(len(more) - added, 'was', 'were')} there already" if added < len(more) else ""
        say(text(f"{added} added{there}: {folder} holds {counted(len(held), 'demonstration')}"))


@memory.command()
@_folder
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--repair", is_flag=True, help="Leave out lines that are damaged, make the rest anew, and save.")
@_json
def check(folder: str, sources: tuple[str, ...], repair: bool, as_json: bool) -> None:
    """Check that MEMORY is whole: its files, each line, each program. With SOURCEs, run the programs over them too.

    A program is run where the SOURCEs have all the boxes and fields that it is about, and must give its rows again.
    """
    from boxkit.cli.terminal import print_json, say, text
    from boxkit.cli.terminal import show as put
    from boxkit.memory.checking import check_memory

    with reported():
        held = _opened(folder, repair=repair)
        found = check_memory(held, _loaded(sources))
        if repair and held.repairs and held.folder is not None:
            held.save()
        if as_json:
            print_json({"checked": found.checked, "run": found.run, "problems": dict(found.problems)})
        else:
            for identifier, problem in found.problems.items():
                put(text(f"{identifier}: {problem}"))
        _say_about(held)
        ran = f", {found.run} run" if sources else ""
        problems = counted(len(found.problems), "problem") if found.problems else "no problems"
        say(text(f"{counted(found.checked, 'demonstration')} checked{ran}: {problems}"))
        end(Exit.NO_ANSWER if found.problems else Exit.ANSWERED)


def _opened(folder: str, *, repair: bool = False) -> Memory:
    """The memory of that folder, which must be there."""
    from boxkit.memory import Memory

    if folder == _STARTER and not Path(folder).exists():
        return Memory.starter()
    if not Path(folder).exists():
        raise click.UsageError(f"there is no memory {folder!r}; `{_STARTER}` is the one that comes with boxkit")
    if Path(folder).is_file():
        return Memory.from_lines(folder)
    held = Memory.open(folder, repair=repair)
    if not len(held) and not list(Path(folder).glob("*.json*")):
        raise click.UsageError(f"there is no memory in {folder!r}: the folder is empty")
    return held


def _to_write(folder: str, new: bool, embedding: str | None) -> Memory:
    from boxkit.memory import Memory

    if not new:
        if folder == _STARTER and not Path(folder).exists():
            raise click.UsageError(
                "the starter memory is boxkit's own: add to a memory of yours, with --new to make it"
            )
        if not Path(folder).exists():
            raise click.UsageError(f"there is no memory {folder!r}: --new makes one")
    try:
        return Memory.open(folder, embedding)
    except ValueError as error:
        raise click.UsageError(f"--embedding: {error}") from error


def _demonstrations(path: Path, sources: Sequence[str], dataset: str) -> list[Demonstration]:
    if path.is_dir() or path.suffix == ".jsonl":
        return list(_opened(str(path)))
    from boxkit.errors import MemoryStoreError
    from boxkit.memory.checking import gold_of, kind_of
    from boxkit.memory.written import demonstrated, read_written

    boxes = _loaded(sources)
    if boxes is None:
        raise click.UsageError(f"{path} is run before it is kept: name the SOURCE that its questions are about")
    try:
        every = read_written(path.read_text("utf-8"))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8: {error}") from error
    if not every:
        raise MemoryStoreError("no demonstration is here: a heading `### question`, then ```python", where=str(path))
    about = {"dataset": dataset, "kind": kind_of(boxes), "source": ", ".join(Path(each).name for each in sources)}
    return [demonstrated(each, boxes, gold_of(each), **about) for each in every]


def _loaded(sources: Sequence[str]) -> BoxSet | None:
    import boxkit
    from boxkit.cli.terminal import waiting
    from boxkit.cli.worker import start_worker

    if not sources:
        return None
    start_worker()
    with waiting(f"reading {', '.join(sources)}"):
        return boxkit.load(*sources)


def _named(held: Memory, identifier: str) -> Demonstration:
    from boxkit.errors import nearest

    if identifier in held:
        return held[identifier]
    close = nearest(identifier, (each.id for each in held))
    raise click.UsageError(f"there is no demonstration {identifier!r}{f'; nearest: {close[0]}' if close else ''}")


def _questions(held: Memory) -> list[tuple[Any, ...]]:
    return [(each.id, each.dataset, each.kind, each.question) for each in held]


def _show_parts(held: Memory, as_json: bool) -> None:
    """How many demonstrations there are of each dataset, split, kind and annotator."""
    from boxkit.cli.terminal import print_json

    names = ("dataset", "split", "kind", "annotator", "demonstrations")
    found = Counter((each.dataset, each.split, each.kind, each.verification.annotator) for each in held)
    rows = [(*key, count) for key, count in sorted(found.items())]
    if as_json:
        about = {"demonstrations": len(held), "embedding": held.embedding.name, "repairs": list(held.repairs)}
        print_json({**about, "parts": [dict(zip(names, row, strict=True)) for row in rows]})
        return
    _put(names, rows, as_json=False)
    _say_about(held)


def _put(names: Sequence[str], rows: Sequence[tuple[Any, ...]], as_json: bool) -> None:
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import print_json, show

    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        show(table(names, rows))


def _show_one(one: Demonstration, as_json: bool) -> None:
    from boxkit.cli.terminal import print_json, text
    from boxkit.cli.terminal import show as put

    if as_json:
        print_json(one.to_json())
        return
    where = " / ".join(filter(None, (one.dataset, one.split, one.kind, one.source)))
    checked = " / ".join(filter(None, (one.verification.annotator, one.verification.scorer)))
    parts = (f"# {one.question}", f"# {one.id}: {where}; by {checked}", one.boxes, one.rationale, one.code)
    put(text("\n\n".join(filter(None, parts)), lines=True))
    for row in one.answer[:20]:
        put(text(f"# {row}"))


def _say_about(held: Memory) -> None:
    from boxkit.cli.terminal import say, text

    say(text(f"{counted(len(held), 'demonstration')}, compared by {held.embedding.name}", "dim"))
    for repair in held.repairs:
        say(text(repair, "yellow"))
