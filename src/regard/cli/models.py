"""Translators by what the command line calls them."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ChoiceError

if TYPE_CHECKING:
    from regard.tasks.translation.predictor import Translator


def translator(name: str | None, device: str) -> "Translator":
    """The translator in a folder, or a bundled one by its name; the usual one without a name.

    Raises:
        ChoiceError: neither a folder nor a name, or nothing is bundled.
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint in the folder.
    """
    from regard.tasks.translation.predictor import load_translator

    return load_translator(folder_of(name), device=device)


def folder_of(name: str | None, option: str = "--model") -> Path:
    """The folder of a translator: one that is named, or that of a bundled one.

    The name of a bundled one is always that one, whatever lies in the current folder;
    ``./en-fr-transformer`` is the folder.

    Args:
        name: a folder or a name; the usual one if not given.
        option: where it was said.

    Raises:
        ChoiceError: neither a folder nor a name, or nothing is bundled.
    """
    from ..zoo import ZOO

    if name is not None and name not in ZOO.names and Path(name).is_dir():
        return Path(name)
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


def name_of(name: str | None) -> str:
    """What a translator is called: as it was named, or the name of the usual one."""
    from ..zoo import ZOO

    return ZOO.default if name is None else name
