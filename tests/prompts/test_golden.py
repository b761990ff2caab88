"""The exact text of each prompt, one file a case, so that a change of wording is read as a diff."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from boxkit.failure import Failure
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import LAYOUTS, prompt_version

GOLDEN = Path(__file__).parent / "golden"

BOXCODE = 'author = pd.DataFrame({\n    "name": [],  # text; e.g. "Ada {{ 7 * 7 }}", "\\"quoted\\""\n})'


@dataclass(frozen=True)
class Shown:
    """A demonstration."""

    question: str
    boxes: str
    rationale: str
    code: str


NEAR = Shown("How many books are there?", "book = pd.DataFrame({})", "Count the rows.", "answer = len(book)")
FAR = Shown(
    "Who lives in Rome?", "person = pd.DataFrame({})", "Filter by city.", 'answer = person[person["city"] == "Rome"]'
)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.parametrize("pandas_version", ["2.2.3", "3.1.1"])
def test_the_full_prompt(profile, pandas_version, golden):
    messages = LAYOUTS["full"].messages("How many authors are there?", BOXCODE, [NEAR, FAR], profile, pandas_version)
    golden(f"full-{profile.name}-pandas{pandas_version[0]}", messages)


def test_the_prompt_with_every_field_of_a_profile(golden):
    profile = Profile(
        "mine",
        exact_columns=False,
        rounding=2,
        date_format="1 January 2025",
        null_text="\\N",
        notes=("Prices are in euros.",),
    )
    golden("full-mine", LAYOUTS["full"].messages("How many?", BOXCODE, [], profile, "3.1.1"))


def test_the_compact_prompt_shows_the_nearest_demonstration_last(golden):
    messages = LAYOUTS["compact"].messages("How many authors are there?", BOXCODE, [NEAR, FAR], PROFILES["default"])
    assert messages[0].content.index(FAR.question) < messages[0].content.index(NEAR.question)
    golden("compact", messages)


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_retry(name, golden):
    failure = Failure(
        "exception",
        "box 'author' has no field 'nme'",
        type="KeyError",
        line=2,
        source='answer = author["nme"]',
        hint="nearest: 'name'",
        state="first: DataFrame (3, 1)",
        stdout="hello",
    )
    golden(f"retry-{name}", LAYOUTS[name].retry_messages("```python\n…\n```", failure.feedback()))


def test_a_long_feedback_is_cut_and_says_so():
    (_, user) = LAYOUTS["compact"].retry_messages("", "x" * 5000)
    assert "cut, 5000 characters in all" in user.content


def test_the_version_is_a_short_hash():
    assert len(prompt_version()) == 12
