"""Attention on PyTorch: score, mask, normalise, pool; four values you pass.

Names are loaded when first used, so that ``import regard`` costs nothing: neither torch nor any
other dependency is imported before it is needed.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "attend",
    "errors",
    "explain",
    "masks",
    "normalisers",
    "plan",
    "scores",
    "statistics",
    "weigh",
]

if TYPE_CHECKING:
    from . import errors as errors
    from .functional import masks as masks
    from .functional import normalisers as normalisers
    from .functional import scores as scores
    from .functional.attend import attend as attend
    from .functional.engine.plan import plan as plan
    from .functional.explain import explain as explain
    from .functional.statistics import statistics as statistics
    from .functional.weigh import weigh as weigh
else:
    _HOMES = {
        "attend": "regard.functional.attend:attend",
        "errors": "regard.errors",
        "explain": "regard.functional.explain:explain",
        "masks": "regard.functional.masks",
        "normalisers": "regard.functional.normalisers",
        "plan": "regard.functional.engine.plan:plan",
        "scores": "regard.functional.scores",
        "statistics": "regard.functional.statistics:statistics",
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
