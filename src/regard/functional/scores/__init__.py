"""Scores: how well does a key fit a query?"""

from regard.errors import ChoiceError, DtypeError
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
from .gated import GatedAdditive as GatedAdditive
from .gaussian_around import GaussianAround as GaussianAround
from .general import General as General
from .kernels import Boxcar as Boxcar
from .kernels import Epanechnikov as Epanechnikov
from .kernels import Gaussian as Gaussian
from .location import Location as Location
from .relative import Relative as Relative
from .relative_keys import RelativeKeys as RelativeKeys
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
    "GatedAdditive",
    "Gaussian",
    "GaussianAround",
    "General",
    "Location",
    "PositionTerm",
    "Relative",
    "RelativeKeys",
    "ScaledDot",
    "Score",
    "Sum",
    "Where",
    "alibi_slopes",
    "named",
    "resolve",
]

named: Registry[Score] = Registry("score")
for _score in (Dot, ScaledDot, Cosine, Euclidean, Gaussian, Boxcar, Epanechnikov):
    named.add(_score.name, _score())

_NEED_PARAMETERS: dict[str, str] = {
    "additive": "Additive(v, query_weight, key_weight)",
    "concat": "Concat(v, weight)",
    "gated_additive": "GatedAdditive(v)",
    "general": "General(weight)",
    "location": "Location(weight)",
    "alibi": "Alibi(num_heads)",
    "relative": "Relative(table)",
    "relative_keys": "RelativeKeys(table)",
    "gaussian_around": "GaussianAround(centres, sigma)",
    "bias": "Bias(bias)",
    "where": "Where(mask, first, second)",
}


def resolve(score: Score | str) -> Score:
    """A score from a value or a name.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no score.
    """
    if isinstance(score, Score):
        return score
    if not isinstance(score, str):
        raise DtypeError(
            f"score needs a name or a value of regard.scores, got {type(score).__name__}"
        )
    if score in _NEED_PARAMETERS:
        raise ChoiceError(
            f"the score {score!r} has parameters: pass scores.{_NEED_PARAMETERS[score]} "
            "instead of the name"
        )
    return named[score]
