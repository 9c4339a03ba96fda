"""One attention to be computed: the tensors, the four choices, and what was drawn for it.

Under autocast inputs come in the lower precision; the arithmetic follows our own rules.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from math import prod
from numbers import Real
from typing import NamedTuple, ParamSpec, TypeVar

import torch

from regard.errors import DeviceError, DtypeError, RangeError, ShapeError
from regard.types import Float, Tensor

from .. import masks, normalisers, scores
from ..masks import Mask
from ..normalisers import Normaliser, softmax
from ..randomness import draw_seed
from ..scores import Score, ScoreLike
from ..tensors import broadcast_shapes, require_padded, spread_over
from ..value import require_generator

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

VECTORS = ("query", "key", "value")

COMPUTED = {torch.float64, torch.float32, torch.bfloat16, torch.float16}
"""What weights are computed in, or widened from."""


class Call(NamedTuple):
    """Checked tensors and resolved choices."""

    query: Tensor
    key: Tensor
    value: Tensor
    leading: tuple[int, ...]
    """The leading axes that query, key and value broadcast to."""
    score: Score
    mask: Mask | None
    normaliser: Normaliser
    dropout: float = 0.0
    seed: int = 0

    @property
    def num_queries(self) -> int:
        """Q."""
        return self.query.shape[-2]

    @property
    def num_keys(self) -> int:
        """K."""
        return self.key.shape[-2]

    @property
    def num_scores(self) -> int:
        """Entries of the whole map."""
        return prod(self.leading) * self.num_queries * self.num_keys

    @property
    def needs_grad(self) -> bool:
        """Whether a backward pass may come for query, key or value."""
        return torch.is_grad_enabled() and (
            self.query.requires_grad or self.key.requires_grad or self.value.requires_grad
        )

    def drawn(self, generator: torch.Generator | None = None) -> "Call":
        """With the randomness of dropout and sampling fixed, where there is any.

        Raises:
            DtypeError: something that is no generator.
        """
        require_generator("attend", generator)
        if not self.dropout and not self.normaliser.draws:
            return self
        seed = draw_seed(generator) if self.dropout else 0
        return self._replace(normaliser=self.normaliser.bound(), seed=seed)

    def widened(self) -> "Call":
        """In at least float32, where scores and weights are computed."""
        if self.query.dtype in (torch.float32, torch.float64):
            return self
        query, key, value = self.query.float(), self.key.float(), self.value.float()
        return self._replace(query=query, key=key, value=value)


def prepare(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G Kk Dk"],
    value: Float[Tensor, "*#G Kv E"],
    score: ScoreLike,
    mask: Mask | Tensor | str | None,
    normalise: Normaliser | str,
    dropout: float = 0.0,
) -> Call:
    """Check everything a user passed and resolve the names.

    Raises:
        ShapeError: ranks, widths, lengths or leading axes that do not fit.
        DtypeError: tensors that are not floating point, or of different kinds.
        DeviceError: tensors on different devices.
        ChoiceError: an unknown name.
    """
    score = scores.resolve(score)
    normaliser = normalisers.resolve(normalise)
    _check_tensors(query, key, value)
    spread_key = spread_over(query, key)
    key, value = spread_key, spread_key if value is key else spread_over(query, value)
    leading = _leading(query, key, value)
    score.check(query, key)
    _check_device(score.name, score.tensors(), query)
    if mask is not None:
        mask = masks.resolve(mask)
        assert mask is not None
        mask.check(leading, query.shape[-2], key.shape[-2])
        _check_device("mask", mask.tensors(), query)
    normaliser.check(leading)
    axed = [x for x in normaliser.tensors() if x.dim()]
    _check_device(normaliser.name, axed, query)
    if normaliser.is_proportion and score.logarithm is not None:
        # In proportion to exp(x) is the softmax of x: the same weights, without underflow.
        score, normaliser = score.logarithm, softmax
    if not isinstance(dropout, float | Real):
        raise DtypeError(f"dropout needs a probability, got {type(dropout).__name__}")
    if not 0 <= dropout < 1:
        raise RangeError(f"dropout needs a probability of at least 0 and below 1, got {dropout}")
    return Call(query, key, value, leading, score, mask, normaliser, dropout)


def _check_tensors(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Raise if the tensors do not fit, whatever their leading axes."""
    if not (isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)):
        kinds = ", ".join(type(x).__name__ for x in (query, key, value))
        raise DtypeError(f"attention needs query, key and value as tensors, got {kinds}")
    for x in (query, key, value):
        require_padded("attention", x)
    q, k, v = query.shape, key.shape, value.shape
    if len(q) < 2 or len(k) < 2 or len(v) < 2:
        raise ShapeError(
            "attention needs query, key and value of at least two axes, (positions, width), got "
            f"query {tuple(q)}, key {tuple(k)}, value {tuple(v)}; add the missing axis by unsqueeze"
        )
    if k[-2] != v[-2]:
        raise ShapeError(f"attention needs one value per key, got {k[-2]} keys and {v[-2]} values")
    if not (query.dtype == key.dtype == value.dtype and query.is_floating_point()):
        raise DtypeError(
            "attention needs query, key and value of one floating-point dtype, got "
            f"{query.dtype}, {key.dtype}, {value.dtype}; convert with .to()"
        )
    if query.dtype not in COMPUTED:
        raise DtypeError(
            "attention is computed in float64, float32, bfloat16 or float16, got "
            f"{query.dtype}; convert with .to()"
        )
    if not query.device == key.device == value.device:
        raise DeviceError(
            "attention needs query, key and value on one device, got "
            f"{query.device}, {key.device}, {value.device}; move with .to()"
        )


def _leading(query: Tensor, key: Tensor, value: Tensor) -> tuple[int, ...]:
    """The common leading axes."""
    q, k, v = query.shape, key.shape, value.shape
    leading = q[:-2]
    if leading == k[:-2] and leading == v[:-2]:
        return leading
    try:
        return tuple(broadcast_shapes(q[:-2], k[:-2], v[:-2]))
    except RuntimeError:
        raise ShapeError(
            "attention needs leading axes that broadcast, got "
            f"query {tuple(q)}, key {tuple(k)}, value {tuple(v)}"
        ) from None


def _check_device(owner: str, tensors: list[Tensor], query: Tensor) -> None:
    for tensor in tensors:
        if tensor.device != query.device:
            raise DeviceError(
                f"{owner} needs its tensors on the device of the query, {query.device}, "
                f"got {tensor.device}; move them with .to()"
            )


def outside_autocast(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``function`` with float32 tensors lowered as autocast asks, and autocast off inside.

    This is what autocast does with torch's own attention; without it every product inside would be
    lowered by itself, after we had raised it.
    """

    @wraps(function)
    def outside(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if not torch._C._is_any_autocast_enabled():
            return function(*args, **kwargs)
        first = args[0] if args else kwargs.get("query")
        device = first.device.type if isinstance(first, Tensor) else "cpu"
        if device == "meta" or not torch.is_autocast_enabled(device):
            return function(*args, **kwargs)
        dtype = torch.get_autocast_dtype(device)
        lowered = tuple(_lowered(x, dtype) for x in args)
        named = {k: _lowered(x, dtype) if k in VECTORS else x for k, x in kwargs.items()}
        with torch.autocast(device, enabled=False):
            return function(*lowered, **named)  # type: ignore[arg-type]

    return outside


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """Arithmetic in the precision of its operands, whatever autocast would make of it."""
    if device.type == "meta" or not torch.is_autocast_enabled(device.type):
        return nullcontext()
    return torch.autocast(device.type, enabled=False)


def _lowered(x: object, dtype: torch.dtype) -> object:
    return x.to(dtype) if isinstance(x, Tensor) and x.dtype == torch.float32 else x
