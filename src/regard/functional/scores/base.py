"""What every score is: a frozen value that turns queries and keys into scores."""

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Float, Tensor

from ..forms import At, Form, Inner, Total
from ..value import Value

if TYPE_CHECKING:
    from ..masks import Mask


class Score(Value):
    """A score function f(q, k), also called an alignment model.

    A score is a value: it holds its parameters (plain tensors, which may carry gradients) and no
    other state. Calling it gives the dense map; the engine asks for its :meth:`form` instead.
    """

    name: ClassVar[str]

    @abstractmethod
    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Project every vector once and return the pairing that is left."""

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner:
        """The score as one inner product, equal to :meth:`form` up to a constant per row.

        Only where :meth:`is_inner` says so. ``mask`` is what the scores will be masked with: some
        position terms are inner products only below the diagonal.
        """
        form = self.form(query, key)
        assert isinstance(form, Inner), f"{self.name} is no inner product"
        return form

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Whether :meth:`inner` exists under this mask."""
        return False

    @property
    def pair_width(self) -> int:
        """Numbers that the definition builds for one pair."""
        return 1

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """Raise if queries and keys do not fit this score."""
        if query.shape[-1] != key.shape[-1]:
            raise ShapeError(
                f"{self.name} needs query and key of one width, got query {tuple(query.shape)} and "
                f"key {tuple(key.shape)}; project one of them, or use General(weight), which "
                "learns the map"
            )

    def shifted(self, queries: int, keys: int = 0) -> "Score":
        """The score of a map whose first query stands at ``queries`` and first key at ``keys``.

        What looks at content alone stays what it is.
        """
        return self

    def tensors(self) -> list[Tensor]:
        """Its parameters, which must be where the queries are; single numbers may be anywhere."""
        return [x for x in vars(self).values() if isinstance(x, Tensor) and x.dim()]

    @property
    def logarithm(self) -> "Score | None":
        """A score whose exponential is this one, where there is one."""
        return None

    def __call__(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "*B Q K"]:
        """The dense map of scores."""
        self.check(query, key)
        at = At(range(query.shape[-2]), range(key.shape[-2]), query.device)
        return self.form(query, key).scores(at)

    def __add__(self, other: "Score") -> "Sum":
        if not isinstance(other, Score):
            return NotImplemented
        return Sum((*_terms(self), *_terms(other)))

    def __repr__(self) -> str:
        shown = (f"{f.name}={_brief(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Score):
    """Scores added up, such as a content score and a position term."""

    terms: tuple[Score, ...]

    name = "sum"

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """The forms of all terms, added pair by pair."""
        return Total(tuple(term.form(query, key) for term in self.terms))

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner:
        """Inner products join side by side; a term per key becomes a bias."""
        content = [t for t in self.terms if not isinstance(t, PositionTerm)]
        joined = content[0].inner(query, key, mask)
        for term in content[1:]:
            joined = joined.joined(term.inner(query, key, mask))
        for term in self.terms:
            if isinstance(term, PositionTerm):
                joined = joined.biased(term.key_bias(query, key))
        return joined

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Whether what looks at the content is one, and the rest are terms per key."""
        positions = [term for term in self.terms if isinstance(term, PositionTerm)]
        content = [term for term in self.terms if not isinstance(term, PositionTerm)]
        return (
            len(content) > 0
            and all(term.is_inner(mask) for term in content)
            and all(term.is_key_bias(mask) for term in positions)
        )

    @property
    def pair_width(self) -> int:
        """That of the widest term."""
        return max(term.pair_width for term in self.terms)

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """Every term shifted."""
        return Sum(tuple(term.shifted(queries, keys) for term in self.terms))

    def tensors(self) -> list[Tensor]:
        """Those of every term."""
        return [tensor for term in self.terms for tensor in term.tensors()]

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """Every term checks for itself."""
        for term in self.terms:
            term.check(query, key)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))


class PositionTerm(Score):
    """A term of where query and key stand, added to a score of what they are."""

    def is_key_bias(self, mask: "Mask | None" = None) -> bool:
        """Whether, up to a row constant, it is one number per key under this mask."""
        return False

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The term where these queries and keys stand."""
        from .shifted import Shifted

        return Shifted(self, queries, keys) if queries or keys else self

    def key_bias(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "... K"]:
        """That number, where :meth:`is_key_bias` says so."""
        raise AssertionError(f"{self.name} is no term per key")

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """Widths do not matter to positions."""


def _terms(score: Score) -> tuple[Score, ...]:
    return score.terms if isinstance(score, Sum) else (score,)


def _brief(value: object) -> str:
    if torch.compiler.is_compiling():
        return "…"  # A number that varies between calls has no digits while it is compiled.
    return f"Tensor{tuple(value.shape)}" if isinstance(value, Tensor) else repr(value)


def require_parameter(owner: str, what: str, value: object, axes: tuple[str, ...]) -> None:
    """Raise unless ``value`` is a floating tensor with these axes."""
    shape = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    if not isinstance(value, Tensor) or not value.is_floating_point():
        came = f"{value.dtype}" if isinstance(value, Tensor) else type(value).__name__
        raise DtypeError(f"{owner} needs {what} {shape} as a floating-point tensor, got {came}")
    if value.dim() != len(axes):
        raise ShapeError(f"{owner} needs {what} of shape {shape}, got {tuple(value.shape)}")


def require_positive(owner: str, what: str, value: float | Tensor) -> None:
    """Raise unless ``value`` is a positive finite number, or a tensor of one number."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise ShapeError(f"{owner} needs {what} as one number, got {tuple(value.shape)}")
        if torch.compiler.is_compiling():
            return
        value = float(value.detach())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DtypeError(f"{owner} needs {what} as a number, got {type(value).__name__}")
    if not 0 < value < float("inf"):
        raise RangeError(f"{owner} needs a positive {what}, got {value}")


def as_scalar(value: float | Tensor, like: Tensor) -> Tensor:
    """``value`` as a tensor without axes, of the dtype and device of ``like``."""
    if isinstance(value, Tensor):
        return value.reshape(()).to(like)
    return torch.full((), value, dtype=like.dtype, device=like.device)
