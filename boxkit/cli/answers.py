"""An answer on the screen: its rows on stdout; how it came about, and what it cost, on stderr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boxkit.cli.exits import Exit
from boxkit.cli.tables import cell, fitting, print_csv, records, shown_rows, table
from boxkit.cli.terminal import complain, print_json, say, screen, show, text
from boxkit.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from boxkit.answer import Answer, Attempt, Usage

__all__ = ["code", "cost", "explain", "footer", "in_dollars", "outcome", "print_answer", "rows_table"]


#: Rows of another reading that are shown where the planner abstained.
READING_ROWS = 3

#: Rows that are shown one below the other where they are too wide for the terminal.
RECORDS = 3

#: Entities whose ids are shown with an explained answer.
ENTITIES = 20


def print_answer(answer: Answer, *, form: str = "table", rows: int | None = None, explained: bool = False) -> Exit:
    """Print an answer in one of the forms ``table``, ``json``, ``csv`` or ``code``. Returns how the command ends."""
    if form == "json":
        print_json(answer.to_json())
        return outcome(answer)
    if form == "code":
        if answer.code:
            show(text(answer.code.rstrip("\n"), lines=True))
    else:
        _tell(answer, explained)
        if answer.ok and form == "csv":
            print_csv(answer.columns, answer.rows)
        elif answer.ok:
            rows_table(answer.columns, answer.rows, rows)
        if answer.ok and answer.details.get("guess"):
            complain(f"this is a guess: {answer.details.get('doubt', 'the question was not understood for sure')}")
        say(text(footer(answer), "dim"))
    if answer.failure is not None:
        _fail(answer)
    return outcome(answer)


def outcome(answer: Answer) -> Exit:
    """The exit code of an answer."""
    if answer.ok:
        return Exit.ANSWERED
    return Exit.NO_ANSWER


def _tell(answer: Answer, explained: bool) -> None:
    if explained:
        explain(answer)
    elif answer.code and (answer.failure is None or answer.failure.kind != "abstained"):
        if answer.boxes:  # a query names tables or classes, not boxes
            say(text(f"boxes: {', '.join(answer.boxes)}", "dim"))
        if answer.rationale:
            say(text(answer.rationale, "italic", lines=True))
        say(code(answer.code))


def _fail(answer: Answer) -> None:
    failure = answer.failure
    assert failure is not None
    said = "no answer" if failure.kind != "abstained" else "abstained"
    hint = f"\n  try: {failure.hint}" if failure.hint else ""
    complain(f"{said}: {failure.message}{hint}")
    for choice in answer.details.get("choices", ()):
        say(text(f"  it could mean: {choice['reading']}{_given(choice)}", "yellow"))


def _given(choice: Mapping[str, Any]) -> str:
    """What a reading gave, in brackets; empty where it was not run."""
    if "rows" not in choice:
        return ""
    rows = "; ".join(", ".join(map(cell, row)) for row in choice["rows"][:READING_ROWS])
    more = f"; and {choice['count'] - READING_ROWS} more" if choice["count"] > READING_ROWS else ""
    return f" ({rows or 'no rows'}{more})"


def rows_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], limit: int | None) -> None:
    """Print rows on stdout as a table, and on stderr how many were left out."""
    if not rows:
        say(text("the answer has no rows", "dim"))
        return
    kept = rows[: shown_rows(rows, limit)]
    console = screen()
    fit = fitting(columns, kept, console.width) if console.is_terminal else len(columns)
    if fit < len(columns) and len(kept) <= RECORDS:
        show(records(columns, kept))
    elif fit < len(columns):
        fit = max(fit, 1)
        show(table(columns[:fit], [row[:fit] for row in kept]))
        say(text(f"left out for want of room: {', '.join(columns[fit:])}; --csv and --json hold all", "yellow"))
    else:
        show(table(columns, kept))
    if len(kept) < len(rows):
        more = len(rows) - len(kept)
        say(text(f"{more} more of {len(rows)} rows: --rows 0 shows all, --csv and --json hold all", "yellow"))


def code(source: str) -> RenderableType:
    """Python code, in colours where stderr is a terminal."""
    shown = text(source, lines=True)
    if not screen(stderr=True).is_terminal:
        return shown
    from rich.syntax import Syntax

    return Syntax(shown.plain, "python", theme="ansi_dark", background_color="default", word_wrap=True)


def explain(answer: Answer) -> None:
    """Print on stderr everything that led to the answer: demonstrations, rationale, attempts, details."""
    say(text(f"strategy: {answer.strategy}; boxes: {', '.join(answer.boxes) or 'none'}", "dim"))
    if answer.demonstrations:
        say(text(f"demonstrations: {', '.join(answer.demonstrations)}", "dim"))
    for attempt in answer.attempts:
        _explain_attempt(attempt, len(answer.attempts))
    if not answer.attempts and answer.code:
        say(code(answer.code))
    if answer.rationale and not any(attempt.rationale for attempt in answer.attempts):
        say(text(f"why: {answer.rationale}", lines=True))
    for name, detail in answer.details.items():
        # Other readings are shown where they matter: where there is no answer.
        if name != "choices":
            _explain_detail(name, detail)
    for label, ids in list(answer.entities.items())[:ENTITIES]:
        say(text(f"{label} is {', '.join(ids)}", "dim"))
    if len(answer.entities) > ENTITIES:
        more = counted(len(answer.entities) - ENTITIES, "more entity", "more entities")
        say(text(f"{more}: --json holds all", "dim"))


def _explain_detail(name: str, detail: Any) -> None:
    if isinstance(detail, (list, tuple)):
        for each in detail:
            say(text(f"{name}: {each}"))
    elif detail not in (None, "", False):
        say(text(f"{name}: {detail}"))


def _explain_attempt(attempt: Attempt, total: int) -> None:
    say(
        text(
            f"attempt {attempt.number} of {total} ({attempt.seconds:.2f} s, isolation: {attempt.isolation or 'none'})",
            "bold",
        )
    )
    if attempt.rationale:
        say(text(attempt.rationale, lines=True))
    if attempt.code:
        say(code(attempt.code))
    elif attempt.reply:
        say(text(attempt.reply, "dim", lines=True))
    if attempt.stdout:
        say(text(f"printed: {attempt.stdout}", "dim", lines=True))
    if attempt.failure is not None:
        say(text(attempt.failure.feedback(), "red", lines=True))


def footer(answer: Answer) -> str:
    """One line: strategy, rows, attempts, time, tokens, cost."""
    parts = [answer.strategy]
    if answer.ok:
        parts.append(counted(len(answer.rows), "row"))
    if answer.attempts:
        parts.append(counted(len(answer.attempts), "attempt"))
    parts.append(f"{answer.seconds:.2f} s")
    if answer.usage.calls:
        parts.append(cost(answer.usage))
    return " · ".join(part for part in parts if part)


def cost(usage: Usage) -> str:
    """What models were asked and what it cost, in words."""
    tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
    cached = f" ({usage.cached_calls} cached)" if usage.cached_calls else ""
    return f"{counted(usage.calls, 'call')}{cached}, {tokens}, {in_dollars(usage.dollars)}"


def in_dollars(amount: float | None) -> str:
    """An amount, or that it is unknown."""
    return "price unknown" if amount is None else f"${amount:.4f}"
