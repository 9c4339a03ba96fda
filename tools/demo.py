"""One line of each trained model that is installed: ``python tools/demo.py [FOLDER]``.

Each is a command as it can be typed; those of models that the zoo does not have are left out.
Pictures that are asked about are scenes of our own, written into FOLDER (``demo`` if not said).
"""

import shlex
import sys
from pathlib import Path

from regard.cli.app import main
from regard.zoo import ZOO

LINES = {
    "en-tagger": "regard tag 'I saw her duck under the old bridge.'",
    "en-sentiment": "regard classify 'A warm, funny, engaging film.'",
    "en-gpt": "regard generate 'It was a dark night, and' --max-tokens 30 --seed 4",
    "en-bert": "regard fill 'She closed the ___ and sat down by the fire.' --top 3",
    "en-pronounce": "regard translate attention --model en-pronounce",
    "en-reader": (
        "regard answer 'When did Anna come to Rome?' "
        "--passage 'Anna came to Rome in 1987, and stayed.'"
    ),
    "en-stories": (
        "regard answer 'Where is the apple?' --model en-stories "
        "--passage 'Mary took the apple. Mary went to the kitchen.'"
    ),
    "scene-captioner": "regard caption {scene} --model scene-captioner",
    "scene-vqa": "regard answer 'What colour is the three?' --picture {scene} --model scene-vqa",
}
"""By the model that each asks."""


def run(available: tuple[str, ...], folder: Path = Path("demo")) -> int:
    """What each command prints, below it; whether one of them failed."""
    failed = 0
    for name in (name for name in LINES if name in available):
        line = LINES[name]
        if "{scene}" in line:
            line = line.format(scene=scene(folder))
        print(f"$ {line}", flush=True)
        failed |= main(shlex.split(line)[1:])
    return failed


def scene(folder: Path) -> Path:
    """A picture of coloured shapes and digits, none that anything was trained on."""
    from regard.data.scenes import Scenes

    path = folder / "scene.png"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        Scenes(split="test", seed=0)[4].picture.save(path)
    return path


if __name__ == "__main__":
    sys.exit(run(ZOO.names, *map(Path, sys.argv[1:])))
