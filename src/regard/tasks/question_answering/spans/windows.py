"""Long passages in windows that overlap, and answers as words of them."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from regard.data.annotated import LabelCodec
from regard.data.reading import Answer
from regard.data.vocabulary.plain_words import PlainWords
from regard.data.vocabulary.splitting import Span, word_spans

WIDTH = 400
"""Words of a window at most."""


class CutText(NamedTuple):
    """A text in words, and where each stands."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]

    def words_of(self, answer: Answer) -> tuple[int, int]:
        """The first and the last word that share a character with an answer."""
        assert answer.start is not None, "answers are located before they are learned"
        starts, ends = [one[0] for one in self.spans], [one[1] for one in self.spans]
        first = min(bisect_right(ends, answer.start), len(self.words) - 1)
        last = bisect_left(starts, answer.start + len(answer.text)) - 1
        return first, max(first, last)


def cut_text(text: str, codec: LabelCodec) -> CutText:
    """The words of a text, as a codec reads them."""
    pieces = codec.pieces(text)
    if isinstance(codec.tokens, PlainWords):
        return CutText(tuple(pieces), tuple(word_spans(text, pieces)))
    return CutText(tuple(pieces), tuple(codec.tokens.spans(pieces)))


def windows(length: int, width: int) -> list[range]:
    """Stretches of at most ``width`` words, each half over the one before; all words are in one.

    >>> windows(10, 4)
    [range(0, 4), range(2, 6), range(4, 8), range(6, 10)]
    """
    if length <= width:
        return [range(length)]
    step = max(1, width // 2)
    starts = [*range(0, length - width, step), length - width]
    return [range(start, start + width) for start in starts]


def best_window(first: int, last: int, length: int, width: int) -> range:
    """The window that has most around an answer, on the side where it has less."""
    return max(
        windows(length, width),
        key=lambda one: (
            one.start <= first and last < one.stop,
            min(first - one.start, one.stop - last),
        ),
    )
