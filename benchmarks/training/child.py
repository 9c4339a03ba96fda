"""A driver's process, from our side of the pipe."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..places import SOURCE, python_path

OUTSIDE = Path(__file__).parent / "outside"
"""What a driver's interpreter finds the drivers in."""

LOAD_SECONDS = 600.0
"""How long a system may take to load."""
SLOWEST = 600.0
"""How much longer than asked for a turn may take: one update of a slow system, at least."""

PATIENCE = 5.0
"""How long a process may take to end by itself."""


class DriverError(Exception):
    """A driver that ended or fell silent; the message says why."""


class Child:
    """A process that answers every line with a line.

    Args:
        command: what to run.
        environment: its environment variables.
        log: a file for all that it prints otherwise.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                list(command),
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
            )
        self._rest = b""

    def ready(self) -> dict[str, Any]:
        """What it says of itself once it is loaded.

        Raises:
            DriverError: it could not be loaded.
        """
        return self._answer(LOAD_SECONDS)

    def go(self, seconds: float) -> dict[str, Any]:
        """Let it train for so long, and one update at least.

        Raises:
            DriverError: it ended, or gave no answer.
        """
        return self.ask(f"go {seconds}", seconds + SLOWEST)

    def ask(self, order: str, timeout: float) -> dict[str, Any]:
        """Send one line, and wait for its answer.

        Raises:
            DriverError: it ended, or gave no answer in so many seconds.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{order}\n".encode())
        except BrokenPipeError as error:
            raise self._failure() from error
        return self._answer(timeout)

    def close(self) -> None:
        """End it, by force if it does not hear."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(timeout=PATIENCE)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stdout.close()

    def _answer(self, timeout: float) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        until = time.monotonic() + timeout
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise DriverError(f"no answer within {timeout:.0f} s")
            read = os.read(pipe.fileno(), 2**16)
            if not read:
                raise self._failure()
            self._rest += read
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _failure(self) -> DriverError:
        code = self._process.wait()
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return DriverError(f"the process ended with {code}: {(lines or ['no message'])[-1]}")


def interpreter(environment: Path | None) -> Path:
    """The Python of a virtual environment; ours for None."""
    return Path(sys.executable) if environment is None else environment / "bin" / "python"


def variables(threads: int, outside: Path | None = None) -> dict[str, str]:
    """Our environment, with the drivers importable and as many threads for everybody.

    Args:
        threads: how many.
        outside: the folder of the drivers; those of training if not given.
    """
    return {
        **finding(threads, outside or OUTSIDE),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }


def finding(threads: int, *folders: Path) -> dict[str, str]:
    """Our environment, with the modules of some folders found first, and as many threads."""
    count = str(threads)
    return {
        **os.environ,
        "PYTHONPATH": python_path(*folders),
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "NUMBA_NUM_THREADS": count,
    }


def with_this_package(environment: Mapping[str, str]) -> dict[str, str]:
    """The same with the regard that runs now, for drivers in our own interpreter."""
    paths = [environment["PYTHONPATH"], str(SOURCE)]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}
