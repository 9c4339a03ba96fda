"""What greedy decoding, sampling and beam search share: endings, rows that leave, back pointers.

Back pointers are the tokens of every step, each with the row it goes on from.
"""

from itertools import pairwise
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch

from regard.types import Bool, Float, Int, Tensor

from .hypothesis import Hypothesis
from .rules import Rules
from .search import Done, Move
from .top_k import Array, whole


class Ending(NamedTuple):
    """The end of a hypothesis, before anybody asked what it says."""

    step: int
    """The step that wrote its last token, be it the end of the sentence."""
    row: int
    """The row it went on from in this step."""
    token: int | None
    """The last token; ``None`` is the end of the sentence."""
    log_prob: float
    score: float


class _Column(NamedTuple):
    """One step: for each row behind it, what was written and the row before it."""

    tokens: list[int]
    parents: list[int] | None
    looks: Float[Tensor, "R S"] | None
    log_probs: list[float]
    """Of all that each row has written up to here."""


class BackPointers:
    """All steps of a batch. Nothing is copied as rows come and go; paths are walked at the end."""

    def __init__(self) -> None:
        self._columns = list[_Column]()
        self._looks: Tensor | None = None

    def look(self, looks: Float[Tensor, "R S"] | None) -> None:
        """Where the rows looked, before they write."""
        self._looks = looks

    def write(
        self,
        tokens: Int[Array, " r"],
        log_probs: Float[Array, " r"],
        parents: Int[Array, " r"] | None = None,
    ) -> None:
        """What the rows behind this step wrote, and the rows they go on from, if not their own."""
        rows = None if parents is None else parents.tolist()
        self._columns.append(_Column(tokens.tolist(), rows, self._looks, log_probs.tolist()))

    def hypothesis(self, ending: Ending, source_length: int) -> Hypothesis:
        """What leads to an ending."""
        tokens, rows, sums = self._path(ending)
        return Hypothesis(
            tuple(tokens),
            ending.score,
            ending.log_prob,
            ending.token is None,
            tuple(after - before for before, after in pairwise([0.0, *sums])),
            self._weights(rows, source_length),
        )

    def _path(self, ending: Ending) -> tuple[list[int], list[int], list[float]]:
        """The tokens, the row that each step went on from, and the log-probability behind it."""
        tokens, sums = [] if ending.token is None else [ending.token], [ending.log_prob]
        rows, row = [ending.row], ending.row
        for column in reversed(self._columns[: ending.step]):
            tokens.append(column.tokens[row])
            sums.append(column.log_probs[row])
            row = row if column.parents is None else column.parents[row]
            rows.append(row)
        return tokens[::-1], rows[::-1], sums[::-1]

    def _weights(self, rows: list[int], source_length: int) -> Float[Tensor, "T S"] | None:
        looks = [column.looks for column in self._columns]
        if len(rows) > len(looks):
            looks.append(self._looks)
        found = [
            look[row, :source_length]
            for look, row in zip(looks, rows, strict=False)
            if look is not None
        ]
        return torch.stack(found) if found else None


WORTH_LEAVING = 1 / 32
"""Share of rows at their end from which on going on without them saves more than it costs."""


class Picked(NamedTuple):
    """One token for each row, and its logit."""

    tokens: Int[Tensor, " R"]
    logits: Float[Tensor, " R"]


@runtime_checkable
class Picker(Protocol):
    """How a row chooses."""

    def pick(self, logits: Float[Tensor, "R V"], rows: Int[Array, " R"], step: int) -> Picked:
        """One token for each row.

        Args:
            logits: what may be written.
            rows: which rows of the start these are.
            step: tokens that have been written.
        """


class RowSearch:
    """Every row writes on, for itself, until it ends.

    Rows at their end stay until enough of them have gathered, and write what nobody reads.

    Args:
        picker: how a row chooses.
        width: rows of a sentence.
        rules: what may be written when.
    """

    def __init__(self, picker: Picker, width: int, rules: Rules) -> None:
        self._picker, self._width, self._rules = picker, width, rules
        longest = rules.longest
        self._longest = longest.repeat(width)
        self._rows = np.arange(len(self._longest))
        self._open = np.ones(len(self._rows), dtype=bool)
        self._log_probs = np.zeros(len(self._rows))
        self._back_pointers, self._step = BackPointers(), 0
        self._history = rules.history(width)
        self._found: list[list[Hypothesis]] = [[] for _ in range(len(longest))]

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What each row writes."""
        self._back_pointers.look(looks)
        own, history = logits, self._history
        logits, total = self._rules.settled(logits, self._step, history, self._longest)
        picked, chosen = self._picker.pick(logits, self._rows, self._step)
        tokens, device = whole(picked), logits.device
        if history is not None:  # the model's own, whatever processors made of it
            chosen = own.gather(-1, picked.unsqueeze(-1)).squeeze(-1)
        self._log_probs += whole(chosen) - whole(total)[:, 0]
        cut = self._longest <= self._step + 1
        ended = self._open & (np.isin(tokens, self._rules.eos) | cut)
        done, kept, rows = list[tuple[int, list[Hypothesis]]](), None, None
        if ended.any():
            done = self._ended(ended, tokens)
            self._open &= ~ended
            kept = self._kept()
        if kept is not None:
            tokens, rows = tokens[kept], torch.from_numpy(kept).to(device)
            picked = torch.from_numpy(tokens).to(device)
        self._back_pointers.write(tokens, self._log_probs, kept)
        if history is not None:
            self._history = history.written(tokens, kept)
        self._step += 1
        return Move(picked, rows, done)

    def _ended(self, ended: Bool[Array, " R"], tokens: Int[Array, " R"]) -> Done:
        """The sentences all rows of which have ended, with their answers."""
        done: Done = []
        for row in ended.nonzero()[0].tolist():
            sentence, token = int(self._rows[row]) // self._width, int(tokens[row])
            log_prob = float(self._log_probs[row])
            last = None if token in self._rules.eos else token
            ending = Ending(self._step, row, last, log_prob, log_prob)
            length = self._rules.source_lengths[sentence]
            found = self._found[sentence]
            found.append(self._back_pointers.hypothesis(ending, length))
            if len(found) == self._width:
                done.append((sentence, ranked(found)))
        return done

    def _kept(self) -> Int[Array, " r"] | None:
        """The rows that go on, if it is worth while to leave the others."""
        if not worth_leaving(~self._open):
            return None
        kept = self._open.nonzero()[0]
        self._rows, self._longest = self._rows[kept], self._longest[kept]
        self._log_probs, self._open = self._log_probs[kept], self._open[kept]
        return kept


def ranked(found: list[Hypothesis]) -> list[Hypothesis]:
    """The best first, whoever ended it."""
    return sorted(found, key=lambda hypothesis: -hypothesis.score)


def worth_leaving(over: Bool[Array, " N"]) -> bool:
    """Whether so many are over that going on without them saves more than it costs."""
    count = int(over.sum())
    return count == len(over) or count >= WORTH_LEAVING * len(over)
