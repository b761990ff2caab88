"""Questions asked in a roundabout way: for somebody else, in two steps, said twice, behind a statement."""
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from boxkit.strategies.planner.quoted import around_quotes
from boxkit.strategies.planner.words import singular, stem

__all__ = ["straightly"]

_PRE = r"(?:(?:for|in|from|of|to|on|by|at|with|under|through|into) )?"
_WH = rf"(?:{_PRE}(?:how|what|which|who|whom|whose)\b|where\b|when\b|on average\b)"
_ASKS = (
    r"(?:wants?|wanted|needs?|wish(?:es)?|would like|asks?|asked|has asked|have asked|wonders?|enquires?|inquires?|"
    r"(?:is|are|was|were) (?:asking|wondering|enquiring|inquiring|curious|keen|trying|interested|eager))"
)
_TO_KNOW = r"(?: to (?:know|see|find out|learn|hear|be told|check|understand|work out|get|have))?(?: in| about)?"
#: Who is asked for by whom: "A customer wants to know", "One of my students asked me".
_ASKER = re.compile(
    rf"^(?:a|an|the|our|my|one of (?:our|my|the)|some of (?:our|my|the)|some|somebody|someone|people|readers|visitors)\b"
    rf"(?: [a-z]\w*){{0,3}}?(?: of (?:mine|ours|the \w+))?(?: just| also| really| recently| often)? {_ASKS}(?: me| us)?{_TO_KNOW}[:,]? (?={_WH})",
    re.IGNORECASE,
)
#: What the whole of the data is called; said with how large it is, it is a heading.
_WHOLE = r"(?:collection|library|catalogue|catalog|database|data ?set|data|archive|inventory|assortment|stock|holdings?|workforce|staff|range|list)"
_SAYING = r"(?:i\.?e\.?|that is(?: to say)?|that's|in other words|meaning|(?:or )?put differently|to be precise|more precisely|or rather|specifically)"
_RESTATED = re.compile(
    rf"^(?:(?:what is|what's|tell me|give me|i need|show me|know) the (?:size|extent|scale|scope|magnitude) of|how (?:large|big|extensive) (?:is|are)) (?:our|the|this|your|my|that) "
    rf"(?:entire |whole |current )?(?:(?P<of>\w+) )?{_WHOLE}(?: of (?P<what>\w+))?\s*[-,;:–—(?.]+ ?(?:{_SAYING}[,:]? )?(?P<rest>how many (?P<thing>\w+)\b.*)$",
    re.IGNORECASE,
)
_FIGURE = r"(?:average|mean|median|total|sum|combined|maximum|minimum|highest|lowest|largest|smallest|greatest|number)"
_WORK_OUT = r"(?:work out|compute|calculate|determine|figure out|find|find out|give|give me|tell me|show|show me|report|state|list|get|name)"
#: "Take the books of the press and work out their mean price."
_TWO_STEPS = re.compile(
    rf"^(?:please )?(?:take|consider|look at|collect|gather|select|pick(?: out)?|find|get|fetch) (?P<rows>(?:all |the |our |these )+.+?),? (?:and|then|and then|then please) (?:please )?{_WORK_OUT} (?:their|its|his|her) (?P<what>(?:\w+ )*?{_FIGURE}\b.*?)(?P<mark>[?.!]*)$",
    re.IGNORECASE,
)
_AND_COUNT = re.compile(
    r"^(?:please )?(?:take|consider|look at|collect|gather|select|pick(?: out)?|find|get|fetch) (?:all |the |our |these )+(?P<rows>.+?),? (?:and|then|and then) (?:please )?(?:count them|tell me how many(?: of them)? there are|say how many there are|tell me their number|give (?:me )?their number)(?: all| up)?[?.!]*$",
    re.IGNORECASE,
)
#: "Our authors come from a variety of countries - how many in total?"
_STATED = re.compile(
    r"^(?:our |the |these |all )*(?P<rows>[\w ]+?) (?:a (?:wide |whole |great |large )?(?:variety|number|range|wealth|host|lot|multitude) of|many|several|various|lots of|plenty of)(?: different)? (?P<what>\w+)"
    r"(?: - | – | — |[,:;.?] ?)(?:but |and |so )?(?:exactly |just )?how many(?: of them| different| distinct| separate)?(?: ones?)?(?: (?:are there|are they|is that|exactly))*,?(?: (?:in total|in all|altogether|overall|all told))?(?:,? (?:counting|with|if) .*\bonce\b.*)?[?.!]*$",
    re.IGNORECASE,
)
#: "Of the lakes, pick the one that is the deepest."
_ONE_OF = re.compile(
    r"^(?:out )?(?:of|among|amongst|from)(?: among)?(?: all)?(?: of)? (?:the |our |these |all )+(?P<rows>[^,?]+?), (?:please )?(?:name|give|show|pick|pick out|choose|find|tell|identify|list|state|select|single out|point out)(?: me| us)? the (?:single )?ones? (?=that |which |who |with |whose |having )(?:that |which |who )?",
    re.IGNORECASE,
)
_BY_WHOM = (
    re.compile(
        r"^by whom (?:was|is|were|are|has|have) (?P<what>.+?) (?:been )?(?P<did>\w+)(?P<mark>[?.!]*)$", re.IGNORECASE
    ),
    re.compile(
        r"^(?!by whom)(?P<what>.+?) (?:was|is|were|are|has been) (?P<did>\w+) by (?:whom|who)(?P<mark>[?.!]*)$",
        re.IGNORECASE,
    ),
)
_AROUND = re.compile(
    r"\b(?:were|was|are|have been) (?:already )?(?:around|in business|in existence|operating|active) (before|in|by) (?=\d{4})",
    re.IGNORECASE,
)
_EVERYTHING_BY = re.compile(
    r"\b(?:everything|all|anything) (?:that )?([A-Z][\w.-]*(?: [A-Z][\w.-]*)*) (?:has written|have written|ever wrote|wrote|penned|authored)(?=[?.!]*$)"
)
_HIRED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:joined|started at|came to) (?:the|our) (?:company|firm|staff|team|business)\b", re.IGNORECASE), "was hired"),
    (re.compile(r"\b(?:the |our )?longest[- ]serving (\w+)", re.IGNORECASE), r"the \1 that was hired first"),
)  # fmt: skip
_RESPONSIBLE = re.compile(r"\b(?:is|was|are|were) responsible for (?:the book |the novel )?(?=[\ue000A-Z])")
_PAYERS = (
    r"(?:one|you|we|i|somebody|someone|people|customers|(?:a|the) (?:customer|buyer|reader|client)|readers|buyers)"
)
_PAY = re.compile(
    rf"\b(?:how much|what) (does|do|did|would|will|must|should|has|have) {_PAYERS} (?:(?:have|need|has|usually|typically|normally|generally)(?: to)? )?(?:pay|spend|fork out|shell out) (?:for|on) (?P<thing>[^?.,]+?)(?P<rest>,? on average|)(?=[?.,]|$)",
    re.IGNORECASE,
)
#: "don't even cost 3": less than that; a verb of reaching says so itself.
_NOT_EVEN = re.compile(
    r"\b(do|does|did|can|could|would)(n['’]?t|not| not) even (?!reach|attain|exceed|surpass)(\w+) (?=[$€£]?\d|a (?:hundred|thousand|million)|(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|a hundred|a thousand|a million)\b)",
    re.IGNORECASE,
)
#: What holds anyway: a thing is shown by its name, the whole is the whole, "even" is stress.
_IDLE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<=t )even (?=\w)(?<!at even )", re.IGNORECASE), ""),
    (re.compile(r"(?:,| -| –| —| \()\s*(?:just |only )?(?:the |their )?(?:names?|titles?) only(?:,? please)?\)?(?=[,.;?!]|$)", re.IGNORECASE), ""),
    (re.compile(r"(?:,| -| –| —| \()\s*(?:just|only) (?:the |their )?(?:names?|titles?)(?:,? please)?\)?(?=[,.;?!]|$)", re.IGNORECASE), ""),
    (re.compile(r"[,.;?] ?(?:the |their )?(?:names?|titles?),? please(?=[.?!]*$)", re.IGNORECASE), ""),
    (re.compile(rf"\b(the|our|your|this|my) (?:whole|entire|complete|full) (?={_WHOLE}\b)", re.IGNORECASE), r"\1 "),
)  # fmt: skip
#: "In the whole company", "on our shelves": where the data knows no companies and no shelves, all that there is.
_ALL_OF_IT = re.compile(
    r",? (?:(?:in|across|over|of|throughout) (?:the|our) (?:whole|entire)|(?:in|on|across|at|throughout) our) (?P<of>[a-z]+)(?=[?.!,]*$)",
    re.IGNORECASE,
)
_TIMES = frozenset("year month week day summer winter spring autumn season period century decade time".split())
_BREAK = re.compile(
    rf"^(?:break|split|divide)(?: down| up)? (?:the |our )?((?=(?:\w+ )*?{_FIGURE}\b)[\w ]+?)(?: down| up)? (?:by|into|across|over|among) (?:the )?(\w[\w ]*?)(?=[?.!,]|$)",
    re.IGNORECASE,
)
#: A dash before what is asked is a comma.
_DASH = re.compile(r"\s+[-–—]+\s+(?=(?:how|what|which|who|where|when|just|only|titles?|names?)\b)", re.IGNORECASE)
#: "In 2015, how many books were published?"
_WHEN_FIRST = re.compile(
    r"^(?:(in|during|before|after|since|until) )?((?:the year )?\d{4}|\d{1,2} \w+ \d{4}|\w+ \d{4}|\d{4}-\d\d-\d\d)[,:] (.+?)([?.!]*)$",
    re.IGNORECASE,
)
_SORTED_FIRST = re.compile(
    r"^(?:please )?(?:sort|order|rank|arrange) (?:all |the |our )*(?P<rows>\w[\w ]*?) by (?:the |their )?(?P<by>[\w ]+?)(?: in (?P<way>de|a)scending order|,? (?:the )?(?P<top>largest|highest|biggest|longest|most|greatest) (?:one )?first|,? from (?P<high>high|highest|most|largest|longest) to \w+|,? from (?P<low>low|lowest|least|smallest|fewest|shortest) to \w+)"
    r",? and (?:then )?(?:show|give|list|name|return|tell|take|keep)(?: me| us)? (?:(?:just|only) )?(?:the (?:titles?|names?) of )?the (?:first|top) (?P<count>\w+)(?: of them| ones| \w+)?[?.!]*$",
    re.IGNORECASE,
)
_LEADS = r"(?!(?:how|what|which|who|whose|where|when|for|by|per|in|of|from|among|list|show|give|tell|name|find|count|sort|order|rank|take|if|please)\b)"
#: "Frozen Clock came out in what year?", "Ada wrote how many books?": what is asked comes last.
_ASKED_LAST = re.compile(
    rf"^{_LEADS}(?P<rest>(?:(?!\b(?:how|what|which|who|where|when)\b)[^?,:])+?) (?P<asked>(?:in |from |on |at |to )?(?:what|which) \w+|how many \w+)\?*$",
    re.IGNORECASE,
)
_FIGURES = r"(?:average|mean|median|total|sum of|maximum|minimum|highest|lowest|largest|smallest)"
#: "Mystery books: what's their average number of pages?", "Romance books - total price?"
_TOPIC = re.compile(
    rf"^{_LEADS}(?P<rows>[^:?,]{{3,60}}?)(?:[:,]| [-–—]) (?:what(?:'s| is| are| was| were) (?:their|its|his|her|the) (?P<own>[^?]+?)|(?P<figure>{_FIGURES} (?!counts?\b|numbers?\b)[\w ]+?))(?: of their \w+| of them)?[?.]*$",
    re.IGNORECASE,
)
#: Other words for the same, wherever they stand.
_SAME: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\bhow many (\w+) (?:does|do|would|will) (?:the|an|a) (?:average|typical|mean) ([\w ]+?) (?:have|has|contain|run to|count|hold|comprise|get|need|take)\b", re.IGNORECASE), r"what is the average number of \1 of the \2s"),
    (re.compile(r"\b(costs?|earns?|makes?|weighs?|measures?|lasts?) (?:more|(less)) than (?:any(?:one|body|thing)?(?: other| else)?|all (?:the )?others?|every(?:one|body|thing)? (?:other|else)|the (?:rest|others))(?: (?!in |of |from |with )\w+)?(?=[ ?.!,]|$)", re.IGNORECASE), lambda match: f"{match[1]} the {'least' if match[2] else 'most'}"),
    (re.compile(r"\b(?:all|the|our)(?: the| our| of the)* ([\w ]+?),? (?:taken|put|added|counted) together,? how many (\w+) (?:are there|do they have|is that|is it|does that make)(?: in total| altogether)?(?=[?.!]*$)", re.IGNORECASE), r"what is the total number of \2 of all \1"),
    (re.compile(r"\b(?:are|is) in use(?=[?.!]*$)", re.IGNORECASE), "are there"),
    (re.compile(r"\blong(?:est)?[- ](?:established|standing)\b", re.IGNORECASE), "oldest"),
    (re.compile(r"\bhow (?:large|big|extensive) is (?:the |our )(\w+) (?:section|part|category|segment|department|share|selection|range|collection),? (?:in|by|measured in|going by)(?: the| terms of| the number of| number of)+ (\w+)", re.IGNORECASE), r"how many \1 \2 are there"),
    (re.compile(r",? from (?:the )?((?:\w{3,}est)|most \w+) (?:down|downwards?|on)(?=,|[?.!]*$)", re.IGNORECASE), r", \1 first"),
)  # fmt: skip


@lru_cache(maxsize=256)
def _same(one: str, two: str) -> bool:
    return singular(one.lower()) == singular(two.lower())


def straightly(question: str, has: Callable[[str], bool]) -> str:
    """The question asked straight out; quoted texts stay as they are.

    Args:
        question: The question.
        has: Whether something in the data is called by the word with this stem.

    >>> straightly("A customer wants to know for how many books the price is over 20.", lambda word: True)
    'for how many books the price is over 20.'
    >>> straightly("Take the plants from Lund and work out their mean price.", lambda word: True)
    'what is the mean price of the plants from Lund.'
    """
    return around_quotes(question, lambda text: _straight(text, has))


def _straight(text: str, has: Callable[[str], bool]) -> str:
    text = _DASH.sub(", ", text)
    text = _stepped(_ASKER.sub("", text, count=1))
    text = _WHEN_FIRST.sub(lambda match: f"{match[3]} {(match[1] or 'in').lower()} {match[2]}{match[4]}", text, count=1)
    text = _ONE_OF.sub(lambda match: f"which {match['rows']} ", text, count=1)
    for pattern in _BY_WHOM:
        text = pattern.sub(r"who \g<did> \g<what>\g<mark>", text, count=1)
    if has("hire"):
        for pattern, hired in _HIRED:
            text = pattern.sub(hired, text)
    if has("found"):
        text = _AROUND.sub(r"were founded \1 ", text, count=1)
    if has("author"):
        text = _EVERYTHING_BY.sub(r"books written by \1", text, count=1)
        text = _RESPONSIBLE.sub("wrote ", text, count=1)
    if has("price"):
        text = _PAY.sub(lambda match: f"how much does {match['thing']} cost{match['rest']}", text, count=1)
    text = _NOT_EVEN.sub(r"\3 less than ", text)
    match = _ALL_OF_IT.search(text)
    if match is not None and match["of"].islower() and match["of"] not in _TIMES and not has(stem(match["of"])):
        text = text[: match.start()] + text[match.end() :]
    for pattern, to in (*_SAME, *_IDLE):
        text = pattern.sub(to, text)
    return text


def _stepped(text: str) -> str:
    """What is said in two steps, in one."""
    match = _RESTATED.match(text)
    if match is not None and all(_same(said, match["thing"]) for said in (match["of"], match["what"]) if said):
        return match["rest"].rstrip(")")
    if (match := _TWO_STEPS.match(text)) is not None:
        return f"what is the {match['what']} of {match['rows']}{match['mark']}"
    if (match := _AND_COUNT.match(text)) is not None:
        return f"how many {match['rows']}"
    if (match := _ASKED_LAST.match(text)) is not None:
        return f"{match['asked']} {match['rest']}?"
    if (match := _TOPIC.match(text)) is not None:
        return f"what is the {match['own'] or match['figure']} of {match['rows']}?"
    if (match := _SORTED_FIRST.match(text)) is not None:
        least = match["way"] == "a" or match["low"]
        return f"list the {match['count']} {match['rows']} with the {'lowest' if least else 'highest'} {match['by']}"
    if (match := _STATED.match(text)) is not None:
        return f"how many different {match['what']} do the {match['rows']}?"
    return _BREAK.sub(lambda match: f"{match[1]} per {match[2]}", text, count=1)
