"""Nadaraya-Watson regression, the attention that nobody called so: a module, and fit/predict."""

from collections.abc import Callable
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import nn

from regard.errors import ChoiceError, DtypeError, InputError, ShapeError
from regard.functional import masks, scores
from regard.functional.attend import attend
from regard.functional.masks import Mask
from regard.functional.scores.base import require_positive
from regard.functional.scores.kernels import Kernel
from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from .base import AttentionModule
from .memory import KeyMask, key_mask

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike


def kernel_named(name: str) -> type[Kernel]:
    """The kernel that is registered under ``name``.

    Raises:
        ChoiceError: no such kernel.
    """
    kernels: Registry[type[Kernel]] = Registry("kernel")
    for known, score in scores.named.classes.items():
        if issubclass(score, Kernel):
            kernels.add(known, score)
    return kernels[name]


@mechanism(
    "Nadaraya-Watson regression",
    family="pooling",
    equation="g(x) = Σᵢ yᵢ f(x, xᵢ) / Σⱼ f(x, xⱼ)",
    cost="O(Q K D)",
    paper=NADARAYA_WATSON_1964,
)
class NadarayaWatson(AttentionModule):
    r"""Kernel regression: values averaged in proportion to how near their keys are.

    .. math:: g(x) = \sum_i y_i \, \frac{f(x, x_i)}{\sum_j f(x, x_j)}

    Nadaraya 1964 (https://doi.org/10.1137/1109020), Watson 1964
    (https://www.jstor.org/stable/25049340). Theirs → ours: x → ``query``, x_i → ``key``, y_i →
    ``value``, h → ``width``. The width is the exponential of what is stored, so it stays positive
    however it is learned. A query with no key within reach of the kernel gets zero weights and a
    zero context; a Gaussian reaches everywhere. O(Q K D) time, linear memory.

    Args:
        kernel: f, ``"gaussian"``, ``"boxcar"`` or ``"epanechnikov"``.
        width: the width, or the one to start learning from.
        learnable: whether the width is a parameter. The boxcar has no gradient to learn from.
    """

    log_width: Tensor

    def __init__(
        self, kernel: str = "gaussian", *, width: float = 1.0, learnable: bool = False
    ) -> None:
        super().__init__()
        self._kernel = kernel_named(kernel)
        require_positive("NadarayaWatson", "width", width)
        if learnable and not self._kernel.has_slope:
            raise ChoiceError(
                f"NadarayaWatson needs a kernel with a gradient to learn its width, the {kernel} "
                "has none; take 'gaussian' or 'epanechnikov', or fit a NadarayaWatsonRegressor"
            )
        log_width = torch.tensor(log(width))
        if learnable:
            self.log_width = nn.Parameter(log_width)
        else:
            self.register_buffer("log_width", log_width)

    @property
    def width(self) -> Float[Tensor, ""]:
        """The width of the kernel, positive."""
        return self.log_width.exp()

    def score(self) -> Kernel:
        """The kernel with the width of this moment."""
        return self._kernel(self.width)

    def forward(
        self,
        query: Float[Tensor, "*#B Q D"],
        key: Float[Tensor, "*#B K D"],
        value: Float[Tensor, "*#B K E"],
        mask: KeyMask | None = None,
    ) -> Float[Tensor, "*B Q E"]:
        """The regression at each query.

        Args:
            query: where to predict.
            key: where something is known.
            value: what is known there.
            mask: which keys count: a mask, booleans (*B, K), or lengths (*B,).
        """
        return self.attend(
            query, key, value, score=self.score(), mask=key_mask(mask), normalise="proportional"
        )

    def extra_repr(self) -> str:
        """Kernel and width."""
        return f"{self._kernel.name}, width={self.width.item():.4g}"


COARSE, FINE = 25, 20
"""Widths that are tried before the best of them is refined, and steps of the refinement."""

PAIRS = 2000**2
"""Pairs of points that a width is judged by."""


class NadarayaWatsonRegressor:
    r"""Nadaraya-Watson regression with the interface of scikit-learn, which it does not need.

    .. math:: \hat y(x) = \sum_i y_i \, f(x, x_i) / \textstyle\sum_j f(x, x_j)

    Where no point lies within reach of the kernel, the prediction is the value of the nearest
    point, which is also what a Gaussian tends to far from all points. The width is given, or the
    one whose leave-one-out predictions have the smallest squared error:

    .. math:: \hat w = \arg\min_w \sum_i \lVert y_i - \hat y_{-i}(x_i) \rVert^2

    found among widths from the smallest distance between points to the largest, then refined by a
    golden section search. Beyond 2,000 points a width is judged by some of them only, each still
    predicted from all others: 4,000,000 / N of them, at least a hundred, drawn by a fixed seed, so
    that the same points always give the same width. O(Q K D) time to predict, O(D) times at most
    4,000,000 or 100 N for each of about fifty widths; memory is linear.

    Args:
        kernel: ``"gaussian"``, ``"boxcar"`` or ``"epanechnikov"``.
        width: a positive number, or ``"leave_one_out"``.

    Attributes:
        width_: the width after :meth:`fit`.
    """

    _estimator_type = "regressor"
    width_: float

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        width: float | Literal["leave_one_out"] = "leave_one_out",
    ) -> None:
        self.kernel: str = kernel
        self.width = width

    def fit(self, X: "ArrayLike", y: "ArrayLike") -> "NadarayaWatsonRegressor":  # noqa: N803
        """Keep the points, and find the width if it was not given.

        Args:
            X: where, (n, features), or (n,) for one feature.
            y: what, (n,) or (n, targets).
        """
        kernel_named(self.kernel)
        points, values = _points(X), _tensor("y", y)
        if values.dim() not in (1, 2) or len(values) != len(points):
            raise ShapeError(
                f"fit needs y of shape ({len(points)},) or ({len(points)}, targets), one for each "
                f"point, got {tuple(values.shape)}"
            )
        if not len(points):
            raise ShapeError("fit needs at least one point, got none")
        self._points, self._flat = points, values.dim() == 1
        self._values = values.unsqueeze(-1) if self._flat else values
        self.n_features_in_ = points.shape[-1]
        self.width_ = self._found_width()
        return self

    def predict(self, X: "ArrayLike") -> "numpy.ndarray[Any, Any]":  # noqa: N803
        """The regression at each row of ``X``, (n,) or (n, targets) as ``y`` was."""
        if not hasattr(self, "width_"):
            raise ChoiceError("this NadarayaWatsonRegressor has seen no points; call fit first")
        query = _points(X)
        if query.shape[-1] != self.n_features_in_:
            raise ShapeError(
                f"predict needs points of {self.n_features_in_} features, as fit got, "
                f"got {query.shape[-1]}"
            )
        found = self._regression(query, self.width_)
        return (found.squeeze(-1) if self._flat else found).numpy()

    def score(self, X: "ArrayLike", y: "ArrayLike") -> float:  # noqa: N803
        """The coefficient of determination R², the mean over targets; 1 is best.

        Targets that do not vary count 1 if they are met exactly, else 0.
        """
        values = _tensor("y", y)
        found = torch.from_numpy(self.predict(X))
        if found.shape != values.shape:
            raise ShapeError(
                f"score needs y of shape {tuple(found.shape)}, got {tuple(values.shape)}"
            )
        missed = (values - found).square().sum(0)
        spread = (values - values.mean(0)).square().sum(0)
        constant = torch.where(missed == 0, 1.0, 0.0).to(missed)
        r2 = torch.where(spread > 0, 1 - missed / spread.where(spread > 0, 1.0), constant)
        return r2.mean().item()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments this was made with."""
        return {"kernel": self.kernel, "width": self.width}

    def set_params(self, **params: Any) -> "NadarayaWatsonRegressor":
        """Change some of the arguments."""
        for name, value in params.items():
            if name not in ("kernel", "width"):
                raise ChoiceError(f"unknown parameter {name!r}. Known: kernel, width.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"NadarayaWatsonRegressor(kernel={self.kernel!r}, width={self.width!r})"

    def _regression(self, query: Tensor, width: float) -> Tensor:
        """The pooled values, and the nearest one where the kernel reaches none."""
        pooled, reached = self._pooled(query, width)
        if reached.all():
            return pooled
        nearest = attend(query, self._points, self._values, score="euclidean", normalise="hard")
        return torch.where(reached, pooled, nearest)

    def _pooled(
        self, query: Tensor, width: float, mask: Mask | None = None
    ) -> tuple[Tensor, Tensor]:
        """The values in proportion to the kernel, and whether it reaches any."""
        counted = torch.cat([self._values, torch.ones_like(self._values[:, :1])], dim=-1)
        kernel = kernel_named(self.kernel)(width)
        found = attend(
            query, self._points, counted, score=kernel, mask=mask, normalise="proportional"
        )
        return found[:, :-1], found[:, -1:] > 0.5

    def _found_width(self) -> float:
        if self.width != "leave_one_out":
            if isinstance(self.width, str):
                raise ChoiceError(f"unknown width {self.width!r}. Known: 'leave_one_out'.")
            require_positive("NadarayaWatsonRegressor", "width", self.width)
            return float(self.width)
        points, values = self._points, self._values
        extent = (points.amax(0) - points.amin(0)).norm().item()
        if extent == 0:
            return 1.0  # all points are in one place, and every width gives their mean
        left_out = _left_out(len(points))
        query, wanted = points[left_out], values[left_out]
        others = masks.dense(torch.arange(len(points)) != left_out.unsqueeze(-1))
        both = torch.cat([points, values], dim=-1)
        near = attend(query, points, both, score="euclidean", mask=others, normalise="hard")
        nearest, substitute = near.split([points.shape[-1], values.shape[-1]], dim=-1)
        distances = (query - nearest).norm(dim=-1)
        closest = distances[distances > 0].min().item() if (distances > 0).any() else extent / 1000

        def error(log_width: float) -> float:
            """Squared error of each point that is predicted from all others."""
            pooled, reached = self._pooled(query, exp(log_width), others)
            return (torch.where(reached, pooled, substitute) - wanted).square().sum().item()

        return exp(_minimum(error, log(closest / 4), log(extent * 2)))


def _left_out(count: int) -> Int[Tensor, " n"]:
    """Which points judge a width: all, or some drawn by a fixed seed."""
    most = max(100, PAIRS // count)
    if count <= most:
        return torch.arange(count)
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:most]


def _minimum(error: Callable[[float], float], low: float, high: float) -> float:
    """Where ``error`` is smallest: the best of equal steps, then a golden section around it."""
    step = (high - low) / (COARSE - 1)
    best = min((low + i * step for i in range(COARSE)), key=error)
    ratio = (sqrt(5) - 1) / 2
    a, d = best - step, best + step
    b, c = d - ratio * (d - a), a + ratio * (d - a)
    at_b, at_c = error(b), error(c)
    for _ in range(FINE):
        if at_b <= at_c:
            d, c, at_c = c, b, at_b
            b = d - ratio * (d - a)
            at_b = error(b)
        else:
            a, b, at_b = b, c, at_c
            c = a + ratio * (d - a)
            at_c = error(c)
    return min((best, (a + d) / 2), key=error)


def _points(array: "ArrayLike") -> Tensor:
    points = _tensor("X", array)
    if points.dim() == 1:
        points = points.unsqueeze(-1)
    if points.dim() != 2:
        raise ShapeError(f"X needs the shape (n, features) or (n,), got {tuple(points.shape)}")
    return points


def _tensor(what: str, array: "ArrayLike") -> Tensor:
    """Numbers in float64, all of them finite."""
    import numpy

    try:
        numbers = numpy.array(array, dtype=numpy.float64)
    except (TypeError, ValueError):
        raise DtypeError(f"{what} needs an array of numbers, got {type(array).__name__}") from None
    if not numpy.isfinite(numbers).all():
        raise InputError(f"{what} needs finite numbers, got NaN or infinity")
    return torch.from_numpy(numbers)
