"""Beam search on a batch: expand, select, finish, prune; no loop over hypotheses.

:func:`.expansion.select` drops hypotheses: it says which continuations go on and which end.
:class:`.expansion.Group` says when a sentence is done. :class:`Beam` holds the settings.
"""

from typing import Annotated, NamedTuple

import numpy as np
import torch
from pydantic import Field, model_validator

from regard.config import Config
from regard.errors import ChoiceError
from regard.types import Bool, Float, Int, Tensor

from .batches import Sources, Width
from .expansion import Group, Selected, expand, repeated, select, written
from .hypothesis import Hypothesis
from .penalties import LengthNormalisation, bound, coverage_penalty, length_penalty
from .row_search import BackPointers, Ending, worth_leaving
from .rules import Rules
from .search import Done, Move
from .top_k import Array, whole


class Scoring(NamedTuple):
    """How much length and coverage count."""

    alpha: float
    beta: float
    normalisation: LengthNormalisation = "gnmt"

    @property
    def length(self) -> tuple[float, LengthNormalisation]:
        """What :func:`length_penalty` asks for."""
        return self.alpha, self.normalisation


class BeamSearch:
    """Sentences × groups × hypotheses, B × G × k, as many rows of the model.

    All groups begin with one hypothesis; from the first step on they have ``size / groups``, some
    of which may be impossible.

    Args:
        rules: what may be written when.
        size: hypotheses of a sentence.
        groups: parts of them that choose one after the other.
        diversity: what a token costs for each hypothesis of an earlier group that wrote it.
        n_best: how many are given back.
        scoring: how those that have ended are ranked.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        size: int,
        groups: int,
        diversity: float,
        n_best: int,
        scoring: Scoring,
    ) -> None:
        self._rules, self._scoring, self._diversity = rules, scoring, diversity
        self._size, self._n_best = size // groups, n_best
        count = len(rules.longest)
        self._sentences = np.arange(count)
        kept = min(n_best, self._size)
        self._groups = [Group(count, size=self._size, kept=kept) for _ in range(groups)]
        self._over = np.zeros(count, dtype=bool)
        self._covered: Tensor | None = None
        self._endings: list[list[Ending]] = [[] for _ in range(count)]
        self._back_pointers, self._step = BackPointers(), 0
        self._history = rules.history(groups)

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What each hypothesis that goes on writes, and which one it goes on from."""
        self._back_pointers.look(looks)
        self._cover(looks)
        logits, total = self._settled(logits)
        log_probs = np.stack([group.log_probs for group in self._groups], axis=1)
        expanded = expand(logits, total, log_probs, size=self._size, ends=len(self._rules.eos))
        chosen, tokens = list[Selected](), list[Int[Array, "B n"]]()
        for group, own in zip(self._groups, expanded, strict=True):
            cost = self._diversity * repeated(own.tokens, tokens) if tokens else 0.0
            chosen.append(select(own, cost, self._rules.eos, size=self._size))
            tokens.append(self._written(group, chosen[-1]))
        return self._prune(chosen, logits.device)

    def _settled(self, logits: Float[Tensor, "R V"]) -> tuple[Tensor, Tensor]:
        """Logits and their total; processors are asked about log-probabilities."""
        width = len(logits) // max(1, len(self._sentences))
        longest = self._rules.longest[self._sentences].repeat(width)
        if self._history is None:
            return self._rules.settled(logits, self._step, longest=longest)
        logs = torch.log_softmax(logits.float() if logits.dtype != torch.float64 else logits, -1)
        return self._rules.settled(logs, self._step, self._history, longest)

    def _cover(self, looks: Float[Tensor, "R S"] | None) -> None:
        """Add up where the hypotheses looked, if it counts."""
        if not self._scoring.beta:
            return
        if looks is None:
            raise ChoiceError(
                "a coverage penalty needs a model that looks at its source, got one that does not; "
                "leave coverage_penalty at 0"
            )
        self._covered = looks if self._covered is None else self._covered + looks

    def _written(self, group: Group, chosen: Selected) -> Int[Array, "B n"]:
        """What a group writes in this step, once it is known what ends and what goes on."""
        ended = self._finish(group, chosen)
        going = self._close(group, chosen)
        return written(chosen, ended, going)

    def _finish(self, group: Group, chosen: Selected) -> Bool[Array, "B e"]:
        """Put aside what ends here."""
        ended = chosen.ends & ~group.closed[:, None]
        if ended.any():
            rows, log_probs = chosen.end_rows[ended], chosen.end_log_probs[ended]
            group.put_aside(ended, self._put_aside(ended, rows, None, log_probs))
        return ended

    def _close(self, group: Group, chosen: Selected) -> Bool[Array, "B k"]:
        """Note where the group ends, and which hypotheses go on; what the limit cuts is put aside.

        What is cut has been written, and counts as what goes on.
        """
        limits, length = self._rules.longest[self._sentences], self._step + 2
        likeliest = chosen.log_probs.max(axis=-1)
        going = group.go_on(chosen, bound(likeliest, length, limits, *self._scoring.length))
        cut = limits < length
        left = going & (cut & ~group.over)[:, None]
        if left.any():
            self._put_aside(left, *(part[left] for part in chosen[:3]))
        group.closed = group.closed | cut
        return going

    def _prune(self, chosen: list[Selected], device: torch.device) -> Move:
        """Leave the sentences that are over, once enough of them are."""
        over = np.logical_and.reduce([group.over for group in self._groups])
        rows, tokens, log_probs = (np.stack([part[i] for part in chosen], axis=1) for i in range(3))
        done: Done = []
        if (over & ~self._over).any():
            new = self._sentences[over & ~self._over].tolist()
            done = [(number, self._answer(number)) for number in new]
            self._over = over
            for group in self._groups:
                group.closed = group.closed | over
            if worth_leaving(over):
                rows, tokens, log_probs = rows[~over], tokens[~over], log_probs[~over]
                self._leave(~over)
        rows, tokens = rows.ravel(), tokens.ravel()
        self._back_pointers.write(tokens, log_probs.ravel(), rows)
        if self._history is not None:
            self._history = self._history.written(tokens, rows)
        self._step += 1
        going = torch.from_numpy(rows).to(device)
        if self._covered is not None:
            self._covered = self._covered.index_select(0, going)
        return Move(torch.from_numpy(tokens).to(device), going, done)

    def _leave(self, kept: Bool[Array, " B"]) -> None:
        """Go on with these sentences only."""
        self._sentences, self._over = self._sentences[kept], self._over[kept]
        for group in self._groups:
            group.leave(kept)

    def _scores(
        self,
        log_probs: Float[Array, " E"],
        rows: Int[Array, " E"],
        sentences: Int[Array, " E"],
    ) -> Float[Array, " E"]:
        """Of hypotheses which end with this step."""
        scores = log_probs / length_penalty(self._step + 1, *self._scoring.length)
        if self._covered is None:
            return scores
        lengths = np.array(self._rules.source_lengths)[sentences]
        covered = whole(self._covered)[rows]
        return scores + coverage_penalty(covered, lengths, self._scoring.beta)

    def _put_aside(
        self,
        which: Bool[Array, "B n"],
        rows: Int[Array, " E"],
        tokens: Int[Array, " E"] | None,
        log_probs: Float[Array, " E"],
    ) -> Float[Array, " E"]:
        """Keep the E hypotheses which end with this step, and tell their scores."""
        sentences = self._sentences[which.nonzero()[0]]
        scores = self._scores(log_probs, rows, sentences)
        last = [None] * len(rows) if tokens is None else tokens.tolist()
        each = zip(
            sentences.tolist(),
            rows.tolist(),
            last,
            log_probs.tolist(),
            scores.tolist(),
            strict=True,
        )
        for sentence, row, token, log_prob, score in each:
            self._endings[sentence].append(Ending(self._step, row, token, log_prob, score))
        return scores

    def _answer(self, sentence: int) -> list[Hypothesis]:
        """The best of what a sentence has put aside, each once."""
        endings = sorted(self._endings[sentence], key=lambda end: -end.score)
        length, found = self._rules.source_lengths[sentence], dict[tuple[int, ...], Hypothesis]()
        for ending in endings:
            if len(found) == self._n_best:
                break
            hypothesis = self._back_pointers.hypothesis(ending, length)
            found.setdefault(hypothesis.tokens, hypothesis)
        return list(found.values())


class Beam(Config):
    r"""The ``size`` likeliest hypotheses, step by step.

    .. math:: s(Y, X) = \log p(Y \mid X) / lp(Y) + cp(X; Y)

    Scores are those of Wu et al. 2016, Eq. 14 (https://arxiv.org/abs/1609.08144); see
    :mod:`regard.decoding.penalties`. They rank what has ended, whether the model ended it or the
    limit; among what is open, all of one length, probability decides.

    In every step the ``size`` likeliest continuations that end are put aside, if they are among
    the ``size`` likeliest of all, and the ``size`` likeliest others go on. A sentence is done when
    ``size`` hypotheses have ended, or earlier, when no open one can come among the ``n_best``
    any more, however it goes on. With ``size=1`` this is :class:`Greedy`.

    With ``groups``, this is diverse beam search (Vijayakumar et al. 2016,
    https://arxiv.org/abs/1610.02424) with their Hamming diversity: groups of ``size / groups``
    choose one after the other, and a token counts ``diversity`` less for every hypothesis of an
    earlier group that wrote it in the same step. The end of a sentence is a token like others; a
    group that is done writes nothing. Scores are without it. Groups may find the same; it is given
    once, so that there may be fewer than ``n_best``.
    """

    size: Width = 5
    """Hypotheses that go on."""
    length_penalty: Annotated[float, Field(ge=-10, le=10)] = 0.0
    """α: 0 ranks by probability, 0.6 to 1 is usual for translation."""
    length_normalisation: LengthNormalisation = "gnmt"
    """What α is a power of: Wu et al.'s (5 + |Y|) / 6, or ``length``, |Y| itself."""
    coverage_penalty: Annotated[float, Field(ge=0, le=100)] = 0.0
    """β: 0 is without; the model must look at its source."""
    n_best: Width = 1
    """Hypotheses that are given back."""
    groups: Width = 1
    """Parts of the beam that keep off each other's tokens."""
    diversity: Annotated[float, Field(ge=0, le=1000)] = 0.5
    """λ: how much they do."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> "Beam":
        if self.n_best > self.size:
            raise ValueError(
                f"n_best needs to be at most the size of the beam, {self.size}, got {self.n_best}"
            )
        if self.size % self.groups:
            raise ValueError(
                f"groups needs to divide the size of the beam, {self.size}, got {self.groups}"
            )
        return self

    @property
    def width(self) -> int:
        """One row for each group: at the start all hypotheses are the same."""
        return self.groups

    @property
    def rows(self) -> int:
        """One row for each hypothesis."""
        return self.size

    @property
    def looks(self) -> bool:
        """The coverage penalty asks where hypotheses looked."""
        return self.coverage_penalty > 0

    def search(self, sources: Sources, rules: Rules) -> BeamSearch:
        """The strategy at work on a batch."""
        return BeamSearch(
            rules,
            size=self.size,
            groups=self.groups,
            diversity=self.diversity,
            n_best=self.n_best,
            scoring=Scoring(self.length_penalty, self.coverage_penalty, self.length_normalisation),
        )
