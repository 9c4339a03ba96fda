"""Scores: how well does a key fit a query?"""

from .additive import Additive as Additive
from .additive import Concat as Concat
from .additive import GatedAdditive as GatedAdditive
from .base import PositionTerm as PositionTerm
from .base import Score as Score
from .base import ScoreFunction as ScoreFunction
from .base import ScoreLike as ScoreLike
from .base import Sum as Sum
from .base import named as named
from .base import register as register
from .base import resolve as resolve
from .composed import ByMask as ByMask
from .composed import Scaled as Scaled
from .function import Function as Function
from .kernels import Boxcar as Boxcar
from .kernels import Epanechnikov as Epanechnikov
from .kernels import Euclidean as Euclidean
from .kernels import Gaussian as Gaussian
from .positional import Alibi as Alibi
from .positional import Bias as Bias
from .positional import GaussianAround as GaussianAround
from .positional import Relative as Relative
from .positional import RelativeKeys as RelativeKeys
from .positional import alibi_slopes as alibi_slopes
from .products import Cosine as Cosine
from .products import Dot as Dot
from .products import General as General
from .products import Location as Location
from .products import ScaledDot as ScaledDot
from .soft_capped import SoftCapped as SoftCapped

for _value in tuple(vars().values()):
    _is_score = isinstance(_value, type) and issubclass(_value, Score)
    if _is_score and "name" in vars(_value) and not _value.composed:
        register(_value)
