"""Additive scores: a one-layer perceptron on query and key, and one with gates."""

from dataclasses import dataclass, field, replace

from regard.errors import ShapeError
from regard.mechanism import mechanism
from regard.papers import ANDERSON_2018, BAHDANAU_2014, LUONG_2015
from regard.types import Tensor

from ..forms import GatedTanh, Looks, Tanh
from .base import Keys, Queries, Score, require_parameter


class HiddenLayer(Score):
    """A score by one hidden layer, whose features ``v`` (A,) weighs."""

    v: Tensor
    content_only = True

    def __post_init__(self) -> None:
        require_parameter(self.name, "v", self.v, ("A",))

    @property
    def pair_width(self) -> int:
        """One number per hidden feature."""
        return self.v.shape[0]

    def _require_rows(self, what: str, weight: Tensor, axes: tuple[str, str]) -> None:
        require_parameter(self.name, what, weight, axes)
        if weight.shape[0] != self.v.shape[0]:
            raise ShapeError(
                f"{self.name} needs {what} with one row per entry of v, {self.v.shape[0]}, "
                f"got {weight.shape[0]}"
            )


@mechanism(
    "additive",
    equation="e = vᵀ tanh(W_q q + W_k k)",
    cost="O(Q K A), streamed",
    paper=BAHDANAU_2014,
)
@dataclass(frozen=True, eq=False, repr=False)
class Additive(HiddenLayer):
    r"""One hidden tanh layer over the sum of projected query and key.

    .. math:: e_{qk} = v^\top \tanh(W_q q_q + W_k k_k)

    Bahdanau et al. 2014, appendix A.1.2 (https://arxiv.org/abs/1409.0473); their v_a, W_a, U_a are
    ``v``, ``query_weight``, ``key_weight``. O(Q K A) time, O(Q + K) memory when streamed.

    Args:
        v: (A,).
        query_weight: W_q, (A, Dq); ``None`` takes the query as already projected.
        key_weight: W_k, (A, Dk); ``None`` takes the key as already projected.
    """

    v: Tensor
    query_weight: Tensor | None = None
    key_weight: Tensor | None = None

    name = "additive"
    step = "s = vᵀ tanh(q′ + k′)"
    query_step = "q′ = W_q q"
    key_step = "k′ = W_k k"

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("query_weight", "key_weight"):
            weight = getattr(self, what)
            if weight is not None:
                self._require_rows(what, weight, ("A", "D"))

    def check(self, query: Queries, key: Keys) -> None:
        """Widths must fit the weights, or v where there is no weight."""
        for what, vectors, weight in (
            ("query", query, self.query_weight),
            ("key", key, self.key_weight),
        ):
            needed = self.v.shape[0] if weight is None else weight.shape[1]
            if vectors.shape[-1] != needed:
                source = "v" if weight is None else f"{what}_weight"
                raise ShapeError(
                    f"additive needs a {what} of width {needed} to fit {source}, "
                    f"got {tuple(vectors.shape)}"
                )

    def form(self, query: Queries, key: Keys) -> Tanh:
        """Project both sides, then a sum of tangents."""
        return Tanh(
            _project(query, self.query_weight), _project(key, self.key_weight), self.v.to(query)
        )

    def again(self, looks: Looks) -> Score:
        """Exponentials of keys that come projected are kept."""
        if self.key_weight is not None:
            return self
        return _Again(self.v, self.query_weight, None, looks)


@dataclass(frozen=True, eq=False, repr=False)
class _Again(Additive):
    """The score of keys that are looked at again and again."""

    looks: Looks = field(default_factory=Looks)

    def form(self, query: Queries, key: Keys) -> Tanh:
        return replace(super().form(query, key), looks=self.looks)

    def __repr__(self) -> str:
        return repr(Additive(self.v, self.query_weight, self.key_weight))


@mechanism("concat", equation="e = vᵀ tanh(W [q; k])", cost="O(Q K A), streamed", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class Concat(HiddenLayer):
    r"""One hidden tanh layer over the concatenation of query and key.

    .. math:: e_{qk} = v^\top \tanh(W [q_q; k_k])

    Luong et al. 2015, Eq. 8, *concat* (https://arxiv.org/abs/1508.04025). Splitting W by columns
    makes it :class:`Additive`: W [q; k] = W_q q + W_k k.

    Args:
        v: (A,).
        weight: W, (A, Dq + Dk).
    """

    v: Tensor
    weight: Tensor

    name = "concat"
    step = "s = vᵀ tanh(W [q; k])"
    query_step = "q′ = W_q q, W = [W_q W_k]"
    key_step = "k′ = W_k k, W = [W_q W_k]"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_rows("weight", self.weight, ("A", "Dq + Dk"))

    def check(self, query: Queries, key: Keys) -> None:
        """The weight must be as wide as query and key together."""
        if query.shape[-1] + key.shape[-1] != self.weight.shape[1]:
            raise ShapeError(
                f"concat needs query and key of {self.weight.shape[1]} columns together to fit "
                f"weight, got query {tuple(query.shape)} and key {tuple(key.shape)}"
            )

    def form(self, query: Queries, key: Keys) -> Tanh:
        """The additive form of the split weight."""
        width = query.shape[-1]
        return Additive(self.v, self.weight[:, :width], self.weight[:, width:]).form(query, key)


@mechanism(
    "gated additive",
    equation="e = vᵀ (tanh(a_q + a_k) ⊙ σ(g_q + g_k))",
    cost="O(Q K A), streamed",
    paper=ANDERSON_2018,
)
@dataclass(frozen=True, eq=False, repr=False)
class GatedAdditive(HiddenLayer):
    r"""One hidden layer of gated tanh units over the sum of projected query and key.

    .. math:: e_{qk} = v^\top \bigl( \tanh(q_q + k_k) \odot \sigma(q'_q + k'_k) \bigr)

    Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998); their w_a is ``v``. A
    gated layer over a concatenation is this score, too, since W [q; k] = W_q q + W_k k. Queries and
    keys come projected, hidden half and gate half side by side: (…, 2 A). O(Q K A) time, O(Q + K)
    memory when streamed.

    Args:
        v: (A,).
    """

    v: Tensor

    name = "gated_additive"
    step = "s = vᵀ (tanh(q₁ + k₁) ⊙ σ(q₂ + k₂))"

    def check(self, query: Queries, key: Keys) -> None:
        """Query and key are twice as wide as v."""
        needed = 2 * self.v.shape[0]
        for what, vectors in (("query", query), ("key", key)):
            if vectors.shape[-1] != needed:
                raise ShapeError(
                    f"gated_additive needs a {what} of width {needed}, twice that of v, "
                    f"got {tuple(vectors.shape)}; project it to both halves"
                )

    def form(self, query: Queries, key: Keys) -> GatedTanh:
        """A sum of gated tangents."""
        return GatedTanh(query, key, self.v.to(query))


def _project(vectors: Tensor, weight: Tensor | None) -> Tensor:
    return vectors if weight is None else vectors @ weight.to(vectors.dtype).T
