"""Top-down attention: a question looks at the regions of an image."""

from torch import nn

from regard.functional import scores
from regard.functional.normalisers import Normaliser
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import ANDERSON_2018

from ..base import uniform
from ..step import StepAttention


@mechanism(
    "top-down attention",
    family="vision",
    equation="aᵢ = wᵀ f([vᵢ; q])",
    cost="O(K A) a question",
    paper=ANDERSON_2018,
)
class TopDownAttention(StepAttention):
    r"""One look of a question at image regions, scored by a layer of gated tanh units.

    .. math:: a_i = w_a^\top f_a([v_i; q]), \quad \alpha = \text{softmax}(a), \quad
              \hat{v} = \sum_i \alpha_i v_i

    .. math:: f_a(x) = \tanh(W x + b) \odot \sigma(W' x + b')

    Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998). Theirs → ours: w_a →
    ``v``; W and W′ stand side by side and are split into what they do with a region, ``key_proj``,
    and with a question, ``query_proj``, which holds b and b′, too. Regions are the keys; images may
    have different numbers of them. The attention of the same paper while it captions is
    :class:`~regard.nn.BahdanauAttention`. O(K A) per question once the regions are projected.

    >>> memory = attention.prepare(regions, mask)          # once per image
    >>> context, weights = attention(question, memory)     # for every question

    Args:
        region_dim: width of a region's features.
        question_dim: width of a question's embedding.
        hidden_dim: A, number of gated units.
        normalise: how scores become weights.
    """

    def __init__(
        self,
        region_dim: int,
        question_dim: int,
        hidden_dim: int,
        *,
        normalise: Normaliser | str = "softmax",
    ) -> None:
        super().__init__()
        require_sizes(self, region_dim=region_dim, question_dim=question_dim, hidden_dim=hidden_dim)
        self.key_dim, self.query_dim, self.normalise = region_dim, question_dim, normalise
        self.key_proj = nn.Linear(region_dim, 2 * hidden_dim, bias=False)
        self.query_proj = nn.Linear(question_dim, 2 * hidden_dim)
        self.v = uniform(hidden_dim, fan_in=hidden_dim)

    def score(self) -> scores.GatedAdditive:
        """w_aᵀ of the gated tangents."""
        return scores.GatedAdditive(self.v)
