"""Scores: how well does a key fit a query?"""

from regard.registry import Registry

from .additive import Additive as Additive
from .additive import Concat as Concat
from .alibi import Alibi as Alibi
from .alibi import alibi_slopes as alibi_slopes
from .base import PositionTerm as PositionTerm
from .base import Score as Score
from .base import Sum as Sum
from .bias import Bias as Bias
from .by_mask import ByMask as ByMask
from .cosine import Cosine as Cosine
from .distance import Euclidean as Euclidean
from .dot import Dot as Dot
from .dot import ScaledDot as ScaledDot
from .function import Function as Function
from .function import ScoreFunction as ScoreFunction
from .function import ScoreLike as ScoreLike
from .gated import GatedAdditive as GatedAdditive
from .gaussian_around import GaussianAround as GaussianAround
from .general import General as General
from .kernels import Boxcar as Boxcar
from .kernels import Epanechnikov as Epanechnikov
from .kernels import Gaussian as Gaussian
from .location import Location as Location
from .relative import Relative as Relative
from .relative_keys import RelativeKeys as RelativeKeys
from .scaled import Scaled as Scaled

named: Registry[Score] = Registry("score")


def register(score: type[Score]) -> None:
    """Let a score be chosen by its name: in calls, configs and commands, and in the catalogue."""
    named.add_class(score, score.name, "scores")


for _value in tuple(vars().values()):
    _is_score = isinstance(_value, type) and issubclass(_value, Score)
    if _is_score and "name" in vars(_value) and not _value.composed:
        register(_value)


def resolve(score: ScoreLike) -> Score:
    """A score from a value, a name or a function.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no score.
    """
    if isinstance(score, Score):
        return score
    return named[score] if isinstance(score, str) else Function(score)
