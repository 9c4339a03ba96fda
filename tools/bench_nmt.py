"""Set up the environments of ``regard bench training``, one per framework.

Run as ``python tools/bench_nmt.py``, with more words for pip behind it: makes
``.bench-nmt/<name>`` from every ``benchmarks/nmt/<name>.txt``. A second call is instant.
"""

import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"
STAMP = ".ready"
"""A file in each environment with the fingerprint of what was installed into it."""

Run = Callable[[Sequence[str]], object]


def fingerprint(requirements: Path, environment: Path) -> str:
    """Differs if something else would be installed, or somewhere else."""
    parts = (TORCH.encode(), requirements.read_bytes(), str(environment).encode())
    return sha256(b"\0".join(parts)).hexdigest()


def set_up(requirements: Path, environment: Path, flags: Sequence[str], run: Run) -> bool:
    """Make an environment, unless it is there already.

    Args:
        requirements: the pinned packages, all but torch.
        environment: the folder.
        flags: more words for pip.
        run: runs a command, and raises if it fails.
    """
    stamp, wanted = environment / STAMP, fingerprint(requirements, environment)
    if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
        return False
    venv.create(environment, with_pip=True, clear=True)
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "-qq", *flags]
    run([*pip, TORCH])
    run([*pip, "--no-deps", "-r", str(requirements)])
    stamp.write_text(wanted, encoding="ascii")
    return True


def main(flags: Sequence[str]) -> None:
    """Set up all of them."""
    for requirements in sorted((ROOT / "benchmarks" / "nmt").glob("*.txt")):
        environment = ROOT / ".bench-nmt" / requirements.stem
        print(f"{requirements.stem}: .bench-nmt/{requirements.stem} ...", flush=True)
        set_up(requirements, environment, flags, partial(subprocess.run, check=True))


if __name__ == "__main__":
    main(sys.argv[1:])
