"""Finding the code in a model's reply, however it is wrapped."""

from __future__ import annotations

import ast
import builtins
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from boxkit.syntax import parse

__all__ = ["Reply", "parse_json_reply", "parse_reply", "parse_sparql_reply", "parse_sql_reply"]

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[ \t]*(?P<language>[\w+.-]*)[^\n`]*$", re.MULTILINE)
#: A block on one line, or code between single backticks.
_INLINE = re.compile(r"(?<!`)(?P<mark>```|`)(?!`)(?:(?<=```)(?P<language>[\w+.-]+)[ \t]+)?(?P<code>[^`\n]+)(?P=mark)")
#: What a chat's own marks look like where a server lets them through, and characters that nobody sees.
_MARKS = re.compile(r"<\|[\w ]{1,30}\|>|[\ufeff\u200b\u200e\u200f]")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_PYTHON = frozenset({"", "python", "py", "python3", "py3", "pandas", "ipython", "pycon", "code"})

#: Longer text is not searched for unfenced code line by line.
MAX_SEARCHED_LINES = 400

#: No more places than these are looked at for a query, or for code between backticks.
MAX_STARTS = 20

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
    visible = _visible(text)
    if not visible:
        what = "only thoughts" if text.strip() else "nothing"
        return Reply("", "", f"the reply holds {what}; a ```python block that assigns `{target}` is missing")
    blocks, prose = _fenced(visible)
    code = _chosen(blocks, target)
    if code:
        return Reply(code, prose)
    if not blocks:
        found = _unfenced(visible, target) or _wrapped(visible, target)
        if found is not None:
            return found
    return Reply("", prose, f"there is no code in the reply; a ```python block that assigns `{target}` is missing")


def _visible(text: str) -> str:
    """The reply without what a model thought aloud, a chat's marks, and the ends of lines of other systems."""
    plain = _MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    shown = _THINKING.sub("", plain)
    # Some servers send the end of the thoughts without their beginning.
    shown = re.split(r"</(?:think|thinking|reasoning)>", shown, flags=re.IGNORECASE)[-1].strip()
    lines = shown.splitlines()
    return _QUOTED.sub("", shown) if lines and all(line.startswith(">") for line in lines if line.strip()) else shown


_SQL = frozenset(
    {"", "sql", "sqlite", "sqlite3", "postgres", "postgresql", "pgsql", "mysql", "mariadb", "duckdb", "tsql", "code"}
)
_SQL_START = re.compile(
    r"(?:^[ \t(]*|^(?P<label>\W*(?:sql|query|answer)\b[^:\n]{0,20}:\W*?))(?=(?:WITH|SELECT|VALUES|FROM|TABLE)\b)",
    re.MULTILINE | re.IGNORECASE,
)

_SPARQL = frozenset({"", "sparql", "sparql-query", "rq", "code"})
_SPARQL_START = re.compile(
    r"(?:^[ \t]*|^(?P<label>\W*(?:sparql|query|answer)\b[^:\n]{0,20}:\W*?))"
    r"(?=(?:PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b)",
    re.MULTILINE | re.IGNORECASE,
)


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
    visible = _visible(text)
    blocks, prose = _fenced(visible, languages)
    if blocks:
        # A block of no language may hold the result that a model makes up.
        queries = [block for block in blocks if _begins(block, start)]
        return Reply((queries or blocks)[-1], prose)
    for code in _in_json(visible, ("sql", "sql_query", "query", "sparql")):
        if _begins(code, start):
            return Reply(code.strip(), visible.partition("{")[0].strip())
    if not _FENCE.search(visible):
        found = list(islice(start.finditer(visible), MAX_STARTS))
        queries = [_statement(visible[each.end() if each["label"] else each.start() :]) for each in found]
        at = next((at for at, query in enumerate(queries) if _is_query(query, name)), 0)
        if queries:
            return Reply(queries[at], visible[: found[at].start()].strip())
    for code in _inline(visible):
        if _begins(code, start):
            return Reply(code, visible.partition("`")[0].strip())
    return Reply("", prose, f"there is no query in the reply; one ```{name} block is missing")


def _begins(code: str, start: re.Pattern[str]) -> bool:
    """Whether a text begins like a query, comments apart."""
    return start.match(re.sub(r"^(?:\s*(?:--|#)[^\n]*\n|\s*/\*.*?\*/)*\s*", "", code, flags=re.DOTALL)) is not None


def _statement(text: str) -> str:
    """A query from its first word to its semicolon, or to an empty line outside all brackets and quotes."""
    depth, selects = 0, text.lstrip().startswith("(")
    for found in re.finditer(
        r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|[();{}]|\n[ \t]*\n|\w+", text, re.DOTALL
    ):
        piece = found[0]
        depth += (piece in ("(", "{")) - (piece in (")", "}"))
        selects = selects or (depth <= 0 and piece.upper() in ("SELECT", "VALUES", "FROM", "TABLE", "ASK", "WHERE"))
        if piece == ";":
            return text[: found.end()].strip()
        if not piece.strip() and depth <= 0 and selects:
            return text[: found.start()].strip()
    return text.strip()


def _is_query(query: str, name: str) -> bool:
    """Whether prose that begins like a query ("From the schema…") is one; where that cannot be told, it is."""
    if name != "sql":
        return True
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ImportError:
        return True
    try:
        return len([each for each in sqlglot.parse(query) if each is not None]) == 1
    except (SqlglotError, RecursionError):
        return False


def parse_json_reply(text: str, opening: str = "[") -> Reply:
    """The JSON in a model's reply: the last block, else the text from its first bracket to its last.

    Args:
        text: The reply.
        opening: The bracket: ``"["`` for a list of rows, ``"{"`` for an object.
    """
    closing, what = ("]", "with a list of rows") if opening == "[" else ("}", "that holds an object")
    visible = _visible(text)
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
        body, position = _body(text, opening, _parse if languages is _PYTHON else None)
        if opening["language"].casefold() in languages:
            prose = text[: opening.start()].strip() if prose is None else prose
            blocks.append(_unprompted(textwrap.dedent(body.strip("\n"))).rstrip())
    return [block for block in blocks if block.strip()], text.strip() if prose is None else prose


def _body(text: str, opening: re.Match[str], parsed: Callable[[str], Any] | None) -> tuple[str, int]:
    """What stands in a block, and where the text goes on: the mark may close at the end of the last line of code.

    Where the block is code that does not parse and would with a later end, the mark is part of a text in the code.
    """
    mark = re.escape(opening["mark"])
    ends = list(re.compile(rf"(?:^[ \t]*|(?<=[^`~\n])){mark}[ \t]*$", re.MULTILINE).finditer(text, opening.end()))
    if not ends:
        return text[opening.end() :], len(text)
    best = ends[0]
    if parsed is not None and parsed(_dedented(text[opening.end() : best.start()])) is None:
        best = next((end for end in ends[1:4] if parsed(_dedented(text[opening.end() : end.start()]))), best)
    return text[opening.end() : best.start()], best.end()


def _dedented(body: str) -> str:
    return _unprompted(textwrap.dedent(body.strip("\n")))


def _inline(text: str) -> Iterator[str]:
    """Code on one line between backticks, the last first."""
    yield from reversed([each["code"].strip() for each in _INLINE.finditer(text)][:MAX_STARTS])


def _in_json(text: str, keys: tuple[str, ...]) -> Iterator[str]:
    """Texts under these keys of the JSON objects in a reply: an answer in JSON, or what looks like a tool's call."""
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    for _ in range(20):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield from _under(value, keys)
        at = text.find("{", end)


def _under(value: Any, keys: tuple[str, ...], depth: int = 4) -> Iterator[str]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return
    if not isinstance(value, dict) or not depth:
        return
    for key, item in value.items():
        if key.casefold() in keys and isinstance(item, str):
            yield item
        else:
            yield from _under(item, keys, depth - 1)


def _wrapped(text: str, target: str) -> Reply | None:
    """A program in JSON, between backticks or indented in prose; None where there is none."""
    indented = ["\n".join(run) for run in _indented_runs(text)]
    for code in (*_in_json(text, ("code", "python", "python_code", "program", "script")), *_inline(text), *indented):
        body, prose = _dedented(code).strip(), text[: max(text.find(code), 0)].strip("`{ \n")
        blocks, _ = _fenced(body)
        body = _chosen(blocks, target) if blocks else body
        tree = _parse(body)
        if tree is not None and (_assigns(tree, target) or (_computes(tree) and "\n" in body)):
            return Reply(body, prose)
    return None


def _indented_runs(text: str) -> Iterator[list[str]]:
    run: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if line.startswith(("    ", "\t")) or (run and not line.strip()):
            run.append(line)
        elif run:
            yield run
            run = []


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
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return names | {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


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
