"""``regard data``: public datasets, fetched and checked."""

import sys
from pathlib import Path
from typing import Literal

from ..errors import InputError


def data(
    action: Literal["list", "get"],
    name: str | None = None,
    /,
    *,
    out: Path | None = None,
) -> None:
    """Fetch a public dataset, or list those there are.

    A download that breaks off goes on where it stopped. The paths of the files are printed on
    stdout; their licence is shown and kept beside them in ORIGIN.json.

    Args:
        action: list the datasets, or get one.
        name: Which dataset to get, e.g. tatoeba-en-fr.
        out: The folder for its files; data/<name> if not given.
    """
    if action == "list":
        if name is not None or out is not None:
            raise InputError("data list takes nothing else; to fetch a dataset: data get NAME")
        _list()
        return
    if name is None:
        raise InputError("data get needs the name of a dataset; see them with: regard data list")

    from ..tasks.datasets import DATASETS, get

    dataset = DATASETS[name]
    for path in get(dataset, out or Path("data") / name, _tell):
        print(path)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _list() -> None:
    from ..tasks.datasets import DATASETS

    for name in DATASETS:
        dataset = DATASETS[name]
        print(f"{name}\t{dataset.summary}\t{dataset.licence}")
