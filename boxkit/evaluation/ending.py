"""How a run ends that is not whole: with what it has and why it stopped, or with what it cannot go on from."""

from __future__ import annotations

from boxkit.answer import Usage
from boxkit.errors import (
    BadReply,
    BudgetSpent,
    LLMError,
    LLMTimeout,
    MissingKey,
    ModelNotFound,
    RateLimited,
    ServerUnavailable,
)
from boxkit.evaluation.summary import RunReport
from boxkit.wording import counted

__all__ = ["PASSING", "end", "has_given_up", "spent_of"]

#: Failures of a server rather than of a question: it is asked again, later.
PASSING = (RateLimited, LLMTimeout, ServerUnavailable, BadReply)
#: Failures that a setting of the caller's is to blame for.
_SETTINGS = (MissingKey, ModelNotFound, BudgetSpent)


def has_given_up(error: BaseException) -> bool:
    """Whether it is the failure of a model or its server, which may come back, and not of a setting of the caller's."""
    return isinstance(error, LLMError) and not isinstance(error, _SETTINGS)


def end(report: RunReport, error: BaseException | None, last: LLMError | None, over: float | None = None) -> None:
    """Say in ``report.stopped`` why a run is not whole.

    Args:
        report: What is done.
        error: What ended it; None where it came to its end.
        last: The last failure in passing; None where there was none.
        over: The budget in dollars that ended it; None where none did.

    Raises:
        BaseException: ``error``, unless that is a server that has answered before; ``last``, where no question was
            answered at all. The usage of an `LLMError` is then the run's.
    """
    if over is not None:  # what was under way then is paid for now
        report.stopped = spent_of(report.usage, over)
    if error is None and not report.records and not report.stopped:
        error = last
    if isinstance(error, LLMError) and report.usage.calls:
        error.usage = report.usage
    if error is not None and not (has_given_up(error) and report.records):
        raise error
    missing = report.total - report.done
    if error is not None and not isinstance(error, PASSING):
        report.stopped = str(error).partition("\n")[0]
    elif missing and (error is not None or not report.stopped):
        why = report.lost[-1].message.partition("\n")[0] if report.lost else ""
        report.stopped = f"{counted(missing, 'question')} could not be asked, the last because: {why}"


def spent_of(spent: Usage, dollars: float | None) -> str:
    """That a budget in dollars is spent."""
    return f"the budget is spent: {spent.dollars or 0:.4f} of {dollars or 0:g} dollars"
