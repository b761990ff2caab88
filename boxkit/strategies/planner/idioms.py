"""Idioms put in plainer words where the data has what they speak of: prices, births, borders, both of two, one by one."""
# ruff: noqa: E501 - a row of a table is easier to read and to change than its wrapping

from __future__ import annotations

import re

from boxkit.strategies.planner.adjectives import ADJECTIVES, one_of, superlatives
from boxkit.strategies.planner.rewriting import Known, Rule, Step

__all__ = ["IDIOMS"]

_CAP = r"(?:the )?[A-Z][\w.-]*(?: (?:of (?:the )?|the )?[A-Z][\w.-]*)*"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_MOST_OF = r"the (?:largest|greatest|highest|biggest) (?:number|amount|count) of (?:our |the |other |different )*"
_GIVEN = r"(?:named|listed|mentioned|shown|given|counted)"
#: What names must be in the data, or "", the idiom, and what it says. The first match of each is put plainly.
_TABLE: tuple[tuple[str, str, str], ...] = (
    # What leads up to a question.
    ("", r"^(?:our|the|your|this) (?:library|shop|store|collection|catalogue|catalog|database|archive|list) (?:holds?|has|stocks?|contains?|keeps?|lists?|includes?) how many (\w+)", r"how many \1"),
    ("", r"^(.+?) costs? how much( on average| in total| altogether)?(?=[?.]*$)", r"how much do \1 cost\2"),
    ("", r"\bhow (low|high) (?:does|do) (the \w+(?: of [\w ]+?)?) (?:go|get|run|climb|rise|reach|fall|drop)\b", r"what is the \1est \2"),
    ("", r"^(?:what is )?(the (?:low|high)est) the (\w+) of (?:a |an |our |the |any )?", r"what is \1 \2 of "),
    ("", r"\b(?:when|if) (?:ranked|sorted|ordered|measured|listed|judged) by\b", "by"),
    ("", r"^how \w+ is (?:a |an |the )?(?:typical|average|mean) (.+?),? (?:measured |counted )?in (pages|minutes|words|seconds|hours)\b", r"what is the average number of \2 of \1s"),
    ("", r"^how (long|large|big|high|tall|old|deep|expensive|heavy) is (?:a |an |the )?(?:typical|average|mean) ([^?,.]+)", r"how \1 are \2 on average"),
    ("", r"^(?:name|list|show|give)(?: me)? each (\w+?)s? (?:found |occurring |present |represented |that occurs |that is )?(?:in|among) (?:the|our) \w+(?:,? (?:only |just )?once)?[.?]*$", r"list the different \1s"),
    ("", r"(?<=ed |rn |ut )later than (?=the \d|\d|the first|(?:January|February|March|April|May|June|July|August|September|October|November|December))", "after "),
    ("", r"(?<=ed |rn |ut )earlier than (?=the \d|\d|the first|(?:January|February|March|April|May|June|July|August|September|October|November|December))", "before "),
    ("publish", r"^when (?:did|was) (.+?) (?:come out|appear|released|published|issued|brought out)[?.] .*\byear\b[^?]*\??$", r"in which year was \1 published?"),
    ("author", rf"\b[Ww]hat (?:has |have )?({_CAP}) (?:has |have )?(?:written|wrote|penned|authored|published)\b", r"the books written by \1"),
    ("landlocked", r"\b(?:that |which |who )?(?:lacks?|lacking|without|are without|is without) (?:a |any |an |direct )*(?:coast|coastline|access to the (?:sea|ocean|coast)|sea access|shoreline|outlet to the sea|seashore)\b", "that are landlocked"),
    ("", r"^break (?:down|up) (?=the number of|how many)", ""),
    ("elevation", r"\b(mountains?|peaks?|summits?)((?:[\w ]+)? with) the (greatest|largest|highest|lowest|smallest) height\b", r"\1\2 the \3 elevation"),
    ("", r"\bhow (?:far|high up|high) above (?:the )?sea(?: level)?\b", "how high"),
    ("", r"\b(?:together|along) with (?=(?:their|its) \w+[?.]*$)", "with "),
    ("border", rf"({_CAP})['’]s? (?:neighbouring|neighboring|bordering|adjacent|adjoining) (countries|nations|states)", r"the \2 that border \1"),
    ("", r"\b(biggest|largest|highest|greatest|smallest|lowest) (\d{4}) (\w+)", r"\1 \3 in \2"),
    ("", r"(?<= pages) long\b", ""),
    ("", r"^(?:for|among|across|of|over) (?!each\b|every\b|all of them\b)((?:all )?(?:the |our )?[^,?.:]+s), (?:what|how much|which) (?:is|are|was|were) (the (?:average|mean|total|highest|lowest|median|maximum|minimum) [^?.,]+)", r"what is \2 of \1"),
    ("", r"[?.] count (?:them|these|those)(?: all)?(?: (?:per|by|for each) \w+)?[.?!]*$", "?"),
    ("", r"\bhow are (?:the |our )?(\w+) (?:spread|distributed|divided|split|shared out)(?: out)? (?:over|across|among|amongst|between|by) (?:the |our )?(?:different |various )?(\w+)", r"number of \1 per \2"),
    ("", r"\b(every|each) (?:single )?one of (?:the|our|these) (\w+)", r"\1 \2"),
    ("", r"\bhow far apart are (?:the )?(?=highest|lowest|largest|smallest|most|dearest|priciest|cheapest)", "what is the difference between the "),
    ("price", r"\bwhat would it cost(?: me| us| you)? to (?:buy|get|purchase|own) (?:all|every|each)(?: of)?(?: the| our)? ([\w ]+?)(?: at once| together)?(?=[?.]*$)", r"what is the total price of all \1"),
    ("price", r"\bthe (?:least|minimum) (?:anyone|anybody|you|one|i|we|somebody|someone) (?:could|can|would|must|might|has to|have to|needs to|need to)(?: have to| need to)? (?:pay|spend)(?: for| on) (?:one of |any of |a |an |any )?(?:our |the |your )?(\w+)", r"the lowest price of \1"),
    ("price", r"\bthe (?:most|maximum) (?:anyone|anybody|you|one|i|we|somebody|someone) (?:could|can|would|must|might|has to|have to|needs to|need to)(?: have to| need to)? (?:pay|spend)(?: for| on) (?:one of |any of |a |an |any )?(?:our |the |your )?(\w+)", r"the highest price of \1"),
    ("price", "\\b(how much (?:is|does|would|do)|price of|cost of|what (?:is|does|would)) (?:a|one|the) (?:single )?copy of (?=[\ue000A-Z]|the book)", r"\1 "),
    ("found", r"\b(?:go|goes|going|date|dates|dating)(?: back)? (?:to|from) (?=(?:before|after) \d{4}|\d{4}\b)", "were established "),
    ("landlocked", r"\b(?:(?:that|which|who) )?(?:do|does)(?:n['’]t| not) have (?:a |any |an |direct )*(?:coast|coastline|access to the (?:sea|ocean|coast)|sea access|shoreline|outlet to the sea|seashore)\b", "are landlocked"),
    ("member", r"\b(?:the )?(?:largest|biggest|greatest|highest) membership\b", "the most members"),
    ("", rf"\b(of|in) ({_CAP}) and also (?:of|in)? ?({_CAP})", r"\1 both \2 and \3"),
    ("drive", r"\b(?:with|have|has|having) left-hand driving\b", "drive on the left"),
    ("", r"(?:^|(?<=, )|(?<=\. ))(?:please )?state (?=the |how |what |which )", "give "),
    ("", r"^rank (?=the )", "list "),
    ("", r"^(?:please )?work out (?=how |what |the )", ""),
    ("", r"(?<=, )work out (?=how |what |the )", ""),
    ("", r"^(?:know )?the (?:size|extent) of (?:our|the) \w+: (?=how many )", ""),
    ("", r"^of everything (?:on|in|that) [^,]+, ", ""),
    ("", r"^(?:a|one|some|my|our|the) [^.]*?\b(?:asking|asked|enquiring|inquiring) about ([^.?]+)\. (?:(?:could|can|would|will) you (?:please )?(?:tell|let) (?:me|us)(?: know)? )?(what|how much|when|where) (?:it|he|she) (\w+?)s?[?.]*$", r"\2 does \1 \3?"),
    ("", r"^for (?:a|an|my|our|the) [\w ]*?(?:trip|visit|journey|holiday|tour|flight) to ([^:,]+)[:,] (.+?) there(?=[?.]*$)", r"\2 in \1"),
    ("", r"^(?:i|we)(?:'m| am|'re| are) \w+ing (?:about|on) ([^,.]+?),? and (?:i |we )?(?:need|want|would like|am after) (.+?) (on|in|of|through|for|by|about) (?:it|them)(?=[?.]*$)", r"\2 \3 \1"),
    ("", r"^(?:trace|follow) (?:the course of )?(.+?)(?: for me)?: (.+?) does it (\w+ \w+)(?=[?.]*$)", r"\2 does \1 \3"),
    ("", r"^if (?:i|we|you|one|somebody) (?:wanted|were|had|would like|wished|needed)(?: to)? \w+ (the .+?)(?: of all)?, (?:which|what) (?:one )?would (?:it|that) be\b", r"what is \1"),
    ("", r"^in terms of ([\w ]+?), (?:what|which|who) (?:is|are) the (\w+est) ([^?.]+)", r"what is the \2 \3 by \1"),
    ("", r"^are there (?:any )?([^?]+)\? (?:please )?(?:name|list|show|give|tell)(?: me)? (?:them|those|their names|the names|which)[.!]*$", r"which \1?"),
    ("", r"[?.] (?:please )?(?:name|list) (?:them|those)[.!]*$", "?"),
    ("", r"^(?:among|of) (?:all )?(?:the |our |these )?(\w+), how many ", r"how many \1 "),
    ("birth", r"\b(?:had|have|has) (?:their|his|her|its) birth (?=in|on|before|after)", "were born "),
    ("", r"^(.{3,60}?)[:,] how many (?:do|can|did) (?:we|you|i) (?:have|hold|list|find|see|keep)[?.]*$", r"how many \1"),
    ("", r"^(?:our |the )?(\w+) (?:represent|come from|cover|span|hail from|stem from) how many (?:different |distinct |separate )?(\w+)(?: in total| in all| altogether)?[?.]*$", r"how many different \2 do the \1 come from"),
    ("", r"^(\w+) by (\w+),? with (?:the |their )?(?:counts?|numbers?|totals?|tally)[.?]*$", r"number of \1 by \2"),
    ("", r"^(?:a |an |the )?(?:table|list|overview|chart|summary) of (?:the |all )*(\w+) with (?:the |their )?number of (\w+) (?:from|in|for|of|on|per) each(?: one)?[.?]*$", r"number of \2 per \1"),
    ("", r"^(?:break|split|divide) (?:the |our )?\w+ (?:down |up )?by (\w+) and (?:tell me|give me|show|say|list) (?:the number of|how many) (\w+)(?: there are| are)? (?:in|for|of|from) each(?: one)?[.?]*$", r"number of \2 per \1"),
    ("", r"^(?:what|which) (?:kind|sort|type)s? of (\w+) (?:do we have|is there|are there) the most of(?:,? (?:going )?by (?:the )?(\w+))[.?]*$", r"which \2 has the most \1s"),
    ("", r"\b(number of .+? (?:by|per) (?:their )?\w+), with the number of \w+ (?:for|in|of|from) each(?: \w+)?(?=[?.]*$)", r"\1"),
    ("", r"\b(mean|average|total|sum|number|how many)\b([^,]*), (?:for |in )?(?:the )?([\w ]+) only(?=[?.]*$)", r"\1\2 of \3"),
    ("", r"\b(\d+|three|four|five|six|seven|eight|nine|ten) (?:biggest|largest) (\w+) (by (?:the )?number of )", r"top \1 \2 \3"),
    ("price", r"\bprice of (?:its|their|the) (?:most expensive|priciest|dearest|costliest) (?=\w+(?: (?:in|of|for) (?:each|every)|$|\?|\.))", "highest price of "),
    ("price", r"\bprice of (?:its|their) (?:cheapest|least expensive|least costly) (?=\w+(?: (?:in|of|for) each|$|\?|\.))", "lowest price of "),
    ("price", r"\bhow much does the (?:most expensive|priciest|dearest|costliest) (\w+) (of|in|for) (each|every) ([\w ]+?) cost\b", r"what is the highest price in each \4"),
    ("price", r"\bhow much does the (?:cheapest|least expensive|least costly) (\w+) (of|in|for) (each|every) ([\w ]+?) cost\b", r"what is the lowest price in each \4"),
    ("", r"\b(sum|total|add up|average|mean)\b(.*?) of all (?:the )?(\w+s) (?=of |in |that )", r"\1\2 of the \3 "),
    ("", r"\b(\w+) of all those that make up (?=[A-Z]|the [A-Z])", r"\1 in "),
    ("", r"\bwhose course (?:runs|passes|goes|leads|flows) ", "that run "),
    ("official", r"\benjoys? (?:formal|official) (?:recognition|status)\b", "have official status"),
    ("publish", r"^(.+?), (?:the )?(?:year of publication|publication year|year of release|release year)[?.]*$", r"in which year was \1 published?"),
    ("publish", r"^when was (.+?) (?:released|published|issued)\? (?:only|just) the year (?:is|will|,).*$", r"in which year was \1 published?"),
    ("", r"\bwhose (\w+) in (\d{4}) (?:was|were|is) (?=above|over|below|under|more|less|at|greater|higher)", r"whose \2 \1 is "),
    ("", r"\b(mean|average) length, in (\w+), of\b", r"\1 number of \2 of"),
    ("", r"\b(?:and|or) touched\b", ""),
    ("", r"\bby the course of (?=the [A-Z])", "by "),
    ("", r"\bmore national (?=governments)", "more "),
    # What a thing is called.
    ("", r"\bwhat (?:is|are|was|were) ((?:the|our) [^?.,]+?),? called (?=that |which |who |whose )", r"which \1 "),
    ("", r"^what (?:is|are|was|were) ((?:the|our) [^?.,]+?),? called(?=[?.]*$)", r"which is \1"),
    ("", r"\bnames? of the (?:person|people|one|man|woman) (?:who|that) (?:is|are|was|were) (?=the \w+ of )", ""),
    ("author", r"\b(?:names? of )?the (?:person|people|one|man|woman|mind|writer) behind ", "the author of "),
    ("author", r"\bfrom whose pen did (.+?) come\b", r"who is the author of \1"),
    ("author", r"\b(?:that |which )?(?:came|come|comes|is|are|were|was) from the pen of ", "written by "),
    # How many.
    ("", r"^(?!(?:how|what|which|who|count|number|give|list|show|name|average|mean|total|sum|for|in|per|of)\b)(?!.*\b(?:by|of the)\b)([^,?.:]{3,60}?)(?:, how many(?: in total| in all| are there)?|,? (?:total )?counts?)[?.]*$", r"how many \1"),
    ("", r"^(?:the )?((?:\w+ ){1,2}?)counts? (?=(?:by|per|for each|for every|in each) )", r"number of \1"),
    ("", r"\b(smallest|fewest|largest|highest|lowest|greatest|average|mean|total|by|of|the) (?!(?:total|overall|full|average|exact|correct|current)\b)(\w+) counts?\b(?! (?:by|per|for|in)\b)", r"\1 number of \2s"),
    ("", r"\bnumber of (\w+)ss\b", r"number of \1s"),
    ("", r"\b(number of .+? (?:by|per) \w+),? (?:with|giving|showing|including|and) (?:a |the )?(?:tally|tallies|counts?|numbers?|totals?|figures?|how many (?:\w+ )?(?:from|in|to|of|there are))(?: for| of| in| from)?(?: each| every)?(?: one| of them| group)?(?=[?.]*$)", r"\1"),
    ("", r"\bhow do (?:the |our )?([\w ]+?) (?:break|split|divide)(?: down| up)? (?:by|across|into) (?:their )?(\w+)\b", r"number of \1 by \2"),
    ("", r"^(?:group|split|sort|divide|classify|arrange) (?:up )?(?:the |our |all )*(\w+) by (?:their )?(\w+),? and (?:count|tell me|give me|show|tally|say) .*(?:each|them|one|group)\b[?.]*$", r"number of \1 by \2"),
    ("", r"\binto how many (\w+) (?:is|are) (.+?) (?:divided|split|grouped)\b", r"how many \1 are in \2"),
    ("", r"\bhow many separate\b", "how many different"),
    ("", r"\bcount (?:the )?separate\b", "count the different"),
    ("", rf",? (?:counting|with) each (?:\w+ )?(?:{_GIVEN} )?(?:only )?once(?: (?:per|for each|in each) \w+)?(?=[?.]*$)", ""),
    ("", rf",? each (?:one |of them )?{_GIVEN} (?:only )?once(?=[?.]*$)", ""),
    # What there is.
    ("", r"^(?:into|in|under) (?:what|which) ([\w ]+?) (?:are|is|do|does) (?:the |our )?[\w ]+? (?:sorted|divided|grouped|classified|split|arranged|filed|fall|categori[sz]ed)[?.]*$", r"list the different \1"),
    ("", r"\b(?:every|each|all|all the|the) (\w+) that (?:occurs?|appears?|exists?|(?:is|are) (?:found|represented|present)|comes? up|turns? up) (?:among|in|across) (?:our |the |all )*(\w+)", r"all the different \1 of \2"),
    ("", r"^(?:what|which) (?:sorts?|kinds?|types?|varieties) of (\w+) (?:can|do|does|could|may|might) (?:a |an |the |our )?\w+ (?:belong to|have|fall (?:in|into|under)|be)\b", r"list the different \1"),
    # By groups.
    ("price", r"\bwhat (?:a|an|one|its|the|their|each) ([\w ]+?) (?:costs?|sells? for) on average\b", r"the average price of \1"),
    ("price", r"\bhow much (?:do |does |would |did )?((?:the |a |an |one of |all |our |each )*[\w ']+?) (?:costs?|goe?s? for|sells? for) on average\b", r"the average price of \1"),
    ("price", r"\bon average, how much (?:do|does|would) (.+?) cost\b", r"what is the average price of \1"),
    ("price", r"\bhow much (?:do|does|would) ([\w ']+?) (?:cost|go for|sell for) (?:in total|in all|combined|altogether|together|taken together)\b", r"what is the total price of \1"),
    ("", r"\bhow many (\w+) (?:do |does )?((?:the |a |an )?[\w ]+?) (?:have|has|run to|runs to|contain|contains|count) on average\b", r"the average number of \1 of \2"),
    ("", r"^how long (?:are|is) (.+?) on average,? in (\w+)\b", r"what is the average \2 of \1"),
    ("", r"^(?:taking|take|considering|looking at|across) (?:all )?(?:of )?(?:the )?([^,:?]+?)(?: together)?[,:] how (\w+) (?:is one|are they|is each)(?: of them)? on average\b", r"how \2 are \1 on average"),
    ("", r"^([^:?,]{3,60})[:,] how (\w+)(?: above (?:the )?sea(?: level)?)? (?:are they|do they (?:lie|sit|stand)|are these)\b", r"how \2 are \1"),
    ("", r"^how (high|tall|long|big|large|deep|old) (?:do|does) (.+?) (?:lie|sit|stand|run|get|go)\b(?! \w+ [A-Z])", r"how \1 are \2"),
    # Sizes.
    ("area", r"\bhow many square (?:kilometres|kilometers|km|miles) (?:does |do |is )?(.+?) (?:covers?|occup(?:y|ies)|takes? up|measures?)\b", r"the area of \1"),
    ("area", r"\b(?:fewest|least|(?:smallest|lowest) number of) square (?:kilometres|kilometers|km)\b", "smallest area"),
    ("area", r"\b(?:most|(?:greatest|largest|highest) number of) square (?:kilometres|kilometers|km)\b", "largest area"),
    ("area", r"\bcovers? the (?=(?:largest|smallest) area)", "has the "),
    ("area", r",? in (?:square (?:kilometres|kilometers|km)|km2|km²|sq\.? km)(?=[?.]*$)", ""),
    ("elevation", r"\b(?:an? )?(?:height|altitude|elevation)(?:,? in (?:metres|meters),?)? above (?:the )?sea(?: level)?", "elevation"),
    ("elevation", r"\bhow many (?:metres|meters) above (?:the )?sea(?: level)? (?:is|are|does|do) (.+?)(?: lie| sit| stand)?(?=[?.]*$)", r"what is the elevation of \1"),
    ("elevation", r"\b(?:that )?(?:are |is |lie |lies |sit |sits )?(?:situated |perched |located |lying |found |set )?at (?:a height|an altitude|an elevation|heights|altitudes) of (?=(?:more|over|above|at|less|under|below|up|greater|higher) ?)", "with an elevation of "),
    ("elevation", r"\bat what (?:height|altitude|elevation) (?:is|are|does|do) (.+?)(?: situated| located| lie| found| sit)?(?=[?.]*$)", r"what is the elevation of \1"),
    ("elevation", r"\b(altitude|elevation), in (?:metres|meters),", r"\1"),
    ("elevation", r"\bhigh-altitude (\w+)(?:, please)?:? ?(?:every one|those|the ones)?", r"\1"),
    ("", r"\b(?:looking for |find |list )?(?:big|large|major|small|tall|high|long|old|short|cheap|expensive) (\w+), (?:those|the ones|that is,?|meaning those|i\.e\.) (?=with|that|whose|having)", r"\1 "),
    # Ends and orders.
    ("", r"\bbefore (?:all|any|every)(?: of)?(?: the)? others?(?: \w+)?(?=[?.,]|$)|\bbefore (?:anyone|anybody|anything|everyone|everything|everybody) else\b", "first"),
    ("", r"\bafter (?:all|any)(?: of)?(?: the)? others?(?: \w+)?(?=[?.,]|$)|\bafter (?:anyone|anybody|anything|everyone|everything|everybody) else\b", "last"),
    ("birth", r"\b(?:came|come|was brought|were brought) into (?:the )?world\b", "was born"),
    ("", r"\bha(?:s|ve) (?:been (?:around|in business|in existence|going|operating|trading|active|running)|existed|lasted)(?: for)?(?: the)? longest\b", "is the oldest"),
    ("independence", r"\b(?:is|was|were|that is|that was) the (?:very )?(?:last|latest|most recent)(?: one| \w+)? to (?:have )?(?:gain|gained|attain|attained|achieve|achieved|win|won|become|get|obtain|obtained|reach|secure|secured|declare|declared)(?: its| their)? (?:independence|independent|sovereignty|sovereign)\b", "became independent most recently"),
    ("independence", r"\b(?:newest|latest|youngest) independent (\w+)((?: in| of) [A-Z]\w+)?", r"which \1\2 became independent most recently"),
    ("", r"\b(?:is|was|were) the (first|last)(?: one| \w+)? to (?:have been|be) (\w+ed|born|built)\b", r"was \2 \1"),
    ("", r"\b(\w+) (?:do|does) (?:the most|more) (?:of )?(?:the |our )?(\w+) (?:fall|belong|go|come|fit)(?: (?:in|into|under|to|within))?(?: than (?:in|into|under|to|within)? ?any other(?: \w+)?)?", r"\1 has the most \2"),
    ("", rf"\b(?:that |which )?(?:is |are )?represented by {_MOST_OF}", "has the most "),
    ("", rf"\b(?:to|for|in|by|from|on|under|of) (?:which|whom) {_MOST_OF}(\w+)(?: (?:is|are|has been|have been|was|were))?(?: (?:credited|belong|belongs|attributed|written|listed|assigned|come|comes|fall|falls))?\b", r"with the most \1"),
    ("", r"\b(?:to|for|in|by|under|into) which ((?:at least|more than|over|fewer than|less than|under|at most|exactly) \w+) (?:of (?:our|the) )?(\w+) (?:belong|fall|belongs|falls|are \w+ed|come)\b", r"with \1 \2"),
    ("", r"\bmost prolific (?:of (?:the|our) )?(\w+),? (?:(?:going|judged|judging|measured) by|by|in terms of) (?:the |their )?(?:number of|how many) (\w+)[^?.,]*", r"\1 with the most \2"),
    ("", r"\b(?:(?:going|judged|judging|measured|as measured) )?by how many (\w+) (?:it|they|he|she|each(?: of them)?|there) (?:\w+)(?: to| up)?\b", r"by number of \1"),
    ("", r"\b(what|which|the) (?:trio|threesome) of\b", r"\1 3"),
    ("", r"\b(what|which|the) (?:duo|pair|twosome) of\b", r"\1 2"),
    # Both of two, and members.
    ("", rf"\b((?!(?:How|What|Which|Who|Of|In|Name|List|Tell|Give|Find|Show)\b){_CAP}) as well as (?:through |in |of |by |to |with |for )?({_CAP})", r"both \1 and \2"),
    ("", rf"\b(?:that|which) ({_CAP}) and ({_CAP}) (?:both )?(?:have in common|share|have)\b", r"in both \1 and \2"),
    ("", rf"\bin ({_CAP}) (?:are|is|were) (?:also )?(?:in|members? of|part of) ({_CAP})(?: as well| too| also)\b", r"in both \1 and \2"),
    ("", rf"\bin ({_CAP}) (?:are|is|were) also (?:in|members? of|part of) ({_CAP})", r"in both \1 and \2"),
    ("", rf"\bof ({_CAP})['’]s? (?:members|countries|states|member states) (?:are|is) (?:also )?(?:members? of|in|part of) ({_CAP})(?: as well| too| also)?", r"countries are in both \1 and \2"),
    ("", rf"({_CAP}) (\w+) (?:that are |are |which are |who are )?also (?:in|members of) ({_CAP})", r"\2 in both \1 and \3"),
    ("member", rf"\b(?:that|which) (?:counts?|includes?|lists?|numbers?|ha(?:s|ve)) ({_CAP}) among (?:its|their) (?:members|membership)", r"that \1 is a member of"),
    ("member", rf"\bha(?:s|ve) ({_CAP}) joined\b", r"is \1 a member of"),
    ("member", rf"({_CAP})['’]s? memberships?: (?:all )?(?:of )?(?:the )?(\w+) (?:that )?(?:it|she|he|they) .*$", r"which \2 is \1 a member of"),
    ("member", rf"\b(countries|nations|states) (?:that |which )?(?:make up|making up|made up|belong to|belonging to|forming|that form) (?=({_CAP}))", r"\1 in "),
    ("headquarter", rf"\b(?:that |which |who )?ha(?:s|ve) ({_CAP}) as (?:the |its |their )?(?:seat|site|location|base|home)(?: of (?:its|their) headquarters?)?", r"based in \1"),
    ("headquarter", rf"\b(?:are|is|were|was)(?: or (?:were|was|are))? (?:run|managed|led|directed|administered|governed) from ({_CAP})", r"are based in \1"),
    ("headquarter", rf"^[Ff]rom (?:what|which) (?:town|city|place) is ({_CAP}) (?:run|managed|led|directed)\b", r"in which city does \1 have its headquarters"),
    ("", rf"\bcalls? ({_CAP}) (?:their |its )?home\b", r"are in \1"),
    ("", rf"\b(?:that |which |who )?(?:have|has|with) ({_CAP}) as (?:their|its|the|his|her) (\w+)\b", r"whose \2 is \1"),
    # Neighbours.
    ("border", rf"\b(?:border(?:s|ing)?(?: on)?|shares? (?:a |its |their )?borders? with|(?:are|is) adjacent to|touch(?:es)?|adjoins?) (?:{_MOST_OF}|the most (?:other )?|more )(?:countries|nations|states|others)", "have the most borders"),
    ("border", r"\b(?:border(?:s|ing)?(?: on)?|shares? (?:a |its |their )?borders? with|(?:are|is) adjacent to|touch(?:es)?|adjoins?) (?:the )?(?:(?:smallest|lowest|least) (?:number|count) of |fewest )(?:other )?(?:countries|nations|states|others)", "have the fewest borders"),
    ("border", rf"\b{_MOST_OF}(?:bordering|neighbouring|neighboring|adjacent|adjoining) (?:countries|nations|states)\b", "the most borders"),
    ("border", r"\b(?:immediately|directly) (?=adjacent|next|border|neighbour)", ""),
    ("border", r"\b(?:are |is |that are |which are )?(?:adjacent|next door|adjoining) to ", "border "),
    ("", r"[.,] ?(?:please )?(?:name|list|include|including|give|show|with|and) (?:me )?(?:all|any|every)?(?: of them| those| that)? ?ties?(?: for \w+(?: place)?)?(?=[?.]*$)", ""),
    ("", r",? whether or not they (?:still )?exist(?: any more| today)?|,? including (?:any )?(?:defunct|former|dissolved|closed|past) ones,?", ""),
    ("", rf"(?<=border )({_CAP}) (?:territory|soil|ground)\b|(?<=on )({_CAP}) soil\b", r"\1\2"),
    ("", r",? at least (?:in part|partly),?", ""),
    ("", r"\b(in|of|through|by|to|with|on|from) at least one (?:of )?(?=[A-Z]|the |these |those |them )", r"\1 "),
    ("", r"^take (?:all )?(?:of )?([^:]+): (.+?) (in|of|through|by) (?:at least one |any |some |each )?(?:of )?them(?=[?.]*$)", r"\2 \3 \1"),
    ("capital", rf"\b(?:the )?seat of ({_CAP})['’]s? government\b|\b(?:the )?seat of (?:the )?({_CAP}) government\b", r"the capital of \1\2"),
    ("", r"\b(?:the |which |what )?city that (?:serves|acts|functions) as (?=[A-Z]|the )", ""),
    ("", r"\b(?:serves|acts|functions) as the\b", "is the"),
    ("drive", r"\b(?:with|have|has|having) left-hand traffic\b", "that drive on the left"),
    ("drive", r"\b(?:have |where )?(?:their |its )?(?:motorists|drivers|traffic|cars|people|everyone)(?: who| that)? (?:keeps?|stays?|drives?|travels?|moves?|goes) (?:to|on|at) the (left|right)\b", r"drive on the \1"),
    ("", r"\ba monarch on the throne\b", "a monarchy"),
    # Times.
    ("", rf"\b(?:the )?first (?:day )?of ({_MONTH}) (\d{{4}})\b", r"1 \1 \2"),
    ("", r"\b(?:in the course of|in the year|as of|during the year) (?=\d{4}\b)", "in "),
    ("publish", r"\b(?:with|have|has|having|whose) (?:a |the |its |their )?(?:publication|release) (?:date|year)(?: is| was| falls)?(?: of)?(?: in the year)? ", "published "),
    ("publish", r"\b(?:the )?(?:publication year|year of publication|release year|year of release) of (?:the book )?([^?.]+)(?=[?.]*$)", r"in which year was \1 published"),
    ("publish", r"\b(?:that |which )?(?:came|come|comes) out (?=in|on|after|before|during|later|earlier|since|between)", "published "),
    ("publish", r"\bwhat year (?:did )?(.+?) (?:came|come) out\b", r"in which year was \1 published"),
    # What is paid.
    ("price", r"\b(?:for )?how many (?:of )?(?:the |our )?(\w+) (?:does one|do you|would you|do we|must one|would one|do I|must you) (?:have to |need to )?pay (?=over|above|more|under|less|below|at|up)", r"how many \1 cost "),
    ("price", r"\bfor which (?:we|they|you|one) (?:charge|charges|ask|asks|pay|pays|want) ", "that cost "),
    ("price", r"\b(?:that )?(?:are |is )?(?:sold|offered|listed|available|on sale|going) (?:at|for) (?:a price|prices) (?:of )?(?=over|above|more|under|less|below|at|up|exceed)", "cost "),
    ("price", r"\bprice (?:at|for) which (?:any |one |each |a )?(?:of )?(?:our |the )?(\w+) (?:is|are|can be) (?:sold|bought|had|obtained|purchased)\b", r"price of \1"),
    ("price", r"\b(?:smallest|lowest|least) (?:amount|sum|price)(?: of money)? for which (?:a|an|one|any|the) (\w+) can be (?:bought|had|sold|obtained|purchased|got)\b", r"lowest price of \1"),
    ("price", r"\bwhat (?:does|do|would|must|will) (?:one|you|i|we|somebody|a customer) (?:have to |need to )?pay for (?:a copy of |one copy of |the book )?", "what is the price of "),
    ("price", r"\b(?:if|suppose|supposing|say) (?:we|i|you|one|someone) (?:bought|buy|buys|purchased|were to buy|got) (?:one |a |a single )?(?:copy of )?(?:every|each|all)(?: of)?(?: the)? ([^,:]+?)(?: titles?| copies|)[,:] (?:what|how much) would (?:that|it|this|the bill|they|the total)(?: all)? (?:come to|cost|be|amount to|total)(?: altogether| in total| in all)?", r"what is the total price of all \1"),
    ("", r"\b(?:if|suppose) (?:i|we|you|one) (?:read|took|added up|add up|counted) .*?(?:every|all|each)(?: single)?(?: of the| the)? (\w+?)s?(?: from cover to cover)?, how many (\w+) would (?:that|it|this) (?:be|make|come to)(?: altogether| in total| in all)?", r"what is the total number of \2 of all \1s"),
    ("", r"\badd up the number of (\w+) (?:of|in) (?:every|all|each)(?: of)?(?: the| our)? (\w+)", r"what is the total number of \1 of all \2"),
    ("", r"^if [^,]+ (?:is|are|were) (?:taken together|in total|put together), how many (\w+) does it come to\b", r"how many \1 in total"),
    # What is said behind.
    ("", r"[.?!] (?:please )?(?:take|taking|include|including|count|consider) (?:all of them|all|everything|them all|every one)(?: into account)?[.!?]*$", "?"),
    ("", r"[.?!] (?:please )?(?:give|express|state|tell|work)(?: me)? (?:the |your |it )?(?:figure|number|answer|result|value|out)s?[.?!]*$", "?"),
    ("", r",? and (?:then )?(?:tell|give|show|let)(?: me)?(?: know)? (?:the|what the) (?:result|total|answer|sum|figure|outcome)(?: is)?(?=[?.]*$)", ""),
    ("", r",? (?:and|with|along with|together with) (?:give |state |show |tell me )?(?:that|the|its|their|this) ((?:\w+ )?\w+) (?:for|of) each(?: one| of them)?(?=[?.]*$)", r" with their \1"),
    ("", r", (?:along |together )?with (?:the|that) (\w+)(?=[?.]*$)", r" with their \1"),
    ("", r"\b(\w+)(?:y|) or (?:\1s|\1ies)\b", r"\1s"),
)  # fmt: skip

_END = rf"(?:(?P<{{0}}>{one_of(superlatives)})|(?P<{{1}}>most|least) (?P<{{2}}>{one_of(ADJECTIVES)}))"
#: "How much is the cheapest and the dearest book?" asks for two prices.
_DIFFERING = re.compile(r"\b(?:more|less|gap|differ\w*|exceed\w*|than|from|apart)\b", re.IGNORECASE)


def _apart(match: re.Match[str], known: Known) -> str | None:
    """``How much more does the dearest plant cost than the cheapest one?`` asks for a difference of prices."""
    if not _DIFFERING.search(match.string):
        return None
    one, two = (_measures(match, *names) for names in (("one", "much1", "base1"), ("two", "much2", "base2")))
    shared = next((measure for measure in one[1] if measure in two[1] and known.has(measure)), None)
    if shared is None or one[0] == two[0]:
        return None
    noun = match["noun"].strip() or (match["rest"] or "").strip()
    return f"What is the difference between the highest and the lowest {shared} of the {noun or 'rows'}?"


def _measures(match: re.Match[str], form: str, much: str, base: str) -> tuple[bool, tuple[str, ...]]:
    """Whether an adjective means the large end, and what it measures."""
    adjective = ADJECTIVES[superlatives[match[form].lower()] if match[form] else match[base].lower()]
    large = bool(adjective.large) != ((match[much] or "").lower() == "least")
    return large, (*adjective.large, *adjective.small)


#: In the order in which they are applied.
IDIOMS: tuple[Step, ...] = (
    *(Rule(pattern, to, needs) for needs, pattern, to in _TABLE),
    # "Name every genre with over 12 books" lists genres, and makes no groups.
    Rule(r"^(?!.*\b(?:average|mean|total|sum|number of|how many|count|most|least|highest|lowest|cheapest|\w+iest|\w{3,}est|each)\b)"
         r"((?:please )?(?:name|list|show|give|find|identify|titles of|names of|(?:send|tell|give|show) (?:me|us)|the titles of|the names of)(?: (?:the )?(?:names?|titles?) of)?) every (?!one\b)(\w+?)s?\b", r"\1 all \2s"),
    # "How much more does the dearest plant cost than the cheapest one?"
    Rule(rf"^.*?\b(?:how much|gap|difference|exceeds?)\b.*?\b{_END.format('one', 'much1', 'base1')} ?(?P<noun>[\w ]*?) ?"
         r"(?:exceeds?|go(?:es)? for|costs?|is|are|than|and|from|from that of)\b.*?"
         rf"\b{_END.format('two', 'much2', 'base2')}(?P<rest> \w+)?(?: in \w+)?[?.]*$", _apart),
)  # fmt: skip
