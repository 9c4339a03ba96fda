"""Multi-head attention: self, cross, masked, grouped, cached."""

from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.functional import masks, scores
from regard.functional.engine.fused import window_of
from regard.functional.events import Kind
from regard.functional.masks import Mask
from regard.functional.masks.shifted import needed
from regard.functional.normalisers import Normaliser
from regard.functional.scores import ScoreLike
from regard.functional.tensors import require_padded, spread
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import VASWANI_2017
from regard.types import Float, Tensor

from ..base import AttentionModule
from ..cache import Cache, CrossCache
from ..heads import content_only, fold_groups, join_heads, split_heads, unfold_groups
from ..memory import KeyMask
from ..position import AddsTerm, Position, require_position, rotated, with_term
from ..scorers import Scorer, head_scorer
from .masks import CallMask, both, call_mask, key_booleans, keys_allowed, real_parts, rows_alike
from .persistent import PersistentMemory
from .projections import (
    JointProjection,
    Projections,
    input_projection,
    output_projection,
    require_dropout,
    require_groups,
    width_of_heads,
)

SIZES = (
    *("model_dim", "num_heads", "key_dim", "value_dim"),
    *("num_key_heads", "head_dim", "output_dim"),
)


@mechanism(
    "cross",
    equation="Q from one sequence, K and V from another",
    cost="O(Q K D)",
    paper=VASWANI_2017,
)
@mechanism(
    "multi-head",
    equation="headⱼ = Attention(Q Wⱼ^Q, K Wⱼ^K, V Wⱼ^V),  [head₁; …] W^O",
    cost="O(Q K M + (Q + K) M²)",
    paper=VASWANI_2017,
)
@mechanism(
    "grouped and multi-query",
    equation="g query heads share one key head",
    cost="as multi-head, cache / g",
    paper=("Ainslie 2023", "https://arxiv.org/abs/2305.13245"),
    call="(num_key_heads=1)",
)
class MultiHeadAttention(AttentionModule):
    r"""Several attentions side by side, each in a subspace of its own.

    .. math:: \text{head}_j = \text{attend}(X W_j^Q, Z W_j^K, Z W_j^V), \quad
              \text{output} = [\text{head}_1; \ldots; \text{head}_H] W^O

    Vaswani et al. 2017, section 3.2.2 (https://arxiv.org/abs/1706.03762). Theirs → ours: h →
    ``num_heads``, d_model → ``model_dim``, d_k = d_v → ``head_dim``, W^Q, W^K, W^V → ``in_proj``
    (rows in this order), W^O → ``output_proj``. Keys shared by several heads: one for all, Shazeer
    2019 (https://arxiv.org/abs/1911.02150); in groups, Ainslie et al. 2023
    (https://arxiv.org/abs/2305.13245). O(N² M) time, O(N M) memory; less under sparse masks.

    >>> attention(x)                              # self
    >>> attention(x, memory, mask=lengths)        # cross
    >>> output, cache = attention.step(x, cache)  # self, a few new positions at a time

    A query with no allowed key gets a zero context, so its output is the bias of ``output_proj``.

    Args:
        model_dim: M, width of the input.
        num_heads: H.
        key_dim: width of the memory's keys; ``None`` is ``model_dim``.
        value_dim: width of the memory's values; ``None`` is ``key_dim``.
        num_key_heads: heads of keys and values, each shared by ``num_heads / num_key_heads`` query
            heads; ``None`` is ``num_heads``, 1 is multi-query.
        head_dim: D, width of a head; ``None`` is ``model_dim / num_heads``.
        output_dim: width of the output; ``None`` is ``model_dim``.
        score: as in :func:`regard.attend`, or a :class:`Scorer`, whose parameters train.
            ``"additive"``, ``"concat"`` and ``"general"`` make their own, shared by the heads.
        normalise: how scores become weights.
        mask: who may attend to whom in every call, e.g. ``"causal"``.
        position: an object with ``rotate`` (rotary) or ``term`` (ALiBi, relative); see
            :mod:`regard.nn.position`.
        dropout: probability with which a weight is dropped in training.
        bias: whether the projections have one.
        output_bias: whether W^O has one; as ``bias`` if not given.
        persistent: learned keys and values that every query may see, :class:`PersistentMemory`.
    """

    in_proj: Projections
    output_proj: nn.Module
    mask: Mask | None
    score: Scorer | ScoreLike
    position: Position | None
    persistent: PersistentMemory | None

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int | None = None,
        value_dim: int | None = None,
        num_key_heads: int | None = None,
        head_dim: int | None = None,
        output_dim: int | None = None,
        score: Scorer | ScoreLike = "scaled_dot",
        normalise: Normaliser | str = "softmax",
        mask: Mask | Tensor | str | None = None,
        position: Position | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        output_bias: bool | None = None,
        persistent: int = 0,
    ) -> None:
        super().__init__()
        self.model_dim, self.num_heads = model_dim, num_heads
        self.key_dim = model_dim if key_dim is None else key_dim
        self.value_dim = self.key_dim if value_dim is None else value_dim
        self.num_key_heads = num_heads if num_key_heads is None else num_key_heads
        self.head_dim = width_of_heads(model_dim, num_heads) if head_dim is None else head_dim
        self.output_dim = model_dim if output_dim is None else output_dim
        require_sizes(self, **{what: getattr(self, what) for what in SIZES})
        require_groups(num_heads, self.num_key_heads)
        require_dropout("MultiHeadAttention", dropout)
        require_position("MultiHeadAttention", position)
        self.score = head_scorer(score, self.head_dim)
        self.normalise, self.mask, self.position = normalise, masks.resolve(mask), position
        self.dropout = dropout
        self.in_proj = input_projection(
            (model_dim, self.key_dim, self.value_dim),
            query_out=num_heads * self.head_dim,
            key_out=self.num_key_heads * self.head_dim,
            bias=bias,
        )
        behind = bias if output_bias is None else output_bias
        width = num_heads * self.head_dim
        self.output_proj = output_projection(width, self.output_dim, bias=behind)
        self.persistent = None
        if persistent:
            if isinstance(position, AddsTerm):
                raise ChoiceError("persistent keys stand nowhere: choose another kind of position")
            self.persistent = PersistentMemory(persistent, self.num_key_heads, self.head_dim)

    def forward(
        self,
        x: Float[Tensor, "*B Q Mx"],
        memory: Float[Tensor, "*B K Mk"] | CrossCache | None = None,
        *,
        values: Float[Tensor, "*B Kv Mv"] | None = None,
        mask: CallMask | None = None,
    ) -> Float[Tensor, "*B Q O"]:
        """The output of every query in ``x``.

        Args:
            x: what is looking.
            memory: what is looked at: keys, or what :meth:`prepare` made of them; ``None`` is
                ``x`` itself.
            values: what is pooled, where it is not the keys.
            mask: beside the module's own: a mask, booleans (*B, K), (*B, Q, K) or (*B, H, Q, K),
                True = may attend, or the lengths of the keys (*B,).
        """
        if isinstance(memory, CrossCache):
            return self._across(x, memory, call_mask(mask, x.dim() - 2))
        own = both(self.mask, call_mask(mask, x.dim() - 2))
        query, key, value = self._project(*real_parts(x, memory, values, mask))
        kind: Kind = "self" if memory is None or memory is x else "cross"
        return self._output(query, key, value, own, self._score_at(0), kind)

    def weights(
        self,
        x: Float[Tensor, "*B Q Mx"],
        memory: Float[Tensor, "*B K Mk"] | None = None,
        *,
        mask: CallMask | None = None,
    ) -> Float[Tensor, "*B H Q KP"]:
        """The weights that :meth:`forward` pools with, those of persistent keys last."""
        keys = _fit(self, "a memory", x if memory is None else memory, self.key_dim)
        key = rotated(self.position, split_heads(self.in_proj.key(keys), self.num_key_heads))
        own, how = both(self.mask, call_mask(mask, x.dim() - 2)), self.normalise
        if self.persistent is not None:
            own = self.persistent.opened(own, key.shape[-2])
            key = self.persistent.behind_keys(key)
        key, score = spread(key, self.num_heads // self.num_key_heads), self._score_at(0)
        return self.weigh(self._query(x, 0), key, score=score, mask=own, normalise=how)

    def prepare(
        self,
        memory: Float[Tensor, "*B K Mk"],
        mask: KeyMask | None = None,
        *,
        values: Float[Tensor, "*B Kv Mv"] | None = None,
    ) -> CrossCache:
        """The memory projected once, for :meth:`step` or :meth:`forward`.

        Args:
            memory: what will be looked at.
            mask: which keys may be: booleans (*B, K), lengths (*B,), or a mask over keys.
            values: what is pooled, where it is not the keys.
        """
        key, value = self._memory(memory, values, 0)
        return CrossCache(key, value, key_booleans(mask, memory, memory.dim() - 2))

    def step(
        self,
        x: Float[Tensor, "*B n Mx"],
        cache: Cache | CrossCache | None = None,
        mask: KeyMask | None = None,
    ) -> tuple[Float[Tensor, "*B n O"], Cache | CrossCache]:
        """The outputs of the next positions, and the cache for those after them.

        All steps together are the full pass, wherever the mask looks at nothing that comes later
        than its own step. A module without a mask steps causally. Under a window the cache forgets
        keys that no later query can see.

        Args:
            x: one or several new positions.
            cache: what the step before returned; ``None`` begins a sequence, and what
                :meth:`prepare` returned is cross attention.
            mask: which of the *new* keys may be looked at, now and later; in cross attention,
                which of the prepared keys may be in this step.
        """
        if isinstance(cache, CrossCache):
            also = keys_allowed(key_booleans(mask, cache.key[..., 0, :, :], x.dim() - 2))
            return self._across(x, cache, also), cache.advanced(x.shape[-2])
        start = 0 if cache is None else cache.position
        query, key, value = self._project(x, None, None, start)
        grown = Cache(key, value, key_booleans(mask, x, x.dim() - 2)).behind(cache)
        own = self._own_mask(query, grown.key, start, grown.start, causal=True)
        seen, score = both(own, keys_allowed(grown.allowed)), self._score_at(start, grown.start)
        output = self._output(query, grown.key, grown.value, seen, score)
        sides = window_of(self.mask)
        return output, grown.kept(None if sides is None else sides[0])

    def attend_at(
        self,
        x: Float[Tensor, "*B Q Mx"],
        memory: Float[Tensor, "*B K Mk"],
        *,
        start: int,
        first: int,
    ) -> Float[Tensor, "*B Q O"]:
        """The output of queries at ``start``, … that look at keys which stand at ``first``, …"""
        query, (key, value) = self._query(x, start), self._memory(memory, None, first)
        own = self._own_mask(query, key, start, first)
        return self._output(query, key, value, own, self._score_at(start, first))

    def extra_repr(self) -> str:
        """The choices beside the submodules."""
        shown = ("num_heads", "num_key_heads", "head_dim", "normalise", "mask")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)

    def _across(self, x: Tensor, memory: CrossCache, mask: Mask | None) -> Tensor:
        """Cross attention with a prepared memory, from its position on."""
        start, (key, value) = memory.position, memory[:2]
        query = self._query(x, start)
        own = both(self._own_mask(query, key, start), both(mask, keys_allowed(memory.allowed)))
        return self._output(query, key, value, own, self._score_at(start), "cross")

    def _project(
        self, x: Tensor, memory: Tensor | None, values: Tensor | None, start: int = 0
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values in heads, turned where the position turns."""
        memory = x if memory is None else memory
        alone = memory is x and (values is None or values is x)
        if not alone or not isinstance(self.in_proj, JointProjection):
            return self._query(x, start), *self._memory(memory, values, start)
        query, key, value = self.in_proj.all(_fit(self, "x", x, self.model_dim))  # (*B, N, H·D)
        query = rotated(self.position, split_heads(query, self.num_heads), start)
        key = rotated(self.position, split_heads(key, self.num_key_heads), start)
        return query, key, split_heads(value, self.num_key_heads)

    def _query(self, x: Tensor, start: int) -> Float[Tensor, "*B H Q D"]:
        query = split_heads(self.in_proj.query(_fit(self, "x", x, self.model_dim)), self.num_heads)
        return rotated(self.position, query, start)

    def _memory(
        self, memory: Tensor, values: Tensor | None, first: int
    ) -> tuple[Float[Tensor, "*B G K D"], Float[Tensor, "*B G K D"]]:
        values = memory if values is None else values
        _fit(self, "a memory", memory, self.key_dim)
        _fit(self, "values", values, self.value_dim)
        key, value = self.in_proj.key_value(memory, values)
        key = rotated(self.position, split_heads(key, self.num_key_heads), first)
        return key, split_heads(value, self.num_key_heads)

    def _output(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Mask | None,
        score: ScoreLike,
        kind: Kind = "self",
    ) -> Float[Tensor, "*B Q O"]:
        """Attend in every head, and map what they found."""
        if self.persistent is not None:
            mask = self.persistent.opened(mask, key.shape[-2])
            key, value = self.persistent.behind(key, value)
        groups = self.num_heads // self.num_key_heads
        fold = groups > 1 and not self.observed and rows_alike(mask) and content_only(score)
        if fold:
            query = fold_groups(query, groups)  # (*B, G, g·Q, D)
        else:
            key, value = spread(key, groups), spread(value, groups)  # (*B, H, K, D)
        how, drop = self.normalise, self.dropout
        context = self.attend(
            query, key, value, score=score, mask=mask, normalise=how, dropout=drop, kind=kind
        )
        return self.output_proj(join_heads(unfold_groups(context, groups) if fold else context))

    def _score_at(self, start: int, first: int = 0) -> ScoreLike:
        """The score of a map whose first query stands at ``start`` and first key at ``first``."""
        score = self.score() if isinstance(self.score, Scorer) else self.score
        if not (start or first or isinstance(self.position, AddsTerm)):
            return score
        shifted = scores.resolve(score).shifted(start, first)
        return with_term(self.position, shifted, start - first)

    def _own_mask(
        self, query: Tensor, key: Tensor, start: int, first: int = 0, *, causal: bool = False
    ) -> Mask | None:
        """The module's mask where these queries and keys stand, as far as it forbids anything."""
        own = masks.causal() if self.mask is None and causal else self.mask
        shifted = None if own is None else own.shifted(start, first)
        return needed(shifted, tuple(query.shape[:-2]), query.shape[-2], key.shape[-2])


def _fit(owner: nn.Module, what: str, x: Tensor, width: int) -> Tensor:
    """``x``, if it is a sequence of this width."""
    require_padded(owner, x)
    if x.dim() < 2 or x.shape[-1] != width:
        raise ShapeError(
            f"{type(owner).__name__} needs {what} (*B, N, {width}), got {tuple(x.shape)}"
        )
    return x
