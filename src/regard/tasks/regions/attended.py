"""Whether gates open where something is: the pointing game, and the IoU of their maps."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from torch.nn.functional import interpolate

from regard.measures import Hits, Resampling, Score, heat_iou, hits_target
from regard.types import Bool, Tensor


class Attended(NamedTuple):
    """How well one gate knows where something is."""

    name: str
    """Of the module."""
    pointing: Score
    """Share of the pictures in which it is widest open on an object, in percent."""
    iou: float
    """Of where it is half open with the objects, the mean over pictures, in percent."""
    chance: float
    """What the pointing game gives anybody who points at random, in percent."""


class Looked:
    """Gathers maps and targets of picture after picture."""

    def __init__(self) -> None:
        self._hits: dict[str, list[tuple[int, int]]] = {}
        self._ious: dict[str, list[float]] = {}
        self._chances: list[float] = []

    def add(self, maps: Mapping[str, Tensor], targets: Sequence[Bool[Tensor, "Y X"]]) -> None:
        """Take some pictures into account; those without a target do not count.

        Args:
            maps: (B, y, x) by the name of the gate.
            targets: which pixels something is on.
        """
        kept = [row for row, target in enumerate(targets) if bool(target.any())]
        self._chances += [float(targets[row].float().mean()) for row in kept]
        for name, heat in maps.items():
            size = targets[0].shape
            wide = interpolate(heat[:, None], size=size, mode="bilinear", align_corners=False)
            for row in kept:
                one = wide[row, 0]
                self._hits.setdefault(name, []).append((int(hits_target(one, targets[row])), 1))
                self._ious.setdefault(name, []).append(heat_iou(one, targets[row]))

    def scores(self, resampling: Resampling | None) -> tuple[Attended, ...]:
        """Of every gate."""
        chance = 100 * float(np.mean(self._chances)) if self._chances else 0.0
        return tuple(
            Attended(
                name,
                Hits(np.array(rows, dtype=np.int64), "pointing game").score(resampling),
                100 * float(np.mean(self._ious[name])),
                chance,
            )
            for name, rows in self._hits.items()
        )
