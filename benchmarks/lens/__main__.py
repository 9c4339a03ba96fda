"""``python -m benchmarks.lens``: every job, a line of JSON each, and whether goals were kept."""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.machine import here
from benchmarks.memory import child_environment

from . import __doc__ as told_first
from .explaining import norms, passes, without_the_map
from .peers import measured, published, set_up, side_by_side, versions_of_tools
from .published import PUBLISHED
from .watching import census_of_a_gpt, rows, watching

Data = dict[str, Any]


def main() -> int:
    """Measure; ends with 1 if a goal was missed."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.lens", description=told_first)
    asked.add_argument("what", nargs="?", choices=("costs", "peers", "published"), default="costs")
    asked.add_argument("--quick", action="store_true", help="smaller models, fewer rounds")
    asked.add_argument("--out", type=Path, help="write the result as JSON")
    asked.add_argument("--set-up", action="store_true", help="install the other tools first")
    asked.add_argument("--tool", help="one tool alone, in this process")
    asked.add_argument("--job", help="its job")
    asked.add_argument("--tokens", type=int, default=512, help="of the text of --tool")
    asked.add_argument("--alone", choices=PUBLISHED, help="one published model, in this process")
    asked.add_argument("--memory", action="store_true", help="memory alone, in this process")
    given = asked.parse_args()
    if given.tool:
        _told([measured(given.job, given.tool, given.tokens, quick=given.quick)])
        return 0
    if given.alone:
        _told([PUBLISHED[given.alone]()])
        return 0
    if given.memory:
        return _missed(_told([norms(), without_the_map()]))
    if given.set_up:
        set_up()
    machine = asdict(here(threads=torch.get_num_threads(), command=_command(given)))
    if given.what == "peers":
        machine["versions"] |= versions_of_tools()
        _write(given.out, machine, {"ways": _told(side_by_side(quick=given.quick))})
        return 0
    if given.what == "published":
        _write(given.out, machine, {"published": _told(published())})
        return 0
    found = _told([watching(quick=given.quick), rows(), passes(quick=given.quick)])
    found += _told([*_memory(), *census_of_a_gpt(quick=given.quick)])
    _write(given.out, machine, {"costs": found})
    return _missed(found)


def _told(found: Iterable[Data]) -> list[Data]:
    """All, each printed when it is there."""
    kept = []
    for one in found:
        print(json.dumps(one, ensure_ascii=False), flush=True)
        kept.append(one)
    return kept


def _missed(found: list[Data]) -> int:
    """1 if a goal was missed."""
    return int(not all(one["kept"] for one in found))


def _memory() -> list[Data]:
    """What a process of its own tells of memory; why it told nothing, where it did not."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lens", "--memory"],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment("peak"),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        told = done.stderr.strip().splitlines() or ["no word"]
        return [{"job": "memory", "failed": told[-1], "kept": False}]
    return [json.loads(line) for line in lines]


def _command(given: argparse.Namespace) -> str:
    """What was asked, as anyone may ask it again."""
    words = [given.what] * (given.what != "costs") + ["--quick"] * given.quick
    return " ".join(["python -m benchmarks.lens", *words])


def _write(file: Path | None, machine: Data, found: Data) -> None:
    """With the machine, for ``tools/results.py keep``."""
    if file is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine, **found}, ensure_ascii=False, indent=1)
    file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
