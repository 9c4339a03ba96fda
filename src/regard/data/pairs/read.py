"""Read sentence pairs from files, streamed; which of them are left out, why, and how many."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from regard.config import Config
from regard.errors import InputError

from .json_lines import JsonLines
from .layouts import Column, Columns, Csv, Files, Layout, Parallel, Split, add_links
from .lines import STANDARD_INPUT, TextPair, name_of

Reason = Literal["blank", "too short", "too long", "uneven"]


class Filters(Config):
    """Limits that a pair must keep; the blank ones are always left out."""

    unit: Literal["words", "characters"] = "words"
    """What lengths are counted in; words are split at spaces."""
    min_length: int = 1
    """Shortest length of either side."""
    max_length: int | None = None
    """Longest length of either side."""
    max_ratio: float | None = None
    """How many times longer one side may be than the other."""

    def length(self, text: str) -> int:
        """The length of ``text`` in this unit."""
        return len(text.split()) if self.unit == "words" else len(text)

    def reason(self, source: str, target: str) -> Reason | None:
        """Why these two are left out; ``None`` if they are kept."""
        if not source or not target:
            return "blank"
        shorter, longer = sorted((self.length(source), self.length(target)))
        if shorter < self.min_length:
            return "too short"
        if self.max_length is not None and longer > self.max_length:
            return "too long"
        if self.max_ratio is not None and longer > self.max_ratio * shorter:
            return "uneven"
        return None

    def sift(self, pair: TextPair) -> TextPair | Reason:
        """The pair with the references that pass, or why none does.

        The alignment belongs to the first reference and goes with it.
        """
        if not pair.references:
            return "blank"
        reasons = [self.reason(pair.source, reference) for reference in pair.references]
        if reasons[0] is not None and all(reasons):
            return reasons[0]
        kept = [text for text, why in zip(pair.references, reasons, strict=True) if why is None]
        alignment = pair.alignment if reasons[0] is None else None
        return pair._replace(references=tuple(kept), alignment=alignment)


class Counts(NamedTuple):
    """What became of the lines of a corpus."""

    read: int = 0
    kept: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    """Reasons with their counts, the most frequent first."""

    def __str__(self) -> str:
        total = f"read {self.read:,} lines, kept {self.kept:,}"
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped)
        return f"{total}; skipped {reasons}" if reasons else total

    @classmethod
    def of(cls, read: int, skipped: Counter[str]) -> "Counts":
        """The value of a tally; ties in the order of the alphabet."""
        ranked = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
        return cls(read, read - skipped.total(), tuple(ranked))


JSON_ENDINGS = (".jsonl", ".ndjson", ".json")


class Pairs(Iterable[TextPair]):
    """The pairs of a corpus, read anew with every iteration, one line in memory at a time.

    Made by :func:`read_pairs`. :attr:`counts` tells what became of the lines of the last iteration.
    """

    def __init__(
        self,
        files: Files,
        *,
        layout: Layout,
        filters: Filters,
        alignments: Path | str | None,
        split: Split = str.split,
    ) -> None:
        self.files = files
        self.layout = layout
        self.filters = filters
        self.alignments = alignments
        self.split = split
        self._read = 0
        self._skipped: Counter[str] = Counter()

    @property
    def counts(self) -> Counts:
        """Lines read so far, kept, and skipped by reason."""
        return Counts.of(self._read, self._skipped)

    def __iter__(self) -> Iterator[TextPair]:
        """The pairs that pass the filters.

        Raises:
            InputError: bad data, named by file and line, or not one pair that passes.
        """
        self._read, self._skipped = 0, Counter()
        pairs = self.layout.pairs(self.files)
        if self.alignments is not None:
            pairs = add_links(pairs, self.alignments, self.split)
        for pair in pairs:
            self._read += 1
            kept = self.filters.sift(pair)
            if isinstance(kept, TextPair):
                yield kept
            else:
                self._skipped[kept] += 1
        if not self.counts.kept:
            raise InputError(f"{name_of(self.files[0])}: needs at least one pair, {self.counts}")


def read_pairs(
    *files: Path | str,
    layout: Layout | None = None,
    fields: tuple[Column, Column] | None = None,
    filters: Filters | None = None,
    alignments: Path | str | None = None,
    split: Split = str.split,
) -> Pairs:
    """Pairs from TSV, CSV, parallel files or JSON, plain or gzip.

    Args:
        files: one file of pairs, or a source file and its translations; ``"-"`` is the standard
            input.
        layout: how they are written; without it several files are parallel, ``*.jsonl``,
            ``*.ndjson`` and ``*.json`` hold JSON, ``*.csv`` has columns separated by commas, and
            anything else columns separated by tabs.
        fields: the names of source and target, which are those of a header or of JSON fields, or
            the numbers of their columns, counted from 0; instead of ``layout``.
        filters: which pairs to keep; without it all that are not blank.
        alignments: a file of links such as ``0-0 1-2``, one line per line of the pairs, blank
            where there is no gold.
        split: a text into the words that ``alignments`` counts.

    Raises:
        InputError: no file, the standard input named twice, or fields where there are none.
    """
    named = [str(path) for path in (*files, alignments)]
    if not files:
        raise InputError("pairs need a file to be read from, got none")
    if named.count(STANDARD_INPUT) > 1:
        raise InputError("the standard input ('-') can be read once, but is named twice")
    if layout is not None and fields is not None:
        raise InputError("layout and fields both say where source and target stand; pass one")
    return Pairs(
        files,
        layout=layout or guess_layout(files, fields),
        filters=filters or Filters(),
        alignments=alignments,
        split=split,
    )


def guess_layout(files: Files, fields: tuple[Column, Column] | None = None) -> Layout:
    """The layout that number and names of the files suggest.

    Raises:
        InputError: fields of parallel files.
    """
    if len(files) > 1:
        if fields is not None:
            raise InputError(f"columns and fields are those of one file, got {len(files)} files")
        return Parallel()
    name = str(files[0]).lower().removesuffix(".gz")
    columns = Csv if name.endswith(".csv") else Columns
    match fields:
        case None:
            return JsonLines() if name.endswith(JSON_ENDINGS) else columns()
        case str(source), str(target) if name.endswith(JSON_ENDINGS):
            return JsonLines(source=source, target=target)
        case source, target:
            return columns(source=source, references=(target,))


def group_by_source(pairs: Iterable[TextPair]) -> Iterator[TextPair]:
    """Neighbours with the same source as one pair with all their references.

    The alignment of the first of them stays.
    """
    waiting: TextPair | None = None
    for pair in pairs:
        if waiting is not None and waiting.source == pair.source:
            new = [text for text in pair.references if text not in waiting.references]
            waiting = waiting._replace(references=(*waiting.references, *new))
            continue
        if waiting is not None:
            yield waiting
        waiting = pair
    if waiting is not None:
        yield waiting
