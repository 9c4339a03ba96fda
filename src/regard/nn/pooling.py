"""Attention pooling: learned queries look at a sequence."""

from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional import scores
from regard.functional.normalisers import Normaliser
from regard.functional.normalisers import resolve as resolve_normaliser
from regard.functional.scores import Score
from regard.functional.tensors import require_padded
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import VASWANI_2017
from regard.types import Float, Tensor

from .base import AttentionModule, uniform
from .memory import KeyMask, key_mask
from .scorers import AdditiveScorer, ConcatScorer, GeneralScorer, Scorer


@mechanism(
    "attention pooling",
    family="pooling",
    equation="c = Σᵢ α(q, kᵢ) vᵢ,  Σᵢ αᵢ = 1",
    cost="O(Q K D)",
    paper=VASWANI_2017,
)
class AttentionPooling(AttentionModule):
    r"""A sequence of any length pooled into as many vectors as there are learned queries.

    .. math:: c_n = \sum_i \alpha(q_n, k_i) \, v_i, \quad
              \alpha(q_n, \cdot) = \text{normalise}_i \, f(q_n, k_i)

    With one query the pooling by a context vector of Yang et al. 2016, Eq. 5 to 7
    (https://aclanthology.org/N16-1174), where u_w → ``queries`` (score ``"additive"`` is nearest);
    with several the inducing points and seeds of Lee et al. 2019, section 3.3
    (https://arxiv.org/abs/1810.00825), S → ``queries``. The values are the keys themselves unless
    others are given. O(n K D) time, memory linear in K.

    Args:
        key_dim: D, width of what is pooled.
        num_queries: n.
        query_dim: width of the queries where the score takes another than that of the keys.
        score: f; a value of ``regard.scores``, a name, or a ``Scorer``. The names ``"additive"``,
            ``"concat"`` and ``"general"`` bring parameters of their own.
        normalise: how scores become weights.
    """

    kind = "pool"

    def __init__(
        self,
        key_dim: int,
        num_queries: int = 1,
        *,
        query_dim: int | None = None,
        score: Score | Scorer | str = "scaled_dot",
        normalise: Normaliser | str = "softmax",
    ) -> None:
        super().__init__()
        query_dim = key_dim if query_dim is None else query_dim
        require_sizes(self, key_dim=key_dim, num_queries=num_queries, query_dim=query_dim)
        resolve_normaliser(normalise)
        self.key_dim, self.query_dim, self.num_queries = key_dim, query_dim, num_queries
        self.score = _as_score(score, query_dim, key_dim)
        self.normalise = normalise
        self.queries = uniform(num_queries, query_dim, fan_in=query_dim)

    def forward(
        self,
        key: Float[Tensor, "*B K D"],
        mask: KeyMask | None = None,
        *,
        value: Float[Tensor, "*B K E"] | None = None,
    ) -> Float[Tensor, "*B n E"]:
        """One vector for each query.

        Args:
            key: the sequence.
            mask: which of it may be looked at: a mask, booleans (*B, K), or lengths (*B,).
            value: what is pooled; the keys themselves if not given.
        """
        require_padded(self, key)
        if key.shape[-1] != self.key_dim:
            raise ShapeError(
                f"AttentionPooling needs keys of width {self.key_dim}, got {tuple(key.shape)}"
            )
        return self.attend(
            self.queries,
            key,
            key if value is None else value,
            score=self.score() if isinstance(self.score, Scorer) else self.score,
            mask=key_mask(mask),
            normalise=self.normalise,
        )

    def extra_repr(self) -> str:
        """Sizes and choices."""
        shown = "" if isinstance(self.score, nn.Module) else f", score={self.score!r}"
        return (
            f"{self.key_dim}, num_queries={self.num_queries}{shown}, normalise={self.normalise!r}"
        )


def _as_score(score: Score | Scorer | str, query_dim: int, key_dim: int) -> Score | Scorer:
    if isinstance(score, Score | Scorer):
        return score
    if not isinstance(score, str):
        raise DtypeError(
            "AttentionPooling needs score as a name, a value of regard.scores or a Scorer, got "
            f"{type(score).__name__}"
        )
    if score == "additive":  # the queries are free, so their projection would add nothing
        return AdditiveScorer(hidden_dim=query_dim, key_dim=key_dim)
    if score == "concat":
        return ConcatScorer(query_dim=query_dim, key_dim=key_dim, hidden_dim=query_dim)
    if score == "general":
        return GeneralScorer(query_dim=query_dim, key_dim=key_dim)
    return scores.resolve(score)
