"""What English words do in a question: operators, adjectives and the measures they speak of, synonyms, words that say nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ADJECTIVES",
    "DIRECTIONS",
    "EMPTY_WORDS",
    "LIGHT_WORDS",
    "NOUNS_TOO",
    "OPERATORS",
    "PERSON_WORDS",
    "PLACE_WORDS",
    "SYNONYMS",
    "TIME_WORDS",
    "Adjective",
    "Operator",
    "comparatives",
    "superlatives",
]

Direction = Literal["max", "min"]


@dataclass(frozen=True, slots=True)
class Adjective:
    """A gradable adjective: the measures whose large values it means, and those whose small values it means."""

    large: tuple[str, ...]
    small: tuple[str, ...] = ()


def _measures(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: By base form. Measures are stems as `words.stem` gives them for field names, the likeliest first.
ADJECTIVES: dict[str, Adjective] = {
    base: Adjective(_measures(large), _measures(small))
    for base, large, small in (
        ("expensive", "price cost fee rent fare rate charge amount", ""),
        ("costly", "price cost fee rent fare rate charge amount", ""),
        ("pricey", "price cost fee rent fare rate charge", ""),
        ("cheap", "", "price cost fee rent fare rate charge"),
        ("old", "age", "birth born dob found establish open build date year"),
        ("ancient", "age", "found establish build year"),
        ("young", "birth born dob", "age"),
        ("new", "date publish releas found establish year", "age"),
        ("recent", "date publish releas found establish year time", ""),
        ("late", "date publish releas year time", ""),
        ("early", "", "date publish releas found establish year time"),
        ("long", "length durat page runtim distanc time millisecond minut", ""),
        ("lengthy", "length durat page runtim", ""),
        ("short", "", "length durat height page runtim distanc time millisecond"),
        ("brief", "", "length durat page runtim"),
        ("thick", "page thick", ""),
        ("thin", "", "page thick"),
        ("tall", "height elev storey", ""),
        ("high", "height elev altitud", ""),
        ("low", "", "height elev altitud"),
        ("large", "size area popul capac", ""),
        ("big", "size area popul capac", ""),
        ("small", "", "size area popul capac"),
        ("vast", "area size", ""),
        ("tiny", "", "area size"),
        ("heavy", "weight mass", ""),
        ("light", "", "weight mass"),
        ("populous", "popul inhabit citizen", ""),
        ("populated", "popul inhabit citizen", ""),
        ("inhabited", "popul inhabit", ""),
        ("fast", "speed veloc mph horsepow", "time lap"),
        ("quick", "speed veloc", "time lap"),
        ("slow", "time lap", "speed veloc"),
        ("rich", "wealth worth gdp incom revenu money salari", ""),
        ("wealthy", "wealth worth gdp incom revenu money", ""),
        ("poor", "", "wealth worth gdp incom revenu money"),
        ("deep", "depth", ""),
        ("shallow", "", "depth"),
        ("wide", "width", ""),
        ("narrow", "", "width"),
        ("hot", "temperatur", ""),
        ("warm", "temperatur", ""),
        ("cold", "", "temperatur"),
        ("popular", "popular rate vote download", ""),
        ("good", "rate score grade point", "rank"),
        ("bad", "rank", "rate score grade point"),
        ("remote", "distanc", ""),
        ("far", "distanc", ""),
        ("close", "", "distanc"),
        ("senior", "age senior", ""),
        ("spacious", "area size capac", ""),
        ("profitable", "profit", ""),
        ("powerful", "horsepow power", ""),
    )
}

_IRREGULAR_DEGREES = {
    "good": ("better", "best"),
    "bad": ("worse", "worst"),
    "far": ("farther further", "farthest furthest"),
    "pricey": ("pricier", "priciest"),
}
_LONG = {"expensive", "costly", "recent", "ancient", "populous", "populated", "inhabited", "popular", "powerful"} | {
    "spacious",
    "profitable",
    "remote",
    "senior",
}


def _degree(base: str, suffix: str) -> str:
    if base.endswith("e"):
        return base + suffix[1:]
    if base.endswith("y"):
        return base[:-1] + "i" + suffix
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgnt]", base):
        return base + base[-1] + suffix
    return base + suffix


def _forms(degree: Literal[0, 1]) -> dict[str, str]:
    forms: dict[str, str] = {}
    for base in ADJECTIVES:
        if base in _IRREGULAR_DEGREES:
            forms |= dict.fromkeys(_IRREGULAR_DEGREES[base][degree].split(), base)
        else:
            forms[_degree(base, ("er", "est")[degree])] = base
    return forms


#: ``older`` → ``old``; ``more expensive`` is put together by the tagger.
comparatives: dict[str, str] = _forms(0)
superlatives: dict[str, str] = _forms(1)


@dataclass(frozen=True, slots=True)
class Operator:
    """A phrase with a job: `pattern` runs over the question's tokens joined by spaces (``#`` a number, ``@`` a date)."""

    kind: str
    value: str
    pattern: str


#: Tried in order at each token; the first that matches wins, so longer phrases stand first.
OPERATORS: tuple[Operator, ...] = tuple(
    Operator(kind, value, pattern)
    for kind, value, pattern in (
        ("order", "", r"(?:and )?(?:ordered|sorted|sort|order|ranked|arranged|listed|rank|arrange)(?: (?:them|it|the results?|results?))? (?:by|in|according to)"),
        ("order", "", r"(?:and )?(?:ordered|sorted|ranked|listed)(?= (?:from|alphabetically|the) )"),
        ("order", "", r"in (?:the )?order of"),
        ("order", "", r"in (?:the )?(?=(?:ascending|descending|alphabetical|alphabetic|reverse|increasing|decreasing|lexicographical|chronological) )"),
        ("order", "", r"from (?:the )?(?=(?:high|low|most|old|young|large|small|short|long|cheap|early|late|new|great|big|least|few)\w*(?: \w+)? to (?:the )?\w+)"),
        ("direction", "asc", r"(?:ascending|increasing|alphabetical|alphabetic|lexicographical|chronological|asc)(?: (?:order|sequence))?(?: of)?|alphabetically|from a to z"),
        ("direction", "desc", r"(?:descending|decreasing|reverse|reversed|desc)(?: (?:alphabetical|chronological))?(?: (?:order|sequence))?(?: of)?"),
        ("direction", "desc", r"(?:high|higher|highest|most|largest|large|longest|long|oldest|newest|latest|greatest|big|biggest)(?: \w+)? to (?:the )?(?:low|lower|lowest|least|smallest|small|shortest|short|youngest|oldest|earliest|fewest)"),
        ("direction", "asc", r"(?:low|lower|lowest|least|smallest|small|shortest|short|youngest|earliest|oldest|cheapest|fewest)(?: \w+)? to (?:the )?(?:high|higher|highest|most|largest|large|longest|long|oldest|latest|newest|big|biggest|greatest|most expensive)"),
        ("direction", "desc", r"(?:longest|highest|largest|biggest|newest|latest|greatest|heaviest|tallest|most expensive|oldest) first"),
        ("direction", "asc", r"(?:shortest|lowest|smallest|earliest|cheapest|lightest|youngest|least expensive) first"),
        ("direction", "asc", r"in order$|in order of"),
        ("empty", "", r"above sea level|of all time|(?:came|come|comes) out"),
        ("everything", "", r"(?:all|every|everything|full|complete)(?: of)?(?: the)? (?:information|info|details|data|columns|fields|attributes|known)(?: (?:about|of|for|on|regarding|available|there is))*|everything (?:about|on)"),
        ("difference", "", r"(?:the )?(?:difference|gap) (?:between|in)|how much (?:more|higher|larger|bigger) is"),
        ("share", "percent", r"(?:the |what )?(?:percentage|percent|per cent)(?: of)?"),
        ("share", "fraction", r"(?:the |what )?(?:share|proportion|fraction|ratio)(?: of)?"),
        ("aboveaverage", ">", r"(?:above|over|more than|greater than|higher than|larger than|(?:is |are )?bigger than) (?:the )?(?:average|mean)"),
        ("aboveaverage", "<", r"(?:below|under|less than|lower than|smaller than|fewer than) (?:the )?(?:average|mean)"),
        ("compare", ">=", r"(?:at least|no less than|no fewer than|not less than|a minimum of|(?:greater|more|larger|higher|bigger|older|longer) than or equal to)(?= (?:#|@))"),
        ("compare", "<=", r"(?:at most|no more than|not more than|no greater than|a maximum of|up to|(?:less|fewer|lower|smaller|younger|shorter) than or equal to)(?= (?:#|@))"),
        ("compare", ">", r"(?:not (?:less|fewer) than|(?:more|greater|higher|larger|bigger|better) than|over|above|exceeding|exceeds?|beyond|in excess of|surpass\w*|bigger than|upwards of)(?= (?:#|@))"),
        ("compare", "<", r"(?:(?:less|fewer|lower|smaller) than|under|below|beneath)(?= (?:#|@))"),
        ("compare", ">", r"(?:later than|after)(?: the)?(?: (?:year|end of))?(?= (?:#|@))"),
        ("compare", "<", r"(?:earlier than|before|prior to)(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", ">=", r"(?:since|starting (?:from|in)|from)(?: the)?(?: year)?(?= (?:#|@)(?: (?:on|onwards?|or later|and later)))|since(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", "<=", r"(?:until|till|up until|by the end of)(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", "=", r"(?:exactly|precisely|equals?(?: to)?)(?= (?:#|@))"),
        ("orequal", ">=", r"or (?:more|greater|higher|later|above|over|older|longer|larger|newer)(?! than)|and (?:above|over|later|more)(?! than)|onwards?"),
        ("orequal", "<=", r"or (?:less|fewer|lower|earlier|below|under|younger|shorter|smaller)(?! than)|and (?:below|under|earlier)"),
        ("between", "", r"(?:in |ranging )?between(?= (?:the years )?(?:#|@)(?: \w+)? (?:and|to) (?:#|@))|(?:in the range |ranging )?from(?= (?:#|@) to (?:#|@))"),
        ("contain", "contains", r"(?:contain\w*|includ\w*|with|has|have|having)(?: the)? (?:word|letters?|substring|string|character|text|phrase|keyword)s?|contain\w*(?= \")"),
        ("contain", "starts", r"(?:start|begin)\w*(?: with)?(?: the)?(?: (?:letter|prefix|word|character)s?)?(?= (?:\"|\w\b))|with (?:the )?prefix"),
        ("contain", "ends", r"end(?:s|ing)?(?: (?:with|in))(?: the)?(?: (?:letter|suffix|word|character)s?)?(?= (?:\"|\w\b))"),
        ("count", "distinct", r"how many (?:different|distinct|unique)(?: types? of| kinds? of)?|(?:the )?(?:total )?number of (?:all )?(?:the )?(?:different|distinct|unique)(?: types? of)?|count (?:of )?(?:the )?(?:number of )?(?:different|distinct|unique)"),
        ("count", "each", r"(?:and )?(?:how many there are|how many of (?:them|these|those) there are)|how many there are"),
        ("count", "", r"(?:the )?(?:counts? (?:up )?(?:the )?(?:total )?(?:number of|of)|(?:total )?numbers? of|total count of|amount of(?= \w+s\b)|how many|quantity of(?= \w+s\b)|count)(?: all)?(?: the)?(?: total)?(?! (?:money|much))"),
        ("sum", "", r"(?:the )?(?:total sum of|sum of|sum|in total|in all|all together|altogether|together|combined|overall|total|add up)"),
        ("mean", "", r"(?:the )?(?:on average|averages?(?: of)?|mean(?: of)?)"),
        ("median", "", r"(?:the )?median(?: of)?"),
        ("extreme", "max", r"(?:the )?(?:single )?(?:maximum|maximal|max|highest|greatest|most|top|(?:largest|biggest)(?= (?:number|count|amount|quantity)))(?: (?:number|count|amount|quantity) of| in)?"),
        ("extreme", "min", r"(?:the )?(?:single )?(?:minimum|minimal|min|lowest|least|fewest|smallest(?= (?:number|count|amount|quantity))|bottom)(?: (?:number|count|amount|quantity) of| in)?"),
        ("group", "", r"(?:for|in|per|of|by|from|on|at|to|within|with|across|among) (?:each|every)(?: of (?:the|these))?(?: (?:different|distinct|unique|single|individual))?|for (?:different|various|all(?: the)? different)|each|every|per|grouped by|group by|broken down by|respectively"),
        ("distinct", "", r"different|distinct|unique|dissimilar"),
        ("both", "", r"both"),
        ("without", "", r"without(?: any| a| an)?|(?:that |who |which )?(?:do|does|did|have|has|had|are|is|were|was|can)(?:n't| not|not)(?: (?:currently|yet|ever))?(?: (?:have|has|had|been|be|own|contain|hold))?(?: (?:any|a|an|at least one))?|(?:that |who |which )?(?:have|has|had|having|with) (?:no|never|0|zero)(?: \w+ed)?|(?:that |who |which )?(?:have |has |had |were |was |are |is )?never(?: been| had| have)?|lack(?:s|ing)?|(?:that |who |which )(?:haven't|hasn't)|having no"),
        ("not", "", r"(?:is |are |was |were )?not(?: (?:in|from|equal to|called|named))?|other than|excluding|except(?: for)?|besides|apart from|but not|outside(?: of)?|isn't|aren't|wasn't|weren't|instead of|rather than"),
        ("each_other", "", r"as well as|along with|together with|and also|but also|plus"),
        ("or", "", r"or|either"),
        ("and", "", r"and|also|but|&"),
        ("relative", "", r"whose|that|who|which|where|when|whom|for which|in which|of which|to which|such that|having|with|has|have|had"),
        ("of", "", r"of"),
        ("preposition", "", r"across(?: all)?(?: the)?|among(?:st)?(?: all)?(?: the)?|in|from|by|at|on|for|to|into|under|during|within|near|through|about|as|named|called|titled|belonging to|located in|based in"),
    )
)  # fmt: skip

#: Words that ask for no more than the rest of the question says.
EMPTY_WORDS = frozenset(
    """a an the is are was were be been being am do does did done can could would should will shall may might must please tell me us
    show list give find return display get fetch provide print what whats which who whom whose when where why how there here this
    these those that it its it's they them their theirs he she his her him i you your we our my all any some there's exist exists
    name names named also just only of in on at by for from to with as and or so then than if up out into about over
    value values record records entry entries together currently
    ever respectively corresponding associated specific certain given various such same own available find identify retrieve
    select let know output compute calculate determine want wish need like see look help question answer say describe enumerate
    much many s d ll ve have has had having one ones each other follow following well each exactly whole entire world
    number count list lists result results ha wa doe me mine""".split()
)

#: Of these, the words that may name something all the same, if something is called so.
NOUNS_TOO = frozenset(
    "name names number state report order list record records answer question result results value values count show".split()
)

#: Fields that a preposition in front of a value speaks of, by stems.
DIRECTIONS = {
    "from": frozenset("origin sourc depart departur start src from begin home birth".split()),
    "to": frozenset("destin arriv target end dst to dest".split()),
}

#: Verbs and nouns that only tie a thing to another; they cost little where nothing takes them up.
LIGHT_WORDS = frozenset(
    """live locat base come belong work make made use hold held take took contain includ offer own get got produc creat write serv
    call known know happen occur appear situat found lie reach come went go play involv relat connect link regist regist
    record exist own possess keep provid assign stay resid hail origin total group current work run ran bear born place thing
    item people person everyon anyon someon instanc amount time mani part case there did do that be goe correspond actual abl cover correspond carri complet respect stand sit flow becam becom lie rise drive gain home cross pass""".split()
)

PERSON_WORDS = frozenset(
    """person people author writer singer student teacher employee staff artist player customer member user actor director owner
    patient doctor physician nurse driver manager scientist professor instructor head candidate guest individual child parent
    friend reviewer voter poker wrestler perpetrator conductor architect composer musician politician leader president king
    gymnast swimmer cyclist rider pilot engineer tourist visitor participant host contestant researcher chef client worker
    lecturer tutor coach referee journalist editor faculty founder captain""".split()
)
PLACE_WORDS = (
    "place",
    "location",
    "city",
    "country",
    "address",
    "venue",
    "region",
    "state",
    "county",
    "town",
    "headquarter",
)
TIME_WORDS = ("date", "year", "time", "day", "month")

_SYNONYM_SETS = (
    "author writer write novelist", "country state", "publisher publish", "singer sing", "teacher teach", "price cost priced", "country nation",
    "film movie", "employee worker staff", "salary wage earn pay", "sex gender", "population inhabitant resident person",
    "company firm business", "organisation organization", "customer client shopper", "birth born", "length duration",
    "language speak tongue", "capital capitol", "area size surface", "city town", "state province", "genre category",
    "kind type category", "car vehicle automobile", "border neighbour neighbor adjoin", "independence independent", "member membership belong join",
    "currency money", "elevation altitude height", "owner own", "founder found", "establish found open", "date time day",
    "photo picture image", "song track", "album record", "tv television", "phone telephone", "id identifier", "code identifier",
    "revenue turnover", "stadium arena", "match game", "team club", "river stream", "mountain peak", "university college school",
    "department division", "total sum", "nationality citizenship country", "headquarters headquarter seat", "weight mass",
    "rating score", "director direct", "manager manage", "winner win", "continent region", "spouse wife husband partner marry",
    "page pages", "born birth", "death die", "start begin", "end finish", "flow run", "occupation job profession", "course class",
    "home hometown", "sale sell sold", "purchase buy order", "order purchase", "building structure", "place location",
    "headcount employee", "capacity seat", "inception found establish", "composer compose", "performer perform", "artist perform",
    "creation create establish found", "supplier supply", "manufacturer manufacture make maker", "maker make", "head lead run",
)  # fmt: skip


def _synonyms() -> dict[str, frozenset[str]]:
    from boxkit.strategies.planner.words import stem

    table: dict[str, set[str]] = {}
    for group in _SYNONYM_SETS:
        stems = [stem(word) for word in group.split()]
        # The first word is the one field names use; the others lead to it, and pairs among them to each other.
        for word in stems:
            table.setdefault(word, set()).update(other for other in stems if other != word)
    return {word: frozenset(others) for word, others in table.items()}


SYNONYMS: dict[str, frozenset[str]] = {}


def synonyms(word_stem: str) -> frozenset[str]:
    """Stems that may stand in a name where ``word_stem`` stands in a question."""
    if not SYNONYMS:
        SYNONYMS.update(_synonyms())
    return SYNONYMS.get(word_stem, frozenset())
