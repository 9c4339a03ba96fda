"""One prediction of one sentence, to be made again with something changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn

from regard.errors import ChoiceError, RangeError
from regard.types import Float, Tensor

from ..capture import capture
from ..edits import Swapped, edit
from ..edits.base import Intervention
from ..learning import learning
from ..look import Look
from ..reading import heads_first, steps
from ..record import Record
from ..scene import Scene


@dataclass(frozen=True, eq=False)
class Subject:
    """ln p of one token, and the row of the module that is asked about it.

    Args:
        model: in evaluation.
        scene: of one sentence.
        row: position of the logits.
        word: number of the token that is predicted there.
        module: whose row.
        contrast: another token: the difference of both is explained then.
        call: which call of the module, where its steps are looks of one query each.
        placed: whether there is a prediction for every token, and not one for the whole input.
    """

    model: nn.Module
    scene: Scene
    row: int
    word: int
    module: str
    contrast: int | None = None
    call: int | None = None
    placed: bool = True

    def score(self, logits: Float[Tensor, "1 N V"], row: int | None = None) -> Float[Tensor, ""]:
        """What is explained: ln p, or a difference of two."""
        own = logits[0, self.row if row is None else row].log_softmax(dim=-1)
        return own[self.word] if self.contrast is None else own[self.word] - own[self.contrast]

    @cached_property
    def record(self) -> Record:
        """All looks, with the graph behind their contexts."""
        graph = capture(self.model, graph=True)
        with torch.enable_grad(), learning(self.model), graph as record:
            self.__dict__["target"] = self.score(self.scene.run())
        return record

    @property
    def target(self) -> Float[Tensor, ""]:
        """The number, with its graph."""
        _ = self.record
        found: Tensor = self.__dict__["target"]
        return found

    @property
    def look(self) -> Look:
        """What is asked about."""
        return self.record[self.module].looks[-1 if self.call is None else self.call]

    @property
    def query(self) -> int:
        """Which query of the look: the row of the logits, or the only one."""
        return min(self.row, self.look.num_queries - 1)

    @property
    def keys(self) -> str:
        """The side whose tokens are its keys."""
        return "input" if "target" not in self.scene.sides or self.crosses else "target"

    @property
    def crosses(self) -> bool:
        """Whether it looks at another sequence."""
        look = self.look
        return look.kind == "cross" or look.num_queries != look.num_keys

    @torch.no_grad()
    def now(self, *interventions: Intervention, **changed: Tensor) -> float:
        """The number with something changed."""
        if not interventions:
            return float(self.score(self.scene.run(**changed)))
        with edit(self.model, *interventions):
            return float(self.score(self.scene.run(**changed)))

    @torch.no_grad()
    def without(self, place: int) -> float:
        """The number without one token of the keys: shorter by one."""
        ids = self.scene.ids[self.keys]
        kept = torch.cat([ids[:, :place], ids[:, place + 1 :]], dim=1)
        moved = self.placed and self.keys == self.scene.written and place <= self.row
        if moved and self.row == 0:
            return float("nan")
        logits = self.scene.run(**{self.keys: kept})
        return float(self.score(logits, self.row - 1 if moved else self.row))

    def blanked(self, places: Sequence[int], blank: int) -> float:
        """The number with some tokens of the keys replaced."""
        ids = self.scene.ids[self.keys].clone()
        ids[:, list(places)] = blank
        return self.now(**{self.keys: ids})

    def knocked_out(self, place: int) -> float:
        """The number if no module that has these keys may look at one of them.

        Queries that would see nothing at all keep what they have: a token may see itself.
        """
        edits = []
        for name in self.record:
            look = self.record[name].looks[-1]
            same = look.num_keys == self.look.num_keys and look.scored
            if not same or look.kind == "gate":
                continue
            allowed = torch.ones(look.num_queries, look.num_keys, dtype=torch.bool)
            allowed[:, place] = False
            if look.num_queries == look.num_keys:
                allowed[place, place] = True
            edits.append(Swapped(name, mask=allowed))
        return self.now(*edits)

    def weights(self) -> Float[Tensor, "H Q K"]:
        """Of the module."""
        return heads_first(self.look.weigh())[0]


def subject_of(
    model: nn.Module,
    scene: Scene,
    *,
    row: int,
    word: int | None,
    module: str | None,
    contrast: int | None,
) -> Subject:
    """The subject of a sentence; what is not said is what the scene wants, and the last look.

    Raises:
        ChoiceError: more than one sentence, or no such module.
        RangeError: no such row.
    """
    if scene.size != 1:
        raise ChoiceError(f"faithfulness explains one sentence at a time, got {scene.size}")
    with torch.no_grad(), capture(model) as record:
        logits = scene.run()
    if not -logits.shape[1] <= row < logits.shape[1]:
        raise RangeError(f"there are {logits.shape[1]} predictions, got row {row}")
    row %= logits.shape[1]
    if word is None:
        wanted = -1 if scene.wanted is None else int(scene.wanted[0, row])
        word = wanted if wanted >= 0 else int(logits[0, row].argmax())
    if module is None:
        module = _usual(record, row)
    if module not in record:
        raise ChoiceError(f"no module {module!r} attends here. Known: {', '.join(record)}.")
    entry = record[module]
    call = min(row, len(entry.looks) - 1) if steps(entry) else None
    placed = logits.shape[1] == scene.sides[scene.written].ids.shape[1]
    return Subject(model, scene, row, word, module, contrast, call, placed)


def _usual(record: Record, row: int) -> str:
    """The last module that looks at another sequence, or else the last.

    Raises:
        ChoiceError: none has a row for this prediction.
    """
    looks = [
        look
        for look in record.looks
        if look.kind != "gate" and (look.num_queries > row or steps(record[look.name]))
    ]
    # A pooling query is there once for all predictions of its input.
    looks = looks or [look for look in record.looks if look.kind == "pool"]
    crossing = [look for look in looks if look.num_queries != look.num_keys] or [
        look for look in looks if look.kind == "cross"
    ]
    if not looks:
        raise ChoiceError("nothing in this model has weights that could explain a prediction")
    return (crossing or looks)[-1].name
