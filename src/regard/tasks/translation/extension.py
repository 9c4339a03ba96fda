"""Words that only the source has: numbers behind those of the vocabulary, for models that copy.

See et al. 2017, section 2.2 (https://arxiv.org/abs/1704.04368).
"""

from collections.abc import Iterable, Sequence

from regard.data.vocabulary import Tokeniser


class Extension:
    """The unknown words of one source, numbered in the order in which they come.

    Args:
        tokeniser: of both sides; its unknown words get the numbers behind its last.
        most: how many of them; further ones stay unknown.
    """

    def __init__(self, tokeniser: Tokeniser, most: int) -> None:
        self.tokeniser, self.most = tokeniser, most
        self.words: list[str] = []

    def read(self, pieces: Sequence[str]) -> list[int]:
        """Numbers of a source, whose unknown words are known from now on."""
        ids = self.tokeniser.ids(pieces)
        if not self.most:
            return ids
        for piece, number in zip(pieces, ids, strict=True):
            room = len(self.words) < self.most
            if number == self.tokeniser.unk and room and piece not in self.words:
                self.words.append(piece)
        return self.numbers(pieces)

    def numbers(self, pieces: Sequence[str]) -> list[int]:
        """Numbers of a target, or of anything."""
        known = {word: len(self.tokeniser) + k for k, word in enumerate(self.words)}
        unk = self.tokeniser.unk
        ids = zip(pieces, self.tokeniser.ids(pieces), strict=True)
        return [known.get(piece, unk) if number == unk else number for piece, number in ids]

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of tokens, copied ones too."""
        found: list[str] = []
        for number in ids:
            copied = number - len(self.tokeniser)
            found += [self.words[copied]] if copied >= 0 else self.tokeniser.pieces_of([number])
        return found
