"""Attention on PyTorch: score, mask, normalise, pool; four values you pass.

Names are loaded when first used, so that ``import regard`` costs nothing: neither torch nor any
other dependency is imported before it is needed.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "attend",
    "catalogue",
    "cells",
    "errors",
    "explain",
    "lens",
    "masks",
    "models",
    "nn",
    "normalisers",
    "plan",
    "positions",
    "scores",
    "statistics",
    "testing",
    "train",
    "weigh",
]

if TYPE_CHECKING:
    from regard.lens.explain import explain as explain

    from . import catalogue as catalogue
    from . import cells as cells
    from . import errors as errors
    from . import lens as lens
    from . import models as models
    from . import nn as nn
    from . import positions as positions
    from . import testing as testing
    from .functional import masks as masks
    from .functional import normalisers as normalisers
    from .functional import scores as scores
    from .functional.attend import attend as attend
    from .functional.engine.plan import plan as plan
    from .functional.statistics import statistics as statistics
    from .functional.weigh import weigh as weigh
    from .training.trained import train as train
else:
    _HOMES = {
        "attend": "regard.functional.attend:attend",
        "catalogue": "regard.catalogue",
        "cells": "regard.cells",
        "errors": "regard.errors",
        "explain": "regard.lens.explain:explain",
        "lens": "regard.lens",
        "masks": "regard.functional.masks",
        "models": "regard.models",
        "nn": "regard.nn",
        "normalisers": "regard.functional.normalisers",
        "plan": "regard.functional.engine.plan:plan",
        "positions": "regard.positions",
        "scores": "regard.functional.scores",
        "statistics": "regard.functional.statistics:statistics",
        "testing": "regard.testing",
        "train": "regard.training.trained:train",
        "weigh": "regard.functional.weigh:weigh",
    }

    def __getattr__(name):
        """The public name, imported from its home on first use and remembered (PEP 562)."""
        if name not in _HOMES:
            raise AttributeError(f"module 'regard' has no attribute {name!r}")
        from importlib import import_module

        module, _, member = _HOMES[name].partition(":")
        value = import_module(module)
        if member:
            value = getattr(value, member)
        globals()[name] = value
        return value

    def __dir__():
        """The public names, loaded or not."""
        return sorted(__all__)
