"""Kinds of tokenisers by name, learned or read from a folder; those of source and target."""

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from regard.config import problems
from regard.errors import InputError
from regard.json_text import parsed
from regard.registry import Registry

from .characters import Characters, CharactersLearner
from .first_pieces import FirstPieces
from .pieces import Pieces, PiecesLearner
from .plain_words import PlainWords, PlainWordsLearner
from .tokeniser import FILE, FORMAT, Learner, Tokeniser
from .tokenizer_json import TokenizerJson
from .words import Words, WordsLearner

LEARNERS: Registry[type[Learner]] = Registry("vocabulary")
LEARNERS.add("words", WordsLearner)
LEARNERS.add("characters", CharactersLearner)
LEARNERS.add("plain_words", PlainWordsLearner)
LEARNERS.add("bpe", PiecesLearner)
LEARNERS.add("unigram", PiecesLearner)

STORED: Registry[type[Tokeniser]] = Registry("stored tokeniser")
for _kind in (Words, Characters, Pieces, PlainWords, FirstPieces, TokenizerJson):
    STORED.add(_kind.kind, _kind)


def learner(name: str, **settings: Any) -> Learner:
    """The settings of a kind of tokeniser: ``words``, ``plain_words``, ``characters``,
    ``bpe`` or ``unigram``.

    Raises:
        ChoiceError: no such kind.
        InputError: a setting that it does not have, or a value that does not fit.
    """
    try:
        return LEARNERS[name](kind=name, **settings)  # type: ignore[call-arg]
    except ValidationError as error:
        raise InputError(
            f"a vocabulary of {name} cannot be learned like this: {problems(error)}"
        ) from None


def learn(name: str, texts: Iterable[str], **settings: Any) -> Tokeniser:
    """A tokeniser learned from ``texts``, e.g. ``learn("bpe", texts, size=8000)``.

    Raises:
        ChoiceError: no such kind.
        InputError: a setting that does not fit, or no text.
    """
    return learner(name, **settings).learn(texts)


def load(folder: Path | str) -> Tokeniser:
    """The tokeniser that was saved in ``folder``.

    Raises:
        InputError: there is none, or the file is damaged or of a later version.
    """
    path = Path(folder, FILE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None
    return from_bytes(data, path)


def from_bytes(data: bytes, path: Path) -> Tokeniser:
    """The tokeniser that was saved in a file.

    Args:
        data: what the file holds.
        path: its name, for messages.

    Raises:
        InputError: the file is damaged or of a later version.
    """
    content = _content(data, path)
    if content.get("format") != FORMAT:
        raise InputError(
            f"{path}: needs format {FORMAT}, got {content.get('format')!r}; "
            "use the version of regard that wrote it"
        )
    try:
        return STORED[str(content.get("kind"))].from_content(content)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _content(data: bytes, path: Path) -> dict[str, Any]:
    try:
        content = parsed(data.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: needs a saved tokeniser, {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: needs a saved tokeniser, got {type(content).__name__}")
    return content


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
