"""The suites of ``regard bench kernels``: each the claims of one chapter, as data."""

from .catalogue import ORDER as ORDER
from .catalogue import SUITES as SUITES

__all__ = ["ORDER", "SUITES"]
