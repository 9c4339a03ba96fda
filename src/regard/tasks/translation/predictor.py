"""A model with its vocabularies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from regard.data.alignment import Side, side_of
from regard.data.pairs import Links
from regard.data.vocabulary import Vocabularies, both_from, split
from regard.decoding import BatchLimit, Greedy, Hypothesis, Limits, decode
from regard.decoding.search import Strategy
from regard.errors import ChoiceError
from regard.measures import Argmax, Rule, word_links, word_shares
from regard.models import Seq2Seq
from regard.notebook import table
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_model
from regard.types import PathLike, Tensor

from .cleaning import cleaned, one_line
from .sample import Translation

LONGEST = 1024
"""Tokens of a source that are read; what comes behind them is not."""


class Source(NamedTuple):
    """A sentence as the model reads it."""

    text: str
    """As far as it is read."""
    pieces: list[str]
    ids: list[int]
    cut: int
    """Tokens that were left out."""


class Translator:
    """Translates text with a model.

    A blank source has a blank translation. Characters that no vocabulary can know, such as halves
    of surrogate pairs, are read as U+FFFD; a source is read up to its first ``longest`` tokens. A
    translation is one line.

    Args:
        model: what writes the translation, token by token.
        vocabularies: between text and tokens.
        longest: tokens of a source that are read; fewer where the model has no positions for them.
    """

    def __init__(
        self, model: Seq2Seq, vocabularies: Vocabularies, *, longest: int = LONGEST
    ) -> None:
        self.model = model
        self.vocabularies = vocabularies
        most = model.config.longest
        self.longest = longest if most is None else max(1, min(longest, most - 1))

    def __repr__(self) -> str:
        told = ", ".join(f"{what} {said}" for what, said in self._facts())
        return f"Translator({told})"

    def _repr_html_(self) -> str:
        return table(("Translator", ""), self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        parameters = list(self.model.parameters())
        sizes = [f"{len(vocabulary):,}" for vocabulary in self.vocabularies]
        return [
            ("model", type(self.model).__name__),
            ("parameters", f"{sum(one.numel() for one in parameters):,}"),
            ("tokens", " → ".join(sizes)),
            ("device", str(parameters[0].device) if parameters else "cpu"),
        ]

    @staticmethod
    def codec_from(files: Mapping[str, bytes], folder: Path) -> Vocabularies:
        """The vocabularies that a checkpoint keeps.

        Raises:
            InputError: a file is missing or damaged.
        """
        return both_from(files, folder)

    def predict(self, inputs: Iterable[str], *, looks: bool = False) -> Iterator[Translation]:
        """The best translation of every source, greedily, in their order."""
        return (best for best, *_ in self.answers(inputs, aligned=looks))

    def translate(
        self,
        sources: Sequence[str],
        *,
        strategy: Strategy | None = None,
        limits: Limits | None = None,
        batch: BatchLimit | None = None,
        aligned: bool = False,
        rule: Rule | None = None,
    ) -> list[Translation]:
        """The best translation of every source, in their order; see :meth:`answers`."""
        found = self.answers(
            sources, strategy=strategy, limits=limits, batch=batch, aligned=aligned, rule=rule
        )
        return [best for best, *_ in found]

    def answers(
        self,
        sources: Iterable[str],
        *,
        strategy: Strategy | None = None,
        limits: Limits | None = None,
        batch: BatchLimit | None = None,
        aligned: bool = False,
        rule: Rule | None = None,
    ) -> Iterator[tuple[Translation, ...]]:
        """Translations of every source, in their order, the best of each first.

        Args:
            sources: running text, a sentence each; they need never end.
            strategy: how to search; greedily if not given.
            limits: how long a translation may become.
            batch: how much is translated at once; ``ahead`` of them are read before the first is
                answered.
            aligned: whether to tell where each word came from.
            rule: which words are linked by the weights.
        """
        batch = batch or BatchLimit()
        target = self.vocabularies.target
        stream = iter(sources)
        limits = self._possible(limits or Limits())
        while some := [self._read(text) for text in islice(stream, batch.ahead)]:
            found = decode(
                self.model,
                [[*source.ids, target.eos] for source in some if source.ids],
                strategy=strategy or Greedy(),
                limits=limits,
                bos=target.bos,
                eos=target.eos,
                pad=target.pad,
                batch=batch,
                aligned=aligned,
            )
            waiting = iter(found)
            for source in some:
                told = next(waiting) if source.ids else [NOTHING]
                yield tuple(self._told(source, one, rule or Argmax()) for one in told)

    def _read(self, text: str) -> Source:
        text = cleaned(text)
        tokeniser = self.vocabularies.source
        pieces = tokeniser.pieces(text) if text else []
        kept = pieces[: self.longest]
        if len(kept) < len(pieces):
            text = tokeniser.text(kept)
        return Source(text, kept, tokeniser.ids(kept), len(pieces) - len(kept))

    def _told(self, source: Source, hypothesis: Hypothesis, rule: Rule) -> Translation:
        tokeniser = self.vocabularies.target
        pieces = tokeniser.pieces_of(hypothesis.tokens)
        text = tokeniser.text(pieces)
        source_words, target_words = tuple(split(source.text)), tuple(split(text))
        shares: Tensor | None = None
        links: Links = frozenset()
        if hypothesis.weights is not None:
            here = self._side(source.text, source.pieces, source_words)
            there = side_of(tokeniser.spans(pieces), text, target_words)
            shares = word_shares(hypothesis.weights, source=here, target=there)
            links = word_links(hypothesis.weights, source=here, target=there, rule=rule)
        return Translation(
            source=source.text,
            text=one_line(text),
            score=hypothesis.score,
            log_prob=hypothesis.log_prob,
            finished=hypothesis.finished,
            cut=source.cut,
            source_words=source_words,
            target_words=target_words,
            weights=None if shares is None else shares[:, :-1],
            links=links,
            source_tokens=tuple(source.pieces),
            target_tokens=tuple(pieces),
            end=None if shares is None else shares[:, -1],
            token_weights=hypothesis.weights,
        )

    def _side(self, text: str, pieces: list[str], words: tuple[str, ...]) -> Side:
        return side_of(self.vocabularies.source.spans(pieces), text, words)

    def _possible(self, limits: Limits) -> Limits:
        """The limits, lowered to what the model has positions for."""
        most = self.model.config.longest
        if most is None or limits.max_length <= most:
            return limits
        least = min(limits.min_length, most)
        return limits.model_copy(update={"max_length": most, "min_length": least})


PREDICTOR = Translator


def load_translator(path: PathLike, *, device: str = "cpu") -> Translator:
    """The translator of a checkpoint or a packed model, or of the best or else last one of a run.

    Args:
        path: a checkpoint, the folder of a run, or what :func:`regard.zoo.packing.pack` wrote.
        device: where it is to compute.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
        ChoiceError: it was trained for something else.
    """
    found = read_best(path, read_model)
    if found.task["kind"] != "translation":
        raise ChoiceError(f"{path} was trained for {found.task['kind']}, and translates nothing")
    return found.predictor(device)


NOTHING = Hypothesis(tokens=(), score=0.0, log_prob=0.0, finished=True)
"""The answer to a blank source."""
