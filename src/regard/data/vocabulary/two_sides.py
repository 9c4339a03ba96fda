"""The tokenisers of source and target, joint or separate."""

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from regard.errors import InputError

from .catalogue import from_bytes, load
from .tokeniser import FILE, Learner, Tokeniser

Sharing = Literal["joint", "separate"]


class Vocabularies(NamedTuple):
    """What reads the source and what reads the target."""

    source: Tokeniser
    target: Tokeniser

    @property
    def sharing(self) -> Sharing:
        """Whether one tokeniser serves both sides."""
        return "joint" if self.source is self.target else "separate"

    def save(self, folder: Path | str) -> None:
        """Write them into folders of ``folder`` named ``joint``, or ``source`` and ``target``.

        Raises:
            InputError: the folder may not be written to, or others are in it.
        """
        folder = Path(folder)
        strangers = {"joint", "source", "target"} - self._sides.keys()
        if any((folder / name).exists() for name in strangers):
            raise InputError(f"{folder}: holds vocabularies of another kind; take an empty folder")
        for name, tokeniser in self._sides.items():
            try:
                (folder / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{folder}: cannot be written, {error.strerror}") from None
            tokeniser.save(folder / name)

    def sizes(self) -> dict[str, int]:
        """How many tokens each side has, by the names of a model's config."""
        return {"source_vocab": len(self.source), "target_vocab": len(self.target)}

    def files(self) -> dict[str, bytes]:
        """What :meth:`save` writes, by the names inside its folder."""
        return {f"{name}/{FILE}": side.to_bytes() for name, side in self._sides.items()}

    @property
    def _sides(self) -> dict[str, Tokeniser]:
        return {"joint": self.source} if self.sharing == "joint" else self._asdict()


def learn_both(
    learner: Learner, *, sources: Iterable[str], targets: Iterable[str], sharing: Sharing
) -> Vocabularies:
    """Tokenisers for both sides: one learned from all text, or one each.

    Raises:
        InputError: there is nothing to learn from.
    """
    if sharing == "joint":
        both = learner.learn(chain(sources, targets))
        return Vocabularies(both, both)
    return Vocabularies(learner.learn(sources), learner.learn(targets))


def load_both(folder: Path | str) -> Vocabularies:
    """What :meth:`Vocabularies.save` wrote.

    Raises:
        InputError: it is not there, or damaged.
    """
    folder = Path(folder)
    if (folder / "joint").exists():
        both = load(folder / "joint")
        return Vocabularies(both, both)
    return Vocabularies(load(folder / "source"), load(folder / "target"))


def both_from(files: Mapping[str, bytes], folder: Path) -> Vocabularies:
    """The same from what :meth:`Vocabularies.files` gave.

    Args:
        files: contents by name.
        folder: where they were found, for messages.

    Raises:
        InputError: a file is missing or damaged.
    """

    def side(name: str) -> Tokeniser:
        inside = f"{name}/{FILE}"
        if inside not in files:
            raise InputError(f"{folder / inside}: a vocabulary needs this file, it is missing")
        return from_bytes(files[inside], folder / inside)

    if f"joint/{FILE}" in files:
        both = side("joint")
        return Vocabularies(both, both)
    return Vocabularies(side("source"), side("target"))
