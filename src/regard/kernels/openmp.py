"""Compiled functions on the very threads of torch, where they are GNU OpenMP's."""

import ctypes
import os
from functools import cache
from typing import NamedTuple

_BORN = os.getpid()
_PARALLEL = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 2, *[ctypes.c_uint] * 2)


class OpenMPTeam(NamedTuple):
    """Addresses of what a compiled function needs to run on several threads."""

    parallel: int
    """Runs a function on every thread."""
    barrier: int
    """Waits for all threads."""
    number: int
    """Tells a thread its number."""
    size: int
    """Tells how many there are, which may be fewer than were asked for."""

    def run(self, function: int, table: int, threads: int) -> None:
        """Call a function with an address on so many threads at once, and wait for all."""
        _PARALLEL(self.parallel)(function, table, threads, 0)


def openmp_team() -> OpenMPTeam | None:
    """Torch's threads; ``None`` where there is no such team, as in a forked child."""
    return _found() if os.getpid() == _BORN else None


@cache
def _found() -> OpenMPTeam | None:
    try:
        openmp = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD)
        functions = (
            openmp.GOMP_parallel,
            openmp.GOMP_barrier,
            openmp.omp_get_thread_num,
            openmp.omp_get_num_threads,
        )
    except (AttributeError, OSError):
        return None
    addresses = (ctypes.cast(each, ctypes.c_void_p).value for each in functions)
    return OpenMPTeam(*(address or 0 for address in addresses))
