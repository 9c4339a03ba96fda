"""Test sets of translators: sentences with references, and pairs with gold links."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from regard.data.grammar import Grammar
from regard.data.pairs import Columns, Layout, Links, TextPair
from regard.data.pairs.layouts import Files, build_pair, one_file
from regard.data.pairs.lines import STANDARD_INPUT, Line, lines, name_of
from regard.data.pairs.read import guess_layout
from regard.data.vocabulary import split
from regard.errors import InputError
from regard.measures import Gold, read_gold, read_links
from regard.measures.alignment import CountedFrom
from regard.tasks.translation import HeldOut

from .alignments import LinkedPair, linked_pairs

LinkedWords = Literal["spaced", "split"]
"""What links count: what stands between spaces, or words and marks as regard splits them."""


class Exam(NamedTuple):
    """A test, read once and taken by any number of systems."""

    held_out: tuple[HeldOut, ...]
    """Every source once, with all its references."""
    linked: tuple[LinkedPair, ...] = ()
    """Pairs with gold links."""
    lines: int = 0
    """Lines of the files; 0 where there is no file."""
    skipped: int = 0
    """Lines without a source or without a translation."""
    places: tuple[int, ...] = ()
    """The line that each source of ``held_out`` stands in first, counted from 0."""

    @property
    def references(self) -> int:
        """References of all sources together."""
        return sum(len(one.references) for one in self.held_out)

    def read_texts(self, path: Path | str) -> list[str]:
        """Translations of the exam's sources, one per line of a file.

        There is a line for every line of the exam's files, or one for every different source.

        Raises:
            InputError: another number of lines.
        """
        texts = [line.text.strip() for line in lines(path)]
        if len(texts) == len(self.held_out):
            return texts
        if len(texts) == self.lines:
            return [texts[place] for place in self.places]
        other = f", or {self.lines}, one for each line of the test" if self.lines else ""
        raise InputError(
            f"{name_of(path)}: needs {len(self.held_out)} lines, one for each source{other}, "
            f"got {len(texts)}"
        )


def grammar_exam(*, sentences: int = 1000, max_words: int = 20, seed: int = 0) -> Exam:
    """Sentences of our own grammar that no model has trained on, with gold links.

    Args:
        sentences: how many.
        max_words: the most English tokens of a sentence, up to 60.
        seed: another one, other sentences.

    Raises:
        RangeError: a length the grammar cannot reach.
        InputError: no sentence asked for.
    """
    if sentences < 1:
        raise InputError(f"a test needs at least one sentence, got {sentences}")
    pairs = islice(Grammar(seed, split="test", max_words=max_words), sentences)
    held_out = [
        HeldOut(pair.source_text, (pair.target_text,), pair.alignment, pair.source, pair.target)
        for pair in pairs
    ]
    return Exam(tuple(held_out), tuple(linked_pairs(held_out)))


def read_exam(
    *files: Path | str,
    columns: tuple[int, int] | None = None,
    gold: Path | str | None = None,
    counted_from: CountedFrom | None = None,
    linked_words: LinkedWords = "spaced",
) -> Exam:
    """A test out of files, plain or gzip; blank lines are left out.

    Args:
        files: one file of pairs, separated by tabs or by ``|||``, JSON lines, or a source file and
            its translations; ``"-"`` is the standard input.
        columns: columns of source and target, counted from 1, where a file has columns.
        gold: links of the pairs, a line each, blank where there are none; see
            :func:`regard.measures.read_gold`.
        counted_from: the number of the first word in ``gold``; 0 if not given, unless nothing in
            the file is.
        linked_words: what links count.

    Raises:
        InputError: bad data, named by file and line.
    """
    if [str(path) for path in (*files, gold)].count(STANDARD_INPUT) > 1:
        raise InputError("the standard input ('-') can be read once, but is named twice")
    pairs = list(_layout(files, columns).pairs(files))
    kept = [place for place, pair in enumerate(pairs) if pair.source and pair.references]
    if not kept:
        raise InputError(
            f"{name_of(files[0])}: needs at least one pair, got {len(pairs)} lines without source "
            "or without translation"
        )
    held_out, places = _grouped((place, pairs[place]) for place in kept)
    linked = _own(pairs) if gold is None else _linked(pairs, gold, counted_from, linked_words)
    return Exam(held_out, tuple(linked), len(pairs), len(pairs) - len(kept), places)


def _layout(files: Sequence[Path | str], columns: tuple[int, int] | None) -> Layout:
    if not files:
        raise InputError("a test needs a file to be read from, got none")
    if columns is not None:
        if min(columns) < 1:
            raise InputError(f"columns are counted from 1, got {columns[0]} and {columns[1]}")
        return guess_layout(tuple(files), (columns[0] - 1, columns[1] - 1))
    found = guess_layout(tuple(files))
    return TabsOrBars() if type(found) is Columns else found


def _grouped(
    pairs: Iterable[tuple[int, TextPair]],
) -> tuple[tuple[HeldOut, ...], tuple[int, ...]]:
    """Every source with all its references, and where each stands first."""
    references: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for place, pair in pairs:
        places.setdefault(pair.source, place)
        known = references.setdefault(pair.source, [])
        known.extend(text for text in pair.references if text not in known)
    held_out = tuple(HeldOut(source, tuple(texts)) for source, texts in references.items())
    return held_out, tuple(places.values())


def _own(pairs: Iterable[TextPair]) -> Iterator[LinkedPair]:
    """The pairs of a file that has links itself."""
    for pair in pairs:
        if pair.alignment is not None:
            yield LinkedPair(pair.source, pair.target, Gold(pair.alignment))


def _linked(
    pairs: Sequence[TextPair],
    path: Path | str,
    counted_from: CountedFrom | None,
    linked_words: LinkedWords,
) -> Iterator[LinkedPair]:
    cut = split if linked_words == "split" else str.split
    words = [[tuple(cut(text)) for text in (pair.source, *pair.references[:1])] for pair in pairs]
    sizes = [(len(both[0]), len(both[-1])) if len(both) == 2 else (0, 0) for both in words]
    for pair, both, gold in zip(pairs, words, gold_of(path, counted_from, sizes), strict=True):
        if gold is not None:
            named = both if linked_words == "split" else (None, None)
            yield LinkedPair(pair.source, pair.target, gold, *named)


def gold_of(
    path: Path | str,
    counted_from: CountedFrom | None = None,
    sizes: Sequence[tuple[int, int]] | None = None,
) -> list[Gold | None]:
    """Gold links of a file; see :func:`regard.measures.read_gold`.

    Raises:
        InputError: something that is no link, or no word 0 in the whole file and nothing said about
            how words are counted.
    """
    found = read_gold(path, counted_from=counted_from or 0, sizes=sizes)
    if counted_from is None:
        _check(path, (gold.allowed for gold in found if gold is not None), "--counted-from")
    return found


def links_of(path: Path | str, counted_from: CountedFrom | None = None) -> list[Links]:
    """Links of a file, as an aligner writes them; see :func:`regard.measures.read_links`.

    Raises:
        InputError: as for :func:`gold_of`.
    """
    found = read_links(path, counted_from=counted_from or 0)
    if counted_from is None:
        _check(path, found, "--links-counted-from")
    return found


def _check(path: Path | str, found: Iterable[Links], option: str) -> None:
    """Refuse a file in which nothing is linked to a first word: it counts from 1."""
    links = [link for some in found for link in some]
    if links and min(map(min, links)) > 0:
        raise InputError(
            f"{name_of(path)}: no link has a word 0, so words seem to be counted from 1; say so "
            f"with counted_from=1 ({option} 1), or 0 if they are not"
        )


BARS = "|||"


class TabsOrBars(Layout):
    """``source TAB target``, or ``source ||| target`` as statistical aligners read it."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line."""
        for line in lines(one_file(files)):
            yield _pair(line)


def _pair(line: Line) -> TextPair:
    text = line.text
    if not text.strip():
        return build_pair("", [], None, line.place)
    cells = text.split("\t") if "\t" in text else text.split(BARS)
    if len(cells) < 2:
        raise InputError(
            f"{line.place}: needs source and translation separated by a tab or by {BARS}, got one "
            "text"
        )
    return build_pair(cells[0], cells[1:2], None, line.place)
