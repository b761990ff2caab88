"""Generated code runs here: isolated, limited, and killed when it exceeds its limits."""

from __future__ import annotations

from boxkit.executor.examination import Examination, examine
from boxkit.executor.execute import acompute_result, aexecute, compute_result, execute
from boxkit.executor.limits import ISOLATION_LEVELS, Isolation, Limits
from boxkit.executor.run import Run

__all__ = [
    "ISOLATION_LEVELS",
    "Examination",
    "Isolation",
    "Limits",
    "Run",
    "acompute_result",
    "aexecute",
    "compute_result",
    "examine",
    "execute",
]
