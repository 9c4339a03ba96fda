"""Peak memory of one call, read from the system, in a process of its own."""

import ctypes
import gc
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .case import Case
from .places import ROOT, SOURCE, python_path
from .reasons import Absence
from .timing import Call

FLOOR = 65_536.0
"""Readings below this many bytes are noise of the allocator."""

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")

PLAIN_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(2**20)}
"""Makes glibc give freed blocks of a megabyte or more back at once, so that the second call finds
none of the first one's. Left alone it learns to keep them; made stricter, tiles get slow."""


@dataclass(frozen=True)
class Peak:
    """What a call needed beyond what was there before it.

    Args:
        bytes: the peak during the call over the memory held just before it.
        baseline_bytes: the memory held just before it: libraries, inputs.
        kept_bytes: what a first call left behind for the second, e.g. compiled code.
        seconds: the median time of the call in that process; None if it was not timed.
        method: how the peak was read.
    """

    bytes: int
    baseline_bytes: int
    kept_bytes: int
    seconds: float | None
    method: str


def resident_bytes(field: str, status: Path = STATUS) -> int:
    """``VmRSS``, the memory held now, or ``VmHWM``, its peak, in bytes."""
    found = re.search(rf"^{field}:\s+(\d+) kB", status.read_text(encoding="ascii"), re.MULTILINE)
    assert found, f"{status} has no {field}"
    return int(found[1]) * 1024


def forget_peak() -> bool:
    """Set the peak back to the memory held now; False where the system does not allow it."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def give_back() -> None:
    """Return freed memory to the system, where the allocator can."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def highest_ever() -> int:
    """The peak of the whole life of the process, in bytes; not on Windows."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def peak_of(call: Call) -> tuple[int, int, str]:
    """Bytes ``call`` needed over the memory before it, that memory, and how it was read."""
    give_back()
    if STATUS.is_file() and forget_peak():
        before = resident_bytes("VmRSS")
        kept = call()
        after, method = resident_bytes("VmHWM"), "VmHWM"
    else:
        before = highest_ever()
        kept = call()
        after, method = highest_ever(), "ru_maxrss"
    del kept
    return max(0, after - before), before, method


def in_child(
    system: str,
    case: Case,
    *,
    threads: int,
    quantity: str = "peak",
    repeats: int = 3,
    timeout: float = 600.0,
) -> Peak | Absence:
    """Run ``system`` on ``case`` in a fresh interpreter and read its memory there.

    Args:
        system: a name of the catalogue.
        case: what it computes.
        threads: of torch.
        quantity: ``"peak"`` with an allocator that gives memory back, ``"seconds"`` with the
            allocator as it is.
        repeats: timed calls; 0 for none.
        timeout: seconds until the process is stopped.
    """
    job = {"system": system, "case": case.to_json(), "threads": threads, "repeats": repeats}
    command = [sys.executable, "-m", "benchmarks.child", json.dumps(job)]
    try:
        done = subprocess.run(
            command,
            env=child_environment(quantity),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Absence(f"no answer within {timeout:.0f} s")
    return parse_answer(done.stdout, done.stderr, done.returncode)


def child_environment(quantity: str) -> dict[str, str]:
    """Our environment, with this very package and the benchmarks importable."""
    settings = PLAIN_ALLOCATOR if quantity == "peak" else {}
    return {**os.environ, **settings, "PYTHONPATH": python_path(SOURCE, ROOT)}


def parse_answer(stdout: str, stderr: str, code: int) -> Peak | Absence:
    """The last line of a child's output as a peak, or the reason why there is none."""
    lines = stdout.strip().splitlines()
    if code != 0 or not lines:
        last = (stderr.strip().splitlines() or ["no message"])[-1]
        return Absence(f"the process ended with {code}: {last}")
    data = json.loads(lines[-1])
    return Absence(data["absent"]) if "absent" in data else Peak(**data)
