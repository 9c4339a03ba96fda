"""Kernels over many rows at once, on as many threads as torch may use: torch's own, if possible."""

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import NamedTuple, TypeVar, cast

import torch

Result = TypeVar("Result")

_BORN = os.getpid()
_PARALLEL = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 2, *[ctypes.c_uint] * 2)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

WORTH_A_THREAD = 1e-4
"""Seconds of work below which waking another thread costs more than it saves."""

PARTS_PER_THREAD = 4
"""How finely work is cut, so that a thread that is held up holds nobody up."""


def over_rows(
    work: Callable[..., Result], rows: int, seconds: float, *arguments: object
) -> list[Result]:
    """``work(begin, end, *arguments)`` over consecutive parts that together are ``range(rows)``.

    ``work`` must let go of the interpreter lock, and two parts may run at the same time, so it may
    write only to its own rows. As many threads as ``torch.get_num_threads()``; only the calling
    one when the whole is small. Each thread takes the next part when it is done with one.

    Args:
        work: called with the first row of a part, the one past its last, and the arguments.
        rows: how many there are; with none, ``work`` is not called.
        seconds: a guess how long one thread would take for all of them.
        arguments: the same for all parts.

    Returns:
        What ``work`` returned, in the order of the rows. The first error is raised here, as soon as
        no part runs any more.
    """
    threads = min(torch.get_num_threads(), rows, 1 + int(seconds / WORTH_A_THREAD))
    if threads <= 1:
        return [work(0, rows, *arguments)] if rows else []
    parts = min(rows, threads * PARTS_PER_THREAD, 1 + int(seconds / WORTH_A_THREAD))
    edges = list(pairwise(rows * part // parts for part in range(parts + 1)))
    waiting, errors = iter(range(parts)), list[BaseException]()
    results = [cast(Result, None)] * parts

    def take_parts() -> None:
        try:
            for part in waiting:
                results[part] = work(*edges[part], *arguments)
        except BaseException as error:
            errors.append(error)

    _together(take_parts, threads)
    if errors:
        raise errors[0]
    return results


def _together(function: Callable[[], None], threads: int) -> None:
    """Call ``function`` in so many threads at once, the calling one among them; it never raises."""
    together = _torchs_team()
    if together is not None:
        together(function, threads)
        return
    elsewhere = [_pool().submit(function) for _ in range(threads - 1)]
    function()
    for thread in elsewhere:
        thread.result()


def _torchs_team() -> Callable[[Callable[[], None], int], None] | None:
    """How to run on the very threads of torch; None where there is no such team.

    They spin on their cores for some milliseconds after every operation of torch. Threads of our
    own would have to share the cores with them.
    """
    found = openmp_team()
    if found is None:
        return None

    def run(function: Callable[[], None], threads: int) -> None:
        called = _CALLBACK(lambda _: function())
        # Not by `ctypes.cast`: it makes a cycle of references, and what `function` holds would
        # stay until the garbage collector comes.
        found.run(ctypes.c_void_p.from_buffer(called).value or 0, 0, threads)

    return run


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
    return _libgomp() if os.getpid() == _BORN else None


@cache
def _libgomp() -> OpenMPTeam | None:
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


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(32, os.cpu_count() or 1), thread_name_prefix="regard")


# A forked child has the pool and torch's team, but none of their threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
