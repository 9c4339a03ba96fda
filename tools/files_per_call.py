"""How many of our files a reader opens who follows one call: those in which a function runs.

Run as ``python tools/files_per_call.py [attend|train|translate]``: prints them, by package, with
their number. Each call is made twice and the second one is counted, so that what runs only while
modules are imported is left out. ``train`` is counted up to its first step. Of ``train`` and
``translate`` the files of the model are left out: how it computes is a journey of its own.
"""

import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1] / "src" / "regard"
MODEL = ("models", "nn", "cells", "positions", "functional", "kernels")
"""Where a model computes."""
GOALS = {"attend": 25, "train": 45, "translate": 45}
LINE = "The black cat ate the mouse."


def attend() -> None:
    """An additive score, two masks and sparse weights, there and back."""
    import torch

    from regard import attend, masks, scores

    q, k, v = (torch.randn(1, 2, 700, 16, requires_grad=True) for _ in range(3))
    w = torch.randn(16, requires_grad=True)
    mask = masks.causal() & masks.padding(torch.tensor([650]))
    attend(q, k, v, score=scores.Additive(w), mask=mask, normalise="sparsemax").sum().backward()


def train() -> None:
    """Two steps of the usual translator on pairs of a file."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.tsv"
        pairs.write_text("".join(f"a cat {n}\tun chat {n}\n" for n in range(40)), encoding="utf-8")
        _run("train", "--data", str(pairs), "--steps", "2", "--out", f"{folder}/run", "--quiet")


def translate() -> None:
    """A line, with its alignment drawn."""
    _run("translate", LINE, "--show")


def _run(*words: str) -> None:
    from regard.cli.app import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
    if code:
        raise SystemExit(f"regard {' '.join(words)} ended with {code}")


def files_of(call: Callable[[], None], root: Path = ROOT) -> list[str]:
    """The files below ``root`` in which a function runs during a call."""
    call()
    names: set[str] = set()
    over: list[bool] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and not over and frame.f_code.co_name != "<module>":
            names.add(frame.f_code.co_filename)
            if frame.f_code.co_name == "step" and "torch/optim" in frame.f_code.co_filename:
                over.append(True)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    ours = (Path(name) for name in names if name.startswith(str(root)))
    return sorted(str(path.relative_to(root)) for path in ours)


CALLS = {"attend": attend, "train": train, "translate": translate}


def counted(name: str) -> list[str]:
    """The files of one of the three journeys."""
    found = files_of(CALLS[name])
    return [one for one in found if name == "attend" or one.split("/")[0] not in MODEL]


def main() -> None:
    """Print the files of each call that is named, or of all."""
    for name in sys.argv[1:] or CALLS:
        found = counted(name)
        print(f"{name}: {len(found)} files, to be {GOALS[name]} at most")
        for one in found:
            print(f"  {one}")


if __name__ == "__main__":
    main()
