"""Which operations a question's words ask for: different words for one operation share one shape."""

from __future__ import annotations

import functools
import re

__all__ = ["LIGHT_SHAPES", "STOP_WORDS", "shapes_of"]

#: Words that say little about a question.
STOP_WORDS = frozenset(
    "a an the of is are was were be been do does did to in on at for from by with and or that which who whom whose what"
    " this these those it its their there here have has had as all any me give show list find tell name return get"
    " please can could you i we them they so"
    " der die das den dem des ein eine einen einem einer ist sind war waren wird werden und mit von vom im"
    " in am zum zur auf für"
    " welche welcher welches was alle gib zeige liste nenne namen".split()
)

#: A shape and the phrases that ask for it, as regular expressions over text in small letters.
SHAPES: dict[str, str] = {
    "count": r"wie ?viele|anzahl|wie oft|zähl\w*"
    r"|how many|number of|count|quantity of|how often",
    "quantity": r"wie (?:viel|lange|hoch|groß|schwer|alt|weit|tief|breit|schnell)"
    r"|how much|how (?:long|high|tall|big|large|heavy|old|far|deep|wide|fast)",
    "most": r"meisten?|höchste[nrsm]?|größte[nrsm]?|längste[nrsm]?"
    r"|schwerste[nrsm]?|neueste[nrsm]?|jüngste[nrsm]?|maximale?|teuerste[nrsm]?"
    r"|beste[nrsm]?|letzte[nrsm]?|häufigsten?"
    r"|most|highest|largest|biggest|greatest|maximum|max|longest|tallest|heaviest|latest|newest|youngest"
    r"|(?:most|more) recent|top|best|fastest|deepest|richest|last|peak|priciest|dearest|leading|busiest",
    "least": r"wenigsten?|niedrigste[nrsm]?|kleinste[nrsm]?|kürzeste[nrsm]?|leichteste[nrsm]?"
    r"|älteste[nrsm]?|früheste[nrsm]?|minimale?|billigste[nrsm]?|günstigste[nrsm]?"
    r"|erste[nrsm]?|seltensten"
    r"|least|lowest|smallest|fewest|minimum|min|shortest|lightest|earliest|oldest|first|cheapest|worst|slowest"
    r"|youngest|poorest|bottom",
    "recency": r"latest|newest|most recent|earliest|oldest|youngest|first|last",
    "top k": r"(?:top|first|last|best|bottom) (?:\d+|two|three|four|five|six|seven|eight|nine|ten)"
    r"|(?:\d+|two|three|four|five|ten) (?:\w+ ){0,2}(?:\w+est|most|least|highest|lowest|cheapest)",
    "average": r"durchschnitt\w*|im schnitt|mittlere[nrsm]?|mittelwert"
    r"|average|mean|avg|typical|on average",
    "sum": r"gesamt\w*|insgesamt|summe|zusammen"
    r"|total|sum|altogether|combined|in all|overall",
    "median": r"median|middle value|quartile|percentile",
    "spread": r"standard deviation|variance|range of|spread",
    "group": r"jede[nrsm]?|je|pro|für alle|nach (?:land|jahr|monat|stadt|art)|gruppier\w*"
    r"|each|every|per|for all|by (?:country|year|month|city|type|category|kind)|group|respective|broken down"
    r"|breakdown|for the different",
    "having": r"(?:at least|more than|fewer than|less than|over|under|exactly|no fewer than) (?:\d+|one|two|three|four"
    r"|five|six|ten) \w+s\b",
    "more": r"mehr als|über|größer als|höher als|länger als|mindestens|älter als|schwerer als"
    r"|more than|over|above|greater than|larger than|higher than|longer than|exceed\w*|at least|no fewer than"
    r"|no less than|minimum of|or more|bigger than|older than|heavier than|costs? more|upwards of",
    "less": r"weniger als|unter|kleiner als|niedriger als|kürzer als|höchstens|maximal \d+|jünger als|leichter als"
    r"|less than|fewer than|under|below|smaller than|lower than|shorter than|at most|no more than|up to"
    r"|cheaper than|or less|or fewer|younger than|lighter than|not exceed\w*",
    "range": r"zwischen|von \d+ bis \d+"
    r"|between|from \w+ to \w+|within|in the range",
    "than average": r"(?:über|unter)durchschnittlich\w*|als (?:der|die|das) durchschnitt\w*"
    r"|(?:than|above|below|over|exceed\w*) (?:the |its |their )?(?:\w+ )?(?:average|mean|median)",
    "ratio": r"prozent\w*|anteil\w*|verhältnis"
    r"|percent\w*|share|proportion|fraction|ratio|%|rate of|what part",
    "difference": r"unterschied\w*|differenz|veränder\w*"
    r"|differ\w*|how (?:much|many) (?:more|less|fewer)|gap|change from|compared (?:to|with)|increase"
    r"|decrease|grow\w*|drop\w*|rise|fell",
    "not": r"nicht|keine?[nrsm]?|nie|niemals|ohne|außer"
    r"|no|not|never|without|none|nobody|except|other than|excluding|apart from|lack\w*|n't|doesn't|don't|didn't"
    r"|isn't|aren't|hasn't|haven't|neither|nor|besides",
    "both": r"sowohl|beide[nrsm]?|gleichzeitig"
    r"|both|as well as|and also|also|at the same time",
    "either": r"either|or",
    "distinct": r"verschiedene[nrsm]?|unterschiedliche[nrsm]?|eindeutige[nrsm]?"
    r"|distinct|different|unique|various|without repeat\w*",
    "order": r"sortier\w*|geordnet|reihenfolge|alphabetisch\w*|aufsteigend\w*|absteigend\w*"
    r"|order\w*|sort\w*|rank\w*|alphabetical\w*|ascending|descending|from (?:the )?\w+est to|arrange\w*",
    "running": r"running|cumulative|so far|moving|rolling|previous|preceding|next|consecutive|in a row|successive"
    r"|one after|right (?:after|before)|immediately",
    "rank in group": r"(?:in|for|of|per|within) (?:each|every) .*(?:\w+est|most|top|rank)"
    r"|(?:\w+est|most|top \w+|rank\w*) .*(?:in|for|of|per|within) (?:each|every)|each \w+'s \w+est",
    "date": r"datum|tage?n?|monate?n?|jahre?n?|woche\w*|wann|geboren|gegründet"
    r"|date|day|month|year|week|quarter|when|born|founded|january|february|march|april|june|july|august"
    r"|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|century"
    r"|decade|(?:1[5-9]|20)\d\d",
    "before": r"vor|bis"
    r"|before|prior to|until|earlier than|up to (?:1|2)\d\d\d",
    "after": r"nach|seit"
    r"|after|since|later than|following|from (?:1|2)\d\d\d on",
    "duration": r"how long|duration|days? between|hours|minutes|elapsed|took|how old|age",
    "text": r"beginn\w* mit|fängt mit|end\w* mit|enthält|enthalten|buchstabe\w*|heißt|heißen|namens"
    r"|start\w* with|begin\w* with|end\w* with|ends? in|contain\w*|includ\w* the word|letter\w*|spelled"
    r"|substring|called|containing|titled",
    "missing": r"fehl\w*|unbekannt\w*|leer\w*"
    r"|missing|unknown|null|empty|blank|not (?:known|recorded|given|filled)|no (?:recorded|known|listed)"
    r"|lack\w*|without an?",
    "same": r"gleiche[nrsm]?|selbe[nrsm]?|gemeinsam\w*"
    r"|same|share|shared|in common|equal|identical|match\w*|alike",
    "pair": r"pairs?|each other|one another|together",
    "whether": r"^(?:is|are|was|were|do|does|did|has|have|can) |whether|true that|yes or no",
    "only": r"only|solely|just|exclusively",
    "every one": r"all of|every one|in all|all the",
    "where": r"wo|liegt|wohn\w*"
    r"|where|located|based|situated|lies? in|live\w*",
    "person": r"wer|wessen|wem"
    r"|who|whose|whom",
    "where from": r"from|nationality|come from|native",
    "second": r"zweit\w*|dritt\w*"
    r"|second|third|fourth|2nd|3rd|runner-up",
}

#: Shapes that say little about the code.
LIGHT_SHAPES = frozenset(
    ("quantity", "recency", "difference", "duration", "where", "person", "where from", "either", "pair", "every one")
)


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((shape, re.compile(rf"(?<!\w)(?:{phrases})(?!\w)")) for shape, phrases in SHAPES.items())


def shapes_of(text: str) -> list[str]:
    """The shapes that a text in small letters asks for, in the table's order.

    >>> shapes_of("how many books cost more than 20?")
    ['count', 'more']
    """
    return [shape for shape, pattern in _patterns() if pattern.search(text)]
