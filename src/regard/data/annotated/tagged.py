"""Sentences with a tag for every word: CoNLL-U, ``word TAB tag``, or JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from regard.errors import InputError
from regard.json_text import parsed

from ..pairs.lines import Line, Place, lines, name_of
from .example import Example

Layout = Literal["conllu", "columns", "jsonl"]
Column = str | int
CONLLU = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}
"""Columns of CoNLL-U by name (https://universaldependencies.org/format.html)."""


def read_tagged(
    path: Path | str,
    *,
    layout: Layout | None = None,
    column: Column | None = None,
    also: Sequence[Column] = (),
) -> Iterator[Example]:
    """The sentences of a file, plain or gzip, one in memory at a time.

    Args:
        path: the file; ``"-"`` is the standard input.
        layout: how it is written. Without it ``*.conllu`` is CoNLL-U, ``*.jsonl`` has an object
            with the lists ``words`` and ``tags`` per line, and anything else has a word and its
            tag with a tab between them on every line, and a blank line between sentences.
        column: where the tag stands: a name of CoNLL-U, ``upos`` if not given; the number of a
            column, counted from 1, 2 if not given; or the field of a JSON object.
        also: where other annotations stand, which may be blank.

    Raises:
        InputError: bad data, named by file and line, or not one sentence.
    """
    chosen = layout or guess_layout(path)
    number = 0
    read = _json if chosen == "jsonl" else _blocks
    for example in read(path, chosen, column, also):
        number += 1
        yield example
    if not number:
        raise InputError(f"{name_of(path)}: needs at least one sentence, got none")


def guess_layout(path: Path | str) -> Layout:
    """What the name of a file says about it."""
    name = str(path).lower().removesuffix(".gz")
    if name.endswith((".conllu", ".conll-u")):
        return "conllu"
    return "jsonl" if name.endswith((".jsonl", ".ndjson")) else "columns"


def _blocks(
    path: Path | str, layout: Layout, column: Column | None, also: Sequence[Column]
) -> Iterator[Example]:
    """Sentences with blank lines between them."""
    conllu = layout == "conllu"
    place_of = _conllu_column if conllu else _number
    columns = [place_of(column), *map(place_of, also)]
    waiting: list[tuple[str, ...]] = []
    start: Place | None = None
    text = ""
    for line in lines(path):
        if not line.text.strip():
            if waiting:
                yield _sentence(waiting, text, start)
            waiting, start, text = [], None, ""
            continue
        if conllu and line.text.startswith("#"):
            name, _, said = line.text[1:].partition("=")
            text = said.strip() if name.strip() == "text" else text
            continue
        found = _conllu_word(line, columns) if conllu else _word(line, columns)
        if found is not None:
            start = start or line.place
            waiting.append(found)
    if waiting:
        yield _sentence(waiting, text, start)


def _sentence(found: list[tuple[str, ...]], text: str, place: Place | None) -> Example:
    words, tags, *also = zip(*found, strict=True)
    return Example(text or " ".join(words), tags, words, place, tuple(also))


def _conllu_word(line: Line, columns: Sequence[int]) -> tuple[str, ...] | None:
    """A word and its tag; ``None`` for what is no word of the tree: ranges and empty nodes."""
    cells = line.text.split("\t")
    if len(cells) != 10:
        raise InputError(
            f"{line.place}: CoNLL-U needs ten columns separated by tabs, got {len(cells)}; a file "
            "of words and tags needs another name than .conllu"
        )
    if not cells[0].isdigit():
        return None
    tags = [cells[column] for column in columns]
    return _checked(cells[CONLLU["form"]], tags, line.place, blank="_")


def _word(line: Line, columns: Sequence[int]) -> tuple[str, ...]:
    cells = line.text.split("\t")
    if len(cells) <= max(columns):
        raise InputError(
            f"{line.place}: needs a word and its tag with a tab between them, got {line.text!r:.60}"
        )
    return _checked(cells[0], [cells[column] for column in columns], line.place, blank="")


def _checked(word: str, tags: Sequence[str], place: Place, *, blank: str) -> tuple[str, ...]:
    word, tag, *also = word.strip(), *[tag.strip() for tag in tags]
    if not word:
        raise InputError(f"{place}: needs a word before its tag, got none")
    if tag == blank and not (blank and word == blank):
        raise InputError(f"{place}: needs a tag for the word {word!r}, got none")
    return word, tag, *also


def _conllu_column(column: Column | None) -> int:
    name = "upos" if column is None else column
    if isinstance(name, int):
        return name - 1
    if name not in CONLLU:
        raise InputError(f"CoNLL-U has the columns {', '.join(CONLLU)}, got {name!r}")
    return CONLLU[name]


def _number(column: Column | None) -> int:
    if column is None:
        return 1
    if isinstance(column, str):
        raise InputError(
            f"columns of words and tags have numbers, counted from 1, got the name {column!r}"
        )
    return column - 1


def _json(
    path: Path | str, layout: Layout, column: Column | None, also: Sequence[Column]
) -> Iterator[Example]:
    field, *more = "tags" if column is None else str(column), *map(str, also)
    for line in lines(path):
        if not line.text.strip():
            continue
        try:
            value = parsed(line.text)
        except ValueError as error:
            raise InputError(f"{line.place}: needs a JSON object, {error}") from None
        fields = value if isinstance(value, dict) else {}
        words = fields.get("words", ())
        tags, *others = (fields.get(name, ()) for name in (field, *more))
        alike = all(_texts(one) and len(one) == len(words) for one in (words, tags, *others))
        if not (alike and words):
            raise InputError(
                f"{line.place}: needs lists of as many words as tags in the fields 'words' and "
                f"{' and '.join(map(repr, (field, *more)))}, at least one"
            )
        also_told = tuple(map(tuple, others))
        yield Example(" ".join(words), tuple(tags), tuple(words), line.place, also_told)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
