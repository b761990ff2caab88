"""English words in a question: those that say nothing, those that only tie, people, places, directions, synonyms."""

from __future__ import annotations

from functools import lru_cache

from boxkit.strategies.planner.words import stem

__all__ = [
    "DIRECTIONS",
    "EMPTY_WORDS",
    "LIGHT_WORDS",
    "NOUNS_TOO",
    "PERSON_WORDS",
    "PLACE_WORDS",
    "synonyms",
]

#: Words that ask for no more than the rest of the question says.
EMPTY_WORDS = frozenset(
    """
    a an the is are was were be been being am do does did done can could would should will shall may might must
    please tell me us show list give find return display get fetch provide print what whats which who whom whose
    when where why how there here this these those that it its it's they them their theirs he she his her him i
    you your we our my all any some there's exist exists name names named also just only of in on at by for from
    to with as and or so then than if up out into about over value values record records entry entries together
    currently ever respectively corresponding associated specific certain given various such own available
    find identify retrieve select let know output compute calculate determine want wish need like see look help
    question answer say describe enumerate much many s d ll ve have has had having one ones each other follow
    following well each entire world number count list lists result results ha wa doe me mine
    """.split()
)

#: Of these, the words that may name something all the same, if something is called so.
NOUNS_TOO = frozenset(
    """name names number state report order list record records answer question result results value values
    count show done available""".split()
)

#: Fields that a preposition in front of a value speaks of, by stems.
DIRECTIONS = {
    "from": frozenset("origin sourc depart departur start src from begin home birth".split()),
    "to": frozenset("destin arriv target end dst to dest".split()),
}

#: Verbs and nouns that only tie a thing to another; they cost little where nothing takes them up.
LIGHT_WORDS = frozenset(
    """
    live locat base come belong work make made use hold held take took contain includ offer own get got produc creat
    write serv call known know happen occur appear situat found lie reach went go play involv relat connect link
    regist record exist possess keep provid assign stay resid hail origin current run ran bear born thing item
    people person everyon anyon someon instanc mani part there did do that be goe correspond actual abl cover carri
    respect stand sit flow becam becom rise drive gain home cross pass fall issu releas launch publish host hous
    featur repres attribut credit boast stem headquart classifi categoris categor label tag mark consist compris
    span stretch extend measur travers wind drain name list figur exact realli simpli basic precis alreadi total
    amount bring brought set put wit wrote lives
    everybodi anybodi somebodi
    """.split()
)

PERSON_WORDS = frozenset(
    """
    person people author writer singer student teacher employee staff artist player customer member user actor
    director owner patient doctor physician nurse driver manager scientist professor instructor head candidate
    guest individual child parent friend reviewer voter poker wrestler perpetrator conductor architect composer
    musician politician leader president king gymnast swimmer cyclist rider pilot engineer tourist visitor
    participant host contestant researcher chef client worker lecturer tutor coach referee journalist editor
    faculty founder captain
    """.split()
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

#: Words of one line may stand for each other.
_SYNONYM_SETS = """
author writer write novelist pen
publication publish release issue appear
ascent climb scale
hire join employ recruit
student pupil learner
manager boss supervisor
band group artist musician
shop store outlet
plane airplane aircraft
email mail
house home residence
disease illness sickness
medicine medication drug
rank ranking position
religion faith
government regime
independent independence sovereign
start open launch establish found form create
title occupation job position
end finish close
profit earnings
budget fund
country state
publisher publish
singer sing
teacher teach
price cost priced
country nation
film movie
employee worker staff personnel
salary wage earn pay income
sex gender
population inhabitant resident person
company firm business corporation
organisation organization
customer client shopper buyer
birth born
length duration
language speak tongue
capital capitol
area size surface
city town municipality
state province
genre category style
kind type category sort
car vehicle automobile
border neighbour neighbor neighbouring neighboring adjoin
independence independent
member membership belong join
currency money
elevation altitude height
owner own
founder found
establish found open
date time day
photo picture image photograph
song track
album record
tv television
phone telephone
id identifier
code identifier
revenue turnover
stadium arena
match game
team club
river stream
mountain peak
university college school
department division
total sum
nationality citizenship country
headquarters headquarter seat base
weight mass weigh
rating score
director direct
manager manage
winner win
continent region
spouse wife husband partner marry
page pages
born birth
death die
start begin
end finish
flow run
occupation job profession
course class
home hometown
sale sell sold
purchase buy order
order purchase
building structure
place location
headcount employee
capacity seat
inception found establish
composer compose
performer perform
artist perform
creation create establish found
supplier supply
manufacturer manufacture make maker
maker make
head lead run
""".strip().splitlines()


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _SYNONYM_SETS:
        stems = [stem(word) for word in group.split()]
        for word in stems:
            table.setdefault(word, set()).update(other for other in stems if other != word)
    return {word: frozenset(others) for word, others in table.items()}


def synonyms(word_stem: str) -> frozenset[str]:
    """Stems that may stand in a name where ``word_stem`` stands in a question."""
    return _table().get(word_stem, frozenset())
