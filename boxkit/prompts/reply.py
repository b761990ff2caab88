"""Finding the code in a model's reply, however it is wrapped."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from dataclasses import dataclass

from boxkit.syntax import parse

__all__ = ["Reply", "parse_json_reply", "parse_reply", "parse_sparql_reply", "parse_sql_reply"]

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[ \t]*(?P<language>[\w+.-]*)[^\n]*$", re.MULTILINE)
_PYTHON = frozenset({"", "python", "py", "python3", "py3", "pandas", "ipython", "pycon", "code"})

#: Longer text is not searched for unfenced code line by line.
MAX_SEARCHED_LINES = 400

#: A statement of more lines than this is not looked for in unfenced text.
MAX_OPEN_LINES = 60


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply taken apart.

    Attributes:
        code: The code to run; empty where there is none.
        rationale: The prose before it.
        problem: What was missing, for the model; empty where there is code.
    """

    code: str
    rationale: str = ""
    problem: str = ""


def parse_reply(text: str, target: str = "answer") -> Reply:
    """The code and the rationale in a model's reply.

    Fenced blocks come first, whatever Python is called there, closed or not; of several, the last one that assigns
    ``target``, with the earlier ones it builds on. Without a fence, the longest run of lines that is a program. What a
    model thought aloud (``<think>``) is no code, and neither is a bare number or word: an answer must be computed.
    """
    visible = _THINKING.sub("", text).strip()
    if not visible:
        what = "only thoughts" if text.strip() else "nothing"
        return Reply("", "", f"the reply holds {what}; a ```python block that assigns `{target}` is missing")
    blocks, prose = _fenced(visible)
    code = _chosen(blocks, target)
    if code:
        return Reply(code, prose)
    if not blocks:
        found = _unfenced(visible, target)
        if found is not None:
            return found
    return Reply("", prose, f"there is no code in the reply; a ```python block that assigns `{target}` is missing")


_SQL = frozenset({"", "sql", "sqlite", "sqlite3", "postgres", "postgresql", "mysql", "duckdb", "code"})
_SQL_START = re.compile(r"^[ \t]*(?:WITH|SELECT|VALUES|FROM)\b", re.MULTILINE | re.IGNORECASE)


_SPARQL = frozenset({"", "sparql", "sparql-query", "rq", "code"})
_SPARQL_START = re.compile(r"^[ \t]*(?:PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b", re.MULTILINE | re.IGNORECASE)


def parse_sql_reply(text: str) -> Reply:
    """The query and the rationale in a model's reply: the last SQL block, else the text from its first ``SELECT``.

    >>> parse_sql_reply("Count.\\n```sql\\nSELECT 1;\\n```").code
    'SELECT 1;'
    """
    return _query(text, _SQL, _SQL_START, "sql")


def parse_sparql_reply(text: str) -> Reply:
    """The same in SPARQL: the last block, else the text from its first ``PREFIX``, ``SELECT`` or ``ASK``."""
    return _query(text, _SPARQL, _SPARQL_START, "sparql")


def _query(text: str, languages: frozenset[str], start: re.Pattern[str], name: str) -> Reply:
    visible = _THINKING.sub("", text).strip()
    blocks, prose = _fenced(visible, languages)
    if blocks:
        return Reply(blocks[-1], prose)
    found = start.search(visible)
    if found and not _FENCE.search(visible):
        query, _, _ = visible[found.start() :].partition("\n\n")
        return Reply(query.strip(), visible[: found.start()].strip())
    return Reply("", prose, f"there is no query in the reply; one ```{name} block is missing")


def parse_json_reply(text: str, opening: str = "[") -> Reply:
    """The JSON in a model's reply: the last block, else the text from its first bracket to its last.

    Args:
        text: The reply.
        opening: The bracket: ``"["`` for a list of rows, ``"{"`` for an object.
    """
    closing, what = ("]", "with a list of rows") if opening == "[" else ("}", "that holds an object")
    visible = _THINKING.sub("", text).strip()
    blocks, prose = _fenced(visible, frozenset({"", "json"}))
    if blocks:
        return Reply(blocks[-1], prose)
    start, end = visible.find(opening), visible.rfind(closing)
    if 0 <= start < end:
        return Reply(visible[start : end + 1], visible[:start].strip())
    return Reply("", prose, f"there is no JSON in the reply; one ```json block {what} is missing")


def _fenced(text: str, languages: frozenset[str] = _PYTHON) -> tuple[list[str], str]:
    """The blocks in these languages, and the prose before the first."""
    blocks: list[str] = []
    position, prose = 0, None
    while opening := _FENCE.search(text, position):
        mark = opening["mark"]
        closing = re.compile(rf"^[ \t]*{re.escape(mark)}[ \t]*$", re.MULTILINE).search(text, opening.end())
        body = text[opening.end() : closing.start() if closing else len(text)]
        if opening["language"].casefold() in languages:
            prose = text[: opening.start()].strip() if prose is None else prose
            blocks.append(_unprompted(textwrap.dedent(body.strip("\n"))).rstrip())
        position = closing.end() if closing else len(text)
    return [block for block in blocks if block.strip()], text.strip() if prose is None else prose


def _unprompted(code: str) -> str:
    """Code copied from a session (``>>> …``) without the session's marks."""
    lines = code.splitlines()
    if not any(line.startswith(">>> ") for line in lines):
        return code
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def _parse(code: str) -> ast.Module | None:
    try:
        return parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _assigns(tree: ast.AST, target: str) -> bool:
    return target in _stored(tree)


def _stored(tree: ast.AST) -> set[str]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def _loaded(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _computes(tree: ast.Module) -> bool:
    """Whether the program does anything but state a constant, a name or words."""
    doing = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Call, ast.Subscript, ast.Attribute, ast.BinOp, ast.Compare)
    return any(isinstance(node, doing) for node in ast.walk(tree)) and bool(_loaded(tree) - set(dir(builtins)))


def _chosen(blocks: list[str], target: str) -> str:
    """The block to run, with those before it that it builds on; a block that does not parse is run for its error."""
    if not blocks:
        return ""
    trees = [_parse(block) for block in blocks]
    assigning = [at for at, tree in enumerate(trees) if tree is not None and _assigns(tree, target)]
    computing = [at for at, tree in enumerate(trees) if tree is not None and _computes(tree)]
    broken = [at for at, tree in enumerate(trees) if tree is None]
    if not (eligible := assigning or computing or broken):
        return ""
    last = eligible[-1]
    tree = trees[last]
    if tree is None:
        return blocks[last]
    needed, chosen = _loaded(tree), [blocks[last]]
    for at in reversed(range(last)):
        earlier = trees[at]
        if earlier is not None and _stored(earlier) & (needed - {target}):
            chosen.insert(0, blocks[at])
            needed |= _loaded(earlier)
    return "\n".join(chosen)


def _unfenced(text: str, target: str) -> Reply | None:
    """The longest run of whole lines that is a program, preferring one that assigns ``target``."""
    lines = _unprompted(text).splitlines()[:MAX_SEARCHED_LINES]
    best: tuple[tuple[bool, int], Reply] | None = None
    start = 0
    while start < len(lines):
        end = _longest_program(lines, start)
        if end is None:
            start += 1
            continue
        code, skipped = _without_words("\n".join(lines[start:end]))
        tree = _parse(code)
        if tree is not None and (_computes(tree) or _assigns(tree, target)):
            rank = (_assigns(tree, target), end - start)
            if best is None or rank > best[0]:
                best = (rank, Reply(code, "\n".join(lines[: start + skipped]).strip()))
        start = end
    return best[1] if best else None


def _without_words(code: str) -> tuple[str, int]:
    """The program without leading lines that only look like one ("Sure", "Steps: first"), and how many these were."""
    tree = _parse(code)
    for statement in tree.body if tree else ():
        wordy = isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Name, ast.Constant, ast.Tuple))
        if not wordy and not (isinstance(statement, ast.AnnAssign) and statement.value is None):
            first = statement.lineno - 1
            return "\n".join(code.splitlines()[first:]).strip("\n"), first
    return "", 0


def _longest_program(lines: list[str], start: int) -> int | None:
    """The end of the longest program that starts at this line; None where none does."""
    if not lines[start].strip() or lines[start][0].isspace():
        return None
    end = None
    for stop in range(start + 1, len(lines) + 1):
        tree = _parse("\n".join(lines[start:stop]))
        if tree is not None and tree.body:
            end = stop
        elif stop - (start if end is None else end) > MAX_OPEN_LINES:
            break
    return end
