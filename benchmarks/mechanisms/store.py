"""The folder of a comparison: its plan, and a folder per mechanism.

::

    out/
      plan.json          what was asked for, and the cells
      bahdanau/
        cell.json        what is trained, and how
        run/             checkpoints and log
        spent.json       time and memory so far
        result.json      what came of it, once it is done
        work.log         what its process said
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regard.errors import ChoiceError, DamagedError

from ..files import write_json
from ..settings import Settings
from .cell import Cell
from .results import Result
from .work import CELL, RESULT

PLAN = "plan.json"


def asked(settings: Settings) -> dict[str, Any]:
    """All of the settings that a result depends on."""
    return {
        "quick": settings.quick,
        "minutes": settings.minutes,
        "threads": settings.threads,
        "data": [str(path.absolute()) for path in settings.data],
        "test": [str(path.absolute()) for path in settings.test],
    }


def kept_plan(settings: Settings, make: Callable[[], list[Cell]]) -> list[Cell]:
    """The cells in the folder, or else new ones, which are written down.

    Raises:
        ChoiceError: the folder holds a comparison that was asked for otherwise.
        DamagedError: a plan that cannot be read.
    """
    path = settings.out / PLAN
    if path.is_file():
        return read_plan(path, asked(settings))
    cells = make()
    dumps = [cell.model_dump(mode="json") for cell in cells]
    write_json(path, {"asked": asked(settings), "cells": dumps})
    return cells


def read_plan(path: Path, wanted: dict[str, Any]) -> list[Cell]:
    """The cells of a plan that was made for the same."""
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
        found, cells = plan["asked"], [Cell.model_validate(cell) for cell in plan["cells"]]
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise DamagedError(
            f"{path} needs to be the plan of a comparison, and is not "
            f"({type(error).__name__}); name another folder with --out"
        ) from None
    other = [name for name, value in wanted.items() if found.get(name) != value]
    if other:
        told = ", ".join(f"{name}={found.get(name)!r}" for name in other)
        raise ChoiceError(
            f"{path.parent} holds a comparison with {told}; ask for the same, or name another "
            "folder with --out"
        )
    return cells


def result_in(folder: Path) -> Result | None:
    """What came of a cell, if it is done."""
    path = folder / RESULT
    if not path.is_file():
        return None
    try:
        return Result.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError:
        raise DamagedError(f"{path} is not a result; delete it to measure again") from None


def begun(folder: Path, cell: Cell) -> Path:
    """The folder of a cell, with the cell in it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / CELL, cell.model_dump(mode="json"))
    return folder
