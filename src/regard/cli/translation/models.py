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
    from ...training.loading import load_translator

    return load_translator(folder_of(name), device=device)


def folder_of(name: str | None, option: str = "--model") -> Path:
    """The folder of a translator: one that is named, or that of a bundled one.

    Args:
        name: a folder or a name; the usual one if not given.
        option: where it was said.

    Raises:
        ChoiceError: neither a folder nor a name, or nothing is bundled.
    """
    if name is not None and Path(name).is_dir():
        return Path(name)

    from ...zoo import ZOO

    known = ", ".join(ZOO.names)
    if name is None and not known:
        raise ChoiceError(
            "no translator is bundled: pass --model with the folder of a run, which regard train "
            "makes"
        )
    if name is not None and name not in ZOO.names:
        or_name = f" or one of {known}" if known else ""
        raise ChoiceError(f"{option} needs the folder of a run{or_name}, got {name!r}")
    return ZOO.folder(name or ZOO.default)


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
