"""Kinds of tokenisers by name: learned, and read from a folder."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regard.config import problems
from regard.errors import InputError
from regard.registry import Registry

from .characters import Characters, CharactersLearner
from .pieces import Pieces
from .pieces_learner import PiecesLearner
from .tokeniser import FILE, FORMAT, Learner, Tokeniser
from .words import Words, WordsLearner

LEARNERS: Registry[type[Learner]] = Registry("vocabulary")
LEARNERS.add("words", WordsLearner)
LEARNERS.add("characters", CharactersLearner)
LEARNERS.add("bpe", PiecesLearner)
LEARNERS.add("unigram", PiecesLearner)

STORED: Registry[type[Tokeniser]] = Registry("stored tokeniser")
for _kind in (Words, Characters, Pieces):
    STORED.add(_kind.kind, _kind)


def learner(name: str, **settings: Any) -> Learner:
    """The settings of a kind of tokeniser: ``words``, ``characters``, ``bpe`` or ``unigram``.

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
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: needs a saved tokeniser, {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: needs a saved tokeniser, got {type(content).__name__}")
    return content
