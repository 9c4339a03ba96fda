"""What all sources of examples have in common: files of a user, and our own grammar.

A task names its data as one of these, by ``kind``; :class:`regard.tasks.data_task.DataTask` asks
them. A source that is new says how one file is read, or what a sentence of the grammar becomes:

>>> class Rhymes(ExampleFiles):
...     def read(self, path): return (line.text for line in lines(path))
...     def key(self, example): return example
>>> Rhymes(train="rhymes.txt").held_out()
"""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BeforeValidator, Field

from regard.config import Config
from regard.errors import InputError

from .datasets.get import origin_of
from .grammar import Grammar, Pair
from .pairs.lines import STANDARD_INPUT, name_of

S = TypeVar("S", bound="Source")
F = TypeVar("F", bound="FileSource")


def _file(value: object) -> object:
    """A path as text, which is how settings are stored."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _files(value: object) -> object:
    return (_file(value),) if isinstance(value, str | os.PathLike) else value


File = Annotated[str, BeforeValidator(_file)]
"""A path, or ``-`` for the standard input."""
Files = Annotated[tuple[File, ...], BeforeValidator(_files)]
"""Several of them; one alone will do."""
Share = Annotated[float, Field(gt=0, lt=1)]
"""Some, and not all."""


class Source(Config):
    """Where examples come from."""

    kind: str = ""

    def located(self: S) -> S:
        """The same wherever a process is: paths of files are absolute."""
        return self

    def published(self: S) -> S:
        """The same without the folders of files, which are nobody else's business."""
        return self

    def flags(self) -> list[str]:
        """The data as words of ``regard train``, to be typed again."""
        return []

    @property
    def about(self) -> str:
        """What was read, in a line."""
        return self.name

    @property
    def name(self) -> str:
        """What a model card calls it."""
        return type(self).__name__

    @property
    def origin(self) -> str:
        """Whose it is, and under which licence."""
        return "not stated"


class FileSource(Source):
    """Files of a user, plain or gzip, or the standard input."""

    files: ClassVar[tuple[str, ...]] = ("train", "valid")
    """The fields that are paths; each is a flag of its own name, ``train`` is ``--data``."""

    kind: Literal["files"] = "files"
    train: Files = Field(min_length=1)
    """Files to learn from; .gz too, - for stdin."""
    valid: Files = ()
    """The same to validate on; some of the others are kept back without it."""
    kept_back: Share = 0.01
    """Share of the examples that is kept back without ``valid``."""

    def located(self: F) -> F:
        """The same with absolute paths: a run may be gone on with from another folder."""
        return self._renamed(absolute)

    def published(self: F) -> F:
        """The same with the names of files and no folders."""
        return self._renamed(bare_name)

    def flags(self) -> list[str]:
        """The files as they would be said again."""
        said = {name.replace("_", "-"): _several(getattr(self, name)) for name in self.files}
        options = {"--data" if name == "train" else f"--{name}": said[name] for name in said}
        return [word for option, files in options.items() if files for word in (option, *files)]

    @property
    def name(self) -> str:
        """The names of the files."""
        return ", ".join(map(bare_name, self.train))

    @property
    def origin(self) -> str:
        """What ``regard data get`` has written down beside the files."""
        origins = {origin_of(Path(path)) for path in self.train} - {None}
        return "; ".join(sorted(map(str, origins))) or "not stated"

    def is_kept_back(self, text: str) -> bool:
        """Decided by the text alone: the same ones whatever else the file holds."""
        number = int.from_bytes(sha256(text.encode(errors="surrogatepass")).digest()[:8], "big")
        return number < self.kept_back * 2**64

    def too_few(self, what: str) -> InputError:
        """That nothing is left to validate on."""
        return InputError(
            f"{name_of(self.train[0])}: too few {what} to keep some back for validation; name a "
            "file of others for it by --valid"
        )

    def _renamed(self: F, rename: Callable[[str], str]) -> F:
        places = {name: getattr(self, name) for name in self.files}
        return self.model_copy(
            update={
                name: tuple(map(rename, found)) if isinstance(found, tuple) else rename(found)
                for name, found in places.items()
                if found is not None
            }
        )


class ExampleFiles(FileSource):
    """Files that are read example by example."""

    examples_are: ClassVar[str] = "texts"
    """What they are called in messages."""

    valid_size: int = Field(default=1000, ge=1)
    """Examples to validate on at most."""

    @abstractmethod
    def read(self, path: str) -> Iterator[Any]:
        """The examples of one file.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def key(self, example: Any) -> str:
        """The text that decides whether an example is kept back: examples that share it are kept
        back together."""

    def examples(self) -> Sequence[Any]:
        """Those to train on."""
        return [one for one in self._read if self.valid or not self.is_kept_back(self.key(one))]

    def held_out(self) -> list[Any]:
        """The first of those to validate on.

        Raises:
            InputError: there are none.
        """
        return self._validated()[: self.valid_size]

    @property
    def about(self) -> str:
        """How many examples there are."""
        return f"{', '.join(self.train)}: {len(self._read):,} {self.examples_are}"

    @cached_property
    def _read(self) -> list[Any]:
        return [one for path in self.train for one in self.read(path)]

    def _validated(self) -> list[Any]:
        if self.valid:
            found = [one for path in self.valid for one in self.read(path)]
        else:
            found = [one for one in self._read if self.is_kept_back(self.key(one))]
        if not found:
            raise self.too_few(self.examples_are)
        return found


class GrammarSource(Source):
    """Sentences of :mod:`regard.data.grammar`: endless, no download."""

    kind: Literal["grammar"] = "grammar"
    seed: int = Field(default=0, ge=0)
    """Another seed, other sentences."""
    max_words: int = Field(default=12, ge=5, le=60)
    """The most English tokens of a sentence, punctuation counted."""

    @property
    def about(self) -> str:
        """There is nothing to read."""
        return f"{self.name}, endless"

    @property
    def name(self) -> str:
        """What decides the sentences."""
        return f"regard's own grammar, up to {self.max_words} words, seed {self.seed}"

    @property
    def origin(self) -> str:
        """It is nobody's."""
        return "generated; no licence needed"

    def valid_pairs(self, count: int) -> Iterator[Pair]:
        """The first of the split ``valid``."""
        return islice(Grammar(self.seed, split="valid", max_words=self.max_words), count)

    @cached_property
    def _train(self) -> Grammar:
        return Grammar(self.seed, max_words=self.max_words)


class GrammarExamples(GrammarSource):
    """Sentences of the grammar with what its rules say of them."""

    valid_size: int = Field(default=1000, ge=1)
    """Sentences to validate on."""
    vocabulary_sentences: int = Field(default=5000, ge=1)
    """Sentences that codecs are learned from."""

    @abstractmethod
    def annotated(self, pair: Pair, number: int) -> Any:
        """What the rules say of one sentence."""

    def example(self, number: int) -> Any:
        """The sentence of a number, counted from 0, without end."""
        return self.annotated(self._train[number], number)

    def examples(self) -> Iterable[Any]:
        """The first ones."""
        return map(self.example, range(self.vocabulary_sentences))

    def held_out(self) -> list[Any]:
        """Sentences of the split ``valid``."""
        pairs = enumerate(self.valid_pairs(self.valid_size))
        return [self.annotated(pair, number) for number, pair in pairs]


def _several(files: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return files if isinstance(files, tuple) else () if files is None else (files,)


def bare_name(file: str) -> str:
    """A file without its folder."""
    return Path(file).name


def absolute(file: str) -> str:
    """A file wherever a process is; the standard input as it is."""
    return file if file == STANDARD_INPUT else os.path.abspath(file)  # noqa: PTH100
