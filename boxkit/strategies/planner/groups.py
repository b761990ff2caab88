"""Groups: for each genre, per country and year, by country behind a count or an average."""

from __future__ import annotations

from dataclasses import replace

from boxkit.strategies.planner.draft import Draft, Figure, Target

__all__ = ["read_groups", "read_repeats"]

_NAMES = frozenset(("name", "names", "title", "titles"))


def read_groups(draft: Draft) -> None:
    """``for each genre``, ``per country and year``, ``by country`` behind a count or an average."""
    for place, item in enumerate(draft.items):
        if item.used or not _is_group(draft, place):
            continue
        at = draft.after(place, frozenset(("empty",)))
        if item.text.lower() == "per":
            _count_per(draft, place)
        while (mention := draft.schema(at)) is not None:
            mention.used = item.used = True
            draft.groups.append(mention)
            following = draft.schema(at + 1)
            if following is not None and mention.links[0].kind == "box" and following.only("field"):
                at += 1
                following.used = True
                draft.groups[-1] = following
            joined = draft.at(at + 1)
            at = draft.after(at, frozenset(("empty", "and")))
            if joined is None or joined.kind != "and" or not _goes_on(draft, at):
                break
    if any(item.kind == "group" and not item.used for item in draft.items) and not draft.groups:
        for item in draft.items:
            item.used = item.used or item.kind == "group"


def _goes_on(draft: Draft, at: int) -> bool:
    return (
        draft.schema(at) is not None and draft.is_thing(draft.items[at]) and draft.at(at + 1) in (None, draft.items[-1])
    )


def _is_group(draft: Draft, place: int) -> bool:
    item = draft.items[place]
    if item.kind == "group" and item.text.lower() in ("each", "every") and not _has_figures(draft):
        # "List every plant of Moss Hall" lists them all.
        item.used = True
        return False
    if item.kind == "group":
        return not _is_summed_over(draft, place)
    if item.kind != "preposition" or item.text.lower() not in ("by", "across"):
        return False
    figures = [
        each
        for each in draft.items[:place]
        if each.kind in ("count", "mean", "sum", "extreme", "superlative", "median")
    ]
    mention = draft.schema(draft.after(place, frozenset(("empty",))))
    before = draft.at(draft.before(place, frozenset(("empty",))))
    follows_verb = before is not None and before.kind == "word"
    if mention is not None and draft.free(draft.items.index(mention) + 1, "count"):
        # "the top 3 growers by plant count"
        return False
    if not figures or mention is None or follows_verb or not draft.is_thing(mention):
        return False
    if all(each.kind == "superlative" for each in figures) and mention.text.lower() in _NAMES:
        # "the three priciest plants by name" are to be named.
        item.used = mention.used = True
        return False
    if item.text.lower() == "across" and any(each.kind in ("count", "sum") for each in figures):
        # "the total balance across accounts" is one sum over all of them.
        return False
    if any(draft.index.fields[link.place].yes for link in mention.only("field")[:1]):
        # "by retired teachers" says which, and makes no groups.
        return False
    return not any(each.is_value for each in draft.items[place : draft.items.index(mention) + 2])


def _has_figures(draft: Draft) -> bool:
    figures = ("count", "mean", "sum", "median", "extreme", "superlative", "frequent", "first", "measure", "share")
    return any(item.kind in (*figures, "compare", "difference", "aboveaverage", "exceed") for item in draft.items)


def _is_summed_over(draft: Draft, place: int) -> bool:
    """``sum up the length of each song``: who is told to add up wants one sum, and a song has but one length."""
    words = [item.text.lower() for item in draft.items if item.kind != "empty"][:1]
    mention = draft.schema(draft.after(place, frozenset(("empty",))))
    before = draft.schema(draft.before(place, frozenset(("empty",))))
    if words not in (["sum"], ["add up"], ["total"]) or mention is None or before is None:
        return False
    told = [item.text.lower() for item in draft.items[:2]]
    if words == ["total"] and told != ["total", "the"]:
        # "Find the total price for each order", where nobody is told to total.
        return False
    asked = any(item.text.lower() in ("what", "which", "how") for item in draft.items[:2])
    boxes = {link.box for link in before.only("field") if link.score >= 0.6}
    return not asked and mention.links[0].kind == "box" and mention.links[0].box in boxes


def _count_per(draft: Draft, place: int) -> None:
    """``tracks per genre``: with no other figure, they are counted."""
    thing = draft.schema(draft.before(place, frozenset(("empty",))))
    if thing is None or thing.links[0].kind != "box" or _has_figures(draft) or draft.targets:
        return
    thing.used = True
    draft.targets.append(Target(Figure("count", thing)))


def read_repeats(draft: Draft) -> None:
    """``without repeats``, ``each only once``: said of all that is asked for."""
    for item in draft.items:
        if item.kind != "distinct" or item.value != "rows":
            continue
        item.used = draft.distinct = True
        draft.targets = [
            replace(target, figure=replace(target.figure, distinct=True))
            if target.figure.function == "count" and target.figure.item is not None
            else target
            for target in draft.targets
        ]
