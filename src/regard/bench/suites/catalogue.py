"""All suites, by the name ``--only`` takes."""

from collections.abc import Callable

from ...registry import Registry
from ..plans import Suite
from .additive import additive
from .default import default
from .entmax import entmax
from .lowered import lowered
from .weigh import weigh
from .window import window

Maker = Callable[[bool], Suite]

ORDER: tuple[Maker, ...] = (additive, entmax, window, default, lowered, weigh)
"""As they are run and reported; each is called with True for the quick set."""

SUITES: Registry[Maker] = Registry("suite")
for maker in ORDER:
    SUITES.add(maker.__name__, maker)
