"""Kernels over many rows at once, on as many threads as torch may use."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

import torch

Result = TypeVar("Result")

WORTH_A_THREAD = 1e-4
"""Seconds of work below which waking another thread costs more than it saves."""


def over_rows(work: Callable[[int, int], Result], rows: int, seconds: float) -> list[Result]:
    """``work(begin, end)`` over consecutive parts that together are ``range(rows)``.

    ``work`` must let go of the interpreter lock, and two parts may run at the same time, so it may
    write only to its own rows. As many parts as ``torch.get_num_threads()``; one, in the calling
    thread, when the whole is small.

    Args:
        work: called with the first row of a part and the one past its last.
        rows: how many there are; with none, ``work`` is not called.
        seconds: a guess how long one thread would take for all of them.

    Returns:
        What ``work`` returned, in the order of the rows. The first error is raised here, as soon as
        no part runs any more.
    """
    parts = min(torch.get_num_threads(), rows, 1 + int(seconds / WORTH_A_THREAD))
    if parts <= 1:
        return [work(0, rows)] if rows else []
    edges = [rows * part // parts for part in range(parts + 1)]
    elsewhere = [_pool().submit(work, begin, end) for begin, end in pairwise(edges[1:])]
    try:
        first = work(edges[0], edges[1])
    finally:
        for part in elsewhere:
            part.exception()  # waits
    return [first, *(part.result() for part in elsewhere)]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(32, os.cpu_count() or 1), thread_name_prefix="regard")


# A forked child has the pool but none of its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
