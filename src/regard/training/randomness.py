"""Where every source of random numbers stands, so that a resumed run draws the same ones."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ..errors import ChoiceError


def capture(generators: Mapping[str, torch.Generator] | None = None) -> dict[str, Any]:
    """The state of Python's, numpy's and torch's global generators and of the named ones.

    Numbers and tensors only: fit for a checkpoint.

    Args:
        generators: the run's own generators, by the names under which to find them again.
    """
    numpy_state: Any = np.random.get_state(legacy=False)
    key = torch.from_numpy(numpy_state["state"]["key"].astype(np.int64))
    return {
        "python": random.getstate(),
        "numpy": {**numpy_state, "state": {**numpy_state["state"], "key": key}},
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "generators": {name: one.get_state() for name, one in (generators or {}).items()},
    }


def restore(
    state: Mapping[str, Any], generators: Mapping[str, torch.Generator] | None = None
) -> None:
    """Put every generator back to where it stood.

    On a machine with other CUDA devices, those that both machines have are put back.

    Args:
        state: from :func:`capture`.
        generators: the same names as then.

    Raises:
        ChoiceError: other names than then; nothing was put back.
    """
    generators = generators or {}
    if set(generators) != set(state["generators"]):
        raise ChoiceError(
            f"the checkpoint needs generators {sorted(state['generators'])}, "
            f"got {sorted(generators)}; name the same ones"
        )
    key = state["numpy"]["state"]["key"].numpy().astype(np.uint32)
    np.random.set_state({**state["numpy"], "state": {**state["numpy"]["state"], "key": key}})
    random.setstate(state["python"])
    torch.set_rng_state(state["torch"])
    devices = torch.cuda.device_count() if state["cuda"] else 0
    for device, cuda_state in enumerate(state["cuda"][:devices]):
        torch.cuda.set_rng_state(cuda_state, device)
    for name, generator in generators.items():
        generator.set_state(state["generators"][name])
