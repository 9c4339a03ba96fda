"""Read sentence pairs from files, streamed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from regard.errors import InputError

from .filters import Counts, Filters
from .json_lines import JsonLines
from .layouts import Columns, Files, Layout, Parallel
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
    filters: Filters | None = None,
    alignments: Path | str | None = None,
    split: Split = str.split,
) -> Pairs:
    """Pairs from columns, parallel files or JSON lines, plain or gzip.

    Args:
        files: one file of pairs, or a source file and its translations; ``"-"`` is the standard
            input.
        layout: how they are written; without it several files are parallel, ``*.jsonl`` holds
            JSON, and anything else has columns separated by tabs.
        filters: which pairs to keep; without it all that are not blank.
        alignments: a file of links such as ``0-0 1-2``, one line per line of the pairs, blank
            where there is no gold.
        split: a text into the words that ``alignments`` counts.

    Raises:
        InputError: no file, or the standard input named twice.
    """
    named = [str(path) for path in (*files, alignments)]
    if not files:
        raise InputError("pairs need a file to be read from, got none")
    if named.count(STANDARD_INPUT) > 1:
        raise InputError("the standard input ('-') can be read once, but is named twice")
    return Pairs(
        files,
        layout=layout or guess_layout(files),
        filters=filters or Filters(),
        alignments=alignments,
        split=split,
    )


def guess_layout(files: Files) -> Layout:
    """The layout that number and names of the files suggest."""
    if len(files) > 1:
        return Parallel()
    name = str(files[0]).lower().removesuffix(".gz")
    return JsonLines() if name.endswith(JSON_ENDINGS) else Columns()


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
