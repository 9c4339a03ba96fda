"""All suites, by topic and by the name ``--only`` takes."""

from collections.abc import Callable

from regard.registry import Registry

from ..plans import Suite
from .additive import additive
from .decoder import decoder
from .default import default
from .entmax import entmax
from .layer import layer
from .lowered import lowered
from .steps import steps
from .weigh import weigh
from .window import window

Maker = Callable[[bool], Suite]
"""Called with True for the quick set."""

TOPICS: Registry[tuple[Maker, ...]] = Registry("topic")
"""Suites as they are run and reported."""

TOPICS.add("kernels", (additive, entmax, window, default, lowered, weigh))
TOPICS.add("modules", (layer, decoder, steps))
