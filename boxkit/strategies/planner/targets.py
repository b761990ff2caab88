"""What is asked for: fields, things, counts, averages, a share; who, when and where."""

from __future__ import annotations

from dataclasses import replace

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.draft import GLUE, Draft, Figure, Function, Target
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.superlatives import FUNCTIONS
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import stem

__all__ = ["read_targets"]

_ENDS = frozenset(
    ("relative", "compare", "between", "superlative", "without", "not", "contain", "order", "exceed", "aboveaverage")
)
_CONTAINERS = frozenset(("of", "preposition"))


def read_targets(draft: Draft) -> None:
    """The targets, in order; mentions behind the first clause are left as hints."""
    _read_question_word(draft)
    if draft.items and draft.items[0].text.lower().split()[:1] in ([word] for word in _ASKS_WHETHER):
        draft.doubts.append("a question of yes or no")
    functions: list[Function] = []
    place, ended, container = 0, False, False
    while place < len(draft.items):
        item = draft.items[place]
        if item.kind == "mark" and item.value in "?.;:" and draft.targets and item.value != ":":
            ended, container = not _asks_again(draft, place), False
        elif item.kind == "and" and _begins_anew(draft, place):
            ended = container = False
        elif item.kind == "each_other" and item.value == "own" and draft.targets:
            # "with their depth": more of what is asked for is to be shown.
            ended = container = False
        elif item.kind in ("and", "each_other") or (item.kind == "mark" and item.value == ","):
            container = False
        elif item.kind == "of" and not draft.targets and _is_grouped(draft, place - 1):
            # "for each type of organisation": whose type it is
            container = True
        elif item.kind in _CONTAINERS and draft.targets:
            container = True
            ended = ended or (
                item.kind == "preposition"
                and item.text.lower() not in ("for", "of", "to", "from", "in", "by", "on", "at")
            )
        elif draft.targets and (item.kind in _ENDS or (item.used and item.kind == "mention" and item.is_value)):
            ended = True
        elif not item.used and not ended:
            place = _read_target(draft, place, functions, container)
        place += 1
    if not draft.targets and any(clause.value is not None or clause.operator == "flag" for clause in draft.clauses):
        # "Which monarchies drive on the left?": the things that have these values.
        draft.targets.append(Target(Figure("", None)))
    if len(draft.targets) > 1 and draft.targets[0].kind == "measure" and draft.targets[1].figure.function:
        # "How long is the total playing time?" asks for one thing.
        draft.targets = draft.targets[1:]
    _read_verb(draft)
    functions = _apply_afterwards(draft, functions)
    words = {item.text.lower() for item in draft.items}
    if {"there", "exist"} & words and len(draft.targets) == 1 and not draft.targets[0].figure.function:
        # "Which genres are there?"
        draft.distinct = True
    if functions:
        draft.doubts.append("what is averaged or summed up")


def _read_verb(draft: Draft) -> None:
    """``What does the cheapest book cost?``: the verb says what is asked for, the thing only of what."""
    words = [item.text.lower() for item in draft.items]
    start = words.index("what") if "what" in words else 0
    head = words[start : start + 3]
    if not (head[:1] == ["what"] or head[:2] == ["how", "much"]) or not {"do", "does", "did"} & set(head):
        return
    measures = [item for item in draft.items if not item.used and item.kind == "mention" and draft.is_measure(item)]
    if len(draft.targets) == 1 and len(measures) == 1 and not draft.is_thing(measures[0]):
        things = [target.figure.item for target in draft.targets if target.figure.item is not None]
        if all(draft.is_thing(thing) for thing in things):
            measures[0].used = True
            for thing in things:
                thing.used = False
            draft.targets = [Target(Figure("", measures[0]))]


_ASKS_WHETHER = frozenset("is are was were do does did has have had can could will would should isn't aren't".split())
_AFTERWARDS = frozenset(
    ("on average", "in total", "in all", "altogether", "overall", "all together", "together", "combined")
)


def _apply_afterwards(draft: Draft, functions: list[Function]) -> list[Function]:
    """``What do they cost on average?``, ``How many are there in total?``: said behind what it is about."""
    for item in draft.items:
        if item.kind not in FUNCTIONS or item.text.lower() not in _AFTERWARDS or len(draft.targets) != 1:
            continue
        target, function = draft.targets[0], FUNCTIONS[item.kind]
        figure = target.figure
        if figure.function == "count" and function == "sum":
            pass
        elif figure.function in ("", "sum") and (
            target.kind == "measure" or (figure.item is not None and draft.is_measure(figure.item))
        ):
            draft.targets = [replace(target, figure=replace(figure, function=function))]
            draft.doubts = [doubt for doubt in draft.doubts if not doubt.startswith("what is wanted of")]
        else:
            continue
        item.used = True
        functions = [each for each in functions if each != function]
    return functions


def _begins_anew(draft: Draft, place: int) -> bool:
    """``… and what are their names``, ``… and how many``: another thing is asked for."""
    item = draft.at(place + 1)
    return item is not None and (
        item.kind == "measure"
        or item.text.lower() in ("what", "list", "show", "give", "which", "return", "how")
        or item.kind == "count"
    )


def _asks_again(draft: Draft, place: int) -> bool:
    """``Give their names.`` behind the question: what is named there is what is to be shown."""
    rest = draft.items[place + 1 :]
    named = [item for item in rest if item.kind == "mention" and not item.used and item.only("field")]
    if not named:
        return False
    draft.targets = [target for target in draft.targets if target.figure.function]
    return True


def _read_question_word(draft: Draft) -> None:
    first = draft.after(-1, frozenset(("empty", "preposition")))
    words = [item.text.lower() for item in draft.items[:3]]
    for word in ("who", "when", "where"):
        if word == "who" and words[:1] == ["who"] and _names_thing(draft):
            # "Who is the oldest publisher?": which publisher.
            draft.items[0].used = True
            return
        if word in words[: 2 if words[:1] != ["in"] else 1]:
            moment = _moment_after(draft, first) if word == "when" else None
            draft.targets.append(Target(Figure("", moment), word))
            item = draft.at(first)
            if item is not None and item.text.lower() == word:
                item.used = True
            return


def _names_thing(draft: Draft) -> bool:
    """``Who is the oldest publisher``: a superlative, and right behind it a thing and no one's."""
    copula = draft.at(1)
    at = draft.after(1, frozenset(("empty",)))
    graded, thing, behind = draft.at(at), draft.schema(draft.after(at, frozenset(("empty",)))), draft.at(at + 2)
    if copula is None or copula.text.lower() not in ("is", "are", "was", "were") or thing is None:
        return False
    owns = behind is not None and (behind.value == "'s" or (behind.kind == "mention" and behind.is_schema))
    is_graded = graded is not None and graded.kind in ("superlative", "frequent")
    return is_graded and not owns and thing.links[0].kind == "box" and thing.links[0].score >= 0.85


def _read_target(draft: Draft, place: int, functions: list[Function], container: bool) -> int:
    item = draft.items[place]
    if item.kind in FUNCTIONS:
        functions.append(FUNCTIONS[item.kind])
        item.used = True
    elif item.kind in ("extreme", "superlative"):
        if _extreme_of_field(draft, place):
            functions.append(_end(draft, place))
            item.used = True
    elif item.kind == "everything":
        mention = _next_schema(draft, place)
        item.used = True
        draft.targets.append(Target(Figure("", mention), "everything"))
        if mention is not None:
            mention.used = True
    elif item.kind == "share":
        item.used = True
        mention = draft.schema(draft.after(place, GLUE | {"mention"})) or _next_schema(draft, place)
        draft.targets.append(Target(Figure("count", mention), "share", item.value))
        if mention is not None:
            mention.used = True
    elif item.kind == "measure" and _measures_end(draft, place):
        # "How high is the highest price?" asks for that price.
        item.used = True
    elif item.kind == "measure":
        item.used = True
        direction = "max"
        draft.targets.append(Target(Figure("", None, adjective=item.adjective, direction=direction), "measure"))
    elif item.kind == "count":
        return _read_count(draft, place, functions)
    elif item.kind == "distinct":
        item.used = draft.distinct = True
    elif not draft.targets and _asks_when(item):
        item.used = True
        moment = Figure("", _moment_after(draft, place))
        draft.targets.append(Target(moment, "year" if item.text.lower().startswith("year") else "when"))
    elif item.kind == "mention" and item.is_schema and not item.is_value:
        return _read_mention(draft, place, functions, container)
    return place


def _measures_end(draft: Draft, place: int) -> bool:
    at = draft.after(place, frozenset(("empty",)))
    return draft.free(at, "extreme", "superlative") is not None and _extreme_of_field(draft, at)


def _asks_when(item: Item) -> bool:
    """``in which year``, where no field is called so."""
    known = item.kind == "mention" and item.links[0].score >= 0.7
    return item.kind in ("word", "mention") and not known and item.text.lower() in ("year", "years", "date", "day")


def _moment_after(draft: Draft, place: int) -> Item | None:
    """``published`` in "in which year was it published": the mention that says which date; it is taken up."""
    for at in range(place + 1, len(draft.items)):
        item = draft.schema(at)
        if item is not None and any(
            draft.index.fields[link.place].kind in ("date", "year") for link in item.only("field")
        ):
            item.used = True
            return item
    return None


def _end(draft: Draft, place: int) -> Function:
    """Which end an extreme means: ``lowest`` and ``shortest`` the smallest value, ``oldest age`` the largest."""
    from boxkit.strategies.planner.options import flips

    item = draft.items[place]
    for mention in filter(None, (draft.schema(place + 1), draft.schema(place + 2))):
        top = next((link for link in mention.only("field") if draft.index.fields[link.place].is_ordered), None)
        known = draft.index.fields[top.place] if top is not None else None
        if item.adjective and known is not None and known.kind in ("date", "year"):
            return "min" if flips(item.adjective, known) != (item.value == "min") else "max"
    adjective = ADJECTIVES.get(item.adjective)
    if adjective is None:
        return "min" if item.value == "min" else "max"
    turned = not adjective.large or item.adjective in ("young", "short", "small", "low", "cheap")
    return "min" if turned != (item.value == "min") else "max"


def _next_schema(draft: Draft, place: int) -> Item | None:
    for at in range(place + 1, len(draft.items)):
        if (item := draft.schema(at)) is not None:
            return item
    return None


def _extreme_of_field(draft: Draft, place: int) -> bool:
    at = draft.after(place, GLUE | {"and", "mark", "extreme", "superlative", "mean", "sum", "median"})
    mention = draft.schema(at)
    following = draft.schema(at + 1)
    if mention is not None and mention.links[0].kind == "box" and following is not None:
        mention = following
    return mention is not None and draft.is_ordered(mention)


def _read_count(draft: Draft, place: int, functions: list[Function]) -> int:
    item = draft.items[place]
    item.used = True
    at = draft.after(place, frozenset(("empty", "of", "distinct")))
    while (value := draft.at(at)) is not None and value.kind == "mention" and (value.is_value or value.used):
        at = draft.after(at, frozenset(("empty",)))
    mention = draft.schema(at)
    distinct = item.value == "distinct" or any(each.kind == "distinct" for each in draft.items[place:at])
    for each in draft.items[place:at]:
        each.used = each.used or each.kind == "distinct"
    if mention is None:
        draft.targets.append(Target(Figure("count", None)))
        return place
    mention.used = True
    is_amount = draft.is_measure(mention) and not draft.is_thing(mention)
    if is_amount:
        named = any(clause.value is not None or clause.operator == "=" for clause in draft.clauses)
        people = mention.links[0].how == "synonym"
        wanted = functions[:] or ["sum" if "total" in item.text.lower() or named or people else ""]
        functions.clear()
        draft.targets += [Target(Figure(function, mention)) for function in wanted]
        if wanted != functions and _counts_numbers(mention):
            # "How many tours", where a field called Tour numbers them.
            draft.doubts.append(f"whether {mention.text!r} are counted or numbered")
        if wanted == [""]:
            # "How many pages are there?" may want a sum, a list, or the number of different ones.
            draft.doubts.append(f"what is wanted of {mention.text!r}")
    else:
        draft.targets.append(Target(Figure("count", mention, distinct)))
        if functions:
            functions.remove("sum") if functions == ["sum"] else draft.doubts.append("an average of a count")
            functions.clear()
    return at


def _read_mention(draft: Draft, place: int, functions: list[Function], container: bool) -> int:
    item = draft.items[place]
    if item.text.lower() in ("name", "names") and _is_named_field(draft, place):
        # "the name of each city", where a city is but a field
        item.used = True
        return place
    following = draft.schema(place + 1)
    if following is not None and item.only("box") and _is_noun(following) and not container:
        # ``book price``: the field of the box
        item, place = following, place + 1
    if functions:
        if draft.is_thing(item) and item.links[0].kind == "box":
            return place
        item.used = True
        draft.targets += [Target(Figure(function, item)) for function in functions]
        joined, other = draft.at(place + 1), draft.schema(draft.after(place, frozenset(("empty", "and"))))
        if joined is not None and joined.kind == "and" and other is not None and draft.is_measure(other):
            # "average latitude and longitude"
            other.used = True
            draft.targets += [Target(Figure(function, other)) for function in functions]
        functions.clear()
        return place
    if container:
        return place
    if draft.targets and draft.targets[0].kind in ("who", "when", "where", "measure"):
        return place
    if draft.targets and not _listed(draft, place):
        # A verb, or what the thing asked for does: "rivers flow", "countries border".
        return place
    item.used = True
    if item.text.lower().split()[-1] in ("year", "years") and _is_date(draft, item):
        # "the year of publication", where the day is known
        draft.targets.append(Target(Figure("", item), "year"))
        return place
    # "the total of all invoices", where a field is called total
    sums = item.text.lower() == "total" and draft.is_measure(item) and draft.items[place + 1 : place + 2] != []
    draft.targets.append(Target(Figure("sum" if sums and draft.items[place + 1].kind == "of" else "", item)))
    return place


def _is_grouped(draft: Draft, place: int) -> bool:
    item = draft.at(place)
    return item is not None and any(item is group for group in draft.groups)


def _is_date(draft: Draft, item: Item) -> bool:
    top = item.links[0]
    return top.kind == "field" and draft.index.fields[top.place].kind == "date"


def _counts_numbers(mention: Item) -> bool:
    top = mention.links[0]
    plural = mention.text.lower().endswith("s") and not top.field.lower().endswith("s")
    return plural and top.how in ("exact", "stem")


def _is_noun(item: Item) -> bool:
    """Whether the mention is a field's name, and not a verb that reminds of one."""
    return any(link.how in ("exact", "stem") and link.score >= 0.85 for link in item.only("field"))


def _is_named_field(draft: Draft, place: int) -> bool:
    joined = draft.at(place + 1)
    thing = draft.at(draft.after(place, GLUE | {"group", "distinct"}))
    if joined is None or thing is None or thing.kind != "mention" or thing.is_value:
        return False
    if not (joined.kind == "of" or (joined.kind == "group" and joined.text.lower().startswith("of"))):
        return False
    # A name is no number: "the names of all games played" are not ``games_played``.
    named = (link for link in thing.only("field") if link.score >= 0.9)
    fields = [link for link in named if draft.index.fields[link.place].kind != "number"]
    return bool(fields) and not any(link.score >= 0.75 for link in thing.only("box"))


def _listed(draft: Draft, place: int) -> bool:
    """Whether "and" or a comma stands in front: the list of what is asked for goes on, "and their related notes"."""
    at = draft.before(place, frozenset(("empty",)))
    if (word := draft.at(at)) is not None and word.kind == "word" and stem(word.value) in LIGHT_WORDS:
        at = draft.before(at, frozenset(("empty",)))
    item = draft.at(at)
    return item is not None and (item.kind in ("and", "each_other") or (item.kind == "mark" and item.value == ","))
