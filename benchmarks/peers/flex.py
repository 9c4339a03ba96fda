"""torch's FlexAttention, compiled."""

import torch
from torch import Tensor

from ..case import Case
from ..inputs import Inputs
from .sdpa import slopes
from .system import Forward, System


def window(case: Case, inputs: Inputs) -> Forward:
    """A block mask, so that empty blocks are skipped."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    back, ahead = case.window, case.window if case.mask == "around" else 0

    def allowed(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (query - key <= back) & (key - query <= ahead)

    blocks = create_block_mask(allowed, None, None, case.positions, case.positions, device="cpu")
    compiled = torch.compile(flex_attention)
    return lambda: compiled(inputs.query, inputs.key, inputs.value, block_mask=blocks)


def alibi(case: Case, inputs: Inputs) -> Forward:
    """The bias inside the kernel, and a causal block mask."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    slope = slopes(case.shape[1])

    def biased(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return score - slope[head] * (query - key)

    def causal(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return key <= query

    blocks = create_block_mask(causal, None, None, case.positions, case.positions, device="cpu")
    compiled = torch.compile(flex_attention)

    def forward() -> Tensor:
        query, key, value = inputs.query, inputs.key, inputs.value
        return compiled(query, key, value, score_mod=biased, block_mask=blocks)

    return forward


FLEX = System(
    name="flex",
    note="torch's FlexAttention, compiled (needs a C++ compiler; torch has no backward on CPU)",
    builders={"window": window, "alibi": alibi},
)
