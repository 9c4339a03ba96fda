"""Error of glimpses on cluttered digits never seen, and how often each glimpse lies on the digit.

Run as ``python -m benchmarks.vision.glimpses_scores RUN --pictures 2000``; prints JSON.
"""

import argparse
import json
from typing import Any

import numpy as np
import torch

import regard
from regard.data.clutter import Cluttered, cluttered
from regard.types import Tensor

ROWS = 200


def measured(model: Any, drawn: list[Cluttered], labels: tuple[str, ...]) -> dict[str, Any]:
    """Error, and for each glimpse the share of pictures in which it lies in the digit's box."""
    right, inside = [], []
    for start in range(0, len(drawn), ROWS):
        some = drawn[start : start + ROWS]
        pixels = torch.from_numpy(np.stack([one.pixels for one in some]))
        with torch.inference_mode():
            walk = model.eval().walk(pixels.unsqueeze(1).expand(-1, 3, -1, -1))
        told = [labels[row] for row in walk.logits.argmax(dim=-1).tolist()]
        right += [label == str(one.digit) for label, one in zip(told, some, strict=True)]
        inside.append(_inside(walk.places, some))
    return {
        "pictures": len(drawn),
        "error": 1 - float(np.mean(right)),
        "on_the_digit": torch.cat(inside).float().mean(dim=0).tolist(),
    }


def _inside(places: Tensor, some: list[Cluttered]) -> Tensor:
    """(B, T): whether each glimpse lies in the box of its digit."""
    side = some[0].pixels.shape[0]
    pixels = (places + 1) / 2 * side  # (B, T, 2)
    boxes = torch.tensor([one.box for one in some], dtype=pixels.dtype).unsqueeze(1)  # (B, 1, 4)
    return ((pixels >= boxes[..., :2]) & (pixels < boxes[..., 2:])).all(dim=-1)


def main() -> None:
    """Print what was measured of one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("--pictures", type=int, default=2000)
    told = parser.parse_args()
    labeller = regard.load(told.run)
    drawn = [cluttered(0, number, split="test") for number in range(told.pictures)]
    print(json.dumps(measured(labeller.model, drawn, labeller.codec.labels), indent=1))


if __name__ == "__main__":
    main()
