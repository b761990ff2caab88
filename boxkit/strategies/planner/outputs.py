"""What a query shows: the fields, figures and names that its targets ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from boxkit.strategies.planner.containers import container_of
from boxkit.strategies.planner.draft import Target
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.lexicon import PERSON_WORDS
from boxkit.strategies.planner.meanings import Meanings, NoSense
from boxkit.strategies.planner.options import Option
from boxkit.strategies.planner.query import Measure, Output
from boxkit.strategies.planner.words import stem

__all__ = ["Outputs"]

_NAME_STEMS = frozenset(map(stem, "name first last full official given family title label".split()))
_PERSONS = frozenset(map(stem, PERSON_WORDS))


@dataclass(frozen=True, slots=True)
class Outputs:
    """Makes the outputs of a choice.

    Attributes:
        meanings: The choice.
    """

    meanings: Meanings

    def all(self) -> list[Output]:
        """Every output, in order.

        Raises:
            NoSense: A target means nothing.
        """
        found: list[Output] = []
        for at, target in enumerate(self.meanings.draft.targets):
            option = self.meanings.option(target.figure, ("target", at))
            if option is None:
                raise NoSense
            shown = self._shown(target, option)
            # Who asks for two things does not want one of them twice.
            self.meanings.penalty += 0.3 if set(shown) <= set(found) else 0.0
            found += shown
        return list(dict.fromkeys(found))

    def _shown(self, target: Target, option: Option) -> list[Output]:
        figure = target.figure
        if target.kind == "year":
            kind = self.meanings.index.fields[option.place].kind
            return [Output(Measure("", option.box, option.field), "year" if kind == "date" else "plain")]
        if target.kind == "everything":
            if option.field:
                raise NoSense
            return [Output(Measure("", option.box, label)) for label in self.meanings.boxes[option.box].labels]
        if target.kind == "difference":
            return [Output(Measure("", option.box, option.field), "difference")]
        if target.kind == "share":
            return [Output(self.meanings.counted(option, False), "share", target.style)]
        if figure.function == "count":
            return [Output(self.meanings.counted(option, figure.distinct))]
        if figure.function:
            return [Output(Measure(figure.function, option.box, option.field))]
        option = self._thing(option)
        labels = self.meanings.labels(option)
        if not option.field and self._names_another(option.box, labels):
            labels = tuple(dict.fromkeys((*self.meanings.index.keys[option.box], *labels)))
        return [Output(Measure("", option.box, label)) for label in labels]

    def _names_another(self, box: str, labels: tuple[str, ...]) -> bool:
        """Whether rows are called by the name of something else, which many share: orders by their customer's."""
        known = [self.meanings.index.fields[Place(box, label)] for label in labels]
        own = {*self.meanings.index.box_stems[box], *_NAME_STEMS}
        return self.meanings.share_names(box, labels) and any(not set(each.stems) <= own for each in known)

    def are_things(self, outputs: list[Output]) -> bool:
        """Whether things are shown by their names, of which one is enough."""
        targets = self.meanings.draft.targets
        if len(targets) != 1 or targets[0].kind not in ("plain", "who") or targets[0].figure.function:
            return False
        option = self.meanings.option(targets[0].figure, ("target", 0))
        if option is None or option.field or len(outputs) != 1:
            return False
        box, label = outputs[0].measure.box, outputs[0].measure.field
        # Two persons may have one name; a thing that stands in two rows is mostly the same thing.
        return not (self.meanings.share_names(box, (label,)) and _PERSONS & set(self.meanings.index.box_stems[box]))

    def are_loose(self) -> bool:
        """Whether a field is asked for with nothing that says of what: "show all majors"; each value is shown once."""
        targets = self.meanings.draft.targets
        item = targets[0].figure.item if len(targets) == 1 else None
        if item is None or targets[0].figure.function or targets[0].kind != "plain" or self.meanings.draft.orders:
            return False
        return container_of(self.meanings.draft, item, False) is None and not item.only("box")

    def _thing(self, option: Option) -> Option:
        """For a field that identifies a thing of a graph: the thing, whose box then names it."""
        known = self.meanings.index.fields.get(option.place) if option.field else None
        parent = self.meanings.index.parents.get(option.place) if known is not None and known.is_entity else None
        if parent is None or known is None or known.label:
            return option
        self.meanings.extra.append(option.box)
        return replace(option, box=parent.box, field="")
