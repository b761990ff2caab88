"""Nationalities: ``French`` ↔ ``France``; and the short names of some countries."""

from __future__ import annotations

__all__ = ["COUNTRY_OF", "same_country"]

_PAIRS = """
afghan:afghanistan; albanian:albania; algerian:algeria;
american:united states,usa,us,united states of america,america; andorran:andorra; angolan:angola;
argentinian,argentine,argentinean:argentina; armenian:armenia; australian:australia; austrian:austria;
azerbaijani:azerbaijan; bahamian:bahamas; bahraini:bahrain; bangladeshi:bangladesh; barbadian:barbados;
belarusian:belarus; belgian:belgium; belizean:belize; bhutanese:bhutan; bolivian:bolivia;
bosnian:bosnia and herzegovina; botswanan:botswana; brazilian:brazil;
british:united kingdom,uk,great britain,britain; bulgarian:bulgaria; burmese:myanmar,burma; burundian:burundi;
cambodian:cambodia; cameroonian:cameroon; canadian:canada; chadian:chad; chilean:chile; chinese:china;
colombian:colombia; congolese:congo; costa rican:costa rica; croatian,croat:croatia; cuban:cuba; cypriot:cyprus;
czech:czech republic,czechia; danish,dane:denmark; dominican:dominican republic;
dutch:netherlands,the netherlands,holland; ecuadorian:ecuador; egyptian:egypt; emirati:united arab emirates,uae;
english:england,united kingdom; eritrean:eritrea; estonian:estonia; ethiopian:ethiopia; fijian:fiji;
finnish,finn:finland; french:france; gabonese:gabon; gambian:gambia; georgian:georgia; german:germany;
ghanaian:ghana; greek:greece; guatemalan:guatemala; guinean:guinea; haitian:haiti; honduran:honduras;
hungarian:hungary; icelandic:iceland; indian:india; indonesian:indonesia; iranian:iran; iraqi:iraq; irish:ireland;
israeli:israel; italian:italy; ivorian:ivory coast,cote d ivoire; jamaican:jamaica; japanese:japan;
jordanian:jordan; kazakh:kazakhstan; kenyan:kenya; korean:south korea,korea; north korean:north korea;
south korean:south korea; kuwaiti:kuwait; kyrgyz:kyrgyzstan; laotian:laos; latvian:latvia; lebanese:lebanon;
liberian:liberia; libyan:libya; lithuanian:lithuania; luxembourgish:luxembourg; malagasy:madagascar;
malawian:malawi; malaysian:malaysia; maldivian:maldives; malian:mali; maltese:malta; mauritanian:mauritania;
mauritian:mauritius; mexican:mexico; moldovan:moldova; monegasque:monaco; mongolian:mongolia;
montenegrin:montenegro; moroccan:morocco; mozambican:mozambique; namibian:namibia; nepalese,nepali:nepal;
nicaraguan:nicaragua; nigerian:nigeria; nigerien:niger; norwegian:norway; omani:oman; pakistani:pakistan;
panamanian:panama; paraguayan:paraguay; peruvian:peru; filipino,philippine:philippines; polish,pole:poland;
portuguese:portugal; qatari:qatar; romanian:romania; russian:russia,russian federation; rwandan:rwanda;
salvadoran:el salvador; saudi,saudi arabian:saudi arabia; scottish:scotland,united kingdom; senegalese:senegal;
serbian,serb:serbia; singaporean:singapore; slovak:slovakia; slovene,slovenian:slovenia; somali:somalia;
south african:south africa; spanish,spaniard:spain; sri lankan:sri lanka; sudanese:sudan; surinamese:suriname;
swazi:eswatini; swedish,swede:sweden; swiss:switzerland; syrian:syria; taiwanese:taiwan; tajik:tajikistan;
tanzanian:tanzania; thai:thailand; togolese:togo; tunisian:tunisia; turkish,turk:turkey,turkiye;
turkmen:turkmenistan; ugandan:uganda; ukrainian:ukraine; uruguayan:uruguay; uzbek:uzbekistan;
venezuelan:venezuela; vietnamese:vietnam; welsh:wales,united kingdom; yemeni:yemen; zambian:zambia;
zimbabwean:zimbabwe; european:europe; asian:asia; african:africa; oceanian:oceania; north american:north america;
south american:south america;
"""

_ALIASES = (
    ("united states", "usa", "us", "u s", "u s a", "united states of america", "america"),
    ("united kingdom", "uk", "u k", "great britain", "britain"),
    ("netherlands", "holland", "the netherlands"),
    ("czechia", "czech republic"),
    ("russia", "russian federation"),
    ("ivory coast", "cote d ivoire"),
    ("turkey", "turkiye"),
    ("myanmar", "burma"),
    ("united arab emirates", "uae"),
    ("european union", "eu"),
    ("united nations", "un"),
)


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for entry in filter(None, map(str.strip, _PAIRS.split(";"))):
        adjectives, countries = entry.split(":")
        table |= dict.fromkeys(adjectives.split(","), tuple(countries.split(",")))
    return table


COUNTRY_OF: dict[str, tuple[str, ...]] = {}


def same_country(text: str) -> tuple[str, ...]:
    """Other normal texts that name the country which ``text`` (normal) names or belongs to."""
    if not COUNTRY_OF:
        COUNTRY_OF.update(_table())
    single = text[:-1] if text.endswith("s") and text[:-1] in COUNTRY_OF else text
    found = COUNTRY_OF.get(single, ())
    aliases = next((group for group in _ALIASES if text in group), ())
    return (*found, *(alias for alias in aliases if alias != text))
