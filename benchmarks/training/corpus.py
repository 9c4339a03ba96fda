"""The text that everybody trains on: split into pieces of one joint vocabulary, in plain files."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from regard.data.grammar import Grammar
from regard.data.pairs import read_pairs
from regard.data.vocabulary import Tokeniser, learn
from regard.data.vocabulary.tokeniser import SPECIALS
from regard.errors import InputError
from regard.tasks.translation.example import Example, from_text, from_words

SIZE = 8000
"""Entries of the vocabulary at most."""
MOST_PAIRS = 60_000
"""Pairs that are used of a larger corpus, spread over all of it."""
GRAMMAR_PAIRS = 20_000
GRAMMAR_WORDS = 60
"""The longest sentences of the grammar, so that lengths differ."""
LONGEST = 100
"""Pieces of a side at most; longer pairs are left out."""
HELD_OUT = 20
"""Pairs of the file for validation, which nobody looks at; some systems want to see one."""

Text = tuple[str, str]
Pieces = tuple[list[str], list[str]]


class Prepared(NamedTuple):
    """What lies in the folder."""

    folder: Path
    origin: str
    """Where the text comes from."""
    pairs: int
    vocabulary: int
    """Entries, special ones counted."""


def texts(files: Sequence[Path]) -> list[Text]:
    """The pairs of the files, at most as many as are used, or pairs of the grammar without files.

    Raises:
        InputError: bad data, named by file and line.
    """
    found = [(example.source, example.target) for example in examples(files)]
    stride = max(1, -(-len(found) // MOST_PAIRS))
    return found[::stride]


def examples(files: Sequence[Path]) -> Iterator[Example]:
    """What the files hold, or pairs of the grammar without files."""
    if files:
        return from_text(read_pairs(*files))
    return map(from_words, islice(Grammar(max_words=GRAMMAR_WORDS), GRAMMAR_PAIRS))


def prepare(files: Sequence[Path], folder: Path) -> Prepared:
    """Learn the vocabulary, split the text, write both.

    Args:
        files: one file of pairs, or a source and a target file; none for our own grammar.
        folder: where to write ``train.source``, ``train.target`` and ``vocabulary.txt``.

    Raises:
        InputError: bad data, named by file and line, or no pair that is short enough.
    """
    pairs = texts(files)
    tokeniser = learn("bpe", chain.from_iterable(pairs), size=SIZE)
    split = list(fitting(pairs, tokeniser))
    if not split:
        raise InputError(
            f"bench training needs pairs of at most {LONGEST} pieces, got longer ones only; name "
            "text in sentences with --data"
        )
    write(folder, "train", split)
    write(folder, "valid", split[:HELD_OUT])
    entries = vocabulary(split, tokeniser)
    (folder / "vocabulary.txt").write_text("\n".join(entries) + "\n", encoding="utf-8")
    origin = " ".join(path.name for path in files) or f"grammar, up to {GRAMMAR_WORDS} words"
    return Prepared(folder, origin, len(split), len(entries))


def fitting(pairs: Sequence[Text], tokeniser: Tokeniser) -> Iterator[Pieces]:
    """The pairs in pieces, without the longest and those a plain file cannot hold."""
    for source, target in pairs:
        pieces = tokeniser.pieces(source), tokeniser.pieces(target)
        if all(0 < len(side) <= LONGEST and not any(map(spaced, side)) for side in pieces):
            yield pieces


def spaced(piece: str) -> bool:
    """Whether a reader of lines and words would cut the piece, or drop it."""
    return not piece or any(character.isspace() for character in piece)


def vocabulary(split: Sequence[Pieces], tokeniser: Tokeniser) -> list[str]:
    """All entries in the order of their numbers; those that never occur under another name."""
    seen = dict.fromkeys(piece for pair in split for side in pair for piece in side)
    entries = [f"<unused-{number}>" for number in range(len(tokeniser))]
    for piece, number in zip(seen, tokeniser.ids(list(seen)), strict=True):
        entries[number] = piece
    entries[: len(SPECIALS)] = SPECIALS
    return entries


def write(folder: Path, name: str, split: Sequence[Pieces]) -> None:
    """A file per side, pieces with spaces between them."""
    for number, side in enumerate(("source", "target")):
        lines = "".join(" ".join(pair[number]) + "\n" for pair in split)
        (folder / f"{name}.{side}").write_text(lines, encoding="utf-8")
