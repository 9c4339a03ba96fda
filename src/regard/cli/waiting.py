"""How long the threads of torch stay awake for the next piece of work."""

import os
import sys
from collections.abc import MutableMapping

SPINS = 1000
"""Looks at a flag before a thread goes to sleep: what GNU OpenMP itself takes where there are more
threads than processors. Its 300,000 otherwise are milliseconds, in which a thread keeps the core
from the very one it waits for as soon as the machine has something else to do."""

DECISIONS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def wait_asleep(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let waiting threads go to sleep early, unless the user has decided how they wait.

    OpenMP reads its settings when torch loads it: later it is too late. Children inherit them.
    """
    if "torch" not in sys.modules and not any(name in environment for name in DECISIONS):
        environment["GOMP_SPINCOUNT"] = str(SPINS)
