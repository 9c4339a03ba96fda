"""Models that learn in turns, each with its own clock: what they have reached by the minute."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from ..files import results_folder, write_json
from ..machine import here

TURN = 5.0
"""Seconds, so that all have the same machine."""


class Contender(NamedTuple):
    """A model that learns."""

    name: str
    model: nn.Module
    loss: Callable[[], Tensor]
    """Of its next batch, a mean."""
    value: Callable[[], float]
    """What it has reached on text held out; the clock stands still meanwhile."""
    rate: float


class Point(NamedTuple):
    """How far one is."""

    minutes: float
    value: float
    updates: int


def half_wave(done: float, rate: float) -> float:
    """Warm-up over a fiftieth, then half a wave down to a twentieth."""
    if done < 0.02:
        return rate * max(done / 0.02, 0.01)
    return rate * (0.05 + 0.95 * (1 + torch.cos(torch.tensor(torch.pi * done)).item()) / 2)


def updates(one: Contender, seconds: float) -> Iterator[float]:
    """Updates, as many as fit; after each, the seconds that were spent on them."""
    matrices = [each for each in one.model.parameters() if each.dim() > 1]
    vectors = [each for each in one.model.parameters() if each.dim() < 2]
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
    adam = torch.optim.AdamW(groups, lr=one.rate, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    spent = 0.0
    while spent < seconds:
        begin = time.perf_counter()
        for group in adam.param_groups:
            group["lr"] = half_wave(spent / seconds, one.rate)
        one.loss().backward()
        clip_grad_norm_(one.model.parameters(), 1.0)
        adam.step()
        adam.zero_grad(set_to_none=True)
        spent += time.perf_counter() - begin
        yield spent


def raced(
    contenders: Sequence[Contender], *, minutes: float, points: int
) -> dict[str, list[Point]]:
    """Everybody for a few seconds, until all have had their minutes.

    Args:
        contenders: who learns.
        minutes: of each.
        points: how often each is measured, the last time at its end.
    """
    curves: dict[str, list[Point]] = {one.name: [] for one in contenders}
    marks = [60 * minutes * (number + 1) / points for number in range(points)]
    going = {one.name: (one, updates(one, 60 * minutes)) for one in contenders}
    counts = dict.fromkeys(curves, 0)
    while going:
        for name, (one, steps) in list(going.items()):
            end = time.perf_counter() + TURN
            while time.perf_counter() < end:
                spent: float | None = next(steps, None)
                if spent is None:
                    del going[name]
                    break
                counts[name] += 1
                if spent >= marks[len(curves[name])]:
                    mark = marks[len(curves[name])] / 60
                    curves[name].append(Point(mark, one.value(), counts[name]))
                    print(name, curves[name][-1], flush=True)
                    if len(curves[name]) == points:
                        del going[name]
                        break
    return curves


def kept(name: str, data: dict[str, Any]) -> Path:
    """Write what was measured where ``tools/results.py keep`` takes it from."""
    machine = asdict(here(torch.get_num_threads(), command=data.pop("command")))
    path = results_folder(Path("bench-results")) / f"{name}.json"
    print(write_json(path, {"machine": machine, **data}))
    return path


def told(curves: dict[str, list[Point]]) -> dict[str, list[dict[str, float]]]:
    """Curves as JSON."""
    return {name: [point._asdict() for point in points] for name, points in curves.items()}
