"""Normalisers: how do scores become weights?"""

from regard.errors import DtypeError
from regard.registry import Registry

from .base import Normaliser as Normaliser
from .elementwise import Relu as Relu
from .elementwise import Sigmoid as Sigmoid
from .elementwise import relu as relu
from .elementwise import sigmoid as sigmoid
from .entmax import Entmax as Entmax
from .entmax import Entmax15 as Entmax15
from .entmax import Sparsemax as Sparsemax
from .entmax import entmax15 as entmax15
from .entmax import sparsemax as sparsemax
from .hard import Hard as Hard
from .hard import Sample as Sample
from .hard import hard as hard
from .mean import Mean as Mean
from .mean import MeanRelu as MeanRelu
from .mean import mean as mean
from .mean import mean_relu as mean_relu
from .proportional import Proportional as Proportional
from .proportional import proportional as proportional
from .softmax import Softmax as Softmax
from .softmax import softmax as softmax
from .top_k import TopK as TopK

named: Registry[Normaliser] = Registry("normaliser")


def register(normaliser: type[Normaliser]) -> None:
    """Let a normaliser be chosen by its name: in calls, configs, commands and the catalogue."""
    named.add_class(normaliser, normaliser.name, "normalisers")


for _value in tuple(vars().values()):
    if isinstance(_value, type) and issubclass(_value, Normaliser) and "name" in vars(_value):
        register(_value)


def resolve(normaliser: Normaliser | str) -> Normaliser:
    """A normaliser from a value or a name.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no normaliser.
    """
    if isinstance(normaliser, Normaliser):
        return normaliser
    if not isinstance(normaliser, str):
        raise DtypeError(
            "normalise needs a name or a value of regard.normalisers, "
            f"got {type(normaliser).__name__}"
        )
    return named[normaliser]
