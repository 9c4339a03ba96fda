"""A run small enough to be saved at every step, which draws from every kind of randomness."""

import random
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch import nn

from regard.config import Config
from regard.training import Checkpoint, Resumption, randomness
from regard.training.schedules import Cosine

TOKENIZER = b"le 0\nchat 1\n"


class TinyConfig(Config):
    """Sizes of the model."""

    width: int = 5
    hidden: int = 7


class TinyRun:
    """A model and everything it takes to train it.

    The type checks of the test suite draw from Python's ``random`` too, to look at some item of a
    list: a run that is to be repeated must not call the package between its updates there.
    """

    def __init__(self, config: TinyConfig | None = None) -> None:
        torch.manual_seed(3)
        random.seed(5)
        np.random.seed(7)
        self.config = config or TinyConfig()
        self.model = nn.Sequential(
            nn.Linear(self.config.width, self.config.hidden),
            nn.Dropout(0.5),
            nn.Linear(self.config.hidden, 1),
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.1, amsgrad=True)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, Cosine(steps=1000))
        self.generator = torch.Generator().manual_seed(11)
        self.step = 0

    def update(self) -> None:
        shift = random.random() + float(np.random.normal())
        batch = torch.randn(3, self.config.width, generator=self.generator) + shift
        self.optimizer.zero_grad()
        self.model(batch).square().mean().backward()
        self.optimizer.step()
        self.scheduler.step()
        self.step += 1

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(
            step=self.step,
            config=self.config,
            model=self.model.state_dict(),
            resume={
                "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(),
                "randomness": randomness.capture({"batches": self.generator}),
            },
            attachments={"tokenizer/words.txt": TOKENIZER},
        )

    def restore(self, found: Resumption) -> None:
        self.step = found.step
        self.model.load_state_dict(found.model)
        self.optimizer.load_state_dict(found.resume["optimizer"])
        self.scheduler.load_state_dict(found.resume["scheduler"])
        randomness.restore(found.resume["randomness"], {"batches": self.generator})

    def digest(self) -> str:
        """Equal for two runs exactly when their weights are, bit for bit."""
        return digest(self.model.state_dict())


def digest(state_dict) -> str:
    return sha256(b"".join(value.numpy().tobytes() for value in state_dict.values())).hexdigest()


def advanced(steps: int) -> TinyRun:
    """A run after some updates, never interrupted."""
    run = TinyRun()
    for _ in range(steps):
        run.update()
    return run


@cache
def weights_after(steps: int) -> str:
    """The digest of a run after some updates, never interrupted."""
    return advanced(steps).digest()


def flip(path: Path, place: int, bits: int = 1) -> None:
    """Change one byte of a file; the same call changes it back."""
    with path.open("r+b") as file:
        file.seek(place)
        [byte] = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ bits]))
