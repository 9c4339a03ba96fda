"""Which reader takes a path, by what it is."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from regard.data.annotated import read_labelled
from regard.errors import InputError

from ..reading import read_picture
from ..store import PictureStore
from .arrays import DIGITS, digits, is_idx, is_sheet, read_idx, read_sheet
from .base import Files, Labelled
from .clutter import COUNTS, clutter

COLUMNS: tuple[int | str, int | str] = (2, 1)
"""Of label and name in a table that says nothing else."""
Columns = tuple[int | str, int | str]


def read_labelled_pictures(
    path: str, *, pictures: str | None = None, columns: Columns | None = None
) -> Labelled:
    """Pictures with labels, from whatever holds them.

    ==================================== =========================================================
    ``path``                             what is read
    ==================================== =========================================================
    a folder or a zip                    a class for every folder in it, with pictures at any depth
    ``train.tsv``, ``.csv``, ``.gz``     names and labels; the pictures lie in ``pictures``
    ``train-images-idx3-ubyte.gz``       pictures of MNIST's form, labels in the file of its name
    ``train-0.jpg``, with ``.labels``    a sheet a hundred pictures wide, as the file of labels says
    ``digits``                           the 1,797 handwritten digits of scikit-learn
    ``cluttered-digits``                 the same on larger pictures, among scraps of others;
                                         others with ``-valid`` and ``-test`` behind it
    ==================================== =========================================================

    Args:
        path: see above.
        pictures: folder or zip of those that a table names; the folder of the table if not given.
        columns: of label and name in a table, counted from 1, or their names in its header.

    Raises:
        InputError: there are none, or they cannot be read.
    """
    if path == DIGITS:
        return digits()
    if path in COUNTS:
        return clutter(path)
    place = Path(path)
    if not place.exists():
        raise InputError(f"{path}: needs to be there: a folder of classes, a table, or pictures")
    if place.is_dir() or place.suffix.lower() == ".zip":
        return _classes(PictureStore(place))
    if is_idx(place):
        return read_idx(place)
    if is_sheet(place):
        return read_sheet(place, read_picture(place))
    return _table(path, pictures, columns or COLUMNS)


def _classes(store: PictureStore) -> Labelled:
    """A class for every folder; one folder around all of them is looked through."""
    shared = _around(store.names)
    inner = [PurePosixPath(name).relative_to(shared) for name in store.names]
    named = [
        (name, place.parts[0])
        for name, place in zip(store.names, inner, strict=True)
        if len(place.parts) > 1
    ]
    if not named:
        raise InputError(
            f"{store.path}: needs a folder with pictures for every class, got {len(store)} "
            "pictures in no folder"
        )
    return Files(store, [name for name, _ in named], [label for _, label in named])


def _around(names: tuple[str, ...]) -> PurePosixPath:
    """The folder in which all lie and in which there are others; the root if there is none."""
    shared = PurePosixPath()
    while True:
        below = [PurePosixPath(name).relative_to(shared).parts for name in names]
        first = {parts[0] for parts in below if len(parts) > 1}
        deep = [parts for parts in below if len(parts) > 2]
        if len(first) != 1 or len(deep) != len(below) or not below:
            return shared
        shared = shared / first.pop()


def _table(path: str, pictures: str | None, columns: Columns) -> Labelled:
    store = PictureStore(pictures if pictures is not None else Path(path).parent)
    read = list(_named(path, store, columns))
    if not read:
        raise InputError(f"{path}: needs names of pictures and their labels, got none")
    names, labels, places = zip(*read, strict=True)
    return Files(store, names, labels, places)


def _named(path: str, store: PictureStore, columns: Columns) -> Iterator[tuple[str, str, str]]:
    for one in read_labelled(path, columns=columns):
        if one.text not in store:
            raise InputError(
                f"{one.place}: needs a picture of {store.path}, got the name {one.text!r}; name "
                "the folder or the zip by --pictures, and the columns of label and name by "
                "--columns"
            )
        yield store.place(one.text), one.labels[0], str(one.place)
