"""Residual connections, with layer norm before or after the sum."""

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from torch import nn

from regard.registry import Registry
from regard.types import Float, Tensor

from ..dropout import Dropout

NormPlace = Literal["pre", "post"]
NormName = Literal["layer", "rms"]
"""Layer norm (Ba et al. 2016, https://arxiv.org/abs/1607.06450), or root mean square norm, without
mean and shift (Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467)."""

EPSILON = 1e-5

_norms: Registry[Callable[[int, float], nn.LayerNorm | nn.RMSNorm]] = Registry("norm")
_norms.add("layer", lambda width, eps: nn.LayerNorm(width, eps=eps))
_norms.add("rms", lambda width, eps: nn.RMSNorm(width, eps=eps))


def norm_of(name: NormName, width: int, eps: float = EPSILON) -> nn.LayerNorm | nn.RMSNorm:
    """A norm by its name."""
    return _norms[name](width, eps)


class Residual(nn.Module):
    """What surrounds a sublayer f: ``leave(x, f(enter(x)))``.

    Args:
        model_dim: width of everything.
        dropout: probability with which a feature of f's output is dropped in training.
        norm: which norm.
        eps: what it adds to the variance.
    """

    def __init__(
        self, model_dim: int, *, dropout: float, norm: NormName = "layer", eps: float = EPSILON
    ) -> None:
        super().__init__()
        self.norm = norm_of(norm, model_dim, eps)
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


@runtime_checkable
class Normed(Protocol):
    """What a config says of norms."""

    @property
    def model_dim(self) -> int:
        """Width between the layers."""

    @property
    def norm(self) -> NormPlace:
        """Whether a sublayer's sum is normalised behind it, or its input before it."""

    @property
    def norm_kind(self) -> NormName:
        """Which norm."""

    @property
    def norm_eps(self) -> float:
        """What is added to the variance."""

    @property
    def dropout(self) -> float:
        """Probability with which a feature of a sublayer's output is dropped."""


def residual(config: Normed) -> Residual:
    """The path around a sublayer as a config has it."""
    return _places[config.norm](
        config.model_dim, dropout=config.dropout, norm=config.norm_kind, eps=config.norm_eps
    )


def last_norm(config: Normed) -> nn.Module:
    """What a stack ends with: a norm, where its layers end without one."""
    pre = config.norm == "pre"
    return norm_of(config.norm_kind, config.model_dim, config.norm_eps) if pre else nn.Identity()
