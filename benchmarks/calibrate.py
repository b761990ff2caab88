"""Calibrates the Planner's confidence on Spider's train databases, and writes what comes out into the package.

    python benchmarks/calibrate.py [--write] [--limit 500]

Each question is read and its best reading run (in this process: the Planner wrote the code), and compared with the
gold rows as Spider's test suite does, but for digits behind the ninth of an amount: sums are added up in another order.
A logistic regression over the signs of each reading (`confidence.signs_of`) estimates how likely it is right; the
estimates that an isotonic regression turns into shares are those for databases that the regression has not seen (ten
folds, whole databases). Readings that would not be answered whatever their confidence, because of a rival or a doubt,
are left out. It prints what each threshold would give, and the least at which `WANTED` of the readings are right: that
is to be ``confidence.THRESHOLD``.

``BOXKIT_DATA`` says where the data lie; the dev databases are never read. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from data_folder import needed

from boxkit import BoxSet, load
from boxkit.canonical import canonical_rows
from boxkit.evaluation.scorers import score
from boxkit.evaluation.scorers.spider import order_matters
from boxkit.strategies.planner import confidence, reading
from boxkit.strategies.planner.units import clash

ROOT = Path(__file__).resolve().parent.parent
SPIDER = Path(environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data")) / "spider"
CALIBRATION = ROOT / "boxkit" / "strategies" / "planner" / "calibration.json"
#: The fewest readings that a row of the table stands for.
FEWEST = 20
#: The share of right answers that the threshold is to give here: more than nine in ten, for on these databases the
#: Planner is developed, and on others it fares worse.
WANTED = 0.92


@dataclass(frozen=True, slots=True)
class Case:
    """A reading that would be answered if it were sure enough."""

    database: str
    signs: dict[str, float]
    right: bool


def cases(limit: int | None) -> Iterator[Case | None]:
    """The cases; None for a question that is not answered whatever its confidence."""
    questions = json.loads((SPIDER / "train_spider.json").read_text())[:limit]
    loaded: tuple[str, BoxSet] | None = None
    for each in sorted(questions, key=lambda question: question["db_id"]):
        database = each["db_id"]
        path = SPIDER / "database" / database / f"{database}.sqlite"
        if not path.is_file():
            continue
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda raw: raw.decode(errors="replace")
            gold = connection.execute(each["query"]).fetchall()
        if loaded is None or loaded[0] != database:
            loaded = (database, load(path))
        yield judged(each["question"], loaded[1], database, gold, order_matters(each["query"]))


def judged(question: str, boxes: BoxSet, database: str, gold: list[tuple[Any, ...]], ordered: bool) -> Case | None:
    """What becomes of one question."""
    found = reading.read(question, boxes, "first")
    if not found.best or found.doubt or clash(question, found.best[0].code):
        return None
    try:
        answers = [run_here(planned.code, boxes) for planned in found.best]
    except Exception:  # what cannot be run is not answered
        return None
    if any(sorted(map(repr, other)) != sorted(map(repr, answers[0])) for other in answers[1:]):
        return None
    right = score("spider_strict", rounded(answers[0]), rounded(gold), ordered=ordered).correct
    return Case(database, found.best[0].signs, bool(right))


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows with nine digits of each amount."""
    return [tuple(float(f"{cell:.9g}") if isinstance(cell, float) else cell for cell in row) for row in rows]


def run_here(code: str, boxes: BoxSet) -> list[tuple[Any, ...]]:
    """Run code that the Planner wrote."""
    scope = {name: box.frame for name, box in boxes.items()} | {"pd": pd, "np": np, "boxes": boxes}
    exec(code, scope)
    return canonical_rows(scope["answer"])[0]


def fitted(found: list[Case]) -> tuple[confidence.Calibration, np.ndarray[Any, Any]]:
    """The calibration, and the estimates by it for databases held out."""
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict

    names = list(found[0].signs)
    signs = np.array([[case.signs[name] for name in names] for case in found])
    right = np.array([case.right for case in found], dtype=float)
    databases = [case.database for case in found]
    model = LogisticRegression(C=1.0, max_iter=5000)
    folds = GroupKFold(min(10, len(set(databases))))
    unseen = cross_val_predict(model, signs, right, groups=databases, cv=folds, method="predict_proba")[:, 1]
    model.fit(signs, right)
    shares = IsotonicRegression(out_of_bounds="clip").fit(unseen, right).predict(unseen)
    weights = {"": float(model.intercept_[0])} | dict(zip(names, map(float, model.coef_[0]), strict=True))
    short = {name: round(weight, 4) for name, weight in weights.items()}
    return confidence.Calibration(short, table(unseen, shares)), unseen


def table(estimates: np.ndarray[Any, Any], shares: np.ndarray[Any, Any]) -> tuple[tuple[float, float], ...]:
    """The isotonic steps, as points at their middles: few, and none for a handful of readings."""
    points: list[tuple[float, float]] = []
    order = np.argsort(estimates)
    for block in np.array_split(order, max(2, len(order) // (3 * FEWEST))):
        points.append((round(float(estimates[block].mean()), 4), round(float(shares[block].mean()), 4)))
    return ((0.0, 0.0), *points)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the package's calibration")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    everything = list(cases(options.limit))
    found = [case for case in everything if case is not None]
    calibration, unseen = fitted(found)
    shares = np.array([calibration.share(each) for each in unseen])
    right = np.array([case.right for case in found])
    print(f"{len(everything)} questions, {len(found)} that may be answered, {right.mean():.1%} of these right")
    thresholds = [step / 100 for step in range(50, 98, 2)]
    enough = [each for each in thresholds if (shares >= each).any() and right[shares >= each].mean() >= WANTED]
    print(f"the least threshold with {WANTED:.0%} right: {enough[0] if enough else 'none'}")
    for threshold in thresholds[::2]:
        kept = shares >= threshold
        print(
            f"threshold {threshold:.2f}: answered {kept.sum() / len(everything):.1%}, "
            f"right of these {right[kept].mean() if kept.any() else 0:.1%}"
        )
    for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.9), (0.9, 1.01)):
        kept = (shares >= low) & (shares < high)
        if kept.any():
            print(
                f"confidence {low:.2f} to {min(high, 1):.2f}: {kept.sum()} readings, "
                f"mean {shares[kept].mean():.2f}, right {right[kept].mean():.2f}"
            )
    if options.write:
        data = {"weights": calibration.weights, "table": calibration.table}
        CALIBRATION.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    needed(SPIDER)
    main()
