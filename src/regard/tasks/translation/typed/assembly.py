"""Sentences of a line, translated one by one, as one translation of the line."""

from collections.abc import Iterable, Sequence

import torch

from regard.data.pairs import Links
from regard.data.vocabulary import Span, split, word_spans
from regard.types import Float, Tensor

from ..sample import Translation
from .choice import Told, told
from .readings import Line
from .rewriting import Rewriting, rewritten
from .typing import Typing


def answer_line(
    line: Line, answers: Iterable[tuple[Translation, ...]], typing: Typing, *, aligned: bool
) -> tuple[Translation, ...]:
    """Translations of a line, the best first.

    Args:
        line: as it was read.
        answers: to each of ``line.texts``.
        typing: how the best reading is chosen.
        aligned: whether to tell where each word came from.
    """
    rest = iter(answers)
    sentences = []
    for segment in line.segments:
        if segment.readings:
            found = [next(rest) for _ in segment.readings]
            sentences.append(told(segment, found, typing))
    most = max(map(len, sentences), default=1)
    return tuple(
        _joined(line, [one[min(number, len(one) - 1)] for one in sentences], aligned=aligned)
        for number in range(most)
    )


def _joined(line: Line, sentences: Sequence[Told], *, aligned: bool) -> Translation:
    if len(sentences) == len(line.segments) == 1 and _is_plain(sentences[0]):
        one = sentences[0].translation
        return one if aligned else _unaligned(one)
    parts = _parts(line, sentences)
    text = "".join(part.text for part in parts)
    source_words, target_words = tuple(split(line.text)), tuple(split(text))
    looked = aligned and all(one.translation.weights is not None for one in sentences)
    made = _Weights(line.text, source_words, text, target_words)
    place = 0
    rest = iter(sentences)
    for segment, part in zip(line.segments, parts, strict=True):
        if looked:
            sentence = next(rest) if segment.readings else None
            made.add(segment.span, (place, place + len(part.text)), sentence)
        place += len(part.text)
    every = [one.translation for one in sentences]
    return Translation(
        source=line.text,
        text=text,
        score=sum(one.score for one in every),
        log_prob=sum(one.log_prob for one in every),
        finished=all(one.finished for one in every),
        cut=sum(one.cut for one in every),
        source_words=source_words,
        target_words=target_words,
        weights=made.weights if looked and every else None,
        links=frozenset(made.links) if looked else frozenset(),
        source_tokens=tuple(token for one in every for token in one.source_tokens),
        target_tokens=tuple(token for one in every for token in one.target_tokens),
        end=made.end if looked and every else None,
        token_weights=_token_weights(every) if looked else None,
    )


def _is_plain(one: Told) -> bool:
    """Whether the model has read what was typed, and its answer stays as it is."""
    same = one.reading.text == one.reading.rewriting.original
    return same and one.target.text == one.translation.text


def _unaligned(one: Translation) -> Translation:
    return one._replace(weights=None, links=frozenset(), end=None, token_weights=None)


def _parts(line: Line, sentences: Sequence[Told]) -> list[Rewriting]:
    """What every segment becomes."""
    rest = iter(sentences)
    return [
        next(rest).target if segment.readings else rewritten(line.text[slice(*segment.span)], [])
        for segment in line.segments
    ]


class _Weights:
    """Weights between the words of a line and of its translation, sentence by sentence."""

    def __init__(
        self,
        source: str,
        source_words: tuple[str, ...],
        target: str,
        target_words: tuple[str, ...],
    ) -> None:
        self.source = word_spans(source, source_words)
        self.target = word_spans(target, target_words)
        self.weights = torch.zeros(len(self.target), len(self.source), dtype=torch.float64)
        self.end = torch.zeros(len(self.target), dtype=torch.float64)
        self.links: set[tuple[int, int]] = set()

    def add(self, here: Span, there: Span, one: Told | None) -> None:
        """A sentence of the line and its translation, or what is copied."""
        columns, rows = _inside(self.source, here), _inside(self.target, there)
        typed = [_moved(self.source[i], here) for i in columns]
        final = [_moved(self.target[j], there) for j in rows]
        if one is None:
            same = rewritten(" " * (here[1] - here[0]), []).overlaps(typed, final)
            weights, end, links = _shares(same), same.new_zeros(len(rows)), _where(same)
        else:
            weights, end, links = _sentence(one, typed, final)
        for row, j in enumerate(rows):
            for column, i in enumerate(columns):
                self.weights[j, i] += weights[row, column]
            self.end[j] += end[row]
        self.links |= {(columns[i], rows[j]) for i, j in links}


def _sentence(
    one: Told, typed: list[Span], final: list[Span]
) -> tuple[Float[Tensor, "J I"], Float[Tensor, " J"], Links]:
    """Weights of a sentence between the words that were typed and those that are told."""
    answer = one.translation
    assert answer.weights is not None and answer.end is not None
    read = word_spans(one.reading.text, answer.source_words)
    written = word_spans(answer.text, answer.target_words)
    sources = one.reading.rewriting.overlaps(typed, read)  # (read, typed)
    targets = one.target.overlaps(written, final)  # (final, written)
    of_source, of_target = _shares(sources), _shares(targets)
    nowhere = 1 - of_source.sum(dim=-1)  # what was put in belongs to no word
    linked = {(i, j) for i, j in answer.links if i < len(read) and j < len(written)}
    links = frozenset(
        (column, row)
        for i, j in linked
        for column in sources[i].nonzero().flatten().tolist()
        for row in targets[:, j].nonzero().flatten().tolist()
    )
    weights = answer.weights.to(torch.float64)
    end = of_target @ (answer.end.to(torch.float64) + weights @ nowhere)
    found = of_target @ weights @ of_source
    copied = _same(one, typed, final) * (targets.sum(dim=-1, keepdim=True) == 0)
    return found + _shares(copied), end, links | _where(copied)


def _same(one: Told, typed: list[Span], final: list[Span]) -> Float[Tensor, "J I"]:
    """1 where a word of the translation is what was typed: those that were put in come from it."""
    sources = [one.reading.rewriting.original[slice(*span)] for span in typed]
    targets = [one.target.text[slice(*span)] for span in final]
    table = [[float(source == target) for source in sources] for target in targets]
    return torch.tensor(table, dtype=torch.float64).reshape(len(final), len(typed))


def _shares(overlaps: Tensor) -> Tensor:
    return overlaps / overlaps.sum(dim=-1, keepdim=True).clamp(min=1)


def _where(same: Tensor) -> Links:
    return frozenset((i, j) for j, i in same.nonzero().tolist())


def _inside(words: list[Span], part: Span) -> list[int]:
    return [n for n, (start, end) in enumerate(words) if start < part[1] and part[0] < end]


def _moved(word: Span, part: Span) -> Span:
    return max(0, word[0] - part[0]), min(part[1], word[1]) - part[0]


def _token_weights(answers: Sequence[Translation]) -> Float[Tensor, "T S"] | None:
    """The weights of all sentences side by side; their ends are one."""
    known = [one.token_weights for one in answers]
    tables = [one for one in known if one is not None]
    if not tables or len(tables) < len(known):
        return None
    columns = sum(len(one.source_tokens) for one in answers)
    found, start = [], 0
    for number, (one, table) in enumerate(zip(answers, tables, strict=True)):
        last = number == len(answers) - 1
        rows = table if last else table[: len(one.target_tokens)]
        width = len(one.source_tokens)
        wide = rows.new_zeros(len(rows), columns + 1)
        wide[:, start : start + width] = rows[:, :width]
        wide[:, -1] = rows[:, width:].sum(dim=-1)
        found.append(wide)
        start += width
    return torch.cat(found)
