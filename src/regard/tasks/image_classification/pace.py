"""How many updates this machine makes in so many minutes: some are made and timed."""

import time
from itertools import count

import torch
from torch.nn.functional import cross_entropy

from regard.models import build, preset_config
from regard.models.config import ModelConfig

from .task import ImageClassificationTask

SECONDS, LEAST = 3.0, 3
"""For which updates are timed, and how many at least."""
SHARE = 0.9
"""Of the time that goes into updates: the rest is reading, validating, saving."""
LABELS = 10


def updates_in(
    minutes: float, model: str | ModelConfig, task: ImageClassificationTask, rows: int
) -> int:
    """Updates of batches of so many pictures; the random numbers of torch stay as they were.

    Args:
        minutes: how long.
        model: a preset's name or a config.
        task: which says the size of pictures.
        rows: pictures of a batch.
    """
    height, width = task.data.size_for(task.size)
    if isinstance(model, str):
        model = preset_config(model, labels=LABELS, height=height, width=width)
    with torch.random.fork_rng(devices=[]):
        seconds = _seconds(model, rows, height, width)
    return max(10, round(SHARE * 60 * minutes / seconds))


def _seconds(config: ModelConfig, rows: int, height: int, width: int) -> float:
    """Of one update: the median of those that were made."""
    model = build(config)
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, fused=True)
    pixels = torch.randint(256, (rows, height, width, 3), dtype=torch.uint8).permute(0, 3, 1, 2)
    targets = torch.zeros(rows, dtype=torch.long)
    start, took = time.perf_counter(), []
    for number in count():
        begun = time.perf_counter()
        cross_entropy(model(pixels), targets).backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        took.append(time.perf_counter() - begun)
        if number >= LEAST and time.perf_counter() - start > SECONDS:
            break
    later = sorted(took[1:])  # the first one warms up
    return later[len(later) // 2]
