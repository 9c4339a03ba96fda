"""Recorded attention weights, by the name of the module."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch

from regard.errors import ChoiceError
from regard.functional.events import AttentionEvent
from regard.functional.index import Index, take
from regard.notebook import heat, table
from regard.types import Float, Tensor

from .gradients import gradients_of
from .inputs import Inputs, Side
from .look import Look
from .tokens import read

SHOWN = 24
"""Rows and columns of a map that a notebook shows."""
MOST = 2**18
"""Numbers of one module that JSON holds."""


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """The looks of one module, in order: one for a parallel pass, one per step in a decoder."""

    name: str
    looks: list[Look] = field(default_factory=list, repr=False)
    _maps: list[Tensor] = field(default_factory=list, init=False, repr=False)

    def __repr__(self) -> str:
        return f"Entry({self.name!r}, {_summary(self.looks)})"

    def _repr_html_(self) -> str:
        if not self.looks:
            return table(("module", "looked"), [(repr(self.name), _summary(self.looks))])
        first = self.looks[0].weigh(rows=slice(0, SHOWN), force=True)
        corner = first.reshape(-1, *first.shape[-2:])[0, :, :SHOWN]
        rows, columns = corner.shape
        title = f"{self.name!r}, {_summary(self.looks)}: the first map, weights in %"
        shown = corner.double().tolist()
        return heat(shown, queries=range(rows), keys=range(columns), title=title)

    @property
    def weights(self) -> Tensor:
        """All weights so far: (*B, Q, K), the steps of a decoder as rows; computed once.

        Raises:
            ChoiceError: the looks have different keys, so there is no one map; see ``looks``.
        """
        self._maps.extend(look.weigh() for look in self.looks[len(self._maps) :])
        maps = self._maps
        if len(maps) == 1:
            return maps[0]
        if len({(*w.shape[:-2], w.shape[-1]) for w in maps}) > 1:
            raise ChoiceError(
                f"{self.name!r} looked {len(maps)} times at different numbers of keys, so there is "
                "no one map; use .looks[i].weigh()"
            )
        return torch.cat(maps, dim=-2)

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """Some rows and heads; of a parallel pass no more is computed than what is asked for.

        Args:
            rows: which queries, or which steps; an integer drops the axis.
            heads: which entries of the axis before the positions, likewise.
        """
        if len(self.looks) == 1:
            return self.looks[0].weigh(rows, heads)
        return take(take(self.weights, "heads", heads, -3), "rows", rows, -2)

    def to_json(self, *, most: int = MOST) -> dict[str, Any]:
        """Name, and of every look the shape of its weights and the weights as nested lists.

        Args:
            most: numbers of the entry at most, shared out evenly among its looks; of larger maps
                the first entries of each axis are there, and ``note`` says which.
        """
        corners = [_corner(look, max(1, most // len(self.looks))) for look in self.looks]
        cut = [
            f"look {number}: the first {list(weights.shape)} of {list(shape)}"
            for number, (shape, weights) in enumerate(corners)
            if weights.shape != shape
        ]
        return {
            "name": self.name,
            "shapes": [list(shape) for shape, _ in corners],
            "weights": [weights.tolist() for _, weights in corners],
            **({"note": "; ".join(cut)} if cut else {}),
        }


class Record(Mapping[str, Entry]):
    """Entries by module name, e.g. ``record["decoder.2.cross"].weights``.

    ``passes`` are what the model was given, one for each time it was called: tokens, their classes,
    lengths, the grid of a picture, as far as they are known; every look knows its own.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self.passes: list[Inputs] = []
        self._untold = Inputs()

    def add(self, name: str, event: AttentionEvent) -> None:
        """Note one more look of the module ``name``."""
        looks = self._entries.setdefault(name, Entry(name)).looks
        inputs = self.passes[-1] if self.passes else self._untold
        looks.append(Look(event, name, len(looks), inputs))

    @property
    def looks(self) -> list[Look]:
        """All looks, module by module."""
        return [look for entry in self._entries.values() for look in entry.looks]

    @property
    def inputs(self) -> Inputs:
        """What the model was given in the last pass."""
        return self.passes[-1] if self.passes else self._untold

    def describe(self, **sides: Side) -> "Record":
        """Say what the model was given, where it was not called by itself; gives the record.

        Args:
            sides: by role: ``input``, and ``target`` of a decoder.
        """
        for inputs in (*self.passes, self._untold):
            inputs.sides.update(sides)
        return self

    def read(self, tokenizer: Any) -> "Record":
        """Tell every pass the text of its tokens and what kind each is; gives the record.

        Args:
            tokenizer: of ``transformers`` or ``tokenizers``, texts by number, or a function of one.
        """
        for inputs in self.passes:
            read(inputs, tokenizer)
        return self

    def gradients(
        self, target: Float[Tensor, ""], *, retain_graph: bool = True
    ) -> dict[str, list[Float[Tensor, "*B Q E"]]]:
        """∂ target / ∂ context of every look that has one, in one backward pass.

        Args:
            target: one number that the model computed inside a block of ``graph=True``.
            retain_graph: whether another backward pass may follow.
        """
        looks = [look for look in self.looks if look.context is not None]
        found = gradients_of(looks, target, retain_graph=retain_graph)
        named: dict[str, list[Tensor]] = {}
        for look, gradient in zip(looks, found, strict=True):
            named.setdefault(look.name, []).append(gradient)
        return named

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            known = ", ".join(map(repr, self._entries)) or "none: no attention module was called"
            raise ChoiceError(f"no attention of the name {name!r} was captured. Captured: {known}.")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        told = (f"{name!r}: {_summary(entry.looks)}" for name, entry in self._entries.items())
        return f"Record({', '.join(told)})"

    def _repr_html_(self) -> str:
        rows = [(repr(name), _summary(entry.looks)) for name, entry in self._entries.items()]
        return table(("module", "looked"), rows)

    def to_json(self, *, most: int = MOST) -> dict[str, Any]:
        """All entries, ready for ``json.dump``; ``most`` numbers of each, see :class:`Entry`."""
        return {name: entry.to_json(most=most) for name, entry in self._entries.items()}


def _corner(look: Look, most: int) -> tuple[torch.Size, Tensor]:
    """The shape of the weights of ``look``, and their first entries, ``most`` of them at most."""
    shape = torch.Size(look.shape)
    fit = _fit(shape, most)
    weights = look.weigh(rows=slice(0, fit[-2])) if len(fit) > 1 else look.weigh()  # (*B, rows, K)
    return shape, weights[tuple(slice(0, size) for size in fit)]


def _fit(shape: Sequence[int], most: int) -> list[int]:
    """Sizes with a product of ``most`` at most: the largest axis is halved until they have it."""
    sizes = list(shape)
    while prod(sizes) > most:
        largest = sizes.index(max(sizes))
        sizes[largest] = (sizes[largest] + 1) // 2
    return sizes


def _summary(looks: Sequence[Look]) -> str:
    """How often a module looked, and the sizes of the last map as far as they are known."""
    if not looks:
        return "never"
    times = "once" if len(looks) == 1 else f"{len(looks):,} times"
    shape = looks[-1].known_shape
    return times if shape is None else f"{times} {shape}"
