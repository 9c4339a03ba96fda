"""Links out of files, with a look at how their words are counted."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from regard.data.pairs import Links
from regard.data.pairs.lines import name_of
from regard.errors import InputError
from regard.measures import Gold, read_gold, read_links
from regard.measures.gold import CountedFrom


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
