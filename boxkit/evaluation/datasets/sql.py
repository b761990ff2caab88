"""Text-to-SQL benchmarks beside Spider: BIRD, KaggleDBQA, Archer, Spider in German."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets.protocol import Dataset
from boxkit.evaluation.datasets.rows import Row
from boxkit.evaluation.datasets.spider import SqlLayout, sql_dataset

__all__ = ["archer", "bird", "kaggledbqa", "machinespider_de"]

#: The symbols of Archer's ``reasoning_type``, in whatever order they come.
_REASONING = {
    "+": "addition",
    "-": "subtraction",
    "*": "multiplication",
    "/": "division",
    "C": "commonsense",
    "H": "hypothetical",
}


def _difficulty(row: Row) -> Mapping[str, tuple[str, ...]]:
    return {"difficulty": (row.optional("difficulty") or "unknown",)}


def _reasoning(row: Row) -> Mapping[str, tuple[str, ...]]:
    symbols = dict.fromkeys(str(row.values.get("reasoning_type", "")).split())
    return {"reasoning": tuple(_REASONING.get(each, each) for each in symbols)}


BIRD = SqlLayout(
    "bird",
    {
        "dev": (("dev.json", "bird.dev.json", "mini_dev_sqlite.json"),),
        "train": (("train.json",),),
    },
    databases=("dev_databases", "train_databases", "dev_database", "database"),
    sql=("SQL", "query"),
    evidence=("evidence",),
    scorers=("bird", "bird_f1", "pandora_release"),
    profile="bird",
    groups=_difficulty,
    id="question_id",
    borrows=False,
)
ARCHER = SqlLayout(
    "archer",
    {"dev": (("dev.json",),), "train": (("train.json",),)},
    evidence=("commonsense_knowledge",),
    scorers=("archer", "spider", "starqa"),
    profile="archer",
    groups=_reasoning,
)
MACHINESPIDER_DE = SqlLayout(
    "machinespider-de",
    {"dev": (("train_dev/dev.json", "dev.json"),), "train": (("train_dev/train.json", "train.json"),)},
    borrows=False,
)


def bird(path: str | Path, **options: Any) -> Dataset:
    """BIRD: ``dev.json`` with evidence, ``dev_databases/<name>/<name>.sqlite`` with ``database_description``."""
    return sql_dataset(BIRD, path, **options)


def archer(path: str | Path, **options: Any) -> Dataset:
    """Archer: ``dev.json`` with commonsense knowledge; the databases are Spider's. Gold queries that use ``now`` are
    executed at scoring time, as all are.
    """
    return sql_dataset(ARCHER, path, **options)


def machinespider_de(path: str | Path, **options: Any) -> Dataset:
    """MachineSpider: Spider in German, databases too; some gold queries are broken upstream (``alter`` unquoted)."""
    return sql_dataset(MACHINESPIDER_DE, path, **options)


def kaggledbqa(path: str | Path, *, split: str | None = None, **options: Any) -> Dataset:
    """KaggleDBQA: ``examples/<database>.json`` (or ``_test``, ``_fewshot``), ``databases/<name>/<name>.sqlite``.

    Raises:
        ValueError: A split other than ``all``, ``test`` and ``fewshot``.
    """
    endings = {"test": "_test", "fewshot": "_fewshot", "all": ""}
    split = split or "all"
    if split not in endings:
        raise ValueError(f"kaggledbqa has the splits {', '.join(endings)}, not {split!r}")
    folder = Path(path) / "examples"
    parts = sorted(
        file.name
        for file in folder.glob("*.json")
        if file.stem.endswith(endings[split]) and (endings[split] or not file.stem.endswith(("_test", "_fewshot")))
    )
    files = tuple((f"examples/{name}",) for name in parts) or (("examples/*.json",),)
    return sql_dataset(
        SqlLayout("kaggledbqa", {split: files}, ("databases",), borrows=False), path, split=split, **options
    )
