"""A run small enough to be saved at every step, which draws in every step."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import torch
from torch import nn

from regard.config import Config
from regard.storage.checkpoint import Checkpoint, Resumption
from regard.training.run import seed_step
from regard.training.schedules import Cosine

TOKENIZER = b"le 0\nchat 1\n"


class TinyConfig(Config):
    """Sizes of the model."""

    width: int = 5
    hidden: int = 7


class TinyRun:
    """A model and everything it takes to train it."""

    def __init__(self, config: TinyConfig | None = None) -> None:
        torch.manual_seed(3)
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
        seed_step(seed=5, step=self.step + 1)
        batch = torch.randn(3, self.config.width, generator=self.generator)
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
                "data": self.generator.get_state(),
            },
            attachments={"tokenizer/words.txt": TOKENIZER},
        )

    def restore(self, found: Resumption) -> None:
        self.step = found.step
        self.model.load_state_dict(found.model)
        self.optimizer.load_state_dict(found.resume["optimizer"])
        self.scheduler.load_state_dict(found.resume["scheduler"])
        self.generator.set_state(found.resume["data"])

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
