"""Translators by what the command line calls them."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ChoiceError, DeviceError, RangeError

if TYPE_CHECKING:
    from ...translation import Translator


def translator(name: str | None, device: str) -> "Translator":
    """The translator in a folder, or a bundled one by its name; the usual one without a name.

    Raises:
        ChoiceError: neither a folder nor a name, or nothing is bundled.
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint in the folder.
    """
    if name is not None and Path(name).is_dir():
        from ...training.loading import load_translator

        return load_translator(Path(name), device=device)
    return _bundled(name, device)


def _bundled(name: str | None, device: str) -> "Translator":
    from ...zoo import ZOO

    known = ", ".join(ZOO.names)
    if name is None and not known:
        raise ChoiceError(
            "no translator is bundled: pass --model with the folder of a run, which regard train "
            "makes"
        )
    if name is not None and name not in ZOO.names:
        or_name = f" or one of {known}" if known else ""
        raise ChoiceError(f"--model needs the folder of a run{or_name}, got {name!r}")
    return ZOO.translator(name or ZOO.default, device=device)


def computing(threads: int | None, device: str) -> None:
    """Let torch use so many threads, and find out whether there is such a device.

    Raises:
        RangeError: no thread at all.
        DeviceError: this machine has no such device.
    """
    import torch

    if threads is not None:
        if threads < 1:
            raise RangeError(f"--threads needs to be 1 or more, got {threads}")
        torch.set_num_threads(threads)
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError):
        raise DeviceError(
            f"--device needs one that this machine has, such as cpu, got {device!r}"
        ) from None
