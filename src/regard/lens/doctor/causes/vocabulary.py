"""Token numbers of another model's vocabulary."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import SOFT, Cause, register
from ..finding import Finding
from ..patient import Patient

UNKNOWN, ONE = 0.5, 0.8


@register
class Vocabulary(Cause):
    """Most tokens are unknown, or one and the same."""

    name: ClassVar = "vocabulary of another model"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = (
        SOFT,
        "wrong padding id",
        "padding leaks",
        "positions missing",
        "decoder ignores the source",
    )
    everywhere: ClassVar = True
    sign: ClassVar = "half of the tokens and more are <unk>, or one number is 80 % of all tokens"
    fix: ClassVar = "Read the text with the tokeniser that the model was trained with."
    story: ClassVar = (
        "A model and a vocabulary from two runs fit as long as the sizes do. Nothing fails; every "
        "word is read as another one, or as unknown."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Count tokens."""
        scene = patient.scene
        for role, side in () if scene is None else scene.sides.items():
            ids = side.ids[side.real]
            if len(ids) < 8:
                continue
            unknown = scene.unknown if scene is not None else None
            share = 0.0 if unknown is None else float((ids == unknown).double().mean())
            most = float(torch.bincount(ids.clamp(min=0)).max()) / len(ids)
            if share >= UNKNOWN:
                yield self.found({"side": role, "<unk>": share})
            elif most >= ONE:
                yield self.found({"side": role, "most frequent token": most})
