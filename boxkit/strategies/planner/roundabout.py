"""Questions asked in a roundabout way: for somebody else, in two steps, said twice, behind a statement."""
# ruff: noqa: E501 - a row of a table is easier to read and to change than its wrapping

from __future__ import annotations

import re

from boxkit.strategies.planner.rewriting import Known, Rule, Step
from boxkit.strategies.planner.words import singular, stem

__all__ = ["ROUNDABOUT"]

_PRE = r"(?:(?:for|in|from|of|to|on|by|at|with|under|through|into) )?"
_WH = rf"(?:{_PRE}(?:how|what|which|who|whom|whose)\b|where\b|when\b|on average\b)"
_ASKS = (
    r"(?:wants?|wanted|needs?|wish(?:es)?|would like|asks?|asked|has asked|have asked|wonders?|enquires?|inquires?|"
    r"(?:is|are|was|were) (?:asking|wondering|enquiring|inquiring|curious|keen|trying|interested|eager))"
)
_TO_KNOW = r"(?: to (?:know|see|find out|learn|hear|be told|check|understand|work out|get|have))?(?: in| about)?"
#: What the whole of the data is called; said with how large it is, it is a heading.
_WHOLE = r"(?:collection|library|catalogue|catalog|database|data ?set|data|archive|inventory|assortment|stock|holdings?|workforce|staff|range|list)"
_SAYING = r"(?:i\.?e\.?|that is(?: to say)?|that's|in other words|meaning|(?:or )?put differently|to be precise|more precisely|or rather|specifically)"
_FIGURE = r"(?:average|mean|median|total|sum|combined|maximum|minimum|highest|lowest|largest|smallest|greatest|number)"
_WORK_OUT = r"(?:work out|compute|calculate|determine|figure out|find|find out|give|give me|tell me|show|show me|report|state|list|get|name)"
_LEADS = r"(?!(?:how|what|which|who|whose|where|when|for|by|per|in|of|from|among|list|show|give|tell|name|find|count|sort|order|rank|take|if|please)\b)"
_FIGURES = r"(?:average|mean|median|total|sum of|maximum|minimum|highest|lowest|largest|smallest)"
_PAYERS = (
    r"(?:one|you|we|i|somebody|someone|people|customers|(?:a|the) (?:customer|buyer|reader|client)|readers|buyers)"
)
_TIMES = frozenset("year month week day summer winter spring autumn season period century decade time".split())


def _restated(match: re.Match[str], _: Known) -> str | None:
    """``the size of our plant collection, i.e. how many plants``: said twice, if both are of one thing."""
    said = [singular(word.lower()) for word in (match["of"], match["what"]) if word]
    return match["rest"].rstrip(")") if set(said) <= {singular(match["thing"].lower())} else None


def _first_of_sorted(match: re.Match[str], _: Known) -> str:
    least = match["way"] == "a" or match["low"]
    return f"list the {match['count']} {match['rows']} with the {'lowest' if least else 'highest'} {match['by']}"


def _whole(match: re.Match[str], known: Known) -> str | None:
    of = match["of"]
    return "" if of.islower() and of not in _TIMES and not known.has(stem(of)) else None


#: In the order in which they are applied.
ROUNDABOUT: tuple[Step, ...] = (
    # A dash before what is asked is a comma.
    Rule(r"\s+[-–—]+\s+(?=(?:how|what|which|who|where|when|just|only|titles?|names?)\b)", ", ", times="all"),
    # Who is asked for by whom: "A customer wants to know", "One of my students asked me".
    Rule(rf"^(?:a|an|the|our|my|one of (?:our|my|the)|some of (?:our|my|the)|some|somebody|someone|people|readers|visitors)\b"
         rf"(?: [a-z]\w*){{0,3}}?(?: of (?:mine|ours|the \w+))?(?: just| also| really| recently| often)? {_ASKS}(?: me| us)?{_TO_KNOW}[:,]? (?={_WH})", ""),
    # What is said in two steps, in one.
    (
        Rule(rf"^(?:(?:what is|what's|tell me|give me|i need|show me|know) the (?:size|extent|scale|scope|magnitude) of|how (?:large|big|extensive) (?:is|are)) (?:our|the|this|your|my|that) "
         rf"(?:entire |whole |current )?(?:(?P<of>\w+) )?{_WHOLE}(?: of (?P<what>\w+))?\s*[-,;:–—(?.]+ ?(?:{_SAYING}[,:]? )?(?P<rest>how many (?P<thing>\w+)\b.*)$", _restated),
        # "Take the books of the press and work out their mean price."
        Rule(rf"^(?:please )?(?:take|consider|look at|collect|gather|select|pick(?: out)?|find|get|fetch) (?P<rows>(?:all |the |our |these )+.+?),? (?:and|then|and then|then please) (?:please )?{_WORK_OUT} (?:their|its|his|her) (?P<what>(?:\w+ )*?{_FIGURE}\b.*?)(?P<mark>[?.!]*)$", r"what is the \g<what> of \g<rows>\g<mark>"),
        Rule(r"^(?:please )?(?:take|consider|look at|collect|gather|select|pick(?: out)?|find|get|fetch) (?:all |the |our |these )+(?P<rows>.+?),? (?:and|then|and then) (?:please )?(?:count them|tell me how many(?: of them)? there are|say how many there are|tell me their number|give (?:me )?their number)(?: all| up)?[?.!]*$", r"how many \g<rows>"),
        # "Frozen Clock came out in what year?", "Ada wrote how many books?": what is asked comes last.
        Rule(rf"^{_LEADS}(?P<rest>(?:(?!\b(?:how|what|which|who|where|when)\b)[^?,:])+?) (?P<asked>(?:in |from |on |at |to )?(?:what|which) \w+|how many \w+)\?*$", r"\g<asked> \g<rest>?"),
        # "Mystery books: what's their average number of pages?", "Romance books - total price?"
        Rule(rf"^{_LEADS}(?P<rows>[^:?,]{{3,60}}?)(?:[:,]| [-–—]) (?:what(?:'s| is| are| was| were) (?:their|its|his|her|the) (?P<own>[^?]+?)|(?P<figure>{_FIGURES} (?!counts?\b|numbers?\b)[\w ]+?))(?: of their \w+| of them)?[?.]*$", r"what is the \g<own>\g<figure> of \g<rows>?"),
        Rule(r"^(?:please )?(?:sort|order|rank|arrange) (?:all |the |our )*(?P<rows>\w[\w ]*?) by (?:the |their )?(?P<by>[\w ]+?)(?: in (?P<way>de|a)scending order|,? (?:the )?(?P<top>largest|highest|biggest|longest|most|greatest) (?:one )?first|,? from (?P<high>high|highest|most|largest|longest) to \w+|,? from (?P<low>low|lowest|least|smallest|fewest|shortest) to \w+)"
         r",? and (?:then )?(?:show|give|list|name|return|tell|take|keep)(?: me| us)? (?:(?:just|only) )?(?:the (?:titles?|names?) of )?the (?:first|top) (?P<count>\w+)(?: of them| ones| \w+)?[?.!]*$", _first_of_sorted),
        # "Our authors come from a variety of countries - how many in total?"
        Rule(r"^(?:our |the |these |all )*(?P<rows>[\w ]+?) (?:a (?:wide |whole |great |large )?(?:variety|number|range|wealth|host|lot|multitude) of|many|several|various|lots of|plenty of)(?: different)? (?P<what>\w+)"
         r"(?: - | – | — |[,:;.?] ?)(?:but |and |so )?(?:exactly |just )?how many(?: of them| different| distinct| separate)?(?: ones?)?(?: (?:are there|are they|is that|exactly))*,?(?: (?:in total|in all|altogether|overall|all told))?(?:,? (?:counting|with|if) .*\bonce\b.*)?[?.!]*$", r"how many different \g<what> do the \g<rows>?"),
        Rule(rf"^(?:break|split|divide)(?: down| up)? (?:the |our )?((?=(?:\w+ )*?{_FIGURE}\b)[\w ]+?)(?: down| up)? (?:by|into|across|over|among) (?:the )?(\w[\w ]*?)(?=[?.!,]|$)", r"\1 per \2"),
    ),
    # "In 2015, how many books were published?"
    Rule(r"^(?:(in|during|before|after|since|until) )?((?:the year )?\d{4}|\d{1,2} \w+ \d{4}|\w+ \d{4}|\d{4}-\d\d-\d\d)[,:] (.+?)([?.!]*)$", lambda match, _: f"{match[3]} {(match[1] or 'in').lower()} {match[2]}{match[4]}"),
    # "Of the lakes, pick the one that is the deepest."
    Rule(r"^(?:out )?(?:of|among|amongst|from)(?: among)?(?: all)?(?: of)? (?:the |our |these |all )+(?P<rows>[^,?]+?), (?:please )?(?:name|give|show|pick|pick out|choose|find|tell|identify|list|state|select|single out|point out)(?: me| us)? the (?:single )?ones? (?=that |which |who |with |whose |having )(?:that |which |who )?", r"which \g<rows> "),
    Rule(r"^by whom (?:was|is|were|are|has|have) (?P<what>.+?) (?:been )?(?P<did>\w+)(?P<mark>[?.!]*)$", r"who \g<did> \g<what>\g<mark>"),
    Rule(r"^(?!by whom)(?P<what>.+?) (?:was|is|were|are|has been) (?P<did>\w+) by (?:whom|who)(?P<mark>[?.!]*)$", r"who \g<did> \g<what>\g<mark>"),
    Rule(r"\b(?:joined|started at|came to) (?:the|our) (?:company|firm|staff|team|business)\b", "was hired", "hire", times="all"),
    Rule(r"\b(?:the |our )?longest[- ]serving (\w+)", r"the \1 that was hired first", "hire", times="all"),
    Rule(r"\b(?:were|was|are|have been) (?:already )?(?:around|in business|in existence|operating|active) (before|in|by) (?=\d{4})", r"were founded \1 ", "found"),
    Rule(r"\b(?:everything|all|anything) (?:that )?([A-Z][\w.-]*(?: [A-Z][\w.-]*)*) (?:has written|have written|ever wrote|wrote|penned|authored)(?=[?.!]*$)", r"books written by \1", "author"),
    Rule(r"\b(?:is|was|are|were) responsible for (?:the book |the novel )?(?=\ue000|[A-Z])", "wrote ", "author"),
    Rule(rf"\b(?:how much|what) (does|do|did|would|will|must|should|has|have) {_PAYERS} (?:(?:have|need|has|usually|typically|normally|generally)(?: to)? )?(?:pay|spend|fork out|shell out) (?:for|on) (?P<thing>[^?.,]+?)(?P<rest>,? on average|)(?=[?.,]|$)", r"how much does \g<thing> cost\g<rest>", "price"),
    # "don't even cost 3": less than that; a verb of reaching says so itself.
    Rule(r"\b(do|does|did|can|could|would)(n['’]?t|not| not) even (?!reach|attain|exceed|surpass)(\w+) (?=[$€£]?\d|a (?:hundred|thousand|million)|(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|a hundred|a thousand|a million)\b)", r"\3 less than ", times="all"),
    # "In the whole company", "on our shelves": where the data knows no companies and no shelves, all that there is.
    Rule(r",? (?:(?:in|across|over|of|throughout) (?:the|our) (?:whole|entire)|(?:in|on|across|at|throughout) our) (?P<of>[a-z]+)(?=[?.!,]*$)", _whole),
    # Other words for the same, wherever they stand.
    Rule(r"\bhow many (\w+) (?:does|do|would|will) (?:the|an|a) (?:average|typical|mean) ([\w ]+?) (?:have|has|contain|run to|count|hold|comprise|get|need|take)\b", r"what is the average number of \1 of the \2s", times="all"),
    Rule(r"\b(costs?|earns?|makes?|weighs?|measures?|lasts?) (?:more|(less)) than (?:any(?:one|body|thing)?(?: other| else)?|all (?:the )?others?|every(?:one|body|thing)? (?:other|else)|the (?:rest|others))(?: (?!in |of |from |with )\w+)?(?=[ ?.!,]|$)", lambda match, _: f"{match[1]} the {'least' if match[2] else 'most'}", times="all"),
    Rule(r"\b(?:all|the|our)(?: the| our| of the)* ([\w ]+?),? (?:taken|put|added|counted) together,? how many (\w+) (?:are there|do they have|is that|is it|does that make)(?: in total| altogether)?(?=[?.!]*$)", r"what is the total number of \2 of all \1", times="all"),
    Rule(r"\b(?:are|is) in use(?=[?.!]*$)", "are there", times="all"),
    Rule(r"\blong(?:est)?[- ](?:established|standing)\b", "oldest", times="all"),
    Rule(r"\bhow (?:large|big|extensive) is (?:the |our )(\w+) (?:section|part|category|segment|department|share|selection|range|collection),? (?:in|by|measured in|going by)(?: the| terms of| the number of| number of)+ (\w+)", r"how many \1 \2 are there", times="all"),
    # What holds anyway: the whole is the whole, "even" is stress.
    Rule(r"(?<=t )even (?=\w)(?<!at even )", "", times="all"),
    Rule(rf"\b(the|our|your|this|my) (?:whole|entire|complete|full) (?={_WHOLE}\b)", r"\1 ", times="all"),
)  # fmt: skip
