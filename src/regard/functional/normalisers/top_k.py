"""Softmax over the highest scores only."""

from dataclasses import dataclass

from regard.errors import RangeError
from regard.mechanism import mechanism
from regard.types import Bool, Float, Tensor

from ..forms import Tile
from ..value import require_whole
from .base import Normaliser, lowest
from .softmax import softmax


@mechanism(
    "top-k",
    equation="softmax over the k best",
    cost="O(Q K)",
    paper=("Gupta 2021", "https://arxiv.org/abs/2106.06899"),
)
@dataclass(frozen=True, repr=False)
class TopK(Normaliser):
    r"""Softmax over the scores that are not below the k-th highest.

    .. math:: \alpha_q = \mathrm{softmax}(e_{qk} : e_{qk} \ge e_{q(k)})

    Gupta et al. 2021 (https://arxiv.org/abs/2106.06899). Ties at the threshold are all kept, so the
    order of the keys never matters. The gradient flows through the kept scores.

    Args:
        k: how many keys to keep; with fewer allowed keys, all of them.
    """

    k: int

    name = "top_k"
    step = "α = softmax over the k largest s"

    def __post_init__(self) -> None:
        require_whole(self.name, "k", self.k)
        if self.k < 1:
            raise RangeError(f"top_k needs k of at least 1, got {self.k}")

    def __call__(
        self,
        scores: Float[Tensor, "*B r c"],
        allowed: Bool[Tensor, "*A #r #c"] | None = None,
        at: Tile | None = None,
    ) -> Float[Tensor, "*B r c"]:
        """Softmax over the kept keys."""
        if self.k >= scores.shape[-1]:
            return softmax(scores, allowed)
        shown = scores if allowed is None else scores.masked_fill(~allowed, lowest(scores))
        threshold = shown.detach().topk(self.k, dim=-1).values[..., -1:]
        kept = shown >= threshold
        return softmax(scores, kept if allowed is None else kept & allowed)

    def __repr__(self) -> str:
        return f"TopK(k={self.k})"
