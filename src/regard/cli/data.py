"""``regard data``: public datasets, fetched and checked."""

import sys
from pathlib import Path
from typing import Literal

from ..errors import InputError


def data(
    action: Literal["list", "get", "words", "grammar"] = "list",
    name: str | None = None,
    /,
    *files: str,
    out: Path | None = None,
    max_words: int = 10,
) -> None:
    """Fetch a public dataset, list those there are, show the words of pairs, or make pairs.

    A download that breaks off goes on where it stopped. The paths of the files are printed on
    stdout; their licence is shown and kept beside them in ORIGIN.json. Words and marks are printed
    a pair per line as "source ||| target", which is what statistical aligners read; their links
    then come back by train --alignments LINKS --linked-words split. Pairs of our own
    English-French grammar are printed with a tab between source and target.

    Args:
        action: list the datasets, get one, print the words of a file, or pairs of the grammar.
        name: Which dataset to get, e.g. tatoeba-en-fr, or a file of pairs; of the grammar, how
            many pairs.
        files: The translations, if they stand in files of their own.
        out: The folder for its files; data/<name> if not given.
        max_words: Of the grammar, the longest English sentence, from 5 to 60.
    """
    if action == "grammar":
        _grammar(name, max_words)
        return
    if action == "words":
        if name is None or out is not None:
            raise InputError("data words takes a file of pairs, or a source file and translations")
        _words(name, *files)
        return
    if files:
        raise InputError(f"data {action} takes no files, got {files[0]!r}")
    if action == "list":
        if name is not None or out is not None:
            raise InputError("data list takes nothing else; to fetch a dataset: data get NAME")
        _list()
        return
    if name is None:
        raise InputError("data get needs the name of a dataset; see them with: regard data list")

    from regard.data.datasets import DATASETS, get

    dataset = DATASETS[name]
    for path in get(dataset, out or Path("data") / name, _tell):
        print(path)


def _grammar(count: str | None, max_words: int) -> None:
    from itertools import islice

    from regard.data.grammar import Grammar

    if count is None or not count.isdecimal():
        raise InputError(f"data grammar needs how many pairs to print, got {count!r}")
    if not 5 <= max_words <= 60:
        raise InputError(f"--max-words needs to be from 5 to 60, got {max_words}")
    for pair in islice(Grammar(max_words=max_words), int(count)):
        print(pair.source_text, pair.target_text, sep="\t")


def _words(*files: str) -> None:
    from regard.data.pairs.read import guess_layout
    from regard.data.vocabulary import split

    for pair in guess_layout(files).pairs(files):
        target = pair.target if pair.references else ""
        print(" ".join(split(pair.source)), "|||", " ".join(split(target)))


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _list() -> None:
    from regard.data.datasets import DATASETS

    for name in DATASETS:
        dataset = DATASETS[name]
        print(f"{name}\t{dataset.summary}\t{dataset.licence}")
