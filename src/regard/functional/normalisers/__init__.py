"""Normalisers: how do scores become weights?"""

from .base import Normaliser as Normaliser
from .base import named as named
from .base import register as register
from .base import resolve as resolve
from .dense import Mean as Mean
from .dense import MeanRelu as MeanRelu
from .dense import Proportional as Proportional
from .dense import Relu as Relu
from .dense import Sigmoid as Sigmoid
from .dense import Softmax as Softmax
from .dense import mean as mean
from .dense import mean_relu as mean_relu
from .dense import proportional as proportional
from .dense import relu as relu
from .dense import sigmoid as sigmoid
from .dense import softmax as softmax
from .entmax import Entmax as Entmax
from .entmax import Entmax15 as Entmax15
from .entmax import Sparsemax as Sparsemax
from .entmax import entmax15 as entmax15
from .entmax import sparsemax as sparsemax
from .selected import Hard as Hard
from .selected import Sample as Sample
from .selected import TopK as TopK
from .selected import hard as hard
from .sink import SoftmaxWithSink as SoftmaxWithSink

for _value in tuple(vars().values()):
    _is_normaliser = isinstance(_value, type) and issubclass(_value, Normaliser)
    if _is_normaliser and "name" in vars(_value) and not _value.composed:
        register(_value)
