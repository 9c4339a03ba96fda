"""Trained models, each a folder with its card: found by name, loaded, packed.

>>> from regard.zoo import ZOO
>>> ZOO.names
('en-fr-bahdanau', 'en-fr-transformer')

:func:`regard.load` makes a predictor of one of them, or of one of your own, which
:func:`regard.zoo.packing.pack` makes of a run.
"""

from .shelf import ZOO as ZOO
from .shelf import Zoo as Zoo

__all__ = ["ZOO", "Zoo"]
