"""Translators that ship with the package, each a folder with its card.

>>> from regard.zoo import ZOO
>>> ZOO.translator(ZOO.default).translate(["The black cat ate the mouse."])[0].text

One of your own is made by :func:`regard.zoo.packing.pack`, and is nothing special to
:func:`regard.training.load_translator`.
"""

from .shelf import ZOO as ZOO
from .shelf import Zoo as Zoo

__all__ = ["ZOO", "Zoo"]
