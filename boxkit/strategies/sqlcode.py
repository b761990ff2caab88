"""Text2SQLCode: SQL that fetches and Python that reasons, in one call or in several (StarQA, section 4)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from boxkit.answer import Answer
from boxkit.box import BoxSet
from boxkit.executor import Limits
from boxkit.failure import Failure
from boxkit.prompts.reply import Reply, parse_reply
from boxkit.sql import SqlEngine, SqlLimits
from boxkit.strategies.querying import Querying
from boxkit.strategies.steps import Steps
from boxkit.strategies.text2sql import engine_of
from boxkit.syntax import parse

__all__ = ["Text2SQLCode", "parse_function", "with_function"]


@dataclass(frozen=True, slots=True)
class Text2SQLCode(Querying):
    """SQL and Python together.

    ``calls="single"``: one prompt, one function ``compute_result(database_path)`` with its SQL inside, run with that
    one SQLite file readable; where there is no such file it gets a read-only ``query(sql)``. ``calls="multi"``: a
    decomposer, a Text2SQL call a SQL step, and ``compute_result(frames)`` over what was fetched. Settings: those of
    `Querying`, and

    Attributes:
        calls: ``"single"`` or ``"multi"``.
        limits: What the Python may use.
        sql_limits: What a query may use.
    """

    calls: Literal["single", "multi"] = "single"
    limits: Limits = Limits()
    sql_limits: SqlLimits = SqlLimits()

    def __post_init__(self) -> None:
        Querying.__post_init__(self)
        if self.calls not in ("single", "multi"):
            raise ValueError(f"calls is 'single' or 'multi', not {self.calls!r}")

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        return f"Text2SQLCode({self.calls})"

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """One call or several; see the class."""
        from boxkit.strategies.sqlcode_multi import several_calls
        from boxkit.strategies.sqlcode_single import one_call

        engine: SqlEngine = yield from engine_of(boxes)
        way = one_call if self.calls == "single" else several_calls
        return (yield from way(self, question, boxes, engine))


def parse_function(text: str) -> Reply:
    """A reply whose code defines ``compute_result``."""
    return parse_reply(text, target="compute_result")


def with_function(code: str) -> str | Failure:
    """The code with its function under the name ``compute_result``, or why there is none.

    The function is ``compute_result``, ``compute_results`` (a slip of the published prompt), the only one there is, or
    the only one that no other one calls.
    """
    try:
        tree = parse(code)
    except (SyntaxError, ValueError):
        return code  # running it says what is wrong with it
    if any(isinstance(node, ast.AsyncFunctionDef) for node in tree.body):
        return Failure("no code", "the function is `async`, and nothing awaits it", hint="write a plain `def`")
    code = _without_trial(code, tree)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "compute_result" in defined or "compute_result" in _assigned(tree):
        return code
    if "compute_results" in defined:
        return f"{code}\n\ncompute_result = compute_results"
    called = {each.id for node in defined.values() for each in ast.walk(node) if isinstance(each, ast.Name)}
    outer = [name for name in defined if name not in called]
    if len(outer) == 1:
        return f"{code}\n\ncompute_result = {outer[0]}"
    return Failure("no code", "the reply defines no function `compute_result`", hint="define it at the top level")


def _without_trial(code: str, tree: ast.Module) -> str:
    """The code without the lines at its end that try the function on a file of the model's fancy."""
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "compute_result" in _assigned(tree):
        return code
    last = max((at for at, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)), default=len(tree.body))
    for node in tree.body[last + 1 :]:
        calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
        if any(isinstance(called, ast.Name) and called.id in functions for called in calls):
            return "\n".join(code.splitlines()[: node.lineno - 1])
    return code


def _assigned(tree: ast.Module) -> set[str]:
    """The names that the top level assigns."""
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}
