"""Seven models of about 0.3 M parameters on CIFAR-10, equal minutes each: one table.

Run as ``python -m benchmarks.vision.cifar FOLDER --minutes 10``, with sheets and labels in FOLDER;
``tools/results.py keep bench-results/cifar10.json`` keeps what came of it. Each is trained by its
recipe, in a process of its own, as by ``regard train image-classification``; the weights with the
best validation are measured on the test set, once. A model that stands in the file already is not
trained again: an interrupted command goes on.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..files import results_folder, write_json
from ..machine import here

MODELS = ("cnn", "cnn-se", "cnn-cbam", "cnn-non-local", "residual-attention", "vit", "cct")


def trained(
    model: str, data: Path, run: Path, minutes: float, on: Sequence[str], more: Sequence[str]
) -> None:
    """A run of its own."""
    sheets = sorted(str(path) for path in data.glob("train-*.jpg"))
    words = ["train", "image-classification", "--model", model, "--data", *sheets]
    words += ["--valid", str(data / "valid.jpg"), "--minutes", str(minutes), "--out", str(run)]
    if run.exists():
        words = ["train", "image-classification", "--resume", str(run)]
        more = ()
    subprocess.run([sys.executable, "-m", "regard", *words, *more, *on, "--quiet"], check=True)


def measured(model: str, data: Path, run: Path, on: Sequence[str]) -> dict[str, Any]:
    """Scores on the test set, and how the run went."""
    said = [sys.executable, "-m", "regard", "evaluate", str(run), "--json", *on]
    told = json.loads(
        subprocess.run(
            [*said, "--data", str(data / "test.jpg")], check=True, capture_output=True, text=True
        ).stdout
    )
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    steps = [line for line in lines if line.get("kind") == "train"]
    valid = [line for line in lines if line.get("kind") == "valid"]
    return {
        "model": model,
        "parameters": _parameters(model),
        "test": told["scores"]["accuracy"],
        "interval": told["intervals"]["accuracy"],
        "valid": 100 * max(line["accuracy"] for line in valid),
        "minutes": steps[-1]["seconds"] / 60,
        "updates": steps[-1]["step"],
        "images_per_second": sum(line["targets"] for line in steps[-1:])
        * steps[-1]["step"]
        / steps[-1]["seconds"],
    }


def _parameters(model: str) -> int:
    from regard.models import build

    return sum(one.numel() for one in build(model, labels=10).parameters())


def main() -> None:
    """Train what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--runs", type=Path, default=Path(tempfile.gettempdir()) / "cifar10-runs")
    parser.add_argument("--out", type=Path, default=Path("bench-results/cifar10.json"))
    said, more = parser.parse_known_args()
    results_folder(said.out.parent)
    command = f"python -m benchmarks.vision.cifar FOLDER --minutes {said.minutes:g}"
    new = {
        "machine": asdict(here(said.threads, command)),
        "minutes_each": said.minutes,
        "models": [],
    }
    found = json.loads(said.out.read_text(encoding="utf-8")) if said.out.exists() else new
    on = ("--threads", str(said.threads))
    for model in said.models:
        if any(one["model"] == model for one in found["models"]):
            continue
        run = said.runs / model
        trained(model, said.data, run, said.minutes, on, more)
        found["models"].append(measured(model, said.data, run, on))
        write_json(said.out, found)
        print(json.dumps(found["models"][-1]), flush=True)


if __name__ == "__main__":
    main()
