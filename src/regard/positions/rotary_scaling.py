r"""Rotary positions beyond the lengths they were trained on: other frequencies, chosen once.

Without scaling the pair i turns by :math:`p\,\theta_i`, :math:`\theta_i = b^{-2i/D}`. Each value
here gives other :math:`\theta_i`, and perhaps a factor of what was turned. They are the same for
every length, so that a text read at once has the numbers of one written token by token.
"""

import math
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import torch

from regard.errors import RangeError, ShapeError
from regard.types import Float, Tensor


@runtime_checkable
class RotaryScaling(Protocol):
    """Frequencies, and a factor of what they turn."""

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """θ of every pair, in float64.

        Args:
            dim: D, features that turn.
            base: b.
        """

    @property
    def magnitude(self) -> float:
        """What turned vectors are multiplied with, so scores with its square."""


def plain(dim: int, base: float) -> Float[Tensor, " half"]:
    """θ without scaling."""
    return base ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)


@dataclass(frozen=True)
class Stretched:
    r"""All positions pressed together: position interpolation.

    .. math:: \theta'_i = \theta_i / s

    Chen et al. 2023, Eq. 4 (https://arxiv.org/abs/2306.15595).

    Args:
        factor: s, how many times farther.
    """

    factor: float
    kind: Literal["linear"] = "linear"

    def __post_init__(self) -> None:
        _require_at_least(self.kind, 1, factor=self.factor)

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """All of them smaller."""
        return plain(dim, base) / self.factor

    @property
    def magnitude(self) -> float:
        """As before."""
        return 1.0


@dataclass(frozen=True)
class NTKAware:
    r"""A larger base: slow pairs are pressed together, fast ones hardly.

    .. math:: b' = b \left(\frac{s\,L}{L_0} - (s - 1)\right)^{D/(D-2)}

    Bloc97 2023, as Peng et al. 2023, section 3.1, have it (https://arxiv.org/abs/2309.00071); with
    the length L in it, emozilla's "dynamic" form, here for one length and not for that of each
    text: L = L₀ changes nothing.

    Args:
        factor: s.
        original: L₀, tokens that were looked at in training.
        length: L, tokens that are looked at now.
    """

    factor: float
    original: int
    length: int
    kind: Literal["ntk"] = "ntk"

    def __post_init__(self) -> None:
        _require_at_least(self.kind, 1, factor=self.factor, original=self.original)
        _require_at_least(self.kind, self.original, length=self.length)

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """Those of the larger base."""
        if dim <= 2:
            raise RangeError(f"ntk needs more than 2 features that turn, got {dim}")
        stretch = self.factor * self.length / self.original - (self.factor - 1)
        return plain(dim, base * stretch ** (dim / (dim - 2)))

    @property
    def magnitude(self) -> float:
        """As before."""
        return 1.0


@dataclass(frozen=True)
class YaRN:
    r"""Slow pairs pressed together, fast ones left alone, a ramp between; scores a little sharper.

    .. math:: \theta'_i = (1 - \gamma_i)\, \theta_i / s + \gamma_i\, \theta_i, \quad
              \gamma_i = 1 - \text{clip}\left(\frac{i - l}{h - l}, 0, 1\right), \quad
              m = 0.1 \ln s + 1

    Peng et al. 2023, section 3.2 to 3.4 (https://arxiv.org/abs/2309.00071): l and h are the pairs
    that turn β_fast and β_slow times within L₀.

    Args:
        factor: s.
        original: L₀, tokens that were looked at in training.
        fast: β_fast.
        slow: β_slow.
        rounded: whether l and h are whole.
        sharpness: m, if it is another.
    """

    factor: float
    original: int
    fast: float = 32.0
    slow: float = 1.0
    rounded: bool = True
    sharpness: float | None = None
    kind: Literal["yarn"] = "yarn"

    def __post_init__(self) -> None:
        _require_at_least(self.kind, 1, factor=self.factor, original=self.original)

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """Between both."""
        low, high = (self._pair_of(turns, dim, base) for turns in (self.fast, self.slow))
        if self.rounded:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, dim - 1)
        width = high - low if high != low else 0.001
        ramp = ((torch.arange(dim // 2, dtype=torch.float64) - low) / width).clamp(0, 1)
        known = plain(dim, base)
        return known / self.factor * ramp + known * (1 - ramp)

    @property
    def magnitude(self) -> float:
        """m."""
        if self.sharpness is not None:
            return self.sharpness
        return 0.1 * math.log(self.factor) + 1

    def _pair_of(self, turns: float, dim: int, base: float) -> float:
        """The pair that turns so many times within L₀; no whole number."""
        return dim * math.log(self.original / (turns * 2 * math.pi)) / (2 * math.log(base))


@dataclass(frozen=True)
class LongRoPE:
    r"""A factor for every pair, found by search.

    .. math:: \theta'_i = \theta_i / \lambda_i, \quad
              m = \sqrt{1 + \ln s / \ln L_0}

    Ding et al. 2024 (https://arxiv.org/abs/2402.13753). Differs from them: they have two lists of
    factors and switch by the length of each text; here a model has one, for all its texts.

    Args:
        factors: λ, one for each pair.
        factor: s, how many times farther.
        original: L₀, tokens that were looked at in training.
        sharpness: m, if it is another.
    """

    factors: tuple[float, ...]
    factor: float
    original: int
    sharpness: float | None = None
    kind: Literal["longrope"] = "longrope"

    def __post_init__(self) -> None:
        _require_at_least(self.kind, 2, original=self.original)
        if not all(one > 0 for one in self.factors):
            raise RangeError(f"longrope needs factors above 0, got {min(self.factors)}")

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """Each by its own factor."""
        if len(self.factors) != dim // 2:
            raise ShapeError(f"longrope needs {dim // 2} factors, got {len(self.factors)}")
        return plain(dim, base) / torch.tensor(self.factors, dtype=torch.float64)

    @property
    def magnitude(self) -> float:
        """m."""
        if self.sharpness is not None:
            return self.sharpness
        if self.factor <= 1:
            return 1.0
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original))


@dataclass(frozen=True)
class Llama3:
    r"""Pairs with long waves pressed together, those with short ones left alone.

    .. math:: \theta'_i = \begin{cases} \theta_i & \lambda_i < L_0 / h \\
              \theta_i / s & \lambda_i > L_0 / l \\
              (1 - \sigma)\, \theta_i / s + \sigma\, \theta_i & \text{between} \end{cases}, \quad
              \lambda_i = 2\pi / \theta_i, \; \sigma = \frac{L_0 / \lambda_i - l}{h - l}

    Grattafiori et al. 2024 (https://arxiv.org/abs/2407.21783), by their published code.

    Args:
        factor: s.
        original: L₀, tokens that were looked at in training.
        low: l.
        high: h.
    """

    factor: float
    original: int
    low: float = 1.0
    high: float = 4.0
    kind: Literal["llama3"] = "llama3"

    def __post_init__(self) -> None:
        _require_at_least(self.kind, 1, factor=self.factor, original=self.original)
        if not 0 < self.low < self.high:
            raise RangeError(f"llama3 needs 0 < low < high, got {self.low} and {self.high}")

    def frequencies(self, dim: int, base: float) -> Float[Tensor, " half"]:
        """By their wave lengths."""
        known = plain(dim, base)
        turns = self.original * known / (2 * math.pi)  # within L₀
        smooth = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - smooth) * known / self.factor + smooth * known

    @property
    def magnitude(self) -> float:
        """As before."""
        return 1.0


AnyRotaryScaling = Stretched | NTKAware | YaRN | LongRoPE | Llama3
"""Those that a config can hold, told apart by ``kind``."""


def _require_at_least(owner: str, least: int, **numbers: int | float) -> None:
    for what, number in numbers.items():
        if not least <= number < math.inf:
            raise RangeError(f"{owner} needs {what} of at least {least}, got {number}")
