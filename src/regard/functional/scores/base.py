"""What every score is: a frozen value that turns queries and keys into scores."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import ClassVar

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.registry import Registry
from regard.types import Float, Tensor

from ..forms import Form, Inner, Looks, Tile, Total
from ..masks import Mask
from ..tensors import require_padded, widened
from ..value import Value

Queries = Float[Tensor, "*#B Q Dq"]
Keys = Float[Tensor, "*#B K Dk"]


class Score(Value):
    """A score function f(q, k), also called an alignment model.

    A score is a value: it holds its parameters (plain tensors, which may carry gradients) and no
    other state. Calling it gives the dense map; the engine asks for its :meth:`form` instead.
    """

    name: ClassVar[str]
    content_only: ClassVar[bool] = False
    """Whether it is certain that it knows neither heads nor positions of queries."""
    composed: ClassVar[bool] = False
    """Whether it is made of other scores or functions, so that no name says what it is."""
    step: ClassVar[str]
    """The equation as :func:`regard.explain` writes it: scores s, projected vectors q′ and k′;
    ``s = name(q, k)`` if not given."""
    query_step: ClassVar[str] = ""
    """How :func:`regard.explain` writes the projection of a query, where there is one."""
    key_step: ClassVar[str] = ""
    """The same for a key."""

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls) and "step" not in vars(cls):
            cls.step = f"s = {cls.name}(q, k)"

    @abstractmethod
    def form(self, query: Queries, key: Keys) -> Form:
        """Project every vector once and return the pairing that is left."""

    def inner(self, query: Queries, key: Keys, mask: Mask | None = None) -> Inner | None:
        """The score as one inner product, equal to :meth:`form` up to a constant per row.

        Only where :meth:`is_inner` says so. ``mask`` is what the scores will be masked with: some
        position terms are inner products only below the diagonal. Whatever is computed is computed
        in at least float32. ``None`` where these numbers would lose too many digits.
        """
        inner = self.form(widened(query), widened(key)).as_inner()
        assert inner is not None, f"{self.name} is no inner product"
        return inner

    def is_inner(self, mask: Mask | None = None) -> bool:
        """Whether :meth:`inner` exists under this mask."""
        return False

    def plain_factor(self, width: int) -> float | None:
        """Of the inner product of queries and keys as they are, if it is that and nothing else.

        Args:
            width: of queries and keys.
        """
        return None

    @property
    def pair_width(self) -> int:
        """Numbers that the definition builds for one pair."""
        return 1

    def check(self, query: Queries, key: Keys) -> None:
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

    def again(self, looks: Looks) -> "Score":
        """The score for keys that are looked at again and again.

        Args:
            looks: where it may keep what the next look needs; it belongs to the owner of the keys.
        """
        return self

    def tensors(self) -> list[Tensor]:
        """Its parameters, which must be where the queries are; single numbers may be anywhere."""
        return [x for x in vars(self).values() if isinstance(x, Tensor) and x.dim()]

    @property
    def logarithm(self) -> "Score | None":
        """A score whose exponential is this one, where there is one."""
        return None

    def __call__(self, query: Queries, key: Keys) -> Float[Tensor, "*B Q K"]:
        """The dense map of scores."""
        self.check(query, key)
        at = Tile(range(query.shape[-2]), range(key.shape[-2]), query.device)
        return self.form(query, key).scores(at)

    __array_ufunc__ = None  # a number of numpy leaves arithmetic to us

    def __add__(self, other: "Score | Tensor | int | float") -> "Sum":
        """The sum with another score, or with numbers for each pair, see :class:`Bias`."""
        term = _as_term(other)
        return NotImplemented if term is None else Sum((*_terms(self), *_terms(term)))

    def __radd__(self, other: "Tensor | int | float") -> "Sum":
        term = _as_term(other)
        return NotImplemented if term is None else Sum((*_terms(term), *_terms(self)))

    def __sub__(self, other: "Score | Tensor | int | float") -> "Sum":
        return NotImplemented if _as_term(other) is None else self + -other

    def __neg__(self) -> "Score":
        return self * -1.0

    def __mul__(self, factor: "int | float | Tensor") -> "Score":
        """The score times a number, see :class:`Scaled`."""
        from .composed import Scaled

        return Scaled(self, factor) if isinstance(factor, Real | Tensor) else NotImplemented

    def __rmul__(self, factor: "int | float | Tensor") -> "Score":
        return self * factor

    def __truediv__(self, factor: "int | float | Tensor") -> "Score":
        if isinstance(factor, Real) and not factor:
            raise RangeError("a score is divided by a number other than 0")
        return self * (1 / factor) if isinstance(factor, Real | Tensor) else NotImplemented

    def __repr__(self) -> str:
        shown = (f"{f.name}={brief(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Score):
    """Scores added up, such as a content score and a position term."""

    terms: tuple[Score, ...]

    name = "sum"
    composed = True

    def form(self, query: Queries, key: Keys) -> Form:
        """The forms of all terms, added pair by pair."""
        return Total(tuple(term.form(query, key) for term in self.terms))

    def inner(self, query: Queries, key: Keys, mask: Mask | None = None) -> Inner | None:
        """Inner products join side by side; a term per key becomes a bias."""
        joined: Inner | None = None
        for term in self.terms:
            if isinstance(term, PositionTerm):
                continue
            inner = term.inner(query, key, mask)
            if inner is None:
                return None
            joined = inner if joined is None else joined.joined(inner)
        assert joined is not None, "a sum of positions alone is no inner product"
        for term in self.terms:
            if isinstance(term, PositionTerm):
                joined = joined.biased(term.key_bias(query, key))
        return joined

    def is_inner(self, mask: Mask | None = None) -> bool:
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

    def check(self, query: Queries, key: Keys) -> None:
        """Every term checks for itself."""
        for term in self.terms:
            term.check(query, key)

    def __mul__(self, factor: "int | float | Tensor") -> Score:
        """Every term times the factor."""
        scaled = [term * factor for term in self.terms]
        return NotImplemented if NotImplemented in scaled else Sum(tuple(scaled))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))


class PositionTerm(Score):
    """A term of where query and key stand, added to a score of what they are."""

    def is_key_bias(self, mask: Mask | None = None) -> bool:
        """Whether, up to a row constant, it is one number per key under this mask."""
        return False

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The term where these queries and keys stand."""
        from .composed import Shifted

        return Shifted(self, queries, keys) if queries or keys else self

    def __mul__(self, factor: "int | float | Tensor") -> Score:
        from .composed import ScaledTerm

        return ScaledTerm(self, factor) if isinstance(factor, Real | Tensor) else NotImplemented

    def key_bias(self, query: Queries, key: Keys) -> Float[Tensor, "... K"]:
        """That number in at least float32, where :meth:`is_key_bias` says so."""
        raise AssertionError(f"{self.name} is no term per key")

    def check(self, query: Queries, key: Keys) -> None:
        """Widths do not matter to positions."""


def _as_term(other: "Score | Tensor | int | float") -> Score | None:
    """What can be added to a score, as a score."""
    from .positional import Bias

    if isinstance(other, Score):
        return other
    if isinstance(other, Tensor):
        return Bias(other)
    if isinstance(other, Real) and not isinstance(other, bool):
        return Bias(torch.tensor(float(other), dtype=torch.float64))
    return None


def _terms(score: Score) -> tuple[Score, ...]:
    return score.terms if isinstance(score, Sum) else (score,)


def brief(value: object) -> str:
    """A number, or the shape of a tensor."""
    if torch.compiler.is_compiling():
        return "…"  # A number that varies between calls has no digits while it is compiled.
    return f"Tensor{tuple(value.shape)}" if isinstance(value, Tensor) else repr(value)


def require_parameter(owner: str, what: str, value: object, axes: tuple[str, ...]) -> None:
    """Raise unless ``value`` is a floating tensor with these axes."""
    shape = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    if not isinstance(value, Tensor) or not value.is_floating_point():
        came = f"{value.dtype}" if isinstance(value, Tensor) else type(value).__name__
        raise DtypeError(f"{owner} needs {what} {shape} as a floating-point tensor, got {came}")
    require_padded(owner, value)
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


def num_heads(query: Tensor, key: Tensor) -> int:
    """The size of the axis before the positions."""
    return max((x.shape[-3] if x.dim() > 2 else 1) for x in (query, key))


def as_scalar(value: float | Tensor, like: Tensor) -> Tensor:
    """``value`` as a tensor without axes, of the dtype and device of ``like``."""
    if isinstance(value, Tensor):
        return value.reshape(()).to(like)
    return torch.full((), value, dtype=like.dtype, device=like.device)


ScoreFunction = Callable[[Tensor, Tensor], Tensor]
"""Of queries (*B, Q, Dq) and keys (*B, K, Dk), which returns scores (*B, Q, K)."""

ScoreLike = Score | str | ScoreFunction
"""Whatever stands for a score: a value, its name, or a function of queries and keys."""

named: Registry[Score] = Registry("score")


def register(score: type[Score]) -> None:
    """Let a score be chosen by its name: in calls, configs and commands, and in the catalogue."""
    named.add_class(score, score.name, "scores")


def resolve(score: ScoreLike) -> Score:
    """A score from a value, a name or a function.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no score.
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        return named[score]
    from .function import Function

    return Function(score)
