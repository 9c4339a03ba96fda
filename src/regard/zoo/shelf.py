"""Bundled translators: their names and where they lie, no more."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ChoiceError, InputError
from ..notebook import table

if TYPE_CHECKING:
    from regard.tasks.translation.predictor import Translator

    from ..types import PathLike

CARD = "CARD.md"
"""What a packed translator says about itself, for people; as in :mod:`regard.storage.ancestor`."""
MANIFEST = "manifest.json"
"""What makes a folder a translator."""
DEFAULT = "en-fr-transformer"
"""Which one translates unless another is named."""


class Zoo:
    """The translators in the folders of one folder.

    Args:
        path: the folder; one that is not there has none.
        default: the name of the one to take unless another is named.
    """

    def __init__(self, path: "PathLike", *, default: str = DEFAULT) -> None:
        self.path = Path(path)
        self._default = default

    def __repr__(self) -> str:
        return f"Zoo({', '.join(self.names) or 'empty'})"

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{self.size(name) / 1e6:.1f} MB", "the usual one" * (name == self.default))
            for name in self.names
        ]
        return table(("translator", "size", ""), rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are there, in the order of the alphabet."""
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
        """
        names = self.names
        if name in names:
            return self.path / name
        if not names:
            raise ChoiceError(
                f"unknown translator {name!r}: none comes with this regard; train one with "
                "regard train, and name its folder"
            )
        near = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ChoiceError(f"unknown translator {name!r}.{hint} Known: {', '.join(names)}.")

    def translator(self, name: str, device: str = "cpu") -> "Translator":
        """One of them, ready to be used: a plain model in float32 with its vocabularies.

        Args:
            name: which.
            device: where it is to compute.

        Raises:
            ChoiceError: there is none of this name.
            DamagedError: a file is missing, cut short or changed; the message names it.
        """
        from regard.tasks.translation.predictor import load_translator

        return load_translator(self.folder(name), device=device)

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


ZOO = Zoo(Path(__file__).parent)
"""What ships with the package."""
