"""Where a process computes."""

import torch

from regard.devices import resolve
from regard.errors import DeviceError

from .world import BACKENDS, World


def chosen_device(name: str | None, world: World) -> torch.device:
    """The device of this name; the first GPU or else the CPU if there is none.

    Several processes on one machine take one GPU each.

    Args:
        name: as torch has them: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        world: who this process is.

    Raises:
        DeviceError: no such device, or not enough of them.
    """
    if world.count == 1:
        return resolve(name)
    if name is not None and name not in BACKENDS:
        raise DeviceError(
            f"several processes need the device cpu or cuda, without a number, got {name!r}; each "
            "of them takes the GPU of its own number"
        )
    device = resolve(name)
    if device.type != "cuda":
        return device
    _require_gpus(world)
    return torch.device("cuda", world.local_rank)


def _require_gpus(world: World) -> None:
    found = torch.cuda.device_count()
    if found < world.local_count:
        raise DeviceError(
            f"{world.local_count} processes on cuda need {world.local_count} GPUs on this machine, "
            f"and torch finds {found}; start fewer with --nproc-per-node, or compute on cpu"
        )
