"""Texts through their latents: in text out, and what lies between."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import torch

from regard.data.pairs.lines import composed
from regard.data.running import TextCodec
from regard.decoding import Hypothesis, Limits
from regard.decoding.search import Strategy
from regard.errors import InputError, RangeError, ShapeError
from regard.models.autoencoder import TextAutoencoder
from regard.types import Float, Tensor

from .corpus import corpus_of
from .inference import GREEDY, Code, Encoded, encoded, unfolded
from .predictor import Reconstructor
from .sample import ReconstructedText

LONGEST = 1024
"""Tokens of a text that are read; what comes behind them is not."""
AHEAD = 1024
"""Texts that are read before the first of them is answered."""


class _Read(NamedTuple):
    text: str
    pieces: tuple[str, ...]
    ids: list[int]
    cut: int


class TextReconstructor(Reconstructor):
    """Takes texts through their latents.

    >>> predictor("The black cat ate the mouse.").reconstruction      # one sample
    >>> predictor(["The cat sat.", "I saw her duck."])                # a list of them
    >>> latents = predictor.latents(["The cat sat.", "A dog ran."])   # (2, Z)
    >>> predictor.written(latents.mean(dim=0, keepdim=True))          # what lies between them

    A text is read up to its first 1,024 tokens; a blank one comes back blank.

    Args:
        model: an autoencoder of text.
        codec: between text and tokens.
    """

    model: TextAutoencoder
    codec: TextCodec

    def __init__(self, model: TextAutoencoder, codec: TextCodec) -> None:
        super().__init__(model, codec)
        most = model.config.longest
        self.longest = LONGEST if most is None else min(LONGEST, most)

    def __call__(
        self, texts: str | Iterable[str], *, looks: bool = False, strategy: Strategy = GREEDY
    ) -> ReconstructedText | list[ReconstructedText]:
        """The sample of one text, or a list of those of several."""
        if isinstance(texts, str):
            return next(self.predict([texts], looks=looks, strategy=strategy))
        return list(self.predict(texts, looks=looks, strategy=strategy))

    def predict(
        self, inputs: Iterable[str], *, looks: bool = False, strategy: Strategy = GREEDY
    ) -> Iterator[ReconstructedText]:
        """A sample of every text, in their order.

        Args:
            inputs: they need never end; some are read before the first is answered.
            looks: whether to keep the latent, and how much each token counted.
            strategy: how tokens are chosen; the likeliest if not given.
        """
        stream = iter(inputs)
        while some := [self._read(text) for text in islice(stream, AHEAD)]:
            full = [one for one in some if one.ids]
            codes = self._encoded([one.text for one in full], looks) if full else []
            sources = [
                Code(code.latent, len(one.ids)) for code, one in zip(codes, full, strict=True)
            ]
            answers = unfolded(self.model, sources, strategy=strategy)
            found = iter(zip(codes, answers, strict=True))
            for one in some:
                yield self._sample(one, *next(found), looks) if one.ids else _blank(one)

    def latents(self, texts: Iterable[str]) -> Float[Tensor, "T Z"]:
        """One vector for each text.

        Raises:
            InputError: a blank text, which has none.
        """
        every = list(texts)
        for number, text in enumerate(every, start=1):
            if not text.strip():
                raise InputError(f"text {number}: needs words to have a latent, got a blank")
        if not every:
            return torch.zeros(0, self.model.config.latent)
        return torch.stack([one.latent for one in self._encoded(every, False)])

    def written(
        self, latents: Tensor, *, longest: int = 64, strategy: Strategy = GREEDY
    ) -> list[str]:
        """The text of each latent, wherever it comes from.

        Args:
            latents: (T, Z), a row for each.
            longest: tokens of a text at most, its end included.
            strategy: how tokens are chosen.

        Raises:
            ShapeError: vectors of another width.
            RangeError: ``longest`` below 1.
        """
        width = self.model.config.latent
        if latents.dim() != 2 or latents.shape[1] != width:
            raise ShapeError(
                f"written needs latents (T, {width}), got {tuple(latents.shape)}; a single one is "
                "latent.unsqueeze(0)"
            )
        if longest < 1:
            raise RangeError(f"written needs longest to be at least 1, got {longest}")
        limits = Limits(max_length=longest, ratio=0.0, offset=longest)
        found = unfolded(self.model, [*map(Code, latents)], limits=limits, strategy=strategy)
        return [self.codec.tokens.decode(one.tokens) for one in found]

    def between(self, one: str, other: str, *, steps: int = 5) -> list[str]:
        r"""Texts on the straight line from one to another, both included.

        .. math:: z_i = (1 - t_i)\, z_0 + t_i\, z_1, \quad t_i = i / (n - 1)

        Bowman et al. 2016 (https://arxiv.org/abs/1511.06349).

        Raises:
            RangeError: fewer than two steps.
            InputError: a blank text.
        """
        if steps < 2:
            raise RangeError(f"between needs two steps or more, got {steps}")
        first, last = self.latents([one, other])
        way = torch.linspace(0, 1, steps).unsqueeze(-1)
        longest = 2 * max(len(self.codec.tokens.encode(text)) for text in (one, other)) + 10
        return self.written((1 - way) * first + way * last, longest=longest)

    def _encoded(self, texts: Sequence[str], looks: bool) -> list[Encoded]:
        corpus = corpus_of([self._read(text).ids for text in texts], self.codec.tokens)
        return encoded(self.model, corpus, looks=looks)

    def _read(self, text: str) -> _Read:
        plain = composed(text).strip()
        pieces = self.codec.tokens.pieces(plain)
        ids = self.codec.tokens.ids(pieces[: self.longest])
        cut = len(pieces) - len(ids)
        return _Read(plain, tuple(pieces[: self.longest]), ids, cut)

    def _sample(
        self, read: _Read, code: Encoded, answer: Hypothesis, looks: bool
    ) -> ReconstructedText:
        unknown = self.codec.tokens.unk
        return ReconstructedText(
            text=read.text,
            reconstruction=self.codec.tokens.decode(answer.tokens),
            words=read.pieces,
            written=tuple(self.codec.tokens.pieces_of(answer.tokens)),
            log_prob=answer.log_prob,
            finished=answer.finished,
            latent=code.latent if looks else None,
            weights=code.pooled,
            cut=read.cut,
            unknown=sum(one == unknown for one in read.ids),
        )

    def about_codec(self) -> dict[str, str]:
        """How many tokens, and how narrow the way is."""
        return {
            "tokens": f"{len(self.codec.tokens):,}",
            "latent": f"{self.model.config.latent} numbers",
        }


def _blank(read: _Read) -> ReconstructedText:
    return ReconstructedText(read.text, "", (), (), 0.0, finished=True)


PREDICTOR = TextReconstructor
