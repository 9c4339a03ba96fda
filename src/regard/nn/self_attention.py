"""One head of self attention, from scalars up, with an output of any length."""

from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.scores import ScoreLike
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import LIN_2017
from regard.types import Float, Tensor

from .base import uniform
from .cache import Cache, CrossCache
from .memory import KeyMask
from .multihead.attention import MultiHeadAttention
from .multihead.masks import CallMask, key_booleans
from .position import Position
from .scorers import Scorer


@mechanism("self (intra)", equation="Q, K, V from one sequence", cost="O(N² D)", paper=LIN_2017)
@mechanism(
    "output of another length",
    equation="b′ = W^o b,  N → N′",
    cost="O(N N′ D)",
    paper=LIN_2017,
    call="(output_length=7)",
)
class SelfAttention(MultiHeadAttention):
    r"""A sequence that looks at itself, with one head and no map behind it.

    .. math:: q_n = W_q a_n,\ k_n = W_k a_n,\ v_n = W_v a_n, \quad
              b_n = \sum_m \alpha_{nm} v_m, \quad b' = W^o b

    The lecture form: W_q, W_k, W_v are d × 1, so that queries, keys and values are scalars, or
    d × M for any width M. W^o, (N′, N), mixes positions, so that N inputs give N′ outputs; without
    ``output_length`` the output is b. Theirs → ours: a → ``x``, [W_q; W_k; W_v] → ``in_proj``,
    W^o → ``length_map``. Without a position it is permutation equivariant: f(s(a)) = s(f(a)).
    Intra-attention: Cheng et al. 2016 (https://arxiv.org/abs/1601.06733). O(N² M) time.

    Args:
        input_dim: d.
        head_dim: M; 1 is the scalar form.
        input_length: N, the longest input, where the output has another length.
        output_length: N′.
        score: as in :class:`MultiHeadAttention`.
        normalise: how scores become weights.
        mask: who may attend to whom in every call.
        position: as in :class:`MultiHeadAttention`.
        dropout: probability with which a weight is dropped in training.
        bias: whether queries, keys and values have one.
    """

    length_map: nn.Parameter | None

    def __init__(
        self,
        input_dim: int,
        head_dim: int = 1,
        *,
        input_length: int | None = None,
        output_length: int | None = None,
        score: Scorer | ScoreLike = "scaled_dot",
        normalise: Normaliser | str = "softmax",
        mask: Mask | Tensor | str | None = None,
        position: Position | None = None,
        dropout: float = 0.0,
        bias: bool = False,
    ) -> None:
        super().__init__(
            input_dim,
            1,
            head_dim=head_dim,
            output_dim=head_dim,
            score=score,
            normalise=normalise,
            mask=mask,
            position=position,
            dropout=dropout,
            bias=bias,
        )
        self.output_proj = nn.Identity()
        self.register_parameter("length_map", _length_map(self, input_length, output_length))

    def forward(  # type: ignore[override]
        self, x: Float[Tensor, "*B N Mx"], *, mask: CallMask | None = None
    ) -> Float[Tensor, "*B N2 D"]:
        """b, or b′ where the output has a length of its own.

        Args:
            x: the sequence, (*B, N, d).
            mask: beside the module's own, as in :class:`MultiHeadAttention`. With an output of
                another length it is over positions, booleans (*B, N), lengths (*B,), or a mask
                over keys: those that may not be looked at do not enter b′ either.
        """
        if self.length_map is None:
            return super().forward(x, mask=mask)
        allowed = None if isinstance(mask, str) else key_booleans(mask, x, x.dim() - 2)
        found = super().forward(x, mask=mask if allowed is None else allowed)
        if x.shape[-2] > self.length_map.shape[-1]:
            raise ShapeError(
                f"SelfAttention needs at most input_length {self.length_map.shape[-1]} positions "
                f"to map them to {len(self.length_map)}, got {x.shape[-2]}"
            )
        if allowed is not None:
            found = found.masked_fill(~allowed.unsqueeze(-1), 0.0)
        return self.length_map[:, : x.shape[-2]].to(found.dtype) @ found  # (*B, N′, M)

    def step(
        self,
        x: Float[Tensor, "*B n Mx"],
        cache: Cache | CrossCache | None = None,
        mask: KeyMask | None = None,
    ) -> tuple[Float[Tensor, "*B n D"], Cache | CrossCache]:
        """As :meth:`MultiHeadAttention.step`: b of the next positions.

        Raises:
            ChoiceError: outputs of another length need the whole input.
        """
        if self.length_map is not None:
            raise ChoiceError(
                "SelfAttention cannot step with an output_length: each output needs all inputs"
            )
        return super().step(x, cache, mask)


def _length_map(
    owner: SelfAttention, input_length: int | None, output_length: int | None
) -> nn.Parameter | None:
    if input_length is None and output_length is None:
        return None
    if input_length is None or output_length is None:
        raise ChoiceError(
            "SelfAttention needs both input_length and output_length, or neither; the map between "
            "them is (output_length, input_length)"
        )
    require_sizes(owner, input_length=input_length, output_length=output_length)
    return uniform(output_length, input_length, fan_in=input_length)
