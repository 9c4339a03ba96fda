"""Read sentence pairs from files, streamed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from regard.errors import InputError

from .columns import Column, Columns, Csv
from .filters import Counts, Filters
from .json_lines import JsonLines
from .layouts import Files, Layout, Parallel
from .lines import STANDARD_INPUT, name_of
from .links import Split, add_links
from .pair import TextPair

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
