"""Models whose answers are known beforehand."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from regard.models.config import Seq2SeqConfig
from regard.models.seq2seq import Decoded, Drawn, Seq2Seq


class Scripted(Seq2Seq):
    """Says what its parameters hold, whatever it reads; the first source token is the row.

    Args:
        rows: how many sentences it knows.
        steps: of the longest target.
        keys: of the longest source.
        vocab: number of tokens.
        draws: whether it tells of positions drawn; in evaluation it then says something else.
        lasting: whether these are said to reach later steps.
    """

    def __init__(
        self,
        *,
        rows: int,
        steps: int,
        keys: int,
        vocab: int,
        draws: bool = False,
        lasting: bool = True,
    ):
        super().__init__()
        self.config = Seq2SeqConfig(source_vocab=max(rows + 1, keys), target_vocab=vocab)
        self.output = nn.Identity()
        generator = torch.Generator().manual_seed(3)

        def drawn(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator, dtype=torch.float64))

        self.logits = drawn(rows, steps, vocab)
        self.scores = drawn(rows, steps, keys)
        self.log_prob = drawn(rows, steps)
        self.entropy = drawn(rows, steps)
        self.likeliest = drawn(rows, steps, vocab)
        self.draws, self.lasting = draws, lasting

    def decode_parallel(
        self, source: Tensor, source_lengths: Tensor, target: Tensor, *, aligned=False
    ):
        rows, steps, keys = source[:, 0] - 1, target.shape[1], source.shape[1]
        looked_at = torch.arange(keys) < source_lengths.unsqueeze(-1)
        scores = self.scores[rows, :steps, :keys]
        weights = scores.masked_fill(~looked_at.unsqueeze(1), -torch.inf).softmax(dim=-1)
        choices = Drawn(self.log_prob[rows, :steps], self.entropy[rows, :steps], self.lasting)
        said = self.logits if self.training or not self.draws else self.likeliest
        features = said[rows, :steps]
        return Decoded(features, weights if aligned else None, choices if self.draws else None)


class Page(NamedTuple):
    """Which sources are being answered, and how many tokens were."""

    rows: Tensor
    step: int

    def reorder(self, rows: Tensor) -> "Page":
        return Page(self.rows[rows], self.step)


class Phrasebook(Seq2Seq):
    """Knows sentences by heart: e^confidence times likelier than any other token.

    Args:
        phrases: for every source, its end included, the tokens of the answer and where to look
            at each.
        vocab: number of tokens of either side.
        confidence: logit of the token that it says; all others have 0.
    """

    def __init__(self, phrases, *, vocab: int, confidence: float = 2.0):
        super().__init__()
        self.config = Seq2SeqConfig(source_vocab=vocab, target_vocab=vocab)
        self.output = nn.Identity()
        self.confidence = nn.Parameter(torch.tensor(confidence))
        self.dropout = nn.Dropout(0.5)
        self.sources = list(phrases)
        self.phrases = phrases
        self.vocab = vocab
        self.keys = 0
        self.modes = []

    def start(self, source: Tensor, source_lengths: Tensor) -> Page:
        self.modes.append(self.training)
        self.keys = source.shape[1]
        rows = zip(source.tolist(), source_lengths.tolist(), strict=True)
        return Page(torch.tensor([self.sources.index(tuple(row[:n])) for row, n in rows]), 0)

    def step(self, tokens: Tensor, state: Page):
        said = [self.said(row, state.step)[0] for row in state.rows.tolist()]
        return self.logits(torch.tensor(said)), Page(state.rows, state.step + 1)

    def last_weights(self, state: Page):
        looks = [self.said(row, state.step - 1)[1] for row in state.rows.tolist()]
        return torch.nn.functional.one_hot(torch.tensor(looks), self.keys).float()

    def decode_parallel(
        self, source: Tensor, source_lengths: Tensor, target: Tensor, *, aligned=False
    ):
        rows = self.start(source, source_lengths).rows
        pages = [Page(rows, step + 1) for step in range(target.shape[1])]
        said = [[self.said(row, page.step - 1)[0] for page in pages] for row in rows.tolist()]
        weights = torch.stack([self.last_weights(page) for page in pages], dim=1)
        return Decoded(self.logits(torch.tensor(said)), weights if aligned else None)

    def logits(self, tokens: Tensor) -> Tensor:
        said = torch.nn.functional.one_hot(tokens, self.vocab).float()
        return self.dropout(self.confidence * said)

    def said(self, row: int, step: int) -> tuple[int, int]:
        """A token and where it looks; after the last one, the end."""
        answer = self.phrases[self.sources[row]]
        return answer[step] if step < len(answer) else (3, 0)
