"""``regard data``: public datasets, fetched and checked; words of pairs; pairs of our grammar."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..errors import InputError
from ..registry import Registry

data = App(
    help="""Fetch a public dataset, list those there are, show the words of pairs, or make pairs.

    Without a word it lists.""",
)


@data.default
@data.command(name="list")
def list_() -> None:
    """List the datasets: name, what it is, licence."""
    from regard.data.datasets import DATASETS

    for name in DATASETS:
        dataset = DATASETS[name]
        print(f"{name}\t{dataset.summary}\t{dataset.licence}")


@data.command
def get(name: str, /, *, out: Path | None = None) -> None:
    """Fetch a dataset.

    A download that breaks off goes on where it stopped. The paths of the files are printed on
    stdout; their licence is shown and kept beside them in ORIGIN.json.

    Args:
        name: Which dataset, e.g. tatoeba-en-fr.
        out: The folder for its files; data/<name> if not given.
    """
    from regard.data.datasets import DATASETS
    from regard.data.datasets import get as fetch

    for path in fetch(DATASETS[name], out or Path("data") / name, _tell):
        print(path)


@data.command
def words(file: str, /, *files: str) -> None:
    """Print the words and marks of pairs.

    A pair per line as "source ||| target", which is what statistical aligners read; their links
    then come back by train --alignments LINKS --link-tokens split.

    Args:
        file: A file of pairs, or of sources.
        files: The translations, if they stand in files of their own.
    """
    from regard.data.pairs.read import guessed
    from regard.data.vocabulary import split

    for pair in guessed((file, *files)).pairs((file, *files)):
        target = pair.target if pair.references else ""
        print(" ".join(split(pair.source)), "|||", " ".join(split(target)))


@data.command
def grammar(
    *,
    pairs: int,
    max_words: Annotated[int, Parameter(show_default=True)] = 10,
    seed: Annotated[int, Parameter(show_default=True)] = 0,
) -> None:
    """Print pairs of our own English-French grammar, with a tab between source and target.

    Args:
        pairs: How many.
        max_words: The longest English sentence, from 5 to 60.
        seed: Another one gives other pairs.
    """
    from itertools import islice

    from regard.data.grammar import Grammar

    if pairs < 1:
        raise InputError(f"--pairs needs to be 1 or more, got {pairs}")
    if not 5 <= max_words <= 60:
        raise InputError(f"--max-words needs to be from 5 to 60, got {max_words}")
    if seed < 0:
        raise InputError(f"--seed needs to be 0 or more, got {seed}")
    for pair in islice(Grammar(seed, max_words=max_words), pairs):
        print(pair.source_text, pair.target_text, sep="\t")


def command(words: Sequence[str]) -> App:
    """The command with its own.

    Raises:
        ChoiceError: there is no such command.
    """
    if words and not words[0].startswith("-"):
        ACTIONS[words[0]]
    return data


ACTIONS: Registry[str] = Registry("data command")
for _name in ("list", "get", "words", "grammar"):
    ACTIONS.add(_name, _name)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
