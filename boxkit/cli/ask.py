"""``boxkit ask``: one question, one answer."""

from __future__ import annotations

from pathlib import Path

import click

from boxkit.cli.exits import end, reported
from boxkit.cli.options import Asking, Confinement, Loading, Printing, asking, confinement, loading, printing

__all__ = ["ask"]


class _Ask(click.Command):
    """Says which of SOURCE and QUESTION is missing: the last argument is the question, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            has_source = any(Path(each).exists() for each in given)
            missing = ("QUESTION" if has_source else "SOURCE") if given else "SOURCE and the QUESTION"
            raise click.UsageError(f'the {missing} is missing: boxkit ask SOURCE... "QUESTION"', ctx) from error


@click.command(cls=_Ask)
@loading
@click.argument("question")
@printing
@click.option("--code-only", is_flag=True, help="Print only the code that gave the answer.")
@click.option("--explain", "explained", is_flag=True, help="Print every attempt, why it was made, and what came of it.")
@asking
@confinement
def ask(
    loading: Loading,
    question: str,
    printing: Printing,
    code_only: bool,
    explained: bool,
    asking: Asking,
    confinement: Confinement,
) -> None:
    """Answer QUESTION from one SOURCE or several.

    A SOURCE is a file, a folder, a glob or a URL: tables (CSV, Excel, Parquet, JSON …), databases, graphs. The answer
    goes to stdout; the code, the boxes it used, the time and the cost go to stderr.

    \b
        boxkit ask sales.csv "Which month sold the most?"
        boxkit ask shop.sqlite reviews.ttl "Which products have no review?" --explain
    """
    from boxkit.cli.answers import print_answer
    from boxkit.cli.strategies import strategy_for
    from boxkit.cli.terminal import say, text, waiting
    from boxkit.cli.worker import start_worker

    form = printing.form
    if code_only and form != "table":
        raise click.UsageError("--code-only prints no rows: leave out --json and --csv")
    _check_order(loading.sources, question)
    with reported():
        start_worker()
        strategy, who = strategy_for(asking, confinement.limits())
        boxes = loading.load(question)
        say(text(f"answering with {who}", "dim"))
        with waiting(f"asking {who}"):
            answer = strategy.ask(question, boxes)
        end(print_answer(answer, form="code" if code_only else form, rows=printing.rows, explained=explained))


def _check_order(sources: tuple[str, ...], question: str) -> None:
    if not question.strip():
        raise click.UsageError("the question is empty")
    try:
        swapped = Path(question).exists() and not Path(sources[0]).exists()
    except OSError:
        return
    if swapped:
        raise click.UsageError(f"the question comes last: boxkit ask {question} {sources[0]!r}")
