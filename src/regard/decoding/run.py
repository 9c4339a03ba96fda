"""The loop: the model says, the strategy chooses."""

import torch

from .batches import Sources
from .protocol import StepDecoder
from .rules import Rules
from .search import Done, Strategy


class Run:
    """One batch on its way.

    Args:
        model: what writes.
        sources: what is answered.
        strategy: how it is chosen.
        rules: what may be written when.
        bos: what every row begins with.
        aligned: whether the search is told where rows looked.
    """

    def __init__(
        self,
        model: StepDecoder,
        sources: Sources,
        strategy: Strategy,
        rules: Rules,
        *,
        bos: int,
        aligned: bool,
    ) -> None:
        self._model, self._search = model, strategy.search(sources, rules)
        self._asks = aligned or strategy.looks
        self._state = model.start(sources.tokens, sources.lengths)
        count, device, width = len(sources.numbers), sources.tokens.device, strategy.width
        if width > 1:
            rows = torch.arange(count, device=device).repeat_interleave(width)
            self._state = self._state.reorder(rows)
        self._tokens = torch.full((count * width,), bos, device=device)

    @property
    def over(self) -> bool:
        """Whether no row is left."""
        return len(self._tokens) == 0

    def until_some_are_done(self) -> Done:
        """As many steps as it takes until a sentence is done, and which are."""
        done: Done = []
        while not done and not self.over:
            done = self._step()
        return done

    def _step(self) -> Done:
        logits, self._state = self._model.step(self._tokens, self._state)
        looks = self._model.looked(self._state) if self._asks else None
        self._tokens, rows, done = self._search.move(logits, looks)
        if rows is not None and not self.over:
            self._state = self._state.reorder(rows)
        return done
