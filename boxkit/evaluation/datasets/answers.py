"""Questions with answers as lists of tuples: StarQA, InfiAgent-DABench, and data of one's own."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from boxkit.errors import nearest
from boxkit.evaluation.datasets.databases import Databases, Kept, NamedBoxes
from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import (
    BadField,
    Row,
    content,
    existing,
    first_existing,
    json_lines,
    json_rows_or_lines,
    shown,
    sound,
)
from boxkit.memory.learning.example import Language
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import render

__all__ = ["dabench", "own", "starqa"]

#: StarQA's databases with a profile of their own.
_STARQA = {
    "imdb": "starqa-imdb",
    "es": "starqa-eurosoccer",
    "eurosoccer": "starqa-eurosoccer",
    "europeansoccer": "starqa-eurosoccer",
}

#: The names of each database, in letters only: the paper's, its short ones, its sources'.
_STARQA_SAME = ({"imdb"}, {"es", "eurosoccer", "europeansoccer"}, {"ol", "olist", "brazilianecommerce"})
_STARQA_NAMES = frozenset().union(*_STARQA_SAME)
_STARQA_FIELDS = " (boxkit reads 'question', 'answer', 'categories' and 'database': rename what is called otherwise)"

_LANGUAGES: dict[str, Language] = {"sql": "sql", "sparql": "sparql", "sexpr": "sexpr"}


def _tuples(value: Any) -> list[tuple[Any, ...]]:
    """An answer as rows: a list of tuples, a list of items, one item, or any of these written as Python.

    >>> _tuples("[('a', 1)]"), _tuples([1, 2]), _tuples(None)
    ([('a', 1)], [(1,), (2,)], [])
    """
    if isinstance(value, str) and value.strip()[:1] in ("[", "("):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            return [(value,)]
    if value is None:
        return []
    if isinstance(value, tuple):
        return [value]
    items = value if isinstance(value, list) else [value]
    return [tuple(item) if isinstance(item, (list, tuple)) else (item,) for item in items]


def starqa(
    path: str | Path,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    databases: str | Path | None = None,
) -> Dataset:
    """StarQA: questions, answers as lists of tuples, categories, over three databases (IMDb, EuroSoccer, Olist).

    The paper says what an item holds, not how its release names it: fields of other names are refused with those that
    there are.

    Args:
        path: ``starqa.json`` (or ``.jsonl``) with ``question``, ``answer``, ``categories`` and ``database``; or a
            folder with that file, or with a file a database, named like it.
        split: ``test`` for all, or a database's name for its questions alone, with its own profile (``starqa-imdb``).
            Among all, each question carries what there is to know of its database.
        skip_bad: Whether rows that do not fit are left out.
        databases: Where each database lies, as a SQLite file or a folder of tables named like it; ``databases`` beside
            the questions where None.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
        ValueError: No question is over a database of the split's name.
    """
    where = existing(path)
    files = _starqa_files(where) if where.is_dir() else [where]
    roots = [existing(databases)] if databases else [files[0].parent / "databases", files[0].parent / "database"]
    found, kept = Databases.of(roots), Kept()

    def made(at: int, row: Row) -> Task:
        if "answer" not in row.values:
            raise BadField(f"there is no 'answer'; there are {', '.join(row.values)}{_STARQA_FIELDS}")
        name = row.optional("database", "db_id", "db") or _database_of(Path(row.file))
        if not name:
            raise BadField(f"there is no 'database'; there are {', '.join(row.values)}{_STARQA_FIELDS}")
        name, source = _source(found, name)
        categories = row.values.get("categories", row.values.get("category")) or ()
        named = [categories] if isinstance(categories, str) else categories
        return Task(
            "/".join([name] * (len(files) > 1) + [row.optional("id") or str(at)]),
            row.text("question"),
            NamedBoxes(kept, (source,)),
            partial(_tuples, row.values["answer"]),
            dataset="starqa",
            source=name,
            split=split or "test",
            line=row.line,
            evidence=render("notes", profile=_starqa_profile(name)).strip() if split in (None, "test") else "",
            context={"kind": "database"},
            groups={"database": (name,), "category": tuple(map(str, named))},
        )

    rows = (row for file in files for row in json_rows_or_lines(file, _key_of(file)))
    tasks, bad = collect(rows, made, skip_bad=skip_bad)
    scorers, read = ("starqa", "starqa_tolerant"), ", ".join(map(str, files))
    if split in (None, "test"):
        return Dataset("starqa", "test", tasks, scorers, PROFILES["starqa"], bad, read)
    is_own = [_letters(task.source) == _letters(split) for task in tasks]
    own = tuple(task for task, wanted in zip(tasks, is_own, strict=True) if wanted)
    bad = tuple(replace(each, before=sum(is_own[: each.before])) for each in bad)
    if not own:
        known = ", ".join(dict.fromkeys(["test", *(task.source for task in tasks)]))
        raise ValueError(f"starqa has the splits {known}, not {split!r}")
    return Dataset("starqa", split, own, scorers, _starqa_profile(split), bad, read)


def _starqa_profile(database: str) -> Profile:
    """What the paper tells of the database, under whichever of its names."""
    return PROFILES[_STARQA.get(_letters(database), "starqa")]


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name.casefold()))


def _starqa_files(folder: Path) -> list[Path]:
    """The one file of questions, else a file a database."""
    whole = [folder / f"{name}{suffix}" for name in ("starqa", "questions") for suffix in (".json", ".jsonl")]
    each = [
        path for path in sorted(folder.glob("*.json*")) if path.suffix in (".json", ".jsonl") and _database_of(path)
    ]
    found = [path for path in whole if path.is_file()][:1] or each
    return found or [first_existing(folder, tuple(path.name for path in whole))]


def _database_of(file: Path) -> str:
    """The database that a file's name says; empty for a file of all questions."""
    return file.stem if _letters(file.stem) in _STARQA_NAMES else ""


def _key_of(file: Path) -> str | None:
    """Under which name a JSON object keeps the list of questions."""
    found = re.match(r'\s*\{\s*"(questions|data|items|examples)"\s*:\s*\[', content(file))
    return found[1] if found else None


def _source(databases: Databases, name: str) -> tuple[str, str]:
    """A database's name there and where it lies, perhaps under another of the paper's names for it."""
    same = next((names for names in _STARQA_SAME if _letters(name) in names), {_letters(name)})
    for folder in databases.folders:
        for path in (folder / name, *sorted(folder.iterdir())):
            is_it = path.name == name or _letters(path.stem) in same
            if is_it and path.is_dir() and not any(path.glob(f"{path.name}.*")):
                return path.name, str(path)
            if is_it and path.exists():
                return path.stem, str(databases.path(path.stem))
    return name, str(databases.path(name))


def dabench(path: str | Path, *, split: str | None = None, skip_bad: bool = False) -> Dataset:
    """InfiAgent-DABench: ``da-dev-questions.jsonl``, ``da-dev-labels.jsonl``, ``da-dev-tables/``.

    Args:
        path: The folder.
        split: ``dev``, the one that is published.
        skip_bad: Whether rows that do not fit are left out.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
    """
    folder, split, kept = existing(path), split or "dev", Kept()
    file = first_existing(folder, (f"da-{split}-questions.jsonl",))
    labelled = json_lines(first_existing(folder, (f"da-{split}-labels.jsonl",)))
    labels = {row.text("id"): row.list_of("common_answers") for row in sound(labelled, skip_bad=skip_bad)}

    def made(_: int, row: Row) -> Task:
        name, table = row.text("id"), folder / f"da-{split}-tables" / row.text("file_name")
        if name not in labels:
            raise BadField(f"there is no label for question {name}")
        if not table.is_file():
            raise BadField(f"there is no table {table.name!r}")
        evidence = [row.optional("constraints"), f"Give each value with its name: {row.text('format')}"]
        return Task(
            name,
            row.text("question"),
            NamedBoxes(kept, (str(table),)),
            partial(_tuples, labels[name]),
            dataset="dabench",
            kind="table",
            source=table.name,
            split=split,
            line=row.line,
            evidence="\n".join(filter(None, evidence)),
            context={"kind": "table"},
            groups={
                "level": (row.optional("level") or "unknown",),
                "concept": tuple(map(str, row.values.get("concepts") or ())),
            },
        )

    tasks, bad = collect(json_rows_or_lines(file), made, skip_bad=skip_bad)
    return Dataset("dabench", split, tasks, ("dabench",), PROFILES["default"], bad, str(file))


def own(path: str | Path, *, split: str | None = None, skip_bad: bool = False) -> Dataset:
    """Data of one's own: a JSONL file of ``question``, ``source`` and ``answer``.

    ``question`` is a text. ``source`` is a path or an address, or a list of them; paths are relative to the file.
    ``answer`` is a value (text, number, true or false), a list of values or a list of rows of equal length; ``[]``
    where nothing is right. Optional: ``id`` (text or number; the row's number where there is none), ``evidence``,
    ``ordered`` (true or false), ``program`` with its ``language`` (for learning), ``group``.

    Args:
        path: The file.
        split: A name for it.
        skip_bad: Whether rows that do not fit are left out.

    Raises:
        SourceError: It is not there or cannot be read, or a row does not fit.
    """
    from boxkit.load import misnamed

    file, split, kept = existing(path), split or "test", Kept()
    read: dict[str, None] = {}
    unread: dict[str, None] = {}

    def made(at: int, row: Row) -> Task:
        unread.update(dict.fromkeys(name for name in row.values if name not in _OWN))
        sources, ordered = _sources(row), row.values.get("ordered") or False
        paths = [each if "://" in each else str(file.parent / each) for each in sources]
        for each in paths:
            if "://" not in each and not Path(each).exists():
                raise BadField(f"there is no source {each!r}")
        if not isinstance(row.values.get("question", ""), str):
            raise BadField(f"'question' is {shown(row.values['question'])}, not a text")
        if not isinstance(ordered, bool):
            raise BadField(f"'ordered' is {shown(ordered)}, not true or false")
        read.update(dict.fromkeys(paths))
        gold = _gold(row)
        language = _LANGUAGES.get(row.optional("language") or "sql")
        if language is None:
            raise BadField(f"'language' is sql, sparql or sexpr, not {row.values['language']!r}")
        program = row.optional("program")
        return Task(
            row.optional("id") or str(at),
            row.text("question"),
            NamedBoxes(kept, tuple(paths)),
            partial(list, gold),
            program,
            language if program else "",
            dataset=file.stem,
            source=", ".join(sources),
            split=split,
            ordered=ordered,
            line=row.line,
            evidence=row.optional("evidence"),
            context={"kind": "database", "ordered": ordered} | ({"in_order": True} if ordered else {}),
            groups={"group": (row.text("group"),)} if row.optional("group") else {},
        )

    tasks, bad = collect(json_rows_or_lines(file), made, skip_bad=skip_bad)
    scorers = ("starqa_tolerant", "starqa", "spider_strict")
    notes = [note for each in read if Path(each).is_file() and (note := misnamed(each))]
    if unread:
        notes.append(f"fields that boxkit does not read: {', '.join(map(_unread, list(unread)[:_NAMED]))}")
    return Dataset(file.stem, split, tasks, scorers, PROFILES["default"], bad, str(file), tuple(notes))


#: The fields of data of one's own, and how many others a note names.
_OWN = ("question", "source", "answer", "id", "evidence", "group", "ordered", "program", "language")
_NAMED = 10


def _unread(name: str) -> str:
    close = nearest(name, _OWN, 1)
    return f"{shown(name)} (is {close[0]!r} meant?)" if close else shown(name)


_SOURCES = "it is a path or an address, or a list of them"
_ANSWERS = "it is a value, a list of values or a list of rows of equal length"


def _sources(row: Row) -> list[str]:
    """What a question of one's own is asked of."""
    if "source" not in row.values:
        raise BadField(f"there is no 'source'; there are {', '.join(row.values) or 'no fields'}")
    given = row.values["source"]
    if given == []:
        raise BadField(f"'source' names nothing: {_SOURCES}")
    sources = given if isinstance(given, list) else [given]
    if not all(isinstance(each, str) and each.strip() for each in sources):
        raise BadField(f"'source' is {shown(given)}: {_SOURCES}")
    return [each.strip() for each in sources]


def _gold(row: Row) -> list[tuple[Any, ...]]:
    """The rows of an answer of one's own; other shapes equal no answer, and would make every right one wrong."""
    if "answer" not in row.values:
        raise BadField(f"there is no 'answer'; there are {', '.join(row.values)}")
    given = row.values["answer"]
    if given is None:
        raise BadField(f"'answer' is null: {_ANSWERS}, and [] where nothing is right")
    gold = _tuples(given)
    is_flat = all(cell is None or isinstance(cell, (str, int, float)) for each in gold for cell in each)
    if not is_flat or () in gold:
        raise BadField(f"'answer' is {shown(given)}: {_ANSWERS}")
    if len({len(each) for each in gold}) > 1:
        widths = ", ".join(map(str, sorted({len(each) for each in gold})))
        raise BadField(f"'answer' has rows of {widths} values: {_ANSWERS}")
    return gold
