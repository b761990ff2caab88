"""Spider and what is laid out like it: questions with gold SQL over SQLite databases, in JSON lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets.databases import Databases
from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import Row, existing, first_existing, json_rows
from boxkit.evaluation.scorers.spider import order_matters
from boxkit.profile import PROFILES

__all__ = ["SqlLayout", "spider", "spider_dk", "spider_realistic", "spider_syn", "sql_dataset"]


@dataclass(frozen=True, slots=True)
class SqlLayout:
    """How a text-to-SQL benchmark is laid out.

    Attributes:
        name: The benchmark's.
        files: For each split, the files that it may lie in; those of one tuple are alternatives, several are read one
            after the other.
        databases: Folders of databases, relative to the benchmark's.
        question: The fields that may hold the question.
        sql: The fields that may hold the gold SQL.
        evidence: The fields that may hold what is told beside the question.
        scorers: The official scorer first.
        groups: What reports break it down by, from a row.
        id: The field with the id; the row's number where None.
        borrows: Whether the databases may be Spider's, in the folder ``spider`` beside the benchmark's.
    """

    name: str
    files: Mapping[str, tuple[tuple[str, ...], ...]]
    databases: tuple[str, ...] = ("database", "dev_database", "test_database")
    question: tuple[str, ...] = ("question",)
    sql: tuple[str, ...] = ("query",)
    evidence: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ("spider", "spider_strict", "spider_exec", "pandora_release")
    profile: str = "spider"
    groups: Callable[[Row], Mapping[str, tuple[str, ...]]] = lambda row: {}  # noqa: ARG005 - no groups, whatever the row
    id: str | None = None
    borrows: bool = True


def sql_dataset(
    layout: SqlLayout, path: str | Path, *, split: str | None, skip_bad: bool, databases: str | None = None
) -> Dataset:
    """A text-to-SQL benchmark.

    Args:
        layout: How it is laid out.
        path: Its folder, or a JSON file of one split with the databases beside it.
        split: Which part; the layout's first where None.
        skip_bad: Whether rows that do not fit are left out: no question, no database, SQL that SQLite refuses.
        databases: The folder of databases where it is not the benchmark's own.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
        ValueError: There is no such split.
    """
    where = existing(path)
    split = split or next(iter(layout.files))
    if where.is_file():
        files, folder = [where], where.parent
    elif split in layout.files:
        files, folder = [first_existing(where, names) for names in layout.files[split]], where
    else:
        raise ValueError(f"{layout.name} has the splits {', '.join(layout.files)}, not {split!r}")
    rows = list(_rows(files))  # before the databases: a file that is none of this benchmark's has none
    if databases is None:
        roots = [root / each for root in (folder, folder.parent) for each in layout.databases]
        found = Databases.of([*roots, *[folder.parent / "spider" / "database"] * layout.borrows])
    else:
        found = Databases.of([existing(databases)])
    with found.checking() as check:

        def made(at: int, row: Row) -> Task:
            task = _task(layout, found, split, at, row)
            check(task.source, task.program)
            return task

        tasks, bad = collect(rows, made, skip_bad=skip_bad)
    source = ", ".join(map(str, files))
    notes = _elsewhere(found, tasks, folder) if databases is None else ()
    return Dataset(layout.name, split, tasks, layout.scorers, PROFILES[layout.profile], bad, source, notes)


def _elsewhere(databases: Databases, tasks: Iterable[Task], folder: Path) -> tuple[str, ...]:
    """A note on databases that were found in another folder than the benchmark's, which nobody has named."""
    names = dict.fromkeys(task.source for task in tasks)
    used = {each for name in names for each in databases.folders if each in databases.path(name).parents}
    beside = [str(each) for each in databases.folders if each in used and folder not in each.parents]
    return (f"databases that the benchmark's folder has not are those of {', '.join(beside)}",) if beside else ()


def _rows(files: list[Path]) -> Iterator[Row]:
    for file in files:
        yield from json_rows(file)


def _task(layout: SqlLayout, databases: Databases, split: str, at: int, row: Row) -> Task:
    question, sql = row.text(*layout.question), row.text(*layout.sql).rstrip("; \n\t")
    name = row.text("db_id", "db")
    path = databases.path(name)
    ordered = order_matters(sql)
    return Task(
        row.text(layout.id) if layout.id else str(at),
        question,
        databases.boxes(name),
        partial(databases.rows, name, sql),
        sql,
        "sql",
        "sqlite",
        layout.name,
        "database",
        name,
        split,
        ordered,
        line=row.line,
        evidence=row.optional(*layout.evidence) if layout.evidence else "",
        context={"ordered": ordered, "sql": sql, "database": str(path), "kind": "database"},
        groups={"database": (name,), **layout.groups(row)},
    )


def _hardness(row: Row) -> Mapping[str, tuple[str, ...]]:
    """Spider's hardness, where a file has it."""
    hardness = row.values.get("hardness")
    return {"hardness": (str(hardness),)} if hardness else {}


SPIDER = SqlLayout(
    "spider",
    {
        "dev": (("dev.json", "spider.dev.json"),),
        "train": (("train_spider.json", "train.json"),),
        "train_others": (("train_others.json",),),
        "test": (("test.json",),),
    },
    groups=_hardness,
)
SPIDER_SYN = SqlLayout(
    "spider-syn",
    {"dev": (("dev.json", "spider-syn.test.json", "test.json"),), "train": (("train_spider.json", "train.json"),)},
    question=("SpiderSynQuestion", "question"),
)
SPIDER_REALISTIC = SqlLayout("spider-realistic", {"dev": (("spider-realistic.json", "dev.json"),)})
SPIDER_DK = SqlLayout("spider-dk", {"dev": (("Spider-DK.json", "spider-dk.json", "dev.json"),)})


def spider(path: str | Path, **options: Any) -> Dataset:
    """Spider: ``dev.json``, ``train_spider.json``, ``database/<name>/<name>.sqlite``."""
    return sql_dataset(SPIDER, path, **options)


def spider_syn(path: str | Path, **options: Any) -> Dataset:
    """Spider-Syn: ``dev.json`` with ``SpiderSynQuestion``; the databases are Spider's."""
    return sql_dataset(SPIDER_SYN, path, **options)


def spider_realistic(path: str | Path, **options: Any) -> Dataset:
    """Spider-Realistic: ``spider-realistic.json``; the databases are Spider's."""
    return sql_dataset(SPIDER_REALISTIC, path, **options)


def spider_dk(path: str | Path, **options: Any) -> Dataset:
    """Spider-DK: ``Spider-DK.json``, with databases of its own beside Spider's."""
    return sql_dataset(SPIDER_DK, path, **options)
