"""A model with its vocabularies: text in, text out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from regard.data.alignment import Side, side_of
from regard.data.pairs import Links
from regard.data.vocabulary import Vocabularies, both_from, split
from regard.decoding import (
    BatchLimit,
    Ensemble,
    Greedy,
    Hypothesis,
    Limits,
    Processor,
    decode,
)
from regard.decoding.protocol import StepDecoder
from regard.decoding.search import Strategy
from regard.errors import ChoiceError
from regard.measures import Argmax, Rule, word_links, word_shares
from regard.models import Seq2Seq
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_model
from regard.types import PathLike, Tensor

from ..described import Described
from .sample import Translation
from .source import Source, cleaned, one_line, read_source
from .typed.assembly import answer_line
from .typed.readings import read_line
from .typed.typing import Typing

if TYPE_CHECKING:
    from .views import Looked

LONGEST = 1024
"""Tokens of a source that are read; what comes behind them is not."""


class Translator(Described):
    """Translates text with a model.

    A blank source has a blank translation. Characters that no vocabulary can know, such as halves
    of surrogate pairs, are read as U+FFFD; a source is read up to its first ``longest`` tokens. A
    translation is one line.

    Args:
        model: what writes the translation, token by token.
        vocabularies: between text and tokens.
        longest: tokens of a source that are read; fewer where the model has no positions for them.
        typing: what is done for lines that are not as clean as what the model was trained on;
            ``None`` reads them as they are.
    """

    def __init__(
        self,
        model: Seq2Seq,
        vocabularies: Vocabularies,
        *,
        longest: int = LONGEST,
        typing: Typing | None = None,
    ) -> None:
        self.model, self.writer = model, cast(StepDecoder, model)
        self.vocabularies = vocabularies
        self.typing = typing
        most = model.config.longest
        self.longest = longest if most is None else max(1, min(longest, most - 1))

    def together(self, *others: "Translator") -> "Translator":
        """The same, with others writing along: the mean of their probabilities decides.

        >>> regard.load("one").together(regard.load("other")).translate(["I love you."])

        Raises:
            ChoiceError: other vocabularies.
        """
        if any(other.vocabularies.files() != self.vocabularies.files() for other in others):
            raise ChoiceError(
                "translators that write together need the same vocabularies, got others; begin one "
                "from the other by --init-from"
            )
        self.writer = Ensemble([self.writer, *(other.writer for other in others)])
        self.longest = min([self.longest, *(other.longest for other in others)])
        return self

    def about_codec(self) -> dict[str, str]:
        """How many tokens of either side."""
        return {"tokens": " → ".join(f"{len(one):,}" for one in self.vocabularies)}

    codec_from = staticmethod(both_from)

    def in_use(self, settings: Mapping[str, Any]) -> "Translator":
        """The same, ready for what people type.

        Args:
            settings: of its task, as stored; ``typing`` says how lines are read.
        """
        asked = settings.get("typing", {})
        if asked is not None and self.vocabularies.source.kind != "characters":
            self.typing = Typing.model_validate(asked)
        return self

    def __call__(self, text: str) -> Translation:
        """The best translation of one source."""
        return self.translate([text])[0]

    def drawn(self, text: str, translation: str | None = None, **said: Any) -> "Looked":
        """The alignment of a text and its translation, its own or a given one, as views.

        Args:
            text: a source.
            translation: what it is made to write; its own translation if not given.
            said: the rest of :class:`regard.tasks.translation.views.Sentence`, and ``name``, what
                it is called above a picture.
        """
        from .views import Sentence

        name = said.pop("name", "")
        return Sentence(text=text, translation=translation, **said).by(self, name)

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
        processors: tuple[Processor, ...] = (),
        aligned: bool = False,
        rule: Rule | None = None,
    ) -> list[Translation]:
        """The best translation of every source, in their order; see :meth:`answers`."""
        found = self.answers(
            sources,
            strategy=strategy,
            limits=limits,
            batch=batch,
            processors=processors,
            aligned=aligned,
            rule=rule,
        )
        return [best for best, *_ in found]

    def answers(
        self,
        sources: Iterable[str],
        *,
        strategy: Strategy | None = None,
        limits: Limits | None = None,
        batch: BatchLimit | None = None,
        processors: tuple[Processor, ...] = (),
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
            processors: what changes logits before a token is chosen, of every sentence that a line
                is cut into; see :mod:`regard.decoding.processors`.
            aligned: whether to tell where each word came from.
            rule: which words are linked by the weights.
        """
        batch = batch or BatchLimit()
        search = strategy or Greedy(), self._possible(limits or Limits()), batch, processors
        stream = iter(sources)
        while some := list(islice(stream, batch.ahead)):
            if self.typing is None:
                yield from self._answers(some, *search, aligned=aligned, rule=rule or Argmax())
                continue
            read = self.vocabularies.source
            lines = [read_line(cleaned(text), read, self.typing) for text in some]
            # What was typed is put in its place by where the model looked.
            looked = aligned or any(len(line.texts) > len(line.segments) for line in lines)
            texts = [text for line in lines for text in line.texts]
            waiting = self._answers(texts, *search, aligned=looked, rule=rule or Argmax())
            for line in lines:
                own = islice(waiting, len(line.texts))
                yield answer_line(line, own, self.typing, aligned=aligned)

    def _answers(
        self,
        texts: list[str],
        strategy: Strategy,
        limits: Limits,
        batch: BatchLimit,
        processors: tuple[Processor, ...],
        *,
        aligned: bool,
        rule: Rule,
    ) -> Iterator[tuple[Translation, ...]]:
        """Translations of texts, read as they are."""
        target = self.vocabularies.target
        some = [self._read(text) for text in texts]
        if some:
            found = decode(
                self.writer,
                [[*source.ids, target.eos] for source in some if source.ids],
                strategy=strategy,
                limits=limits,
                bos=target.bos,
                eos=target.eos,
                pad=target.pad,
                batch=batch,
                processors=processors,
                aligned=aligned,
            )
            waiting = iter(found)
            for source in some:
                told = next(waiting) if source.ids else [NOTHING]
                yield tuple(self._told(source, one, rule) for one in told)

    def _read(self, text: str) -> Source:
        copying = self.model.config.copying
        tokeniser, most = self.vocabularies.source, 0 if copying is None else copying.extension
        return read_source(text, tokeniser, longest=self.longest, extension=most)

    def _told(self, source: Source, hypothesis: Hypothesis, rule: Rule) -> Translation:
        tokeniser = self.vocabularies.target
        copied = bool(source.extension.words)
        pieces = (source.extension if copied else tokeniser).pieces_of(hypothesis.tokens)
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
        """The limits, lowered to what the model has positions for, and to what is text."""
        most, target = self.model.config.longest, self.vocabularies.target
        if target.whole:  # the token that fills up begins translations, and is none of their words
            limits = limits.model_copy(update={"forbidden": (*limits.forbidden, target.pad)})
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
