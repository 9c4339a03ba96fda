"""Whether the compiled kernels may be used."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_ALLOWED: ContextVar[bool] = ContextVar("regard_numba_allowed", default=True)


def numba_available() -> bool:
    """True if numba can be imported, compiles, and was not turned off.

    The environment variable ``REGARD_NUMBA=0`` turns it off for a process (read once),
    :func:`without_numba` for a block of code. Everything works without, more slowly.
    """
    return _ALLOWED.get() and _importable()


@contextmanager
def without_numba() -> Iterator[None]:
    """The block inside runs as if numba were not installed, in this thread only."""
    token = _ALLOWED.set(False)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


@cache
def _importable() -> bool:
    if os.environ.get("REGARD_NUMBA", "1").strip().lower() in {"0", "false", "no", "off"}:
        return False
    try:
        import numba
    except ImportError:  # also raised for a numpy that this numba does not know
        return False
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        logging.getLogger("regard").warning(
            "NUMBA_DISABLE_JIT keeps numba from compiling: regard computes without its kernels, "
            "more slowly"
        )
        return False
    return True
