"""A model of hidden tokens with its vocabulary, ready to fill holes; nothing of training."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import torch

from regard.data.pairs.lines import composed
from regard.data.running import TextCodec, codec_from
from regard.decoding.protocol import inference
from regard.errors import InputError, RangeError
from regard.lens.capture import capture
from regard.lens.space import Space
from regard.models import Bert
from regard.models.text import TransformerEncoderConfig
from regard.types import Bool, Float, Tensor

from ..described import Described
from .sample import CLS, HOLE, SEP, Filled, Guess

HOLES = re.compile(r"\[MASK\]|_{2,}")
"""What may be written for a hidden word."""
STAND_IN = "\ue000"
"""A character of nobody's, which is cut from what stands beside it by every tokeniser."""
BYTE = re.compile("<0x[0-9A-F]{2}>")
TOP = 5
LONGEST = 1024
"""Tokens of a text that are read for its vector, where the model has no end of positions."""


class Read(NamedTuple):
    """A text as the model reads it."""

    text: str
    """With every hole written as ``[MASK]``."""
    pieces: list[str]
    ids: list[int]
    holes: list[int]
    """Which of the pieces are hidden."""
    alone: list[bool]
    """Whether each hole is a word of its own, and not a part of one."""


class Filler(Described):
    """Fills the holes of a text.

    >>> regard.load("en-bert")("The cat [MASK] on the mat.").holes[0]
    (Guess(word='sat', probability=0.31), …)

    A hole, ``[MASK]`` or ``___``, is one token; several are guessed each for itself.

    Args:
        model: what guesses.
        codec: between text and tokens.
    """

    def __init__(self, model: Bert, codec: TextCodec) -> None:
        self.model, self.codec = model, codec

    codec_from = staticmethod(codec_from)

    def __call__(
        self, texts: str | Iterable[str], *, top: int = TOP, looks: bool = False
    ) -> Filled | list[Filled]:
        """The sample of one text, or a list of those of several."""
        if isinstance(texts, str):
            return next(self.predict([texts], top=top, looks=looks))
        return list(self.predict(texts, top=top, looks=looks))

    def predict(
        self, inputs: Iterable[str], *, top: int = TOP, looks: bool = False
    ) -> Iterator[Filled]:
        """The likeliest words for the holes of every text, in their order.

        Args:
            inputs: texts with at least one hole each.
            top: words for each hole.
            looks: whether to keep where the model looked.

        Raises:
            InputError: a text without a hole, or longer than the model has positions for.
            RangeError: ``top`` below 1.
        """
        if top < 1:
            raise RangeError(f"top needs to be at least 1, got {top}")
        return (self._filled(self.read(text), top, looks) for text in inputs)

    def read(self, text: str) -> Read:
        """A text as the model reads it.

        Raises:
            InputError: it has no hole, or is too long.
        """
        plain = composed(text).strip().replace(STAND_IN, "\ufffd")
        covered = HOLES.sub(STAND_IN, plain)
        if STAND_IN not in covered:
            raise InputError(
                f"filling needs a text with a hole, [MASK] or ___, got {plain[:60]!r}; "
                "write one where a word is missing"
            )
        pieces, ids, holes, alone = self._pieces(covered)
        most = self.model.config.longest
        if most is not None and len(ids) > most:
            raise InputError(
                f"this model reads {most} tokens at most, got {len(ids)}; shorten the text"
            )
        return Read(covered.replace(STAND_IN, HOLE), pieces, ids, holes, alone)

    def _pieces(self, covered: str) -> tuple[list[str], list[int], list[int], list[bool]]:
        """Pieces, a hole for each stand-in with the space before it."""
        if self.codec.tokens.hole is not None:
            return self._named_holes(covered, self.codec.tokens.hole)
        tokeniser = self.codec.tokens
        cut = tokeniser.pieces(covered)
        pieces: list[str] = []
        holes: list[int] = []
        alone: list[bool] = []
        last = -1
        for piece, (start, end) in zip(cut, tokeniser.spans(cut), strict=True):
            here = covered.find(STAND_IN, start, max(end, start + 1))
            if here < 0:
                pieces.append(piece)
                continue
            if here == last:  # another byte of the same
                continue
            last = here
            apart = here == 0 or covered[here - 1].isspace()
            if apart and pieces and not tokeniser.text(["x", pieces[-1]])[1:].strip():
                pieces.pop()  # the space before a word is part of its token
            holes.append(len(pieces))
            alone.append(apart)
            pieces.append(HOLE)
        ids = tokeniser.ids(pieces)
        for place in holes:
            ids[place] = self.model.config.mask
        return pieces, ids, holes, alone

    def _named_holes(
        self, covered: str, name: str
    ) -> tuple[list[str], list[int], list[int], list[bool]]:
        """The same where the tokeniser has a name for a hole."""
        text, tokeniser = covered.replace(STAND_IN, name), self.codec.tokens
        cut = tokeniser.cut(text)
        ids = tokeniser.ids([piece for piece, _ in cut])
        holes = [place for place, number in enumerate(ids) if number == self.model.config.mask]
        starts = [text.find(name, cut[place][1][0]) for place in holes]  # a space may belong to it
        alone = [start == 0 or text[start - 1].isspace() for start in starts]
        pieces = [HOLE if place in holes else piece for place, (piece, _) in enumerate(cut)]
        return pieces, ids, holes, alone

    def _framed(self, ids: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Tokens of one text as the model reads them, and how many."""
        config, device = self.model.config, next(self.model.parameters()).device
        ends = [] if config.end is None else [config.end]
        tokens = torch.tensor([[config.start, *ids, *ends]], device=device)
        return tokens, torch.tensor([tokens.shape[1]], device=device)

    def _filled(self, read: Read, top: int, looks: bool) -> Filled:
        config, weights = self.model.config, None
        tokens, lengths = self._framed(read.ids)
        with inference(self.model):
            if looks and isinstance(config.encoder, TransformerEncoderConfig):
                with capture(self.model) as record:
                    logits = self.model(tokens, lengths)[0]
                weights = torch.stack([entry.weights[0].cpu() for entry in record.values()])
            else:
                logits = self.model(tokens, lengths)[0]  # (N, V)
            chances = logits[[1 + place for place in read.holes]].float().softmax(dim=-1).cpu()
        guesses = tuple(
            self._guesses(chance, top, alone)
            for chance, alone in zip(chances, read.alone, strict=True)
        )
        ends = [] if config.end is None else [SEP]
        shown = [CLS, *(self._shown(piece) for piece in read.pieces), *ends]
        return Filled(read.text, self._text(read, guesses), guesses, tuple(shown), weights)

    def _guesses(self, chance: Float[Tensor, " V"], top: int, alone: bool) -> tuple[Guess, ...]:
        """The likeliest, of those tokens that may stand there."""
        fitting = self._begins if alone else ~self._begins & self._real
        known = fitting if fitting.any() else self._real
        found = chance.where(known, 0).topk(min(top, int(known.sum())))
        return tuple(
            Guess(self._shown(self._names[number]), round(value, 6))
            for value, number in zip(found.values.tolist(), found.indices.tolist(), strict=True)
        )

    def _text(self, read: Read, guesses: tuple[tuple[Guess, ...], ...]) -> str:
        text = read.text
        for one in guesses:
            text = text.replace(HOLE, one[0].word, 1)
        return text

    @cached_property
    def space(self) -> Space:
        """Static vectors: those of the embedding, of words that are one token."""
        numbers = self._begins.nonzero().squeeze(-1).tolist()
        named = {self._shown(self._names[number]): number for number in reversed(numbers)}
        vectors = self.model.text.embedding.table.weight.detach().cpu()
        return Space(tuple(named), vectors[list(named.values())])

    def contextual(
        self, word: str, texts: Sequence[str], *, layer: int = -1
    ) -> Float[Tensor, "T M"]:
        """The vectors of a word in texts, one for each: the mean of its tokens above a layer.

        Peters et al. 2018 (https://arxiv.org/abs/1802.05365); Devlin et al. 2019, section 5.3.

        Args:
            word: which; where it comes first counts.
            texts: in which it stands.
            layer: counted from 0, or from the last backwards.

        Raises:
            InputError: a text without the word.
            RangeError: there is no such layer.
        """
        return torch.stack([self._in_context(word, text, layer) for text in texts])

    def _in_context(self, word: str, text: str, layer: int) -> Float[Tensor, " M"]:
        plain, tokeniser = composed(text).strip(), self.codec.tokens
        found = re.search(rf"\b{re.escape(word)}\b", plain, re.IGNORECASE)
        if found is None:
            raise InputError(f"{word!r} needs to stand in {plain[:60]!r}, and does not")
        cut = tokeniser.cut(plain)
        places = [
            place
            for place, (_, (start, end)) in enumerate(cut, start=1)
            if start < found.end() and end > found.start()
        ]
        layers = self.model.blocks()
        if not -len(layers) <= layer < len(layers):
            raise RangeError(f"this model has {len(layers)} layers, counted from 0, got {layer}")
        states: list[Tensor] = []
        hook = layers[layer].register_forward_hook(lambda _, __, state: states.append(state))
        try:
            with inference(self.model):
                self.model.text(*self._framed(tokeniser.ids([piece for piece, _ in cut])))
        finally:
            hook.remove()
        return states[0].reshape(-1, states[0].shape[-1])[places].mean(dim=0).float().cpu()

    def vectors(self, texts: Iterable[str]) -> Float[Tensor, "T M"]:
        """One vector for each text, pooled as the model's config says.

        Unless that says otherwise it is the mean of the features of its tokens, ``[CLS]`` left out:
        Reimers and Gurevych 2019 (https://arxiv.org/abs/1908.10084), section 3, without their
        training. Of a blank text that is zero; what is longer than the model reads is cut.
        """
        return torch.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Float[Tensor, " M"]:
        config = self.model.config
        wish, most = config.sentence, config.longest or LONGEST
        most = most if wish.length is None else min(most, wish.length - config.around)
        ids = self.codec.tokens.encode(composed(text).strip())[:most]
        with inference(self.model):
            found = self.model.text(*self._framed(ids))[0].float().cpu()  # (N, M)
        return wish.pooled(found if wish.framed else found[1 : 1 + len(ids)])

    @cached_property
    def _names(self) -> list[str]:
        """Every token as the vocabulary writes it; special ones are empty."""
        tokeniser = self.codec.tokens
        named = [tokeniser.pieces_of([number]) for number in range(len(tokeniser))]
        return [one[0] if one else "" for one in named]

    @cached_property
    def _real(self) -> Bool[Tensor, " V"]:
        """Tokens that are text: neither special ones nor single bytes."""
        special = self.codec.tokens.specials
        return torch.tensor(
            [
                number not in special and bool(self._shown(name)) and not BYTE.fullmatch(name)
                for number, name in enumerate(self._names)
            ]
        )

    @cached_property
    def _begins(self) -> Bool[Tensor, " V"]:
        """Tokens that a word begins with: of parts of words, those with the space before it."""
        return self._real & torch.tensor([self.codec.tokens.begins(name) for name in self._names])

    def _shown(self, piece: str) -> str:
        """A piece as people read it."""
        return piece if piece == HOLE else self.codec.tokens.shown(piece)

    def about_codec(self) -> dict[str, str]:
        """How many tokens."""
        return {"tokens": f"{len(self.codec.tokens):,}"}


PREDICTOR = Filler
