"""The machine and the versions a measurement was taken with."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .places import ROOT, SOURCE

PACKAGES = (
    "regard",
    "torch",
    "numpy",
    "numba",
    "keras",
    "x-transformers",
    "entmax",
    "local-attention",
    "matplotlib",
)
"""Whose versions are stated."""

CALM_LOAD = 0.5
"""A load average above this is worth a warning."""


@dataclass(frozen=True)
class Machine:
    """What a reader must know to judge the numbers."""

    date: str
    command: str
    commit: str | None
    """Of the checkout that was measured, with a + if it was changed since; None outside of one."""
    cpu: str
    cores: int
    memory_bytes: int
    threads: int
    load: tuple[float, float, float]
    system: str
    python: str
    versions: dict[str, str]

    @property
    def warning(self) -> str | None:
        """One sentence when the machine was busy at the start."""
        if self.load[0] <= CALM_LOAD:
            return None
        return (
            f"The load average was {self.load[0]:.2f} at the start, above {CALM_LOAD}: "
            "other programs ran, so times are uncertain; ratios suffer less."
        )


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name as the system gives it."""
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine() or "unknown"


def memory_bytes() -> int:
    """The memory of the machine; 0 where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def load_average() -> tuple[float, float, float]:
    """Processes ready to run, over 1, 5 and 15 minutes; zeros where the system does not say."""
    try:
        return os.getloadavg()
    except (AttributeError, OSError):
        return (0.0, 0.0, 0.0)


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The installed version of each package, or ``"not installed"``."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def command_line(arguments: Sequence[str] | None = None) -> str:
    """The command as it can be typed again, without the folder the program lies in."""
    program, *rest = sys.argv if arguments is None else arguments
    path = Path(program)
    words = ["python", "-m", path.parent.name] if path.name == "__main__.py" else [path.name]
    return shlex.join([*words, *rest])


def commit(*folders: Path) -> str | None:
    """The commit of the checkout that ``folders`` lie in, with a + if files of them were changed.

    Args:
        folders: by default those of regard and of the benchmarks, but for results that are kept.
    """
    measured = folders or (SOURCE, ROOT / "benchmarks")
    paths = [*map(str, measured), ":(top,exclude)benchmarks/results"]
    try:
        run = partial(subprocess.run, cwd=measured[0], capture_output=True, text=True, check=True)
        tracked = run(["git", "ls-files", "--error-unmatch", *paths]).stdout
        name = run(["git", "rev-parse", "--short=10", "HEAD"]).stdout.strip()
        changed = run(["git", "status", "--porcelain", *paths]).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{name}{'+' if changed else ''}" if tracked else None


def here(threads: int, command: str | None = None) -> Machine:
    """This machine, now."""
    return Machine(
        date=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=command or command_line(),
        commit=commit(),
        cpu=cpu_name(),
        cores=os.cpu_count() or 1,
        memory_bytes=memory_bytes(),
        threads=threads,
        load=load_average(),
        system=platform.platform(),
        python=platform.python_version(),
        versions=versions(),
    )
