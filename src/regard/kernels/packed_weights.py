"""Weight matrices packed in panels of 32 outputs, as wide as the sums that registers hold."""

from torch.nn.functional import pad

from regard.types import Float, Tensor

LANES = 16
"""Numbers of one vector; machines with shorter ones take two or four steps."""
PANEL = 2 * LANES
"""Outputs of a panel."""


def filled(outputs: int) -> int:
    """Outputs of as many panels as it takes."""
    return -(-outputs // PANEL) * PANEL


def packed(weight: Float[Tensor, "N K"]) -> Float[Tensor, "P K C"]:
    """A matrix in panels of C = 32 outputs, those of one input side by side; zeros fill it up."""
    missing = filled(weight.shape[0]) - weight.shape[0]
    full = pad(weight, (0, 0, 0, missing)) if missing else weight
    return full.unflatten(0, (-1, PANEL)).transpose(1, 2).contiguous()
