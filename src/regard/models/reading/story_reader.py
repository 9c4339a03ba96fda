"""A reader of stories: it looks at their sentences several times, then answers with a word."""

import torch
from torch import nn

from regard.functional.events import Observable, StoredWeights
from regard.functional.masks import padding
from regard.functional.weigh import weigh
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from .memories import memory, noisy_ages
from .stories import Stories
from .story_config import StoryReaderConfig, Update


class Hop(Observable):
    r"""One look at all memories.

    .. math:: p_i = \text{softmax}_i(u^\top m_i), \quad o = \sum_i p_i c_i

    Where it looks is seen by ``regard.lens.capture`` as ``hops.0``, ``hops.1`` …, one row for each
    story. Linear, the weights are the scores themselves.

    Args:
        scale: what scores are multiplied with.
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    def forward(
        self,
        known: Float[Tensor, "B D"],
        key: Float[Tensor, "B N D"],
        value: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        *,
        linear: bool = False,
    ) -> tuple[Float[Tensor, "B D"], Float[Tensor, "B N"]]:
        """What was found, and where; zero of a story without a sentence."""
        query = (known * self.scale).unsqueeze(1)  # (B, 1, D)
        if linear:
            real = torch.arange(key.shape[1], device=key.device) < lengths.unsqueeze(-1)
            weights = (query @ key.mT).squeeze(1).where(real, 0)  # (B, N)
        else:
            weights = weigh(query, key, score="dot", mask=padding(lengths)).squeeze(1)
        if self.watchers:
            self.notify(StoredWeights(weights.detach().unsqueeze(1)))
        return (weights.unsqueeze(1) @ value).squeeze(1), weights


class Updated(nn.Module):
    r"""What is known after a hop.

    .. math:: u' = u + o, \quad u' = H u + o, \quad \text{or} \quad u' = \text{relu}(W [u; o; q])

    The first two: Sukhbaatar et al. 2015, Eq. 4 and section 2.2 (https://arxiv.org/abs/1503.08895);
    the last: Xiong et al. 2016, section 3.3 (https://arxiv.org/abs/1603.01417).

    Args:
        kind: which.
        dim: width of all of them.
    """

    def __init__(self, kind: Update, dim: int) -> None:
        super().__init__()
        self.kind = kind
        widths = {"linear": dim, "relu": 3 * dim}
        self.proj = nn.Linear(widths[kind], dim, bias=kind == "relu") if kind in widths else None

    def forward(
        self,
        known: Float[Tensor, "B D"],
        found: Float[Tensor, "B D"],
        question: Float[Tensor, "B D"],
    ) -> Float[Tensor, "B D"]:
        """u'."""
        if self.proj is None:
            return known + found
        if self.kind == "linear":
            return self.proj(known) + found
        return torch.relu(self.proj(torch.cat([known, found, question], dim=-1)))


class StoryReader(nn.Module):
    r"""End-to-end memory network: several rounds of attention over the sentences of a story.

    .. math:: p^k = \text{softmax}(u^{k\top} m^k), \quad o^k = \sum_i p^k_i c^k_i, \quad
              u^{k+1} = \text{update}(u^k, o^k), \quad a = \text{softmax}(W u^{K+1})

    Sukhbaatar et al. 2015 (https://arxiv.org/abs/1503.08895); memories are those of the config. A
    story without a sentence is answered by the question alone.

    Args:
        config: sizes, memory, hops.
    """

    linear: bool = False
    """Whether hops pool with scores instead of weights, as a linear start has it in training."""

    def __init__(self, config: StoryReaderConfig) -> None:
        super().__init__()
        self.config = config
        self.memory = memory(config)
        embedded = config.memory.kind == "embedded"
        scale = 1.0 if embedded else config.dim**-0.5
        self.hops = nn.ModuleList(Hop(scale) for _ in range(config.hops))
        # Tied memories have one update for all hops, as theirs have one H.
        count = 1 if embedded else config.hops
        self.updates = nn.ModuleList(Updated(config.update, config.dim) for _ in range(count))
        self.dropout = Dropout(config.dropout)
        self.output = nn.Linear(config.dim, config.labels, bias=not embedded)

    def forward(self, stories: Stories) -> tuple[Float[Tensor, "B V"], Float[Tensor, "B H N"]]:
        """Logits of the answers, and where each hop looked; the last column is the question's."""
        noise = self.config.age_noise if self.training else 0.0
        old = noisy_ages(stories.lengths, stories.index.shape[1], probability=noise)
        read = self.memory(self._known_words(stories), old)
        known, looks = read.question, []
        for number, hop in enumerate(self.hops):
            found, weights = hop(
                known,
                read.keys[number],
                read.values[number],
                stories.lengths,
                linear=self.linear and self.training,
            )
            update = self.updates[number % len(self.updates)]
            known = update(known, self.dropout(found), read.question)
            looks.append(weights)
        return self.output(self.dropout(known)), torch.stack(looks, dim=1)

    def _known_words(self, stories: Stories) -> Stories:
        """Some words read as unknown, in training."""
        probability, words = self.config.word_dropout, stories.sentences
        if not self.training or not probability:
            return stories
        dropped = torch.rand(words.shape, device=words.device) < probability
        changed = words.masked_fill(dropped & words.ne(self.config.pad), self.config.unknown)
        return stories._replace(sentences=changed)
