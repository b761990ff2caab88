"""How a prompt is laid out for a model: long instructions for large ones, examples and little else for small ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from boxkit.boxcode import estimate_tokens, labels_only
from boxkit.llm.protocol import Message, PromptLayoutName
from boxkit.profile import Profile
from boxkit.prompts.render import pandas_words, render

__all__ = ["LAYOUTS", "PromptLayout", "Shown", "layout_for"]


class Shown(Protocol):
    """What a prompt shows of a demonstration."""

    @property
    def question(self) -> str:
        """The question."""
        ...

    @property
    def boxes(self) -> str:
        """Its boxes as BOX code."""
        ...

    @property
    def rationale(self) -> str:
        """Why that code."""
        ...

    @property
    def code(self) -> str:
        """The verified code."""
        ...


T = TypeVar("T", bound=Shown)

#: Where BOX code begins a box.
_BOX = re.compile(r"^(\w+) = pd\.DataFrame", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """One way to lay out the Pandora prompt; a value, so that a new one needs no new code.

    Attributes:
        name: As a model's ``layout`` says it.
        system: The system message's template; None for models that do better without.
        user: The template of boxes, demonstrations and question.
        retry: The template of what went wrong.
        brief_demonstrations: Whether a demonstration's boxes are cut to their labels. It halves the prompt, and the
            time of a model on the reader's own processor, at no loss that 20 questions could show.
        joins_parents: Whether the fields a foreign key leads to are shown as fields of the referring box. It took a
            0.5B model from 0 to 5 of 5 joins.
        samples: Example values a field.
        max_tokens: The longest reply.
        demonstration_budget: Tokens that demonstrations may take; the least similar are left out first.
        box_budget: Tokens that the boxes may take.
        feedback_chars: The longest feedback shown.
    """

    name: PromptLayoutName
    system: str | None
    user: str
    retry: str
    brief_demonstrations: bool = False
    joins_parents: bool = False
    samples: int = 3
    max_tokens: int = 4096
    demonstration_budget: int = 8000
    box_budget: int = 12000
    feedback_chars: int = 6000

    def messages(
        self,
        question: str,
        boxcode: str,
        demonstrations: Sequence[Shown],
        profile: Profile,
        pandas_version: str | None = None,
    ) -> tuple[Message, ...]:
        """The first prompt.

        Args:
            question: In words.
            boxcode: The boxes, as `BoxSet.to_prompt` writes them.
            demonstrations: Best first; they are shown with the most similar last, next to the question.
            profile: What the answer should look like.
            pandas_version: The pandas that will run the code; None for the one installed here.
        """
        values: dict[str, Any] = {
            "question": question,
            "boxcode": boxcode,
            "names": _BOX.findall(boxcode),
            "demonstrations": [
                {
                    "boxes": self.boxes_shown(each),
                    "question": each.question,
                    "rationale": each.rationale,
                    "code": each.code,
                }
                for each in reversed(demonstrations)
            ],
            "profile": profile,
            **pandas_words(pandas_version),
        }
        user = Message("user", render(self.user, **values))
        return (user,) if self.system is None else (Message("system", render(self.system, **values)), user)

    def boxes_shown(self, demonstration: Shown) -> str:
        """What the prompt shows of a demonstration's boxes."""
        return labels_only(demonstration.boxes) if self.brief_demonstrations else demonstration.boxes

    def fitting(self, demonstrations: Sequence[T]) -> list[T]:
        """The first of the demonstrations, best first, that fit into the budget."""
        kept: list[T] = []
        budget = self.demonstration_budget
        for each in demonstrations:
            budget -= estimate_tokens(f"{self.boxes_shown(each)}{each.question}{each.rationale}{each.code}")
            if budget < 0:
                break
            kept.append(each)
        return kept

    def retry_messages(self, reply: str, feedback: str) -> tuple[Message, ...]:
        """What follows a failed reply."""
        if len(feedback) > self.feedback_chars:
            feedback = f"{feedback[: self.feedback_chars]}… (cut, {len(feedback)} characters in all)"
        # A server refuses an empty turn, which is what an empty reply would be.
        return Message("assistant", reply or "(empty)"), Message("user", render(self.retry, feedback=feedback))


#: The layouts, by name.
LAYOUTS: dict[PromptLayoutName, PromptLayout] = {
    layout.name: layout
    for layout in (
        PromptLayout("full", "pandora_system", "pandora_user", "pandora_retry"),
        PromptLayout(
            "compact",
            None,
            "compact_user",
            "compact_retry",
            brief_demonstrations=True,
            joins_parents=True,
            samples=2,
            max_tokens=400,
            demonstration_budget=2200,
            box_budget=2000,
            feedback_chars=600,
        ),
    )
}


def layout_for(name: PromptLayoutName) -> PromptLayout:
    """The layout of that name.

    Raises:
        ValueError: There is none.
    """
    try:
        return LAYOUTS[name]
    except KeyError:
        raise ValueError(f"no prompt layout {name!r}; there are {', '.join(LAYOUTS)}") from None
