"""A demonstration: a question, the code that answered it, and how that was verified."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from boxkit.canonical import json_value

__all__ = ["Demonstration", "Kind", "Verification", "normal_question", "question_key"]

Kind = Literal["table", "database", "graph"]

#: Made once: a memory writes a hundred thousand lines.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_HALVES = re.compile("[\ud800-\udfff]")

_NOT_WORDS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Verification:
    """How the code of a demonstration was found to be right.

    Attributes:
        scorer: The scorer that compared its answer with the gold answer (``"spider"``, ``"rows"``…).
        attempts: How many attempts the annotator needed; 0 where a person or a transpiler wrote the code.
        annotator: Who wrote the code: ``"person"``, ``"transpile"``, or a model's name.
    """

    scorer: str = ""
    attempts: int = 0
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question with code that is known to answer it.

    Attributes:
        id: Unique in a memory; derived from the content where empty.
        question: In words.
        boxes: The BOX code of the boxes that the code uses, with no values in it.
        rationale: Why this code, in one to three plain sentences.
        code: The pandas code; it assigns ``answer``.
        answer: The rows it gave, as JSON values; one list a row.
        dataset: Where the question comes from (``"spider"``, ``"starter"``).
        kind: What the boxes were made of.
        source: Which table, database or graph of the dataset.
        split: Which part of the dataset (``"train"``, ``"dev"``).
        verification: How it was checked.
        provenance: Anything else worth keeping: the gold program, the question's number, a licence.
    """

    id: str
    question: str
    boxes: str
    rationale: str
    code: str
    answer: tuple[tuple[Any, ...], ...] = field(default=(), hash=False)
    dataset: str = ""
    kind: Kind = "database"
    source: str = ""
    split: str = ""
    verification: Verification = Verification()
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("question", "code"):
            if not getattr(self, name).strip():
                raise ValueError(f"a demonstration needs a {name}: {self.id or self.question!r} has none")
        if self.kind not in ("table", "database", "graph"):
            raise ValueError(f"a demonstration's kind is 'table', 'database' or 'graph', not {self.kind!r}")
        for name in ("id", "dataset", "source", "split"):
            if "\n" in getattr(self, name):
                raise ValueError(f"a demonstration's {name} is one line, not {getattr(self, name)!r}")
        # Rows are kept as what JSON can hold, so that a demonstration read back equals the one written.
        object.__setattr__(self, "answer", tuple(tuple(json_value(cell) for cell in row) for row in self.answer))
        if self.provenance:
            object.__setattr__(self, "provenance", json_value(self.provenance))
        if not self.id:
            object.__setattr__(self, "id", self._derived_id())

    def _derived_id(self) -> str:
        text = "\0".join((self.dataset, self.source, self.question, self.code))
        return f"{self.dataset or 'demo'}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"

    def to_json(self) -> dict[str, Any]:
        """The demonstration as JSON values, in the order of its attributes."""
        verification = self.verification
        return {
            "id": self.id,
            "question": self.question,
            "boxes": self.boxes,
            "rationale": self.rationale,
            "code": self.code,
            "answer": [list(row) for row in self.answer],
            "dataset": self.dataset,
            "kind": self.kind,
            "source": self.source,
            "split": self.split,
            "verification": {
                "scorer": verification.scorer,
                "attempts": verification.attempts,
                "annotator": verification.annotator,
            },
            "provenance": dict(self.provenance),
        }

    def to_line(self) -> str:
        """One line of JSON, without its line feed."""
        line = _ENCODER.encode(self.to_json())
        # Half a character (an undecodable byte, kept) has no UTF-8; escaped, it has.
        return line if line.isascii() or not _HALVES.search(line) else json.dumps(self.to_json())

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Demonstration:
        """The demonstration that `to_json` wrote.

        Raises:
            ValueError: A key is missing, unknown, or of the wrong type.
        """
        known = {each.name: each for each in fields(cls)}
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise ValueError(f"a demonstration has no {unknown[0]!r}; it has {', '.join(known)}")
        absent = [name for name in ("question", "code") if not isinstance(values.get(name), str)]
        if absent:
            raise ValueError(f"a demonstration needs a text as its {absent[0]!r}")
        try:
            verification = Verification(**values.get("verification", {}))
            rows = tuple(tuple(row) for row in values.get("answer", ()))
        except TypeError as error:
            raise ValueError(f"not a demonstration: {error}") from None
        texts = {name: str(values[name]) for name in values if name not in ("verification", "answer", "provenance")}
        texts = {"id": "", "boxes": "", "rationale": "", **texts}
        provenance = dict(values.get("provenance", {}))
        return cls(**texts, answer=rows, verification=verification, provenance=provenance)  # type: ignore[arg-type]  # the texts are fields by their names; the class checks the kind

    @classmethod
    def from_line(cls, line: str) -> Demonstration:
        """The demonstration on one line of JSON.

        Raises:
            ValueError: It is no JSON, or no demonstration.
        """
        values = json.loads(line)
        if not isinstance(values, dict):
            raise ValueError("a demonstration is a JSON object")
        return cls.from_json(values)

    def renamed(self, identifier: str) -> Demonstration:
        """A copy with another id."""
        return replace(self, id=identifier)


def normal_question(question: str) -> str:
    """The question as it is compared: letters' case, punctuation and spaces do not count.

    >>> normal_question("How  many books?") == normal_question("how many books")
    True
    """
    text = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(_NOT_WORDS.sub(" ", text).split())


def question_key(question: str) -> str:
    """16 hex digits that equal questions, after `normal_question`, share."""
    return hashlib.sha256(normal_question(question).encode("utf-8", "surrogatepass")).hexdigest()[:16]
