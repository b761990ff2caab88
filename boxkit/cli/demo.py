"""``boxkit demo``: true answers from a table, a database and a graph, with no model and no key."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from boxkit.cli.exits import Exit, end, reported

__all__ = ["DEMO", "demo"]

#: The example questions asked: one a source, and one that joins two.
DEMO = ("c06", "d10", "g08", "j04")


@click.command()
def demo() -> None:
    """Ask four questions of the example world that comes with boxkit: a table, a database, a graph, and two joined.

    The planner answers, which is no language model: it needs no key and no network.
    """
    import boxkit
    from boxkit.cli.answers import outcome, print_answer
    from boxkit.cli.terminal import say, text
    from boxkit.cli.worker import start_worker
    from boxkit.examples import COUNTRIES, questions

    start_worker()
    asked = {question.id: question for question in questions()}
    # The code is the planner's over facts of ours: where nothing confines it, it may run all the same.
    planner = boxkit.Planner(limits=boxkit.Limits(allow_weak=True))
    worst = Exit.ANSWERED
    with reported():
        for question in map(asked.__getitem__, DEMO):
            say(text(f'\n$ boxkit ask {" ".join(question.sources)} "{question.question}"', "bold", lines=True))
            answer = planner.ask(question.question, boxkit.load(*question.paths))
            print_answer(answer)
            worst = max(worst, outcome(answer))
        say(text(f'\nThe files are in {COUNTRIES.parent}\nNext: {_called()} ask YOUR_FILE "your question"', lines=True))
        end(worst)


def _called() -> str:
    """How boxkit is called from this shell: by its name only where that is on the PATH."""
    if shutil.which("boxkit"):
        return "boxkit"
    program = Path(sys.argv[0])
    return str(program) if program.stem == "boxkit" else f"{sys.executable} -m boxkit"
