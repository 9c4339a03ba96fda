"""Every position once, and one way to use all of them."""

import torch
from torch import Tensor, nn

from regard import attend, positions, scores

HEADS, LENGTH, DIM = 3, 5, 6

MODULES = {
    "Sinusoidal": lambda: positions.Sinusoidal(DIM),
    "Sinusoidal beside": lambda: positions.Sinusoidal(7, join="concatenate"),
    "Learned": lambda: positions.Learned(9, DIM),
    "Linear": lambda: positions.Linear(DIM),
    "Grid2d": lambda: positions.Grid2d(3, 4, DIM),
    "Grid2d learned": lambda: positions.Grid2d(2, 4, DIM, kind="learned"),
    "Rotary": lambda: positions.Rotary(DIM),
    "Rotary pairs": lambda: positions.Rotary(4, layout="pairs"),
    "Alibi": lambda: positions.Alibi(HEADS),
    "RelativeBias": lambda: positions.RelativeBias(HEADS, 2),
    "T5Bias": lambda: positions.T5Bias(HEADS, num_buckets=4, max_distance=3),
    "ShawKeys": lambda: positions.ShawKeys(DIM, 2),
}


class Looking(nn.Module):
    """Attention of a sequence to itself, with a position of any kind."""

    def __init__(self, position: nn.Module) -> None:
        super().__init__()
        self.position = position

    def forward(self, x: Tensor) -> Tensor:
        """The vectors in place, or the context of a score with a term."""
        if not hasattr(self.position, "term"):
            return self.position(x, 3)
        score = scores.ScaledDot() + self.position.term(2)
        return attend(x, x, x, score=score, path="reference")


def look(position: nn.Module, x: Tensor) -> Tensor:
    """What a position makes of vectors."""
    return Looking(position)(x)


def vectors() -> Tensor:
    """Vectors (B, H, N, D)."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, HEADS, LENGTH, DIM, generator=generator)
