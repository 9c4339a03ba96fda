"""Where to compute: one rule for all that trains, translates, measures and shows."""

from typing import TYPE_CHECKING

from .errors import DeviceError, RangeError

if TYPE_CHECKING:
    import torch

MOST_THREADS = 4096
"""More are a mistake; the system may refuse to start them in the middle of something."""


def resolve(name: str | None = None) -> "torch.device":
    """The device of this name; the GPU if there is one, else the CPU, if not given.

    Args:
        name: as torch has them: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.

    Raises:
        DeviceError: no such name, or this machine cannot compute there.
    """
    import torch

    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        there = _is_there(device)
    except RuntimeError:  # of the name
        there = False
    if not there:
        gpus = torch.cuda.device_count()
        has = f"cpu and {gpus} of cuda" if gpus else "cpu"
        raise DeviceError(
            f"a device needs to be one that this machine can compute on, got {name!r}; it has {has}"
        )
    return device


def use_threads(count: int | None) -> None:
    """Let torch compute with so many threads; as many as it likes if not given.

    Raises:
        RangeError: no thread at all, or more than a machine has.
    """
    import torch

    if count is None:
        return
    if not 1 <= count <= MOST_THREADS:
        bound = "1 or more" if count < 1 else f"{MOST_THREADS:,} or fewer"
        raise RangeError(f"threads need to be {bound}, got {count}; leave it out for one per core")
    torch.set_num_threads(count)


def _is_there(device: "torch.device") -> bool:
    """Whether a number put there comes back; that on ``meta``, which computes nothing, does not."""
    import torch

    if device.type == "cuda":  # to ask is cheaper than to start it
        return (device.index or 0) < torch.cuda.device_count()
    try:
        return torch.ones(1, device=device).item() == 1
    except (RuntimeError, AssertionError, ImportError):
        return False
