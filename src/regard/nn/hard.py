"""Hard attention: one key is looked at, and three ways to learn which."""

from typing import Literal, NamedTuple, Unpack

import torch

from regard.errors import ChoiceError
from regard.functional.asked import Asked
from regard.functional.forms import Tile
from regard.functional.normalisers import hard, softmax
from regard.functional.randomness import uniform
from regard.functional.scores.base import require_positive
from regard.functional.value import require_generator
from regard.mechanism import mechanism
from regard.papers import XU_2015
from regard.registry import Registry
from regard.types import Bool, Float, Int, Tensor

from .luong import ScoreChoices, ScoredAttention, ScoreName
from .memory import Memory

Estimator = Literal["reinforce", "straight_through", "gumbel"]
"""How the choice of a key is learned, though a choice has no gradient."""


class Choice(NamedTuple):
    """One key picked per state, and what a loss needs to know of it.

    ``picked`` is −1 where no key may be looked at; ``log_prob`` and ``entropy`` are 0 there. Both
    are in at least float32 and carry the gradient into the scores.
    """

    context: Float[Tensor, "*B E"]
    weights: Float[Tensor, "*B K"]
    picked: Int[Tensor, "*B"]
    log_prob: Float[Tensor, "*B"]
    entropy: Float[Tensor, "*B"]


@mechanism("hard (stochastic)", equation="k ~ α,  c = vₖ", cost="O(K D) a step", paper=XU_2015)
class HardAttention(ScoredAttention):
    r"""One key per state: drawn from the weights in training, the likeliest in evaluation.

    .. math:: s_t \sim \text{Multinoulli}(\alpha_t), \quad \hat z_t = \sum_i s_{ti} a_i

    Xu et al. 2015, section 4.1 (https://arxiv.org/abs/1502.03044). Theirs → ours: a_i → the values,
    α → ``weights``, s → one-hot of ``picked``, ẑ → ``context``; their f_att is ``concat``. How the
    scores learn is the estimator:

    ``reinforce``
        The context carries no gradient into the scores; :class:`ReinforceLoss` brings it by
        ``log_prob`` and ``entropy``. Unbiased, of high variance.
    ``straight_through``
        The context is that of the drawn key, its gradient that of the weighted mean: Bengio et al.
        2013 (https://arxiv.org/abs/1308.3432). Biased, of low variance.
    ``gumbel``
        With Gumbel noise g the key is arg max (log α + g), its gradient that of
        softmax((log α + g) / τ): Jang et al. 2017 (https://arxiv.org/abs/1611.01144). Biased, the
        less so the smaller τ, at the price of variance.

    :func:`estimator_variance` measures them. ``weights`` are the distribution α in either mode.
    O(K) per step; many steps at once hold their Q × K weights.

    Args:
        query_dim: width of the decoder's state.
        key_dim: width of the keys.
        score: ``"dot"``, ``"general"``, ``"concat"`` or ``"location"``, as :class:`LuongAttention`.
        estimator: ``"reinforce"``, ``"straight_through"`` or ``"gumbel"``.
        temperature: τ of ``gumbel``; the others have none.
        choices: ``hidden_dim``, ``max_length`` and ``normalise`` of :class:`LuongAttention`; the
            weights must sum to one.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        score: ScoreName = "concat",
        estimator: Estimator = "reinforce",
        temperature: float = 1.0,
        **choices: Unpack[ScoreChoices],
    ) -> None:
        super().__init__(query_dim, key_dim, score, **choices)
        _ESTIMATORS[estimator]
        require_positive("HardAttention", "temperature", temperature)
        if temperature != 1.0 and estimator != "gumbel":
            raise ChoiceError(
                f"HardAttention needs a temperature for the estimator 'gumbel' only, got "
                f"{temperature} for {estimator!r}; leave it out"
            )
        self.estimator, self.temperature = estimator, temperature

    def forward(
        self,
        state: Float[Tensor, "*#B Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        generator: torch.Generator | None = None,
    ) -> tuple[Float[Tensor, "*B E"], Float[Tensor, "*B K"]]:
        """Context of the picked key, and the distribution it was picked from."""
        choice = self.sample(state, memory, generator=generator)
        return choice.context, choice.weights

    def contexts(
        self,
        states: Float[Tensor, "*#B Q Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "*B Q E"]:
        """The contexts of many states, each with a key of its own."""
        return self.samples(states, memory, generator=generator).context

    def sample(
        self,
        state: Float[Tensor, "*#B Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        generator: torch.Generator | None = None,
    ) -> Choice:
        """One key for one state per sequence, with what a loss needs.

        Args:
            state: the decoder's state.
            memory: from :meth:`prepare`, or keys.
            generator: where the randomness comes from; ``None`` is torch's global generator.
        """
        memory = self.prepared(memory)
        self._check_states(state, memory, axes=1)
        many = self.samples(state.unsqueeze(-2), memory, generator=generator)
        return Choice(
            context=many.context.squeeze(-2),
            weights=many.weights.squeeze(-2),
            picked=many.picked.squeeze(-1),
            log_prob=many.log_prob.squeeze(-1),
            entropy=many.entropy.squeeze(-1),
        )

    def samples(
        self,
        states: Float[Tensor, "*#B Q Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        generator: torch.Generator | None = None,
    ) -> Choice:
        """One key for each of many states; the fields have a last axis Q before their own."""
        memory = self.prepared(memory)
        self._check_states(states, memory)
        asked = self._asked(states, memory)
        weights = self._distribution(asked)  # (*B, Q, K)
        possible = weights > 0
        # The logarithm of 1 where nothing is possible: 0, in value and gradient.
        log_weights = weights.masked_fill(~possible, 1).log()
        scores = log_weights + _gumbel(weights, generator) if self.training else log_weights
        one_hot = hard(scores, possible)
        pooled = one_hot + self._gradient(weights, scores, possible)
        context = pooled.to(memory.value.dtype) @ memory.value
        for edit in self.edits:
            context = edit.replaced(asked, context)
        if self.watchers:
            self.notify(asked.told(context, weights.to(states.dtype), pooled=one_hot))
        return Choice(
            context=context,
            weights=weights.to(states.dtype),
            picked=_index(one_hot),
            log_prob=(one_hot * log_weights).sum(dim=-1),
            entropy=-(weights * log_weights).sum(dim=-1),
        )

    def extra_repr(self) -> str:
        """Widths, score and estimator."""
        return f"{super().extra_repr()}, estimator={self.estimator!r}"

    def _asked(self, states: Tensor, memory: Memory) -> Asked:
        """What is scored, in at least float32: the logarithm of the weights is taken."""
        query, key = self.project_states(states), memory.key
        wide = torch.promote_types(torch.promote_types(query.dtype, key.dtype), torch.float32)
        return Asked(
            query.to(wide),
            key.to(wide),
            memory.value,
            memory.seen_by(self.score()),
            memory.mask,
            self.normalise,
            kind=self.kind,
            training=self.training,
        )

    def _distribution(self, asked: Asked) -> Float[Tensor, "*B Q K"]:
        """The weights, after all edits."""
        with torch.autocast(asked.query.device.type, enabled=False):
            weights = asked.weigh()
        for edit in self.edits:
            weights = edit.weights(asked, weights)
        return weights

    def _gradient(
        self,
        weights: Float[Tensor, "*B Q K"],
        scores: Float[Tensor, "*B Q K"],
        possible: Bool[Tensor, "*B Q K"],
    ) -> Float[Tensor, "*B Q K"]:
        """Zeros that carry the estimator's gradient."""
        if self.estimator == "reinforce":
            return torch.zeros_like(weights)
        soft = weights
        if self.estimator == "gumbel":
            soft = softmax(scores / self.temperature, possible)
        return soft - soft.detach()


def _gumbel(like: Tensor, generator: torch.Generator | None) -> Tensor:
    """Gumbel noise that belongs to a state and a key, however many keys there are."""
    require_generator("HardAttention", generator)
    source = like.device if generator is None else generator.device
    seed = torch.randint(2**31 - 1, (), generator=generator, device=source).to(like.device)
    at = Tile(range(like.shape[-2]), range(like.shape[-1]), like.device)
    return -(-uniform(seed, tuple(like.shape[:-2]), at).log()).log().to(like.dtype)


def _index(one_hot: Float[Tensor, "*B Q K"]) -> Int[Tensor, "*B Q"]:
    """Where the one is; −1 in a row of zeros."""
    positions = torch.arange(1, one_hot.shape[-1] + 1, device=one_hot.device)
    return (one_hot.long() * positions).sum(dim=-1) - 1


_ESTIMATORS: Registry[str] = Registry("estimator")
for _name in ("reinforce", "straight_through", "gumbel"):
    _ESTIMATORS.add(_name, _name)
