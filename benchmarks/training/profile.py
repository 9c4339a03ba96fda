"""Where the time of our own training goes: ``python -m benchmarks.training.profile gru``.

Trains as the driver does and prints the operators by their own time, slowest first. Files of pairs
may follow the name of the architecture; without them the text is the grammar's.
"""

import io
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from torch.profiler import ProfilerActivity, profile

from .contenders import ARCHITECTURES
from .corpus import prepare
from .outside.drivers import ours
from .outside.drivers.protocol import Job, Meter
from .results import TrainingSettings, Turn

SECONDS = 5.0
ROWS = 30
"""Operators shown."""


class Done(BaseException):
    """The time is over."""


def done(code: int) -> NoReturn:
    """Leave the loop instead of the process."""
    raise Done(code)


def turn(job: Job, seconds: float) -> Turn:
    """Train for so long."""
    answers = io.StringIO()
    with suppress(Done):
        ours.train(job, Meter(io.StringIO(f"go {seconds}\n"), answers, leave=done))
    return Turn(**json.loads(answers.getvalue().splitlines()[-1]))


def profiled(job: Job, seconds: float = SECONDS) -> str:
    """A warm-up, then a table of operators and the rate with the profiler on."""
    turn(job, seconds=0.0)
    with profile(activities=[ProfilerActivity.CPU]) as found:
        took = turn(job, seconds)
    table = found.key_averages().table(sort_by="self_cpu_time_total", row_limit=ROWS)
    rate = took.target_tokens / took.seconds
    return f"{table}\n{took.updates} updates, {rate:,.0f} target tokens/s while profiled"


def main(words: Sequence[str]) -> None:
    """Prepare the text, train, print."""
    architecture = ARCHITECTURES[words[0] if words else "gru"].name
    settings = TrainingSettings(data=tuple(map(Path, words[1:])))
    with tempfile.TemporaryDirectory(prefix="regard-profile-") as name:
        prepare(settings.data, Path(name))
        print(profiled(Job(architecture, Path(name), settings.threads, settings.max_tokens)))


if __name__ == "__main__":
    main(sys.argv[1:])
