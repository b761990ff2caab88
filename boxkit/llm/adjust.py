"""What some servers do not take as sent: a temperature, ``max_tokens``, a system turn. Learnt from their 400s."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Adjustments"]

_DROPPABLE = ("temperature", "stop", "seed", "stream_options")
_UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|only the default|unknown|unrecogni[sz]ed|unexpected|extra (input|field)|"
    r"not (permitted|allowed|available|implemented|compatible)|incompatible|deprecated|instead",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Adjustments:
    """How requests to one model are written differently.

    Attributes:
        dropped: Parameters that are not sent.
        completion_tokens: Whether ``max_tokens`` goes by the name of ``max_completion_tokens``.
        system_as_user: Whether system turns are put in front of the first user turn.
    """

    dropped: frozenset[str] = frozenset()
    completion_tokens: bool = False
    system_as_user: bool = False

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request's body as this model takes it."""
        adjusted = {name: value for name, value in body.items() if name not in self.dropped}
        if self.completion_tokens and "max_tokens" in adjusted:
            adjusted["max_completion_tokens"] = adjusted.pop("max_tokens")
        if self.system_as_user:
            adjusted["messages"] = _without_system(adjusted["messages"])
        return adjusted

    def learn(self, sent: Mapping[str, Any], status: int, error: Mapping[str, Any]) -> Adjustments | None:
        """These and what an error answer teaches; None where it names nothing that could be sent otherwise.

        A value out of range (a temperature of 5) is the caller's slip and teaches nothing.
        """
        if status not in (400, 422):
            return None
        text = " ".join(str(error.get(key) or "") for key in ("code", "type", "param", "message", "detail"))
        unsupported = bool(_UNSUPPORTED.search(text))
        roles = {turn["role"] for turn in sent["messages"]}
        if (
            "system" in roles
            and re.search(r"\bsystem\b", text, re.I)
            and re.search(r"\brole", text, re.I)
            and unsupported
        ):
            return replace(self, system_as_user=True)
        if "max_tokens" in sent and re.search(r"\bmax_tokens\b", text) and unsupported:
            return replace(self, completion_tokens=True)
        for name in _DROPPABLE:
            if (
                name in sent
                and re.search(rf"\b{name}\b", text)
                and (unsupported or not sent[name] or name != "temperature")
            ):
                return replace(self, dropped=self.dropped | {name})
        return None

    def merged(self, other: Adjustments) -> Adjustments:
        """Both together: what two threads learnt at the same time."""
        return Adjustments(
            self.dropped | other.dropped,
            self.completion_tokens or other.completion_tokens,
            self.system_as_user or other.system_as_user,
        )

    def __str__(self) -> str:
        said = [f"{name} is not sent" for name in sorted(self.dropped)]
        if self.completion_tokens:
            said.append("max_tokens is sent as max_completion_tokens")
        if self.system_as_user:
            said.append("system turns are sent as the user's")
        return "; ".join(said)


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    system = [turn["content"] for turn in messages if turn["role"] == "system"]
    turns = [turn for turn in messages if turn["role"] != "system"]
    if turns and turns[0]["role"] == "user":
        return [{"role": "user", "content": "\n\n".join([*system, turns[0]["content"]])}, *turns[1:]]
    return [{"role": "user", "content": "\n\n".join(system)}, *turns]
