"""Beam search at work on a batch: expand, select, finish, prune; no loop over hypotheses."""

from typing import NamedTuple

import numpy as np
import torch

from regard.errors import ChoiceError
from regard.types import Bool, Float, Int, Tensor

from .expansion import Selected, expand, select
from .hypothesis import Hypothesis
from .penalties import bound, coverage_penalty, length_penalty
from .row_search import worth_leaving
from .rules import Rules
from .search import Done, Move
from .small import Array, whole
from .trellis import Ending, Trellis


class Scoring(NamedTuple):
    """How much length and coverage count."""

    alpha: float
    beta: float


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
        self._log_probs = np.zeros((count, groups, 1))
        kept = min(n_best, self._size)
        self._best = np.full((count, groups, kept), -np.inf)
        self._ended = np.zeros((count, groups), dtype=np.int64)
        self._closed = np.zeros((count, groups), dtype=bool)
        self._over = np.zeros(count, dtype=bool)
        self._covered: Tensor | None = None
        self._endings: list[list[Ending]] = [[] for _ in range(count)]
        self._trellis, self._step = Trellis(), 0

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What each hypothesis that goes on writes, and which one it goes on from."""
        self._trellis.look(looks)
        self._cover(looks)
        logits, total = self._rules.settled(logits, self._step)
        expanded = expand(logits, total, self._log_probs, size=self._size)
        chosen = select(expanded, self._rules.eos, size=self._size, diversity=self._diversity)
        self._finish(chosen)
        self._close(chosen)
        return self._prune(chosen, logits.device)

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

    def _finish(self, chosen: Selected) -> None:
        """Put aside what ends here."""
        ended = chosen.ends & ~self._closed[..., None]
        if not ended.any():
            return
        sentences = ended.nonzero()[0]
        log_probs, rows = chosen.end_log_probs[ended], chosen.end_rows[ended]
        scores = self._scores(log_probs, rows, sentences)
        table = np.full_like(chosen.end_log_probs, -np.inf)
        table[ended] = scores
        kept = self._best.shape[-1]
        self._best = -np.sort(-np.concatenate([self._best, table], axis=-1))[..., :kept]
        self._ended = self._ended + ended.sum(axis=-1)
        self._put_aside(sentences, rows, None, log_probs, scores)

    def _close(self, chosen: Selected) -> None:
        """Note the groups that need not go on; what the limit cuts is put aside too."""
        limits = self._rules.longest[self._sentences][:, None]
        length = self._step + 2
        likeliest = chosen.log_probs.max(axis=-1)
        possible = bound(likeliest, length, limits, self._scoring.alpha)
        beaten = (self._best[..., -1] >= possible) | (likeliest == -np.inf)
        cut = limits < length
        stopped = cut & ~(self._closed | beaten)
        self._closed = self._closed | (self._ended >= self._size) | beaten
        left = (stopped & ~self._closed)[..., None] & (chosen.log_probs > -np.inf)
        self._closed = self._closed | cut
        if left.any():
            rows, tokens, log_probs = (part[left] for part in chosen[:3])
            sentences = left.nonzero()[0]
            scores = self._scores(log_probs, rows, sentences)
            self._put_aside(sentences, rows, tokens, log_probs, scores)

    def _prune(self, chosen: Selected, device: torch.device) -> Move:
        """Leave the sentences all groups of which are closed, once enough of them are."""
        over = np.asarray(self._closed.all(axis=-1))
        rows, tokens, self._log_probs = chosen[:3]
        done: Done = []
        if (over & ~self._over).any():
            new = self._sentences[over & ~self._over].tolist()
            done = [(number, self._answer(number)) for number in new]
            self._over = over
            if worth_leaving(over):
                rows, tokens = rows[~over], tokens[~over]
                self._leave(~over)
        rows, tokens = rows.ravel(), tokens.ravel()
        self._trellis.write(tokens, rows)
        self._step += 1
        going = torch.from_numpy(rows).to(device)
        if self._covered is not None:
            self._covered = self._covered.index_select(0, going)
        return Move(torch.from_numpy(tokens).to(device), going, done)

    def _leave(self, kept: Bool[Array, " B"]) -> None:
        """Go on with these sentences only."""
        self._log_probs, self._sentences = self._log_probs[kept], self._sentences[kept]
        self._closed, self._over = self._closed[kept], self._over[kept]
        self._best, self._ended = self._best[kept], self._ended[kept]

    def _scores(
        self,
        log_probs: Float[Array, " E"],
        rows: Int[Array, " E"],
        sentences: Int[Array, " E"],
    ) -> Float[Array, " E"]:
        """Of hypotheses which end with this step."""
        scores = log_probs / length_penalty(self._step + 1, self._scoring.alpha)
        if self._covered is None:
            return scores
        lengths = np.array(self._rules.source_lengths)[self._sentences[sentences]]
        covered = whole(self._covered)[rows]
        return scores + coverage_penalty(covered, lengths, self._scoring.beta)

    def _put_aside(
        self,
        sentences: Int[Array, " E"],
        rows: Int[Array, " E"],
        tokens: Int[Array, " E"] | None,
        log_probs: Float[Array, " E"],
        scores: Float[Array, " E"],
    ) -> None:
        last = [None] * len(rows) if tokens is None else tokens.tolist()
        numbers = self._sentences[sentences].tolist()
        each = zip(numbers, rows.tolist(), last, log_probs.tolist(), scores.tolist(), strict=True)
        for sentence, row, token, log_prob, score in each:
            self._endings[sentence].append(Ending(self._step, row, token, log_prob, score))

    def _answer(self, sentence: int) -> list[Hypothesis]:
        """The best of what a sentence has put aside, each once."""
        endings = sorted(
            self._endings[sentence], key=lambda end: (end.token is not None, -end.score)
        )
        length, found = self._rules.source_lengths[sentence], dict[tuple[int, ...], Hypothesis]()
        for ending in endings:
            if len(found) == self._n_best:
                break
            hypothesis = self._trellis.hypothesis(ending, length)
            found.setdefault(hypothesis.tokens, hypothesis)
        return list(found.values())
