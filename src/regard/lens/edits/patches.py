"""Contexts replaced: by nothing, or by those of another run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from regard.errors import ChoiceError, ShapeError
from regard.functional.asked import Asked
from regard.functional.tensors import broadcasts
from regard.types import Float, Tensor

from ..look import Look
from .base import Intervention, Run


@dataclass(frozen=True, eq=False)
class HeadOff(Intervention):
    """Heads that give nothing: their contexts are zeros.

    Args:
        module: name or pattern of the modules.
    """

    module: str

    @property
    def where(self) -> str:
        """Which modules."""
        return self.module

    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """Zeros in the heads that are off."""
        return self._off(run())

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """Zeros, likewise."""
        return self._off(weights)

    def replaced(self, asked: Asked, context: Float[Tensor, "*B Q E"]) -> Float[Tensor, "*B Q E"]:
        """Zeros, likewise."""
        return self._off(context)

    def _off(self, x: Tensor) -> Tensor:
        return self.chosen(x, torch.zeros_like(x))


@dataclass(frozen=True, eq=False)
class Patched(Intervention):
    """A context of another run in place of this one's: activation patching.

    Args:
        module: name or pattern of the modules.
        source: a look of the other run, or a context that broadcasts to (*B, Q, E).
        rows: which queries; all if not given.
    """

    module: str
    source: Look | Tensor = field(repr=False)
    rows: Sequence[int] | None = None

    @property
    def where(self) -> str:
        """Which modules."""
        return self.module

    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """The other context, in the heads and rows that are meant."""
        return self.replaced(asked, run())

    def replaced(self, asked: Asked, context: Float[Tensor, "*B Q E"]) -> Float[Tensor, "*B Q E"]:
        """The same for a context that is there."""
        new = self._source().to(context)
        if not broadcasts(new.shape, context.shape):
            raise ShapeError(
                f"Patched needs a context that broadcasts to {tuple(context.shape)} of "
                f"{self.module!r}, got {tuple(new.shape)}"
            )
        new = new.expand_as(context)
        if self.rows is not None:
            at = torch.tensor(list(self.rows), device=context.device) % context.shape[-2]
            new = context.index_copy(-2, at, new.index_select(-2, at))
        return self.chosen(context, new)

    def _source(self) -> Tensor:
        if isinstance(self.source, Tensor):
            return self.source
        if self.source.context is None:
            raise ChoiceError(f"{self.source!r} holds no context; pass a tensor")
        return self.source.context
