"""The masks of a case as tensors, for systems that want them so."""

import torch
from torch import Tensor

from ..case import Case
from ..inputs import Inputs


def allowed(case: Case, inputs: Inputs) -> Tensor | None:
    """True where a query may attend, broadcastable to (B, H, N, N); None when it may everywhere."""
    positions = torch.arange(case.positions)
    behind = positions[:, None] - positions  # (N, N): how far the key lies before the query
    if case.mask == "causal":
        return behind >= 0
    if case.mask == "back":
        return (behind >= 0) & (behind <= case.window)
    if case.mask == "around":
        return behind.abs() <= case.window
    if case.mask == "padded":
        return (positions < inputs.lengths[:, None])[:, None, None, :]
    return None
