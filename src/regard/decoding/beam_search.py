"""Beam search at work on a batch: expand, select, finish, prune; no loop over hypotheses."""

from typing import NamedTuple

import torch

from regard.errors import ChoiceError
from regard.types import Bool, Float, Int, Tensor

from .expansion import Selected, expand, select
from .hypothesis import Hypothesis
from .penalties import bound, coverage_penalty, length_penalty
from .row_search import worth_leaving
from .rules import Rules
from .search import Done, Move
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
        count, device = len(rules.longest), rules.longest.device
        self._sentences = torch.arange(count, device=device)
        self._log_probs = torch.zeros(count, groups, 1, dtype=torch.float64, device=device)
        kept = min(n_best, self._size)
        self._best = self._log_probs.new_full((count, groups, kept), -torch.inf)
        self._ended = torch.zeros(count, groups, dtype=torch.long, device=device)
        self._closed = torch.zeros(count, groups, dtype=torch.bool, device=device)
        self._over = torch.zeros(count, dtype=torch.bool, device=device)
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
        return self._prune(chosen)

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
        ended = chosen.ends & ~self._closed.unsqueeze(-1)
        if not bool(ended.any()):
            return
        places = ended.nonzero()  # (E, 3)
        log_probs, rows = chosen.end_log_probs[ended], chosen.end_rows[ended]
        scores = self._scores(log_probs, rows, places[:, 0])
        table = torch.full_like(chosen.end_log_probs, -torch.inf).masked_scatter_(ended, scores)
        kept = self._best.shape[-1]
        self._best = torch.cat([self._best, table], dim=-1).topk(kept, dim=-1).values
        self._ended = self._ended + ended.sum(dim=-1)
        self._put_aside(places[:, 0], rows, None, log_probs, scores)

    def _close(self, chosen: Selected) -> None:
        """Note the groups that need not go on; what the limit cuts is put aside too."""
        limits = self._rules.longest[self._sentences].unsqueeze(-1)
        length = self._step + 2
        highest = chosen.log_probs.amax(dim=-1)
        shortest = torch.full_like(highest, length)
        possible = bound(highest, shortest, limits.to(highest.dtype), self._scoring.alpha)
        beaten = (self._best[..., -1] >= possible) | (highest == -torch.inf)
        cut = limits < length
        stopped = cut & ~(self._closed | beaten)
        self._closed = self._closed | (self._ended >= self._size) | beaten
        left = (stopped & ~self._closed).unsqueeze(-1) & (chosen.log_probs > -torch.inf)
        self._closed = self._closed | cut
        if bool(left.any()):
            rows, tokens, log_probs = (part[left] for part in chosen[:3])
            sentences = left.nonzero()[:, 0]
            scores = self._scores(log_probs, rows, sentences)
            self._put_aside(sentences, rows, tokens, log_probs, scores)

    def _prune(self, chosen: Selected) -> Move:
        """Leave the sentences all groups of which are closed, once enough of them are."""
        over = self._closed.all(dim=-1)
        rows, tokens, self._log_probs = chosen[:3]
        done: Done = []
        if bool((over & ~self._over).any()):
            new = self._sentences[over & ~self._over].tolist()
            done = [(number, self._answer(number)) for number in new]
            self._over = over
            if worth_leaving(over):
                rows, tokens = rows[~over], tokens[~over]
                self._leave(~over)
        rows, tokens = rows.flatten(), tokens.flatten()
        if self._covered is not None:
            self._covered = self._covered.index_select(0, rows)
        self._trellis.write(tokens, rows)
        self._step += 1
        return Move(tokens, rows, done)

    def _leave(self, kept: Bool[Tensor, " B"]) -> None:
        """Go on with these sentences only."""
        self._log_probs, self._sentences = self._log_probs[kept], self._sentences[kept]
        self._closed, self._over = self._closed[kept], self._over[kept]
        self._best, self._ended = self._best[kept], self._ended[kept]

    def _scores(
        self,
        log_probs: Float[Tensor, " E"],
        rows: Int[Tensor, " E"],
        sentences: Int[Tensor, " E"],
    ) -> Float[Tensor, " E"]:
        """Of hypotheses which end with this step."""
        scores = log_probs / length_penalty(self._step + 1, self._scoring.alpha)
        if self._covered is None:
            return scores
        lengths = torch.tensor(self._rules.source_lengths, device=rows.device)
        own = lengths[self._sentences[sentences]]
        covered = self._covered.index_select(0, rows)
        return scores + coverage_penalty(covered, own, self._scoring.beta)

    def _put_aside(
        self,
        sentences: Int[Tensor, " E"],
        rows: Int[Tensor, " E"],
        tokens: Int[Tensor, " E"] | None,
        log_probs: Float[Tensor, " E"],
        scores: Float[Tensor, " E"],
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
