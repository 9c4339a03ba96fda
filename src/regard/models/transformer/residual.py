"""The path around a sublayer: where its sum is normalised."""

from collections.abc import Callable
from typing import Literal

from torch import nn

from regard.registry import Registry
from regard.types import Float, Tensor

from ..dropout import Dropout

NormPlace = Literal["pre", "post"]
NormName = Literal["layer", "rms"]
"""Layer norm (Ba et al. 2016, https://arxiv.org/abs/1607.06450), or root mean square norm, without
mean and shift (Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467)."""

EPSILON = 1e-5

_norms: Registry[Callable[[int], nn.LayerNorm | nn.RMSNorm]] = Registry("norm")
_norms.add("layer", lambda width: nn.LayerNorm(width, eps=EPSILON))
_norms.add("rms", lambda width: nn.RMSNorm(width, eps=EPSILON))


class Residual(nn.Module):
    """What surrounds a sublayer f: ``leave(x, f(enter(x)))``.

    Args:
        model_dim: width of everything.
        dropout: probability with which a feature of f's output is dropped in training.
        norm: which norm.
    """

    def __init__(self, model_dim: int, *, dropout: float, norm: NormName = "layer") -> None:
        super().__init__()
        self.norm = _norms[norm](model_dim)
        self.dropout = Dropout(dropout)

    def enter(self, x: Float[Tensor, "*N M"]) -> Float[Tensor, "*N M"]:
        """What the sublayer reads."""
        raise AssertionError("each place of the norm has its own way in")

    def leave(
        self, x: Float[Tensor, "*N M"], output: Float[Tensor, "*N M"]
    ) -> Float[Tensor, "*N M"]:
        """What the next sublayer gets."""
        raise AssertionError("each place of the norm has its own way out")


class PostNorm(Residual):
    r"""The sum is normalised.

    .. math:: \text{LayerNorm}(x + f(x))

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762). Deep stacks need a warm-up.
    """

    def enter(self, x: Float[Tensor, "*N M"]) -> Float[Tensor, "*N M"]:
        """``x`` as it is."""
        return x

    def leave(
        self, x: Float[Tensor, "*N M"], output: Float[Tensor, "*N M"]
    ) -> Float[Tensor, "*N M"]:
        """The sum, normalised."""
        return self.norm(x + self.dropout(output))


class PreNorm(Residual):
    r"""What the sublayer reads is normalised; the sum is left alone.

    .. math:: x + f(\text{LayerNorm}(x))

    Xiong et al. 2020 (https://arxiv.org/abs/2002.04745). The stack ends with one more norm.
    """

    def enter(self, x: Float[Tensor, "*N M"]) -> Float[Tensor, "*N M"]:
        """``x`` normalised."""
        return self.norm(x)

    def leave(
        self, x: Float[Tensor, "*N M"], output: Float[Tensor, "*N M"]
    ) -> Float[Tensor, "*N M"]:
        """The sum."""
        return x + self.dropout(output)


_places: Registry[type[Residual]] = Registry("place of the norm")
_places.add("pre", PreNorm)
_places.add("post", PostNorm)


def residual(
    place: NormPlace, model_dim: int, *, dropout: float, norm: NormName = "layer"
) -> Residual:
    """The path around a sublayer, by name."""
    return _places[place](model_dim, dropout=dropout, norm=norm)


def last_norm(place: NormPlace, model_dim: int, norm: NormName = "layer") -> nn.Module:
    """What a stack ends with: a norm, where its layers end without one."""
    return _norms[norm](model_dim) if place == "pre" else nn.Identity()
