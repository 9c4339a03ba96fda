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

from ..race import Turn
from ..settings import Settings
from .contenders import ARCHITECTURES
from .corpus import prepare
from .drivers import ours
from .drivers.protocol import Job, Meter

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
    answer: Turn = json.loads(answers.getvalue().splitlines()[-1])
    return answer


def profiled(job: Job, seconds: float = SECONDS) -> str:
    """A warm-up, then a table of operators and the rate with the profiler on."""
    turn(job, seconds=0.0)
    with profile(activities=[ProfilerActivity.CPU]) as found:
        took = turn(job, seconds)
    table = found.key_averages().table(sort_by="self_cpu_time_total", row_limit=ROWS)
    rate = took["target_tokens"] / took["seconds"]
    return f"{table}\n{took['updates']} updates, {rate:,.0f} target tokens/s while profiled"


def main(words: Sequence[str]) -> None:
    """Prepare the text, train, print."""
    name, *files = words or ["gru"]
    settings = Settings("training", only=(name,), data=tuple(map(Path, files)))
    (architecture,) = settings.choose("architecture", ARCHITECTURES)
    with tempfile.TemporaryDirectory(prefix="regard-profile-") as folder:
        prepare(settings.data, Path(folder))
        job = Job(architecture.name, Path(folder), settings.threads, settings.max_tokens)
        print(profiled(job))


if __name__ == "__main__":
    main(sys.argv[1:])
