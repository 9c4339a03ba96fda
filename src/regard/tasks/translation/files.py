"""A user's own sentence pairs."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from regard.data.datasets.origin import origin_of
from regard.data.pairs import Counts, Filters, Pairs, TextPair, group_by_source, read_pairs
from regard.data.pairs.lines import STANDARD_INPUT, name_of
from regard.data.vocabulary import Vocabularies, split
from regard.errors import InputError

from .config import Data
from .example import Example, from_text
from .held_out import HeldOut
from .phrases import with_phrases

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .batch import Batch

SAMPLES = 3
Column = Annotated[int, Field(ge=1)]


def _file(value: object) -> object:
    """A path as text, which is how settings are stored."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _files(value: object) -> object:
    return (_file(value),) if isinstance(value, str | os.PathLike) else value


File = Annotated[str, BeforeValidator(_file)]
"""A path, or ``-`` for the standard input."""
Files = Annotated[tuple[File, ...], BeforeValidator(_files)]
"""Several of them; one alone will do."""


class FileData(Data):
    """Pairs in files: TSV, CSV, parallel text, JSON, plain or gzip, or the standard input."""

    kind: Literal["files"] = "files"
    train: Files = Field(min_length=1)
    """Pairs: a TSV, JSONL, or a source file and its translations; .gz too, - for stdin."""
    valid: Files = ()
    """The same to validate on; some sources of the others are kept back without it."""
    columns: tuple[Column, Column] | None = None
    """Columns of source and target, counted from 1, where a file has columns; 1 and 2 if not
    given."""
    fields: tuple[str, str] | None = None
    """Names of source and target: of columns in a header (TSV, CSV), or of JSON fields."""
    alignments: File | None = None
    """Gold links of the pairs, 0-0 1-2 per line, blank where there is none."""
    valid_alignments: File | None = None
    """The same for those to validate on."""
    linked_words: Literal["spaced", "split"] = "spaced"
    """What links count: what stands between spaces, or the words and marks that regard data words
    prints."""
    phrases: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the aligned pairs out of which a phrase is learned too, as a pair of its own."""
    filters: Filters = Filters()
    """Which pairs to train on; the ones to validate on are all kept."""
    kept_back: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """Share of the sources that is kept back without ``valid``."""
    valid_size: int = Field(default=1000, ge=1)
    """Sources to validate on at most."""

    @model_validator(mode="after")
    def _named_once(self) -> "FileData":
        if self.columns is not None and self.fields is not None:
            raise ValueError("columns and fields both name source and target; give one of them")
        return self

    def texts(self) -> Iterable[Example]:
        """The pairs to train on, read anew with every call."""
        return with_phrases(from_text(self._trained(), self._split), self.phrases)

    def pools(self, vocabularies: Vocabularies, *, longest: int | None = None) -> "Pools[Batch]":
        """The pairs to train on, in memory as token numbers."""
        from regard.data.batches import FinitePools

        from .corpus import encode

        return FinitePools(encode(self.texts(), vocabularies, longest=longest))

    def located(self) -> "FileData":
        """The same with absolute paths: a run may be gone on with from another folder."""
        places = {name: getattr(self, name) for name in ("train", "valid")}
        links = {name: getattr(self, name) for name in ("alignments", "valid_alignments")}
        return self.model_copy(
            update={name: tuple(map(_located, files)) for name, files in places.items()}
            | {name: file and _located(file) for name, file in links.items()}
        )

    def held_out(self) -> list[HeldOut]:
        """Sources to validate on, each with all its references."""
        if not self._validated:
            raise InputError(
                f"{name_of(self.train[0])}: too few sentences to keep some back for validation; "
                "name a file of others for it"
            )
        return [self._held_out(pair) for pair in self._validated]

    def samples(self) -> list[HeldOut]:
        """The first that are validated on."""
        return self.held_out()[:SAMPLES]

    @property
    def about_samples(self) -> str:
        """The first of those that are."""
        return "sentences it is validated on"

    def published(self) -> "FileData":
        """The same with the names of files and no folders."""
        places = {name: tuple(map(_name, getattr(self, name))) for name in ("train", "valid")}
        links = {name: getattr(self, name) for name in ("alignments", "valid_alignments")}
        return self.model_copy(
            update=places | {name: file and _name(file) for name, file in links.items()}
        )

    def flags(self) -> list[str]:
        """The files as they would be said again."""
        said = {
            "--data": self.train,
            "--valid": self.valid,
            "--columns": tuple(map(str, self.columns or ())),
            "--alignments": (self.alignments,) if self.alignments else (),
            "--valid-alignments": (self.valid_alignments,) if self.valid_alignments else (),
        }
        return [word for option, files in said.items() if files for word in (option, *files)]

    @property
    def about(self) -> str:
        """What became of the lines to train on."""
        return f"{', '.join(self.train)}: {self.counts}"

    @property
    def name(self) -> str:
        """The names of the files."""
        return ", ".join(map(_name, self.train))

    @property
    def origin(self) -> str:
        """What ``regard data get`` has written down beside the files."""
        origins = {origin_of(Path(path)) for path in self.train} - {None}
        return "; ".join(sorted(map(str, origins))) or "not stated"

    @property
    def counts(self) -> Counts:
        """What became of the lines to train on, once they are read."""
        return self._train.counts

    @cached_property
    def _train(self) -> Pairs:
        return self._read(self.train, self.alignments, self.filters)

    @cached_property
    def _once(self) -> list[TextPair]:
        """What can be read only once."""
        return list(self._train)

    def _read(self, files: tuple[str, ...], alignments: str | None, filters: Filters) -> Pairs:
        fields: tuple[int, int] | tuple[str, str] | None = self.fields
        if self.columns is not None:
            source, target = self.columns
            fields = (source - 1, target - 1)
        return read_pairs(
            *files,
            fields=fields,
            filters=filters,
            alignments=alignments,
            split=self._split or str.split,
        )

    @property
    def _split(self) -> Callable[[str], list[str]] | None:
        return split if self.linked_words == "split" else None

    def _pairs(self) -> Iterable[TextPair]:
        once = STANDARD_INPUT in (*self.train, self.alignments)
        return self._once if once else self._train

    def _trained(self) -> Iterator[TextPair]:
        for pair in self._pairs():
            if self.valid or not self._is_kept_back(pair.source):
                yield pair

    @cached_property
    def _validated(self) -> list[TextPair]:
        if self.valid:
            every = list(self._read(self.valid, self.valid_alignments, Filters()))
        else:
            every = [pair for pair in self._pairs() if self._is_kept_back(pair.source)]
        order = {pair.source: number for number, pair in reversed(list(enumerate(every)))}
        found = list(group_by_source(sorted(every, key=attrgetter("source"))))
        return sorted(found, key=lambda pair: order[pair.source])[: self.valid_size]

    def _is_kept_back(self, source: str) -> bool:
        """Decided by the text alone: the same sources whatever else the file holds."""
        number = int.from_bytes(sha256(source.encode(errors="surrogatepass")).digest()[:8], "big")
        return number < self.kept_back * 2**64

    def _held_out(self, pair: TextPair) -> HeldOut:
        if self._split is None or pair.alignment is None:
            return HeldOut(pair.source, pair.references, pair.alignment)
        words = [tuple(self._split(text)) for text in (pair.source, pair.target)]
        return HeldOut(pair.source, pair.references, pair.alignment, *words)


def _name(file: str) -> str:
    return Path(file).name


def _located(file: str) -> str:
    return file if file == STANDARD_INPUT else os.path.abspath(file)  # noqa: PTH100
