"""Models by what the command line calls them."""

from pathlib import Path
from typing import Any

from ..errors import RegardError


def predictor(name: str | None, device: str) -> Any:
    """What uses the model in a folder, or one of the zoo by its name; the usual one without a name.

    Raises:
        ChoiceError: neither a folder nor a name.
        MissingExtraError: a name, and ``regard-zoo`` is not installed.
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint in the folder.
    """
    from ..zoo.load import load_folder

    return load_folder(folder_of(name), device)


def folder_of(name: str | None, option: str = "--model") -> Path:
    """The folder of a model: one that is named, or that of one of the zoo.

    Args:
        name: a folder or a name; the usual one if not given.
        option: where it was said.

    Raises:
        ChoiceError: neither a folder nor a name.
        MissingExtraError: a name, and ``regard-zoo`` is not installed.
    """
    from ..zoo import ZOO

    return ZOO.find(name, asked=option)


def name_of(name: str | None) -> str:
    """What a model is called: as it was named, or the name of the usual one."""
    from ..zoo import ZOO

    return ZOO.default if name is None else name


def draws(name: str) -> bool:
    """Whether what uses a model can draw its answers itself, as far as its settings tell."""
    from ..lens.foreign.folder import is_folder
    from ..task_registry import predictor_class
    from ..tasks.evaluation import Models

    if is_folder(Path(name)):
        return False
    try:
        return hasattr(predictor_class(Models((name,), folder_of).settings(name)["kind"]), "drawn")
    except RegardError:
        return True  # who loads it says what is wrong
