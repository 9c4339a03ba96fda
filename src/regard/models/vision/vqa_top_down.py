"""Bottom-up regions, and top-down attention of a question over them."""

from typing import Literal

from torch import nn
from torch.nn.functional import normalize

from regard.nn.vision import TopDownAttention
from regard.types import Float, Int, Tensor

from ..config import Size
from ..dropout import Dropout
from .regions import Boxes, Seen
from .vqa import Answered, Answerer, AnswererConfig, QuestionReader


class BottomUpTopDownConfig(AnswererConfig):
    """Anderson et al. 2018 (https://arxiv.org/abs/1707.07998)."""

    kind: Literal["bottom-up-top-down"] = "bottom-up-top-down"
    region_dim: Size = 256
    """Width of a region's vector."""
    question_dim: Size = 256
    """Width of the GRU's state."""
    hidden_dim: Size = 256
    """Width of the gated units, in the attention and behind it."""
    attention: Literal["top-down", "none"] = "top-down"
    """Whether the question weighs regions, or their mean is taken."""


class GatedTanh(nn.Module):
    r"""A layer of gated tanh units.

    .. math:: f(x) = \tanh(W x + b) \odot \sigma(W' x + b')

    Anderson et al. 2018, Eq. 6 and 7 (https://arxiv.org/abs/1707.07998). W and W′ stand below each
    other in ``proj``.

    Args:
        input_dim: width of x.
        output_dim: width of f(x).
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(input_dim, 2 * output_dim)

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B E"]:
        """The gated units."""
        value, gate = self.proj(x).chunk(2, dim=-1)
        return value.tanh() * gate.sigmoid()


class BottomUpTopDown(Answerer):
    r"""A question looks at regions once, and the answer comes of both.

    .. math::
        q &= \text{GRU}(E w), \quad a_i = w_a^\top f_a([v_i; q]), \quad
        \hat v = \textstyle\sum_i \text{softmax}(a)_i v_i \\
        h &= f_q(q) \odot f_v(\hat v), \quad o = W_o f_o(h)

    Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998); each f is a layer of
    :class:`GatedTanh` units, regions have length 1. Theirs → ours: f_a with w_a → ``attention``,
    f_q → ``from_question``, f_v → ``from_regions``, f_o → ``hidden``, W_o → ``output``. What comes
    of o, a softmax or a sigmoid for each answer, is the objective's choice.
    """

    config: BottomUpTopDownConfig

    def __init__(self, config: BottomUpTopDownConfig) -> None:
        super().__init__()
        self.config = config
        seen, asked, hidden = config.region_dim, config.question_dim, config.hidden_dim
        self.regions = self.regions_of(config, seen)
        self.question = QuestionReader(config, asked)
        self.attention = (
            TopDownAttention(seen, asked, hidden) if config.attention == "top-down" else None
        )
        self.from_question, self.from_regions = GatedTanh(asked, hidden), GatedTanh(seen, hidden)
        self.hidden, self.dropout = GatedTanh(hidden, hidden), Dropout(config.dropout)
        self.output = nn.Linear(hidden, config.answers)

    def answer(
        self,
        pictures: Tensor,
        questions: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"],
        boxes: Boxes | None = None,
        owners: Int[Tensor, " B"] | None = None,
    ) -> Answered:
        """Logits of all answers, and how much each region counted."""
        seen = self.regions(pictures, boxes).of(owners)
        question = self.question(questions, lengths)  # (B, Dq)
        context, weights = self._look(seen, question)
        joint = self.from_question(question) * self.from_regions(context)
        logits = self.output(self.dropout(self.hidden(joint)))
        return Answered(logits, None if weights is None else weights.unsqueeze(1))

    def _look(
        self, seen: Seen, question: Float[Tensor, "B Dq"]
    ) -> tuple[Float[Tensor, "B M"], Float[Tensor, "B K"] | None]:
        regions = normalize(seen.features, dim=-1) * seen.features.shape[-1] ** 0.5
        if self.attention is None:
            return seen._replace(features=regions).mean(), None
        return self.attention(question, self.attention.prepare(regions, seen.allowed))
