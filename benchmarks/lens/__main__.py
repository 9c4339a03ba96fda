"""``python -m benchmarks.lens``: every job, a line of JSON each, and whether goals were kept."""

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

from benchmarks.memory import child_environment

from .explaining import norms, passes, without_the_map
from .tools import TOOLS, measured
from .watching import rows, watching

LENGTHS = (512, 2_048)


def main() -> int:
    """Measure; ends with 1 if a goal was missed."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.lens", description=__doc__)
    asked.add_argument("--quick", action="store_true", help="a smaller model, fewer rounds")
    asked.add_argument("--tool", choices=sorted(TOOLS), help="one tool alone, in this process")
    asked.add_argument("--memory", action="store_true", help="memory alone, in this process")
    asked.add_argument("--tokens", type=int, default=LENGTHS[0], help="of the text of --tool")
    given = asked.parse_args()
    if given.tool:
        _tell(measured(given.tool, given.tokens, quick=given.quick))
        return 0
    if given.memory:
        return _kept(norms(), without_the_map())
    missed = _kept(watching(quick=given.quick), rows(), passes(quick=given.quick))
    missed |= _kept(*_lines("--memory"))
    for length in LENGTHS[:1] if given.quick else LENGTHS:
        for name in TOOLS:
            _tell(_in_child(name, length, quick=given.quick))
    return missed


def _kept(*found: dict[str, Any]) -> int:
    """Tell all; 1 if a goal was missed."""
    for one in found:
        _tell(one)
    return int(not all(one["kept"] for one in found))


def _in_child(name: str, length: int, *, quick: bool) -> dict[str, Any]:
    """One tool in a process of its own; why not, where it cannot be."""
    if find_spec(TOOLS[name].package) is None:
        return {"tool": name, "left out": f"pip install {TOOLS[name].package.replace('_', '-')}"}
    words = ["--tool", name, "--tokens", str(length), *(["--quick"] if quick else [])]
    found = _lines(*words)
    return found[-1] if "failed" not in found[-1] else {"tool": name, "tokens": length, **found[-1]}


def _lines(*words: str) -> list[dict[str, Any]]:
    """What a process of its own tells; why it told nothing, where it did not."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lens", *words],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment("peak"),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        told = done.stderr.strip().splitlines() or ["no word"]
        return [{"failed": told[-1], "kept": False}]
    return [json.loads(line) for line in lines]


def _tell(line: dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    sys.exit(main())
