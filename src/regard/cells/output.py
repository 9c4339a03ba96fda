"""From a hidden state to a distribution over classes."""

import torch
from torch import nn

from regard.functional.value import require_sizes
from regard.types import Float, Tensor


class Output(nn.Module):
    r"""The output layer of a recurrent network.

    .. math:: o_t = c + V h_t, \quad \hat y_t = \text{softmax}(o_t)

    Goodfellow et al. 2016, chapter 10 (https://www.deeplearningbook.org). Theirs → ours: V, c →
    ``proj``. Calling it gives o_t, which losses want; :meth:`predict` gives ŷ_t. O(H V) per step.

    Args:
        hidden_dim: width of h_t.
        num_classes: how many classes.
    """

    def __init__(self, hidden_dim: int, num_classes: int) -> None:
        super().__init__()
        require_sizes("Output", hidden_dim=hidden_dim, num_classes=num_classes)
        self.proj = nn.Linear(hidden_dim, num_classes)

    def forward(self, hidden: Float[Tensor, "*B H"]) -> Float[Tensor, "*B V"]:
        """The logits o_t."""
        return self.proj(hidden)

    def predict(self, hidden: Float[Tensor, "*B H"]) -> Float[Tensor, "*B V"]:
        """The probabilities ŷ_t, normalised in at least float32."""
        logits = self.proj(hidden)
        wide = torch.promote_types(logits.dtype, torch.float32)
        return torch.softmax(logits.to(wide), dim=-1).to(logits.dtype)
