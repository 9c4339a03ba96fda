"""Scores with parameters, as modules: calling one gives the score as it is now."""

from collections.abc import Callable
from inspect import Parameter, signature

from torch import nn

from regard.errors import ChoiceError
from regard.functional import scores
from regard.functional.scores import Score, ScoreLike
from regard.functional.value import require_sizes
from regard.registry import Registry

from .base import uniform


class Scorer(nn.Module):
    """Parameters of a score. ``scorer()`` is the value to pass to :func:`regard.attend`."""

    def forward(self) -> Score:
        """The score with the parameters of this moment, gradients and all."""
        raise AssertionError("each scorer builds its own score")


class AdditiveScorer(Scorer):
    r"""Parameters of :class:`regard.scores.Additive`.

    .. math:: e_{qk} = v^\top \tanh(W_q q_q + W_k k_k)

    Bahdanau et al. 2014, appendix A.1.2 (https://arxiv.org/abs/1409.0473). Theirs → ours: v_a →
    ``v``, W_a → ``query_weight``, U_a → ``key_weight``. O(Q K A) time.

    Args:
        hidden_dim: A.
        query_dim: width of the queries; ``None`` takes them as already projected to A.
        key_dim: width of the keys, likewise.
    """

    query_weight: nn.Parameter | None
    key_weight: nn.Parameter | None

    def __init__(
        self, *, hidden_dim: int, query_dim: int | None = None, key_dim: int | None = None
    ) -> None:
        super().__init__()
        sizes = {"hidden_dim": hidden_dim, "query_dim": query_dim, "key_dim": key_dim}
        require_sizes(self, **{what: size for what, size in sizes.items() if size is not None})
        self.v = uniform(hidden_dim, fan_in=hidden_dim)
        for side, width in (("query_weight", query_dim), ("key_weight", key_dim)):
            weight = None if width is None else uniform(hidden_dim, width, fan_in=width)
            self.register_parameter(side, weight)

    def forward(self) -> scores.Additive:
        """vᵀ tanh of the sum."""
        return scores.Additive(self.v, self.query_weight, self.key_weight)


class ConcatScorer(Scorer):
    r"""Parameters of :class:`regard.scores.Concat`.

    .. math:: e_{qk} = v^\top \tanh(W [q_q; k_k])

    Luong et al. 2015, Eq. 8, *concat* (https://arxiv.org/abs/1508.04025). Theirs → ours: v_a →
    ``v``, W_a → ``weight``. O(Q K A) time.

    Args:
        query_dim: width of the queries.
        key_dim: width of the keys.
        hidden_dim: A.
    """

    def __init__(self, *, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, key_dim=key_dim, hidden_dim=hidden_dim)
        self.v = uniform(hidden_dim, fan_in=hidden_dim)
        self.weight = uniform(hidden_dim, query_dim + key_dim, fan_in=query_dim + key_dim)

    def forward(self) -> scores.Concat:
        """vᵀ tanh of the projected pair."""
        return scores.Concat(self.v, self.weight)


class GeneralScorer(Scorer):
    r"""Parameters of :class:`regard.scores.General`.

    .. math:: e_{qk} = q_q^\top W k_k

    Luong et al. 2015, Eq. 8, *general* (https://arxiv.org/abs/1508.04025); W_a → ``weight``. Runs
    fused.

    Args:
        query_dim: width of the queries.
        key_dim: width of the keys.
    """

    def __init__(self, *, query_dim: int, key_dim: int) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, key_dim=key_dim)
        self.weight = uniform(query_dim, key_dim, fan_in=query_dim)

    def forward(self) -> scores.General:
        """The bilinear product."""
        return scores.General(self.weight)


class LocationScorer(Scorer):
    r"""Parameters of :class:`regard.scores.Location`.

    .. math:: e_{qk} = \langle W_k, q_q \rangle

    Luong et al. 2015, Eq. 9, *location* (https://arxiv.org/abs/1508.04025); W_a → ``weight``. Runs
    fused.

    Args:
        query_dim: width of the queries.
        max_keys: the longest sequence of keys.
    """

    def __init__(self, *, query_dim: int, max_keys: int) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, max_keys=max_keys)
        self.weight = uniform(max_keys, query_dim, fan_in=query_dim)

    def forward(self) -> scores.Location:
        """One row per position."""
        return scores.Location(self.weight)


named: Registry[Callable[..., Scorer]] = Registry("scorer")
named.add("additive", AdditiveScorer)
named.add("concat", ConcatScorer)
named.add("general", GeneralScorer)
named.add("location", LocationScorer)


def scorer(name: str, **sizes: int) -> Scorer:
    """The module that holds the parameters of the score ``name``.

    >>> score = scorer("additive", query_dim=8, key_dim=8, hidden_dim=16)
    >>> attend(query, key, value, score=score())

    Args:
        name: ``"additive"``, ``"concat"``, ``"general"`` or ``"location"``.
        sizes: what its module asks for: ``query_dim``, ``key_dim``, ``hidden_dim``, ``max_keys``.

    Raises:
        ChoiceError: no such score, or other sizes than it needs.
    """
    make = named[name]
    parameters = signature(make).parameters
    required = [what for what, p in parameters.items() if p.default is Parameter.empty]
    if not set(required) <= set(sizes) <= set(parameters):
        raise ChoiceError(
            f"the scorer {name!r} takes {', '.join(parameters)} and needs {', '.join(required)}, "
            f"got {', '.join(sizes) or 'none'}"
        )
    return make(**sizes)


def head_scorer(score: Scorer | ScoreLike, head_dim: int) -> Scorer | ScoreLike:
    """What a name means inside a head: its parameters are made, for vectors already projected.

    Names of scores without parameters, values and modules stay what they are.

    Raises:
        ChoiceError: the score needs a size that a head does not know.
    """
    if not isinstance(score, str) or score not in named:
        return score
    if score == "location":
        raise ChoiceError(
            "the score 'location' needs to know the longest sequence: pass "
            f"scorer('location', query_dim={head_dim}, max_keys=...)"
        )
    asked = signature(named[score]).parameters
    sizes = ("hidden_dim",) if score == "additive" else tuple(asked)
    return scorer(score, **dict.fromkeys(sizes, head_dim))
