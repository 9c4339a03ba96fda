"""One line of each trained model that is installed: ``python tools/demo.py``.

Each is a command as it can be typed; those of models that the zoo does not have are left out.
"""

import shlex
import sys

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
}
"""By the model that each asks."""


def run(available: tuple[str, ...]) -> int:
    """What each command prints, below it; whether one of them failed."""
    failed = 0
    for name in (name for name in LINES if name in available):
        print(f"$ {LINES[name]}", flush=True)
        failed |= main(shlex.split(LINES[name])[1:])
    return failed


if __name__ == "__main__":
    sys.exit(run(ZOO.names))
