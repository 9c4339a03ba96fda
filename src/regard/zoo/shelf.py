"""Trained models by name: which there are and where they lie, no more.

They come with ``regard-zoo``, a distribution of its own (``pip install 'regard[zoo]'``), which is
looked for and never imported.
"""

from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ChoiceError, InputError, MissingExtraError
from ..notebook import table

if TYPE_CHECKING:
    from ..types import PathLike

CARD = "CARD.md"
"""What a packed model says about itself, for people; as in :mod:`regard.storage.stored_model`."""
MANIFEST = "manifest.json"
"""What makes a folder a model."""
DEFAULT = "en-fr-transformer"
"""Which one is taken unless another is named."""
DISTRIBUTION = "regard_zoo"
"""The package whose folders are the models."""


class Zoo:
    """The models in the folders of one folder.

    Args:
        path: the folder; one that is not there has none. ``None`` where ``regard-zoo`` is not
            installed.
        default: the name of the one to take unless another is named.
    """

    def __init__(self, path: "PathLike | None", *, default: str = DEFAULT) -> None:
        self.path = None if path is None else Path(path)
        self._default = default

    def __repr__(self) -> str:
        return f"Zoo({', '.join(self.names) or 'empty'})"

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{self.size(name) / 1e6:.1f} MB", "the usual one" * (name == self.default))
            for name in self.names
        ]
        return table(("model", "size", ""), rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are there, in the order of the alphabet."""
        if self.path is None:
            return ()
        return tuple(sorted(place.parent.name for place in self.path.glob(f"*/{MANIFEST}")))

    @property
    def default(self) -> str:
        """The name of the one to take unless another is named; where it is not there, the first."""
        names = self.names
        return self._default if self._default in names or not names else names[0]

    def folder(self, name: str) -> Path:
        """Where one lies.

        Raises:
            ChoiceError: there is none of this name; the message says which there are.
            MissingExtraError: ``regard-zoo`` is not installed.
        """
        if self.path is None:
            raise MissingExtraError(f"the trained model {name!r}", "zoo")
        names = self.names
        if name in names:
            return self.path / name
        if not names:
            raise ChoiceError(
                f"unknown model {name!r}: none lies in {self.path}; train one with regard train, "
                "and name its folder"
            )
        near = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ChoiceError(f"unknown model {name!r}.{hint} Known: {', '.join(names)}.")

    def find(self, model: "PathLike | None" = None, *, asked: str = "a model") -> Path:
        """The folder of a model: one by name, or any folder.

        The name of one that is here is always that one, whatever lies in the current folder;
        ``./en-fr-transformer`` is the folder.

        Args:
            model: a name, or the folder of a run, a checkpoint or a packed model; the usual one if
                not given.
            asked: what was to be given, for messages.

        Raises:
            ChoiceError: neither a folder nor a name.
            MissingExtraError: a name, and ``regard-zoo`` is not installed.
        """
        name = self.default if model is None else str(model)
        if name in self.names:
            return self.folder(name)
        if model is not None and Path(model).is_dir():
            return Path(model)
        if self.path is None and Path(name).name == name:
            raise MissingExtraError(f"the trained model {name!r}", "zoo")
        known = f" or one of {', '.join(self.names)}" if self.names else ""
        raise ChoiceError(f"{asked} needs the folder of a run{known}, got {name!r}")

    def load(self, name: str, device: str = "cpu") -> Any:
        """The predictor of one of them; see :func:`regard.load`.

        Args:
            name: which.
            device: where it is to compute.

        Raises:
            ChoiceError: there is none of this name.
            DamagedError: a file is missing, cut short or changed; the message names it.
        """
        from .load import load_folder

        return load_folder(self.folder(name), device)

    def card(self, name: str) -> str:
        """What is to be known about one: data, licence, training, scores; in Markdown.

        Raises:
            ChoiceError: there is none of this name.
            InputError: it has no card.
        """
        path = self.folder(name) / CARD
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None

    def size(self, name: str) -> int:
        """Bytes on the disk.

        Raises:
            ChoiceError: there is none of this name.
        """
        return sum(path.stat().st_size for path in self.folder(name).rglob("*") if path.is_file())


def installed(distribution: str = DISTRIBUTION) -> Path | None:
    """The folder of an installed package of models, which is not imported; ``None`` without it."""
    spec = find_spec(distribution)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


ZOO = Zoo(installed())
"""What ``regard-zoo`` brings."""
