"""Phrases with a job in a question, as patterns; a row of the table is easier to read and to change than its wrapping."""
# ruff: noqa: E501 - a row of a table is easier to read and to change than its wrapping

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPERATORS", "Operator"]


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
        ("order", "", r"(?:and )?(?:ordered|sorted|sort|order|ranked|arranged|listed|rank|arrange)(?: (?:them|it|the results?|results?))? (?:by|according to|in(?= (?:\w+ ){0,2}(?:order|sequence|ascending|descending|increasing|decreasing|alphabetical|chronological|reverse)))"),
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
        ("empty", "", r"above sea level|of all time|(?:came|come|comes) out|(?:took|take|takes|taken|taking|takes) place"),
        ("everything", "", r"(?:all|every|everything|full|complete)(?: of)?(?: the)? (?:information|info|details|data|columns|fields|attributes|known)(?: (?:about|of|for|on|regarding|available|there is))*|everything (?:about|on)"),
        ("difference", "", r"(?:the )?(?:difference|gap|spread|range) (?:between|in)|(?:when )?(?:you |i |we |one )?(?:subtract(?:ing|s)?|deduct(?:ing|s)?)(?= .* from )|minus(?= (?:the )?\w+)|how much (?:more|higher|larger|bigger) is|how far apart|(?:by )?how much(?= .*(?:exceed|differ|more|less|cheaper|higher|larger|longer|bigger|older|taller|heavier)\b)"),
        ("share", "percent", r"(?:the |what )?(?:percentage|percent|per cent)(?: of)?"),
        ("share", "fraction", r"(?:the |what )?(?:share|proportion|fraction|ratio)(?: of)?"),
        ("aboveaverage", ">", r"(?:above|over|more than|greater than|higher than|larger than|(?:is |are )?bigger than) (?:the )?(?:average|mean)"),
        ("aboveaverage", "<", r"(?:below|under|less than|lower than|smaller than|fewer than) (?:the )?(?:average|mean)"),
        ("compare", ">=", r"(?:at (?:the very )?least|(?<!the )least|no (?:less|fewer|lower|smaller|shorter|cheaper) than|not less than|(?:a )?(?<!the )minimum(?: of)?|starting (?:at|from)|reach(?:es|ing|ed)?|(?:greater|more|larger|higher|bigger|older|longer) than or equal to)(?= (?:#|@))"),
        ("compare", "<=", r"(?:at (?:the very )?most|(?:no|not) (?:more|greater|higher|larger|bigger|longer|older|later) than|(?:a )?(?<!the )maximum(?: of)?|up to|not (?:exceeding|over|above)|(?:does not|do not|doesn't|don't|did not|didn't|never) exceed(?:ing)?|(?:less|fewer|lower|smaller|younger|shorter) than or equal to)(?= (?:#|@))"),
        ("compare", ">", r"(?:not (?:less|fewer) than|(?:more|greater|higher|larger|bigger|better) than|over|above|exceed(?:ing|s|ed)?|beyond|in excess of|surpass\w*|bigger than|upwards? of|north of|past|top(?:s|ping|ped)|or more than)(?= (?:#|@))"),
        ("compare", "<", r"(?:(?:less|fewer|lower|smaller) than|under|below|beneath|south of|short of|shy of)(?= (?:#|@))"),
        ("compare", ">", r"(?:later than|after|following)(?: the)?(?: (?:year|end of))?(?= (?:#|@))"),
        ("compare", "<", r"(?:earlier than|before|prior to|preceding|ahead of)(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", ">=", r"(?:since|starting (?:from|in)|from)(?: the)?(?: year)?(?= (?:#|@)(?: (?:on|onwards?|or later|and later)))|since(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", "<=", r"(?:until|till|up until|by the end of)(?: the)?(?: year)?(?= (?:#|@))"),
        ("compare", "=", r"(?:exactly|precisely|equals?(?: to)?)(?= (?:#|@))"),
        ("orequal", ">=", r"or (?:more|greater|higher|later|above|over|older|longer|larger|newer|up|upwards?)(?! than)|and (?:above|over|later|more|up|upwards?|older|higher)(?! than)|onwards?|upwards?(?! of)|plus(?= \w)"),
        ("orequal", "<=", r"or (?:less|fewer|lower|earlier|below|under|younger|shorter|smaller|cheaper)(?! than)|and (?:below|under|earlier|less|younger)"),
        ("between", "", r"(?:in |ranging )?between(?= (?:the years )?(?:#|@)(?: \w+)? (?:and|to) (?:#|@))|(?:in the range (?:of )?|ranging )?from(?= (?:#|@)(?: \w+)? (?:to|through|until|till) (?:#|@))"),
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
        ("distinct", "rows", r"without (?:any )?(?:repeats|repeating(?: any)?|repetitions?|duplicat(?:es?|ions?)|doubles|doubling)|(?:with )?no (?:repeats|repetitions?|duplicates?|doubles)|(?:each|every one) (?:(?:of them|one) )?(?:only |just )?once(?: only)?|(?:only |just )once(?: each)?"),
        ("distinct", "", r"different|distinct|unique|dissimilar"),
        ("both", "", r"both"),
        ("without", "", r"without(?: any| a| an)?|(?:that |who |which )?(?:do|does|did|have|has|had|are|is|were|was|can)(?:n't| not|not)(?: (?:currently|yet|ever))?(?: (?:have|has|had|been|be|own|contain|hold))?(?: (?:any|a|an|at least one))?|(?:that |who |which )?(?:have|has|had|having|with) (?:no|never|0|zero)(?: \w+ed)?|(?:that |who |which )?(?:have |has |had |were |was |are |is )?never(?: been| had| have)?|lack(?:s|ing)?|(?:that |who |which )(?:haven't|hasn't)|having no"),
        ("not", "", r"(?:is |are |was |were )?not(?: (?:in|from|equal to|called|named))?|other than|excluding|except(?: for)?|besides|apart from|but not|outside(?: of)?|isn't|aren't|wasn't|weren't|instead of|rather than"),
        ("each_other", "own", r"(?:(?:together |along )?with|including|plus|and also) (?:their|its|his|her)(?: (?:respective|corresponding|own))?"),
        ("each_other", "", r"as well as|along with|together with|and also|but also|plus"),
        ("or", "", r"or|either"),
        ("and", "", r"and|also|but|&"),
        ("relative", "", r"whose|that|who|which|where|when|whom|for which|in which|of which|to which|such that|having|with|has|have|had"),
        ("of", "", r"of"),
        ("preposition", "", r"across(?: all)?(?: the)?|among(?:st)?(?: all)?(?: the)?|in|from|by|at|on|for|to|into|under|during|within|near|through|about|as|behind|against|named|called|titled|entitled|labelled|belonging to|located in|based in"),
    )
)  # fmt: skip
