"""Sampling: tokens drawn from the model's distribution, whole or cut."""

import hashlib
from typing import Annotated

import torch
from pydantic import Field

from regard.config import Config
from regard.types import Float, Int, Tensor

from .batches import Positive, Sources, Width
from .row_search import Picked, RowSearch
from .rules import Rules
from .top_k import Array, top


class Sample(Config):
    r"""Tokens drawn from the model's distribution, or from the likely part of it.

    .. math:: y_t \sim p(y \mid y_{<t}, x)^{1 / \text{temperature}}

    First ``top_k`` tokens are kept (Fan et al. 2018, https://arxiv.org/abs/1805.04833), of these
    the likeliest that together have the probability ``top_p``, at least one (Holtzman et al. 2019,
    https://arxiv.org/abs/1904.09751), of these those at least ``min_p`` times as likely as the
    likeliest (Nguyen et al. 2024, https://arxiv.org/abs/2407.01082), and of these those whose
    surprise is nearest to the expected one, of the probability ``typical_p`` (Meister et al. 2022,
    https://arxiv.org/abs/2202.00666). Scores are the model's own, whatever was left out.

    What is drawn for a source depends on its tokens, the seed and the number of the draw, and on
    nothing beside it: a source that comes twice gets the same answers twice.
    """

    temperature: Annotated[float, Field(ge=1e-3, le=1e3)] = 1.0
    """Below 1 likely tokens become likelier."""
    top_k: Positive | None = None
    """Tokens that can be drawn; all if not given."""
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Probability of those that can be drawn."""
    min_p: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Least probability of a token that can be drawn, as a share of the likeliest one's."""
    typical_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Probability of those that can be drawn, the most typical first."""
    seed: int = 0
    """Another one draws something else."""
    n: Width = 1
    """Draws for each source."""

    @property
    def width(self) -> int:
        """One row for each draw."""
        return self.n

    @property
    def rows(self) -> int:
        """One row for each draw."""
        return self.n

    @property
    def looks(self) -> bool:
        """It does not matter where the model looked."""
        return False

    def search(self, sources: Sources, rules: Rules) -> RowSearch:
        """The strategy at work on a batch."""
        return RowSearch(_Drawing(self, sources, rules), self.n, rules)

    def likely(self, logits: Float[Tensor, "R V"]) -> tuple[Tensor, Tensor | None]:
        """Weights of what can be drawn (R, k), and which tokens these are if not all, in order."""
        logits, tokens = logits.double() / self.temperature, None
        if self.top_k is not None or self.top_p < 1:
            logits, tokens = top(logits, self.top_k or logits.shape[-1])
        weights = logits.softmax(dim=-1)
        if self.top_p < 1:
            before = weights.cumsum(dim=-1) - weights
            weights = weights.masked_fill(before >= self.top_p, 0)
        if self.min_p:
            least = self.min_p * weights.amax(dim=-1, keepdim=True)
            weights = weights.masked_fill(weights < least, 0)
        if self.typical_p < 1:
            weights = _typical(weights, self.typical_p)
        return weights, tokens


def _typical(weights: Float[Tensor, "R k"], share: float) -> Float[Tensor, "R k"]:
    """What is left of weights with the most typical of them, which together have this share."""
    probabilities = weights / weights.sum(dim=-1, keepdim=True)
    surprise = -probabilities.clamp(min=torch.finfo(weights.dtype).tiny).log()
    expected = (probabilities * surprise).sum(dim=-1, keepdim=True)
    distance = (surprise - expected).abs().masked_fill(weights == 0, torch.inf)
    order = distance.argsort(dim=-1, stable=True)
    sums = probabilities.gather(-1, order).cumsum(dim=-1)
    reached = (sums < share).sum(dim=-1, keepdim=True).clamp(max=weights.shape[-1] - 1)
    farthest = distance.gather(-1, order).gather(-1, reached)
    return weights.masked_fill(distance > farthest, 0)


class _Drawing:
    """A number between 0 and 1 for every draw and step, and the token where it falls.

    Args:
        strategy: what can be drawn.
        sources: the batch.
        rules: they say how many steps there may be.
    """

    def __init__(self, strategy: Sample, sources: Sources, rules: Rules) -> None:
        self._strategy = strategy
        self._streams = [
            _stream(strategy.seed, sources.prompts.key(source), draw)
            for source in sources.values
            for draw in range(strategy.n)
        ]
        self._numbers = torch.nn.utils.rnn.pad_sequence(
            [
                torch.rand(steps, generator=stream, dtype=torch.float64)
                for stream, steps in zip(
                    self._streams,
                    rules.longest.repeat(strategy.n).tolist(),
                    strict=True,
                )
            ],
            batch_first=True,
        ).to(sources.device)

    def pick(self, logits: Float[Tensor, "R V"], rows: Int[Array, " R"], step: int) -> Picked:
        """One token for each row."""
        weights, tokens = self._strategy.likely(logits)
        reached = weights.cumsum(dim=-1)
        now = self._numbers[:, min(step, self._numbers.shape[1] - 1)]
        numbers = now[torch.from_numpy(rows).to(now.device)].unsqueeze(-1)
        places = torch.searchsorted(reached, numbers * reached[:, -1:], right=True)
        possible = (weights > 0).cumsum(dim=-1).argmax(dim=-1, keepdim=True)
        places = torch.minimum(places, possible)
        chosen = places if tokens is None else tokens.gather(-1, places)
        return Picked(chosen.squeeze(-1), logits.gather(-1, chosen).squeeze(-1))


def _stream(seed: int, source: object, draw: int) -> torch.Generator:
    """The generator of one draw for one source, known by its key."""
    told = repr((seed, draw, source)).encode()
    number = int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "little")
    return torch.Generator().manual_seed(number - 2**63)
