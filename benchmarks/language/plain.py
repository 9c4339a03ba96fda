"""A GPT as one would write it down: the loop of nanoGPT, in torch alone."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class PlainBlock(nn.Module):
    """Pre-norm, fused attention, GELU."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.all, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """The states above ``x``."""
        three = self.all(self.before(x)).unflatten(-1, (3, self.heads, -1))
        query, key, value = three.permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(found.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.between(x))))


class PlainGPT(nn.Module):
    """Learned positions, tied embeddings, initialised as GPT-2."""

    def __init__(self, vocab: int, *, context: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.layers = nn.ModuleList(PlainBlock(width, heads) for _ in range(layers))
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)
        self.output.weight = self.tokens.weight
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                small = (2 * layers) ** -0.5 if name.endswith(("out.weight", "down.weight")) else 1
                nn.init.normal_(parameter, std=0.02 * small)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of the token after each."""
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        logits: Tensor = self.output(self.norm(x))
        return logits


def batch(text: Tensor, rows: int, context: int) -> tuple[Tensor, Tensor]:
    """Windows drawn at random, and what comes next in them."""
    starts = torch.randint(len(text) - context - 1, (rows,))
    both = torch.stack([text[start : start + context + 1] for start in starts])
    return both[:, :-1], both[:, 1:]
