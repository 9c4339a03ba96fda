"""``python -m benchmarks.child '<job as JSON>'``: one system, one case, its memory and time."""

import json
import sys
from dataclasses import asdict
from statistics import median
from typing import Any

import torch

from .case import Case
from .inputs import make_inputs
from .memory import Peak, peak_of
from .peers import SYSTEMS
from .reasons import NOT_INSTALLED, Absence, reason
from .step import prepare
from .timing import quiet_collector, time_once


def measure(job: dict[str, Any]) -> Peak | Absence:
    """Run the job: a first call to load and compile, one for memory, some for time."""
    torch.set_num_threads(job["threads"])
    case = Case.from_json(job["case"])
    system = SYSTEMS[job["system"]]
    if not system.available():
        return Absence(NOT_INSTALLED)
    try:
        call = prepare(system, case, make_inputs(case))
        _, before_first, _ = peak_of(lambda: None)
        call()
        bytes_needed, baseline, method = peak_of(call)
        with quiet_collector():
            times = [time_once(call) for _ in range(job["repeats"])]
    except Exception as error:  # a peer may fail in any way; the report says how
        return Absence(reason(error))
    return Peak(
        bytes=bytes_needed,
        baseline_bytes=baseline,
        kept_bytes=max(0, baseline - before_first),
        seconds=median(times) if times else None,
        method=method,
    )


def main() -> None:
    """Print the answer to the job in the first argument as one line of JSON."""
    outcome = measure(json.loads(sys.argv[1]))
    data = {"absent": outcome.reason} if isinstance(outcome, Absence) else asdict(outcome)
    print(json.dumps(data))


if __name__ == "__main__":
    main()
