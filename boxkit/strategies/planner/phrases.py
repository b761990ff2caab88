"""Turns of phrase that say the same as a plainer one: frames of politeness, contractions, idioms of amount and order."""
# ruff: noqa: E501 - a row of a table is easier to read and to change than its wrapping

from __future__ import annotations

import re

from boxkit.strategies.planner.adjectives import comparatives, one_of, superlatives
from boxkit.strategies.planner.quoted import OPEN
from boxkit.strategies.planner.rewriting import Known, Rule, Step
from boxkit.strategies.planner.words import normal, singular

__all__ = ["PHRASES"]

_VERBS_OF_TELLING = r"(?:tell|show|give|get|find|let|fetch|bring)"
_TO_KNOW = r"(?:know|see|find out|get|have|learn|look at|hear|be told|check|ask|work out|figure out|find|understand)"
_WH = r"(?:how|what|which|who|whom|whose|where|when|why|in (?:which|what)|for (?:which|what)|from (?:which|what)|of (?:which|all)|to (?:which|what)|on (?:which|what|average))"

#: What stands in front of a question and asks for nothing; taken off as long as one fits.
_BEGINNINGS = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| everyone| all| team)?[,!.]*",
    r"(?:ok|okay|so|please|kindly|alright|quick question|question|just (?:out of )?curious|out of (?:curiosity|interest)|if possible|if you (?:can|could|would|don't mind))[,:;!.–—-]*",
    r"(?:well|now|right|and|also),",
    r"on (?:its|their) way(?: to [\w ]+?)?,",
    r"(?:can|could|would|will) (?:you|we|i|someone|anyone|anybody)(?: please| kindly| possibly| maybe| perhaps| quickly| also| just)*(?: be so kind as to| help me(?: to)?| do me a favou?r and| see)?",
    rf"i(?: would| should|'d)(?: really| just| also| quite)* (?:like|love|want|need|be (?:interested|curious|grateful|glad|happy|keen))(?: to {_TO_KNOW}| for you to {_VERBS_OF_TELLING} me| if you (?:could|would) {_VERBS_OF_TELLING} me| in (?:knowing|seeing|finding out))*(?: about| me)?,?",
    rf"(?:i|we)(?: just| really| only| also)* (?:want|need|wish|am trying|are trying|would like)(?: you)?(?: to {_TO_KNOW})*(?: about)?,?",
    rf"(?:i am|i'm|we are|we're)(?: just| really| kind of| a bit)* (?:curious|wondering|interested|looking|keen|trying|after|searching|hoping)(?: to {_TO_KNOW}| about| in| for| as to| if you (?:could|can) {_VERBS_OF_TELLING} me| knowing| seeing| finding(?: out)?)*,?",
    rf"(?:i|we) (?:was|were) (?:just )?(?:wondering|curious|hoping)(?: about| as to| to {_TO_KNOW}| if you (?:could|can|would)(?: please)? {_VERBS_OF_TELLING} me)*,?",
    r"i wonder(?: about)?,?",
    rf"(?:do|does|would) (?:you|anyone|anybody|someone) (?:happen to )?(?:know|remember|recall),?(?= {_WH})",
    r"(?:do you have |have you (?:got )?)?any idea(?: of| about)?,?",
    rf"what (?:i|we) (?:would like|want|need|'d like|am after)(?: to {_TO_KNOW})? (?:is|are),?",
    r"(?:remind me|let me know|let us know|help me(?: out)?|help us|my question is|the question is|here is my question)[,:]?",
    rf"(?:is it|would it be) possible to {_TO_KNOW}",
    rf"(?:please )?(?:tell|show|give|let) (?:me|us)(?: know)?(?: please| exactly| again)*,?(?= {_WH})",
    rf"(?:find out|work out|figure out|look up|check|see|say|state|tell|determine|establish)(?: for me)?,?(?= {_WH})",
    r"(?:look up|pull up|dig up|pull together|put together|go ahead and)(?: for me)?",
)
#: The same behind one.
_ENDS = (
    r"(?:please|thanks|thank you|thx|cheers|many thanks)(?: in advance| so much| very much| a lot)?",
    r"if you (?:can|could|would|do not mind|don't mind|know|please|have it|happen to know)",
    r"(?:for|to) me",
    r"by any chance|out of (?:interest|curiosity)|do you know|(?:can|could) you tell me|would you say|at all",
    r"at the moment|at present|right now|these days|nowadays|as of (?:now|today)",
    r"on (?:record|file)|in (?:our|the|this|your) (?:data|database|records|dataset|data set|system|files)",
    r"on (?:its|their) way(?: to [\w ]+)?",
)
#: Short forms; they are written out before anything is taken off. Here and below, everywhere.
_SHORT: tuple[tuple[str, str], ...] = (
    (r"\b(who|what|which|he|she|it)(?:['’]s| has) got\b", r"\1 has"),
    (r"\b(have|has|had|['’]ve) got\b", "have"),
    (r"\b(what|who|where|when|how|that|there|it|here|let)['’]s\b", r"\1 is"),
    (r"\b(\w+)['’](?:re)\b", r"\1 are"),
    (r"\b(i|we|you|they)['’]ve\b", r"\1 have"),
    (r"\b(\w+)['’]ll\b", r"\1 will"),
    (r"\b(i|we|you|they|he|she|it)['’]d\b", r"\1 would"),
    (r"\bi['’]m\b", "i am"),
)  # fmt: skip
#: Other words for the same.
_SAME: tuple[tuple[str, str], ...] = (
    (r"\b(?:is|was) (?:made up|composed|comprised) of(?= how many)", "has"),
    (r"\b(?:are|were) (?:made up|composed|comprised) of(?= how many)", "have"),
    # Numbers.
    (r"\bhalf a dozen\b", "6"),
    (r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(one|two|three|four|five|six|seven|eight|nine)\b", r"\1 \2"),
    (r"\ba couple(?: of)?\b", "2"),
    (r"\ba (?=(?:dozen|hundred|thousand|million|billion)\b)", "one "),
    (r"(?<=\d)\+(?= )", " or more"),
    (r"\bsub-?(?=\d)", "under "),
    (r"\b(?:in|during|from|of) the ((?:1[0-9]|20)\d)0['’]?s\b", r"between \g<1>0 and \g<1>9"),
    (r"\bthe year (?=\d{4}\b)", ""),
    # What it is called.
    (r"\bwhat (?:is it|are they|is he|is she) called\b", "give the name"),
    (r"\bwhat (?:it is|they are|he is|she is) called\b", "the name"),
    (r"\b(?:is|are|goes by|go by)(?: the)? (?:called|named|name)(?: of)? what\b", "has what name"),
    # How many, by what.
    (r"\b(?:a |the )?(?:breakdown|distribution|split|tally|tallies) (?:of|for) (?:the )?(?:number of )?(?:the )?(.+?),? by\b", r"number of \1 by"),
    (r"\b(?:break|split|divide) (?:up |down )?(?:the )?([\w ]+?)(?: up| down)?,? by (?:their |its )?([\w ]+?)(?:[,:;–—-]+ ?(?:and )?how many[^?.!]*)?(?=[?.!,:;]|$)", r"number of \1 per \2"),
    (r"\b(?:a |the )?(?:tally|head ?count) of\b", "number of"),
    (r"^(?:tally|tot)(?: up)?\b", "count"),
    (r",? (?:and |together )?with (?:the |their )?(?:counts?|numbers?|totals?)(?: for each| of each)?(?=[?.!]|$)", " how many there are"),
    (r"^(\w+(?: \w+)?) count[?.!]*$", r"number of \1"),
    (r"^([\w ]+?) (?:by|per) ([\w ]+?)[,:;–—-]+ ?(?:and )?how many(?: (?:are there|of them|are))?(?: (?:in|for|of|from|on) each(?: one)?)?\?*$", r"number of \1 per \2"),
    (r"\bon (?:the )?(?:staff|payroll)\b", ""),
    (r"\b(make|makes|making|made)(?= (?:more|less|over|under|above|below|at (?:least|most)|between|no more|no less|upwards of|in excess of)(?: than)? [$€£]?\d)", "earn"),
    (r"\bhow many are there of each ([\w ]+)", r"number per \1"),
    (r"^(?:sort|order|rank|arrange) (?:all |the )*((?!by\b)[\w ]+?) (?:by|according to|in order of) ", r"list \1 ordered by "),
    (r"^(?:sort|order|rank|arrange) (?:all |the )*((?!by\b)[\w ]+?) from ", r"list \1 from "),
    # Averages and sums.
    (r"\b(?:a |the )?typical(?! of)\b", "average"),
    (r"\btypically\b|\bon avg\b", "on average"),
    (r"\b(?:put|taken|added) together\b|\ball told\b|\bcollectively\b|\bbetween them\b|\bin aggregate\b", "in total"),
    (r"\b(?:grand total|aggregate|cumulative)\b", "total"),
    (r"\bhow much would it (?:cost|be) to (?:buy|get|purchase|own) (?:(?:one|a) copy of |one of )?(?:all|every|each)(?: of)?(?: the)?\b", "what is the total price of all"),
    # The most of all.
    (r"\bmore ([\w ]+?) than (?:any(?:one|body|thing)?(?: other| else)?(?: \w+)?|all (?:the )?others?|every(?:one|body|thing)? (?:other|else)(?: \w+)?|the (?:rest|others))\b(?= [a-z]|[?.!]|$)", r"the most \1"),
    (r"\b(?:fewer|less) ([\w ]+?) than (?:any(?:one|body|thing)?(?: other| else)?(?: \w+)?|all (?:the )?others?|every(?:one|body|thing)? (?:other|else)(?: \w+)?|the (?:rest|others))\b(?= [a-z]|[?.!]|$)", r"the fewest \1"),
    (r"\b(?:best|highest)[- ]paid\b", "with the highest salary"),
    (r"\b(?:worst|lowest)[- ]paid\b", "with the lowest salary"),
    (r"\btop[- ]earning\b|\btop earner\b", "with the highest salary"),
    (r"\bcommonest\b", "most common"),
    (r"\b(?:rarest|least (?:represented|widespread))\b", "least common"),
    (r"\b(?:most|best)[- ](?:represented|widespread|numerous|prevalent)\b", "most common"),
    # What it costs.
    (r"\b(?:sell|sells|selling|sold|go|goes|going|retail|retails) (?:for|at)(?= (?:\w+ ){0,3}[$€£]?\d| (?:more|less|over|under|above|below|at|no|up|exactly)\b)", "cost"),
    (r"\bwhat (?:do|does|did|would|will) (?:we|you|they|one) charge for\b|\bwhat (?:we|you|they) charge for\b", "what is the price of"),
    (r"\bhow much (?:do|does|would) (?:we|you|they) (?:charge|ask|want) for\b", "what is the price of"),
    (r"\bset (?:me|you|us|one) back\b", "cost"),
    # Of both, of all.
    (r"\b([A-Z][\w.-]*(?: [A-Z][\w.-]*)*) and ([A-Z][\w.-]*(?: [A-Z][\w.-]*)*) alike\b", r"both \1 and \2"),
    (r"\b(?:put|puts|putting) out\b|\b(?:bring|brings|bringing) out\b", "release"),
    (r"\bbrought out\b", "released"),
    (r"\b(?:set|setting) up\b|\bcame into (?:being|existence)\b", "established"),
    (r"\b([A-Z][\w.]*(?: [A-Z][\w.]*)*)-(?:based|headquartered) ((?:[a-z]+ ){0,1}[a-z]+)", r"\2 based in \1"),
    (r"\b(?:that |which |who )?(?:(?:have|has|having|with|are|is) )?(?:no|not any|without(?: any)?) (?:(?:direct )?access to the (?:sea|ocean|coast)|sea access|coast(?:line)?s?|outlet to the sea)\b", "that are landlocked"),
    (r"\b(left|right)(?:-| )hand side\b|\b(left|right) side\b(?: of the road)?", r"\1\2"),
    (r"\b(?:are|is|were|was) also (?=(?:in|members? of|part of) )", "and also "),
    # About what.
    (r"\b(?:when it comes to|as far as|with (?:regard|respect) to|judging by|going by|measured by|as measured by|based on) (?:the |their |its )?", "by "),
)  # fmt: skip
#: Two words for what one says; left alone where the data has something of that name.
_COMPOUNDS = {
    "publishing house": "publisher",
    "publishing company": "publisher",
    "publishing firm": "publisher",
    "capital city": "capital",
    "price tag": "price",
    "price point": "price",
    "asking price": "price",
    "selling price": "price",
    "home country": "country",
    "country of origin": "country",
    "home town": "hometown",
    "member state": "member",
    "member country": "member",
    "member nation": "member",
    "staff member": "employee",
    "member of staff": "employee",
    "job title": "job",
    "body weight": "weight",
    "head office": "headquarters",
    "main office": "headquarters",
    "date of birth": "birth date",
    "place of birth": "birth place",
    "land area": "area",
    "surface area": "area",
    "number of inhabitants": "population",
    "number of residents": "population",
    "number of people living": "population",
    "running time": "length",
    "playing time": "length",
    "pay packet": "salary",
}
_REST = r"(?:all|any|every|each)(?: of)?(?: the)?(?: others?| rest)(?: \w+)?|(?:anything|anyone|anybody|everything|everyone) else|the (?:rest|others)"


def _superlative(match: re.Match[str], _: Known) -> str:
    """``taller than all the others`` is "the tallest"."""
    if match["base"]:
        return f"the most {match['base']}"
    of = {base: form for form, base in superlatives.items()}
    return f"the {of[comparatives[match['more'].lower()]]}"


def _joined(phrase: str, plain: str) -> Rule:
    head, _, last = phrase.rpartition(" ")
    forms = f"{last[:-1]}(?:y|ies)" if last.endswith("y") else f"{last}s?"
    words = tuple(singular(word) for word in normal(phrase).split())

    def one_word(match: re.Match[str], known: Known) -> str | None:
        if known.is_called(words) or (phrase == "capital city" and known.is_called(("city",))):
            return None
        many = match.group().lower().endswith("s") and not last.endswith("s")
        return plain + ("s" if many and not plain.endswith("s") else "")

    return Rule(rf"\b{re.escape(head)} {forms}\b", one_word)


#: In the order in which they are applied.
PHRASES: tuple[Step, ...] = (
    *(Rule(pattern, to, times="all") for pattern, to in _SHORT),
    Rule(rf"^\W*(?:{'|'.join(_BEGINNINGS)})\s+(?=\w|{OPEN})", "", times="while"),
    Rule(rf"[,;–—-]*\s+(?:{'|'.join(_ENDS)})\s*(?P<mark>[?.!]*)$", lambda match, _: match["mark"] if match.start() else None, times="while"),
    # ``Of all the books we hold, how many …`` and ``Zambezi: what dams are on it?``, the usual way round.
    Rule(r" (?:that )?(?:we|you|i) (?:have|hold|keep|store|carry|stock|list)(?: (?:data|information|records|anything))?(?: on| about| for)?(?=,| how| which| what)", "", times="all"),
    Rule(r"^(?:out )?of (?:all )?(?:the |our |your |these |those |all )*([^,?]+?),? (how many|which|what)(?: of (?:them|these|those))?(?: ones?)? (.+)$", r"\2 \1 \3"),
    Rule(r"^([^:?,]{3,60}): (?=\w)(.+?)\b(?:it|them|him|there)\b([?.!]*)$", r"\2\1\3"),
    *(Rule(pattern, to, times="all") for pattern, to in _SAME),
    Rule(rf"\b(?:more (?P<base>\w+)|(?P<more>{one_of(comparatives)})) than (?:{_REST})\b", _superlative, times="all"),
    *(_joined(phrase, plain) for phrase, plain in _COMPOUNDS.items()),
)  # fmt: skip
