"""``boxkit run``: your own pandas code over boxes, confined like a model's; no model asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.exits import Exit, end, reported
from boxkit.cli.options import Confinement, Loading, Printing, confinement, loading, printing

if TYPE_CHECKING:
    from boxkit.executor import Run

__all__ = ["run"]


@click.command()
@loading
@click.option("-c", "--code", metavar="CODE", help="The code.")
@click.option("-f", "--file", "script", type=click.File(encoding="utf-8"), help="A file with the code; - for stdin.")
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the figures drawn, as PNG, in this folder.",
)
@printing
@confinement
def run(
    loading: Loading,
    code: str | None,
    script: Any,
    figures: Path | None,
    printing: Printing,
    confinement: Confinement,
) -> None:
    """Run pandas code over the boxes of one SOURCE or several.

    Each box is a DataFrame of its name. The answer is the value of `answer`, else of the last expression. Without -c
    and -f the code is read from stdin. `boxkit show` lists the names.

    \b
        boxkit run sales.csv -c "sales.groupby('month')['amount'].sum()"
        boxkit run shop.sqlite -f report.py --csv > report.csv
    """
    import boxkit
    from boxkit.cli.terminal import waiting
    from boxkit.cli.worker import start_worker

    if code is not None and script is not None:
        raise click.UsageError("-c and -f: choose one")
    form = printing.form
    program = code if code is not None else _read(script)
    if not program.strip():
        raise click.UsageError("the code is empty")
    with reported():
        start_worker()
        boxes = loading.load()
        with waiting("running"):
            outcome = boxkit.execute(program, boxes, limits=confinement.limits())
        _keep_figures(outcome.figures, figures)
        end(_print(outcome, form, printing.rows))


def _read(script: Any) -> str:
    if script is None and sys.stdin.isatty():
        raise click.UsageError("no code: -c CODE, -f FILE, or code on stdin")
    try:
        program: str = (script or sys.stdin).read()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"the code is not UTF-8: {error}") from error
    return program


def _keep_figures(figures: tuple[bytes, ...], folder: Path | None) -> None:
    from boxkit.cli.terminal import say, text
    from boxkit.wording import counted

    if not figures:
        return
    if folder is None:
        say(text(f"drawn and not kept: {counted(len(figures), 'figure')}; --figures FOLDER keeps them", "yellow"))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, figure in enumerate(figures, start=1):
            (folder / f"figure-{number}.png").write_bytes(figure)
    except OSError as error:
        raise click.UsageError(f"--figures: {error}") from error


def _print(outcome: Run, form: str, rows: int | None) -> Exit:
    from boxkit.canonical import NoCanonicalRows, canonical_rows
    from boxkit.cli.answers import rows_table
    from boxkit.cli.tables import print_csv
    from boxkit.cli.terminal import complain, print_json, say, show, text

    failure = outcome.error
    only_printed = failure is not None and failure.kind == "no answer" and bool(outcome.stdout)
    try:
        answer, columns = canonical_rows(outcome.answer)
    except NoCanonicalRows as error:
        complain(f"{error}: make `answer` a value, a list or a DataFrame")
        return Exit.NO_ANSWER
    if form == "json":
        print_json(_json(outcome, answer, columns))
        return Exit.ANSWERED if failure is None or only_printed else Exit.NO_ANSWER
    if outcome.stdout:
        (show if form == "table" else say)(text(outcome.stdout.rstrip("\n"), lines=True))
    if only_printed:
        return Exit.ANSWERED
    if failure is not None:
        complain(failure.feedback())
        return Exit.NO_ANSWER
    if form == "csv":
        print_csv(columns, answer)
    else:
        rows_table(columns, answer, rows)
    say(
        text(
            f"{outcome.seconds:.2f} s, isolation: {outcome.isolation}, boxes: {', '.join(outcome.boxes) or 'none'}",
            "dim",
        )
    )
    return Exit.ANSWERED


def _json(outcome: Run, rows: list[tuple[Any, ...]], columns: tuple[str, ...]) -> dict[str, Any]:
    from boxkit.canonical import json_value

    about = {name: getattr(outcome, name) for name in ("stdout", "seconds", "peak_memory_mb", "isolation", "boxes")}
    whole: dict[str, Any] = {"ok": outcome.ok, "columns": columns, "rows": rows, "failure": outcome.error, **about}
    return {name: json_value(value) for name, value in whole.items()}
