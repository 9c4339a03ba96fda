"""Attention as one writes it by hand, correct, with a method per step to be broken."""

import math

import torch
from torch import nn


class Plain(nn.Module):
    """One head of scaled dot-product attention: queries, keys and values, and a mask."""

    def __init__(self, query_dim=3, key_dim=5):
        super().__init__()
        self.query_dim, self.key_dim, self.value_dim = query_dim, key_dim, 7
        self.query_proj = nn.Linear(query_dim, 4)
        self.key_proj = nn.Linear(key_dim, 4)

    def scores(self, query, key):
        return self.query_proj(query) @ self.key_proj(key).mT / math.sqrt(4)

    def normalise(self, scores, allowed):
        if allowed is None:
            return scores.softmax(dim=-1)
        lowest = torch.finfo(scores.dtype).min
        return scores.masked_fill(~allowed, lowest).softmax(dim=-1) * allowed

    def pool(self, weights, value):
        return weights @ value

    def forward(self, query, key, value, allowed=None):
        weights = self.normalise(self.scores(query, key), allowed)
        if allowed is not None:
            weights = weights * allowed.any(dim=-1, keepdim=True)
        return self.pool(weights, value), weights


class PlainSelf(Plain):
    """Self attention with a value projection, and a cache of what came before."""

    def __init__(self, model_dim=3):
        super().__init__(model_dim, model_dim)
        self.value_proj = nn.Linear(model_dim, 7)

    def forward(self, x, mask=None):
        return super().forward(x, x, self.value_proj(x), mask)

    def past(self, x, cache):
        """All that came so far: the cache is the inputs themselves."""
        return x if cache is None else torch.cat([cache, x], dim=1)

    def step(self, x, cache=None):
        seen = self.past(x, cache)
        weights = self.normalise(self.scores(x, seen), None)
        return self.pool(weights, self.value_proj(seen)), seen


class PlainCausal(PlainSelf):
    """Never looks ahead, whatever the mask; positions are added to the input."""

    causal = True

    def placed(self, x, start=0):
        return x + torch.arange(start, start + x.shape[1], dtype=x.dtype).view(-1, 1) / 3

    def forward(self, x):
        x = self.placed(x)
        earlier = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return super().forward(x, earlier)

    def step(self, x, cache=None):
        start = 0 if cache is None else cache.shape[1]
        return super().step(self.placed(x, start), cache)


class Stepwise(Plain):
    """Bahdanau's protocol without a class of ours: prepare once, look in every step."""

    def prepare(self, keys, mask=None):
        return keys, mask

    def forward(self, state, memory):
        keys, mask = memory
        allowed = None if mask is None else mask.unsqueeze(1)
        context, weights = super().forward(state.unsqueeze(1), keys, keys, allowed)
        return context.squeeze(1), weights.squeeze(1)


class TorchMultihead(nn.Module):
    """``nn.MultiheadAttention`` with a mask in which True may attend, and no NaN."""

    def __init__(self, model_dim=6, num_heads=2):
        super().__init__()
        self.model_dim, self.num_heads = model_dim, num_heads
        self.inner = nn.MultiheadAttention(model_dim, num_heads, batch_first=True)

    def forward(self, query, key, value, allowed=None):
        if allowed is None:
            return self.inner(query, key, value, average_attn_weights=False)
        some = allowed.any(dim=-1, keepdim=True)
        forbidden = ~(allowed | ~some).repeat_interleave(self.num_heads, dim=0)
        context, weights = self.inner(
            query, key, value, attn_mask=forbidden, average_attn_weights=False
        )
        return context * some, weights * some.unsqueeze(1)
