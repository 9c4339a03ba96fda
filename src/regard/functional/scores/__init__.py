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
from .where import Where as Where

__all__ = [
    "Additive",
    "Alibi",
    "Bias",
    "Boxcar",
    "Concat",
    "Cosine",
    "Dot",
    "Epanechnikov",
    "Euclidean",
    "Function",
    "GatedAdditive",
    "Gaussian",
    "GaussianAround",
    "General",
    "Location",
    "PositionTerm",
    "Relative",
    "RelativeKeys",
    "Scaled",
    "ScaledDot",
    "Score",
    "ScoreFunction",
    "ScoreLike",
    "Sum",
    "Where",
    "alibi_slopes",
    "named",
    "resolve",
]

named: Registry[Score] = Registry(
    "score",
    {
        "additive": "scores.Additive(v)",
        "alibi": "scores.Alibi(num_heads)",
        "bias": "scores.Bias(bias)",
        "concat": "scores.Concat(v, weight)",
        "gated_additive": "scores.GatedAdditive(v)",
        "gaussian_around": "scores.GaussianAround(centres, sigma)",
        "general": "scores.General(weight)",
        "location": "scores.Location(weight)",
        "relative": "scores.Relative(table)",
        "relative_keys": "scores.RelativeKeys(table)",
        "where": "scores.Where(mask, first, second)",
    },
)
for _score in (Dot, ScaledDot, Cosine, Euclidean, Gaussian, Boxcar, Epanechnikov):
    named.add(_score.name, _score())


def resolve(score: ScoreLike) -> Score:
    """A score from a value, a name or a function.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no score.
    """
    if isinstance(score, Score):
        return score
    return named[score] if isinstance(score, str) else Function(score)
