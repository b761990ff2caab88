"""Code is parsed the same whatever other threads do."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from boxkit import syntax

CODE = "\n".join(f"x{at} = a[a['c{at}'] > {at}].groupby(['x', 'y']).agg(z=('q', 'sum'))" for at in range(20))


def test_many_threads_get_one_tree() -> None:
    with ThreadPoolExecutor(8) as pool:
        trees = {ast.dump(tree) for tree in pool.map(syntax.parse, [CODE] * 200)}
    assert trees == {ast.dump(ast.parse(CODE))}


def test_a_parser_that_stumbled_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [SystemError("AST constructor recursion depth mismatch")] * 3
    original = ast.parse

    def stumbling(code: str) -> ast.Module:
        if failures:
            raise failures.pop()
        return original(code)

    monkeypatch.setattr(ast, "parse", stumbling)
    assert ast.dump(syntax.parse("a = 1")) == ast.dump(original("a = 1"))


def test_code_that_does_not_parse_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        syntax.parse("a =")
