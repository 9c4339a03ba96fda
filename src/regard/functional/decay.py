r"""Exponentially decaying weighted means, channel by channel, in one pass over the sequence.

.. math:: c_t = \frac{\sum_{i<t} e^{k_i - (t-1-i) w} v_i + e^{u + k_t} v_t}
                     {\sum_{i<t} e^{k_i - (t-1-i) w} + e^{u + k_t}}

The softmax-weighted mean of attention without the map: what came before t enters by two sums, so
time and memory are linear in the length. Sums are kept relative to the largest exponent in them,
which cancels in the quotient; it carries no gradient.
"""

from typing import NamedTuple

import torch

from regard.types import Bool, Float, Int, Tensor

SEGMENT = 256
"""Positions that are summed in parallel; segments follow each other, so memory stays linear."""


class Sums(NamedTuple):
    """Σ eᵏ⁻ᵐ v and Σ eᵏ⁻ᵐ over what has been seen, faded, with m the largest faded exponent."""

    numerator: Float[Tensor, "*B A"]
    denominator: Float[Tensor, "*B A"]
    maximum: Float[Tensor, "*B A"]

    @classmethod
    def empty(cls, like: Float[Tensor, "*B A"]) -> "Sums":
        """Nothing has been seen."""
        return cls(torch.zeros_like(like), torch.zeros_like(like), torch.full_like(like, low(like)))


def low(like: Tensor) -> float:
    """An exponent below all others that can still be made smaller."""
    return torch.finfo(like.dtype).min / 4


def decayed_mean(
    key: Float[Tensor, "*B N A"],
    value: Float[Tensor, "*B N A"],
    *,
    decay: Float[Tensor, " A"],
    bonus: Float[Tensor, " A"],
    sums: Sums | None = None,
    allowed: Bool[Tensor, "*B N"] | None = None,
) -> tuple[Float[Tensor, "*B N A"], Sums]:
    """The mean at each position, and the sums to go on from.

    A position that is not allowed is as if it were not there: it has no weight, and no time passes
    at it. Where nothing has been allowed yet, the mean is 0. Computed in at least float32.

    Args:
        key: k, the exponent of each position and channel.
        value: v.
        decay: w, not negative.
        bonus: u, in place of the decay for the position itself.
        sums: what earlier positions left behind; nothing if not given.
        allowed: which positions count; all if not given.
    """
    dtype = torch.promote_types(value.dtype, torch.float32)
    key, wide, decay, bonus = (x.to(dtype) for x in (key, value, decay, bonus))
    if sums is None:
        sums = Sums.empty(torch.zeros_like(wide[..., :1, :].sum(-2)))
    means = [wide[..., :0, :]]
    for start in range(0, key.shape[-2], SEGMENT):
        some = slice(start, start + SEGMENT)
        counted = None if allowed is None else allowed[..., some].unsqueeze(-1)
        mean, sums = _segment(key[..., some, :], wide[..., some, :], decay, bonus, sums, counted)
        means.append(mean)
    return torch.cat(means, dim=-2).to(value.dtype), sums


def _segment(
    key: Float[Tensor, "*B n A"],
    value: Float[Tensor, "*B n A"],
    decay: Float[Tensor, " A"],
    bonus: Float[Tensor, " A"],
    sums: Sums,
    counted: Bool[Tensor, "*B n 1"] | None,
) -> tuple[Float[Tensor, "*B n A"], Sums]:
    """The means of some positions at once, and the sums behind them."""
    ones = torch.ones_like(key[..., :1]) if counted is None else counted.to(key.dtype)
    time = torch.nn.functional.pad(ones.cumsum(-2), (0, 0, 1, 0))  # (*B, n + 1, 1)
    own = _terms(key, value, counted)
    before = _scan(
        *(torch.cat([s.unsqueeze(-2), x], -2) for s, x in zip(sums, own, strict=True)),
        time=time,
        decay=decay,
    )
    behind = Sums(*(x[..., -1, :] for x in before))
    now = _terms(key + bonus, value, counted)
    total = _added(Sums(*(x[..., :-1, :] for x in before)), now, torch.zeros_like(decay))
    nothing = total.denominator == 0
    return total.numerator / total.denominator.masked_fill(nothing, 1), behind


def _terms(key: Tensor, value: Tensor, counted: Tensor | None) -> Sums:
    """Each position as sums of its own."""
    maximum = key.detach()
    weight = (key - maximum).exp()  # 1, with the gradient of the key
    if counted is not None:
        weight = weight.masked_fill(~counted, 0)
        maximum = maximum.masked_fill(~counted, low(key))
    return Sums(weight * value, weight, maximum)


def _added(earlier: Sums, later: Sums, fading: Tensor) -> Sums:
    """Sums of both, after what is earlier has faded by e^−fading."""
    faded = earlier.maximum - fading
    maximum = torch.maximum(faded, later.maximum).detach()
    old, new = (faded - maximum).exp(), (later.maximum - maximum).exp()
    return Sums(
        earlier.numerator * old + later.numerator * new,
        earlier.denominator * old + later.denominator * new,
        maximum,
    )


def _scan(
    numerator: Tensor, denominator: Tensor, maximum: Tensor, *, time: Tensor, decay: Tensor
) -> Sums:
    """Sums up to each position: spans of 1, 2, 4 … positions joined with those right before."""
    sums, span = Sums(numerator, denominator, maximum), 1
    while span < maximum.shape[-2]:
        fading = (time[..., span:, :] - time[..., :-span, :]) * decay
        earlier = Sums(*(x[..., :-span, :] for x in sums))
        joined = _added(earlier, Sums(*(x[..., span:, :] for x in sums)), fading)
        sums = Sums(
            *(torch.cat([x[..., :span, :], y], -2) for x, y in zip(sums, joined, strict=True))
        )
        span *= 2
    return sums


def passed(allowed: Bool[Tensor, "*B N"]) -> Int[Tensor, "*B N"]:
    """For each position the number of the last allowed one up to it, from 1; 0 is none."""
    numbers = torch.arange(1, allowed.shape[-1] + 1, device=allowed.device)
    return (numbers * allowed).cummax(-1).values
