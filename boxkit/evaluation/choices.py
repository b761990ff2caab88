"""What choosing between strategies is worth: models by strategies, routing to Python, the Oracle (StarQA's tables)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from boxkit.evaluation.published import published_oracle, published_score
from boxkit.evaluation.statistics import interval
from boxkit.evaluation.summary import RunReport, Summary
from boxkit.evaluation.tables import Table, benchmark_of, columns, label_of, share, spread, strategy_of, who

__all__ = ["model_tables", "oracle_table", "routing_table"]

#: The group of `ablations.toml` whose strategies are chosen between.
_GROUP = "strategies"
#: The pairs that the paper's Oracle chooses between.
_PAIRS = (("Text2SQL", "single"), ("Text2SQL", "multi"))


def model_tables(runs: Sequence[RunReport]) -> Iterator[Table]:
    """A table a benchmark: a row a model, a column a strategy (StarQA's Table 2)."""
    chosen = [run for run in runs if label_of(run, "group") == _GROUP and run.done]
    for benchmark in dict.fromkeys(map(benchmark_of, chosen)):
        some = [run for run in chosen if benchmark_of(run) == benchmark]
        variants = list(dict.fromkeys(map(strategy_of, some)))
        rows = []
        for model in dict.fromkeys(label_of(run, "model") for run in some):
            own = {strategy_of(run): run for run in some if label_of(run, "model") == model}
            rows.append((model or "no model", *(_cell(own.get(variant)) for variant in variants)))
        title = f"{benchmark}: models and strategies (published figures in brackets)"
        yield Table(f"models_{benchmark}", title, columns(("model",), variants, "strategy"), tuple(rows))


def _cell(run: RunReport | None) -> str:
    if run is None:
        return ""
    told = published_score(run.settings["dataset"], label_of(run, "model"), label_of(run, "variant"))
    return str(run.summary()) + (f" ({told})" if told else "")


def routing_table(runs: Sequence[RunReport]) -> Table:
    """How often a hybrid fell back to Python, on what it got right and wrong (StarQA's Table 4)."""
    rows = []
    for run in runs:
        parts: dict[bool, list[bool]] = {True: [], False: []}
        for record in run.records:
            details, score = record.answer.get("details") or {}, record.scores.get(run.scorers[0])
            if "fell_back" in details and score is not None and not score.error:
                parts[score.correct].append(bool(details["fell_back"]))
        if any(parts.values()):
            rows.append((*who(run), share(parts[True]), share(parts[False])))
    names = ("benchmark", "model", "strategy", "% to Python, right", "% to Python, wrong")
    return Table("routing", "Routing to Python", names, tuple(rows))


def oracle_table(runs: Sequence[RunReport]) -> Table:
    """What a perfect choice between strategies of one model would score: the paper's pairs, and all of them."""
    together: dict[tuple[str, str], list[RunReport]] = {}
    for run in runs:
        if label_of(run, "group") == _GROUP:
            together.setdefault((benchmark_of(run), label_of(run, "model")), []).append(run)
    rows = []
    for (benchmark, model), some in together.items():
        for runs_chosen in _choices(some):
            values = _best(runs_chosen)
            if len(runs_chosen) > 1 and values:
                summary = Summary(len(values), 0, sum(map(bool, values)), sum(values) / len(values), *interval(values))
                variants = [label_of(run, "variant") for run in runs_chosen]
                is_each_once = len(set(variants)) == len(variants)
                told = published_oracle(some[0].settings["dataset"], model, variants) if is_each_once else ""
                names = ", ".join(map(strategy_of, runs_chosen))
                rows.append((benchmark, model or "no model", names, *spread(summary), told))
    return Table("oracle", "Oracle", ("benchmark", "model", "of", "score", "95 %", "n", "published"), tuple(rows))


def _choices(runs: Sequence[RunReport]) -> list[tuple[RunReport, ...]]:
    """The paper's pairs, each of the runs of that name, and all runs."""
    own: dict[str, list[RunReport]] = {}
    for run in runs:
        own.setdefault(label_of(run, "variant"), []).append(run)
    pairs = [pair for names in _PAIRS for pair in itertools.product(*(own.get(name, []) for name in names))]
    return pairs if len(runs) == 2 and pairs else [*pairs, tuple(runs)]


def _best(runs: Sequence[RunReport]) -> list[float]:
    """The best score of each question that all runs have judged."""
    scores = [run.values() for run in runs]
    return [max(each[key] for each in scores) for key in scores[0] if all(key in each for each in scores)]
