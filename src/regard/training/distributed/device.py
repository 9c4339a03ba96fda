"""Where a process computes."""

import torch

from regard.errors import ChoiceError

from .world import BACKENDS, World


def chosen_device(name: str | None, world: World) -> torch.device:
    """The device of this name; the first GPU or else the CPU if there is none.

    Several processes on one machine take one GPU each.

    Args:
        name: as torch has them: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        world: who this process is.

    Raises:
        ChoiceError: no such device, or not enough of them.
    """
    device = _device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    if device.type == "cuda":
        _require_gpus(device, world)
    if world.count == 1:
        return device
    if device.type not in BACKENDS or device.index is not None:
        raise ChoiceError(
            f"several processes need the device cpu or cuda, without a number, got {name!r}; each "
            "of them takes the GPU of its own number"
        )
    return torch.device(device.type, world.local_rank) if device.type == "cuda" else device


def _device(name: str) -> torch.device:
    try:
        return torch.device(name)
    except RuntimeError:
        raise ChoiceError(
            f"a device needs a name such as cpu, cuda, cuda:1 or mps, got {name!r}"
        ) from None


def _require_gpus(device: torch.device, world: World) -> None:
    needed = max(world.local_count, (device.index or 0) + 1)
    found = torch.cuda.device_count()
    if found < needed:
        raise ChoiceError(
            f"{world.local_count} processes on {device} need {needed} GPUs on this machine, and "
            f"torch finds {found}; start fewer with --nproc-per-node, or compute on cpu"
        )
