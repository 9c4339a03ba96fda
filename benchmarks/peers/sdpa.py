"""torch's fused kernel, called directly after the projection a score needs, by hand."""

import torch
from torch import Tensor
from torch.nn import functional

from ..case import Case
from ..inputs import Inputs
from .dense_mask import allowed
from .system import Forward, System

fused = functional.scaled_dot_product_attention

KERNEL_WIDTH = 8.0
"""Width of the Gaussian kernel: √64, so that 64 standard normal features give weights of use."""


def softmax(case: Case, inputs: Inputs) -> Forward:
    """The kernel itself; causal by its own flag, other masks as a tensor built beforehand."""
    query, key, value = inputs.query, inputs.key, inputs.value
    if case.mask == "causal":
        return lambda: fused(query, key, value, is_causal=True)
    mask = allowed(case, inputs)
    return lambda: fused(query, key, value, attn_mask=mask)


def general(case: Case, inputs: Inputs) -> Forward:
    """``q W`` first."""
    query, key, value, weight = inputs.query, inputs.key, inputs.value, inputs.parameters["weight"]
    return lambda: fused(query @ weight, key, value, scale=1.0)


def cosine(case: Case, inputs: Inputs) -> Forward:
    """Unit vectors first."""
    query, key, value = inputs.query, inputs.key, inputs.value

    def forward() -> Tensor:
        unit_query = functional.normalize(query, dim=-1)
        return fused(unit_query, functional.normalize(key, dim=-1), value, scale=1.0)

    return forward


class RadialColumn:
    """Builder of the distance score as an inner product of D + 1 columns."""

    def __init__(self, sharpness: float) -> None:
        self.sharpness = sharpness

    def __call__(self, case: Case, inputs: Inputs) -> Forward:
        """``2q·k - ‖k‖²``, the row constant left out, and the value padded to D + 1."""
        query, key, value = inputs.query, inputs.key, inputs.value
        factor = self.sharpness

        def forward() -> Tensor:
            longer_query = functional.pad(query * (2 * factor), (0, 1), value=-factor)
            longer_key = torch.cat([key, key.square().sum(-1, keepdim=True)], -1)
            longer_value = functional.pad(value, (0, 1))
            return fused(longer_query, longer_key, longer_value, scale=1.0)[..., :-1]

        return forward


class RadialBias:
    """Builder of the distance score as an inner product and a bias of one number per key."""

    def __init__(self, sharpness: float) -> None:
        self.sharpness = sharpness

    def __call__(self, case: Case, inputs: Inputs) -> Forward:
        """``2q·k`` in the kernel, ``-‖k‖²`` as its additive mask."""
        query, key, value = inputs.query, inputs.key, inputs.value
        factor = self.sharpness

        def forward() -> Tensor:
            bias = key.square().sum(-1).mul(-factor).unsqueeze(-2)  # (B, H, 1, N)
            return fused(query, key, value, attn_mask=bias, scale=2 * factor)

        return forward


def slopes(num_heads: int) -> Tensor:
    """ALiBi's slopes for a power of two heads: ``2^(-8 h / H)``."""
    return 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)


def alibi_column(case: Case, inputs: Inputs) -> Forward:
    """``-slope (i - j)`` under a causal mask is ``slope j`` and a row constant: one more column."""
    query, key, value = inputs.query, inputs.key, inputs.value
    batch, heads, positions, width = case.shape
    ramp = slopes(heads)[:, None] * torch.arange(positions)
    column = ramp.expand(batch, heads, positions).unsqueeze(-1)  # (B, H, N, 1)
    scale = width**-0.5

    def forward() -> Tensor:
        longer_query = functional.pad(query * scale, (0, 1), value=1.0)
        longer_key = torch.cat([key, column], -1)
        longer_value = functional.pad(value, (0, 1))
        return fused(longer_query, longer_key, longer_value, is_causal=True, scale=1.0)[..., :-1]

    return forward


def alibi_bias(case: Case, inputs: Inputs) -> Forward:
    """The whole (H, N, N) bias, built beforehand: the usual way."""
    query, key, value = inputs.query, inputs.key, inputs.value
    at = torch.arange(case.positions)
    behind = at[:, None] - at
    bias = -slopes(case.shape[1])[:, None, None] * behind
    bias = bias.masked_fill(behind < 0, -torch.inf)
    return lambda: fused(query, key, value, attn_mask=bias)


SDPA = System(
    name="sdpa",
    note="torch's fused kernel after the projection the score needs, written by hand",
    builders={
        "softmax": softmax,
        "window": softmax,
        "general": general,
        "cosine": cosine,
        "euclidean": RadialColumn(1.0),
        "gaussian": RadialColumn(0.5 / KERNEL_WIDTH**2),
        "alibi": alibi_column,
    },
)

SDPA_BIAS = System(
    name="sdpa + bias",
    note="torch's fused kernel with the score's extra term as an additive mask",
    builders={
        "euclidean": RadialBias(1.0),
        "gaussian": RadialBias(0.5 / KERNEL_WIDTH**2),
        "alibi": alibi_bias,
    },
)

SDPA_PLAIN = System(
    name="plain sdpa",
    note="the fused kernel on the bare query, key and value: another function, for scale",
    builders=dict.fromkeys(
        ("general", "cosine", "euclidean", "gaussian", "sparsemax", "entmax15", "alibi"), softmax
    ),
    same_answer=False,
)
