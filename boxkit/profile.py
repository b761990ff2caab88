"""A `Profile`: what a benchmark, or a user, expects of an answer, as fields that prompts and checks read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """The conventions of an answer.

    Attributes:
        name: The preset's name.
        ties: ``"all"`` entities that share a superlative are returned, or the ``"first"`` only.
        empty_is_error: Whether an empty answer is fed back as a failure.
        comparison: ``"strict"``: "more than" is ``>``; ``"inclusive"``: it is ``>=`` (GrailQA).
        single_column: Whether an answer has exactly one column.
        exact_columns: Whether columns that were not asked for are wrong.
        rounding: Decimals to round to; None leaves numbers alone.
        entities: Whether an entity is answered by its ``"name"`` or by its ``"id"``.
        date_format: How a date is written in an answer, in words; empty for as the source has it.
        null_text: What stands for a missing value in the source (``\\N`` in IMDb); None for a real NULL.
        cell_text: Whether an answer repeats a cell's text as it stands.
        notes: What whoever writes code must know of this data; data, shown as they are.
    """

    name: str = "default"
    ties: Literal["all", "first"] = "all"
    empty_is_error: bool = True
    comparison: Literal["strict", "inclusive"] = "strict"
    single_column: bool = False
    exact_columns: bool = True
    rounding: int | None = None
    entities: Literal["name", "id"] = "name"
    date_format: str = ""
    null_text: str | None = None
    cell_text: bool = False
    notes: tuple[str, ...] = ()


#: What StarQA tells of its databases (arXiv 2509.19508): data, shown in every prompt over them.
_IMDB = ("One person or title is one nconst or tconst; lists of several values in one cell are parted by commas.",)
_EUROSOCCER = (
    "Give the names of players, teams, leagues and countries, not their ids.",
    'Write a season as in "2008/2009", a match as "home team - away team", its score as "home goals-away goals".',
    "From one season to another means both of them and all between.",
)

#: The presets, by name (Pandora's release, StarQA's prompts; facts in docs/profiles.md).
PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(),
        Profile("spider", ties="first", empty_is_error=False),
        Profile("bird", ties="first", empty_is_error=False),
        Profile("archer", ties="all", empty_is_error=False),
        Profile("starqa", ties="all", empty_is_error=False),
        Profile("starqa-imdb", ties="all", empty_is_error=False, null_text="\\N", notes=_IMDB),
        Profile("starqa-eurosoccer", ties="all", empty_is_error=False, date_format="1 January 2025", notes=_EUROSOCCER),
        Profile("wikitq", ties="all", single_column=True, cell_text=True),
        Profile("grailqa", ties="all", comparison="inclusive", single_column=True, entities="id"),
        Profile("webqsp", ties="all", single_column=True, entities="id"),
    )
}
