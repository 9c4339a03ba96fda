"""A user's own sentence pairs."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from regard.data.pairs import Counts, Filters, Pairs, TextPair, group_by_source, read_pairs
from regard.data.pairs.lines import STANDARD_INPUT
from regard.data.sources import File, Files, FileSource, Share
from regard.data.vocabulary import Vocabularies, split

from .augmentation import Augmentation
from .config import Data
from .example import Example, HeldOut, from_text, with_phrases

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Batch

SAMPLES = 3
Column = Annotated[int, Field(ge=1)]


class FileData(FileSource, Data):
    """Pairs in files: TSV, CSV, parallel text, JSON, plain or gzip, or the standard input."""

    files: ClassVar[tuple[str, ...]] = ("train", "valid", "alignments", "valid_alignments")

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
    augmentation: Augmentation = Augmentation()
    """Pairs made of the others, which are trained on too; vocabularies are not learned from them.
    """
    source_words: int | None = Field(default=None, ge=1)
    """Words of a source that are read, for summaries of long texts; what comes behind is cut."""
    filters: Filters = Filters()
    """Which pairs to train on; the ones to validate on are all kept."""
    kept_back: Share = 0.01
    """Share of the sources that is kept back without ``valid``."""
    valid_size: int = Field(default=1000, ge=1)
    """Sources to validate on at most."""

    @model_validator(mode="after")
    def _named_once(self) -> "FileData":
        if self.columns is not None and self.fields is not None:
            raise ValueError("columns and fields both name source and target; give one of them")
        if self.source_words is not None and (self.alignments or self.valid_alignments):
            raise ValueError("source_words cuts what alignments count; give one of them")
        return self

    def texts(self) -> Iterable[Example]:
        """The pairs to train on, read anew with every call."""
        return with_phrases(from_text(self._trained(), self._split), self.phrases)

    def pools(
        self, vocabularies: Vocabularies, *, longest: int | None = None, extension: int = 0
    ) -> "Pools[Batch]":
        """The pairs to train on, in memory as token numbers."""
        from regard.data.batches import FinitePools

        from .corpus import encode

        examples = self.augmentation.added(self.texts())
        return FinitePools(encode(examples, vocabularies, longest=longest, extension=extension))

    def held_out(self) -> list[HeldOut]:
        """Sources to validate on, each with all its references."""
        if not self._validated:
            raise self.too_few("sentences")
        return [self._held_out(pair) for pair in self._validated]

    def samples(self) -> list[HeldOut]:
        """The first that are validated on."""
        return self.held_out()[:SAMPLES]

    @property
    def about_samples(self) -> str:
        """The first of those that are."""
        return "sentences it is validated on"

    def flags(self) -> list[str]:
        """The files as they would be said again, and where in them pairs stand."""
        columns = ("--columns", *map(str, self.columns)) if self.columns else ()
        fields = ("--fields", *self.fields) if self.fields else ()
        return [*super().flags(), *columns, *fields]

    @property
    def about(self) -> str:
        """What became of the lines to train on."""
        return f"{', '.join(self.train)}: {self.counts}"

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
            if self.valid or not self.is_kept_back(pair.source):
                yield pair._replace(source=self._cut(pair.source))

    @cached_property
    def _validated(self) -> list[TextPair]:
        if self.valid:
            every = list(self._read(self.valid, self.valid_alignments, Filters()))
        else:
            every = [pair for pair in self._pairs() if self.is_kept_back(pair.source)]
        order = {pair.source: number for number, pair in reversed(list(enumerate(every)))}
        found = list(group_by_source(sorted(every, key=attrgetter("source"))))
        return sorted(found, key=lambda pair: order[pair.source])[: self.valid_size]

    def _cut(self, source: str) -> str:
        """As many of its words as are read."""
        if self.source_words is None:
            return source
        ends = [word.end() for word in islice(re.finditer(r"\S+", source), self.source_words)]
        return source[: ends[-1]] if ends else source

    def _held_out(self, pair: TextPair) -> HeldOut:
        if self._split is None or pair.alignment is None:
            return HeldOut(self._cut(pair.source), pair.references, pair.alignment)
        words = [tuple(self._split(text)) for text in (pair.source, pair.target)]
        return HeldOut(pair.source, pair.references, pair.alignment, *words)
