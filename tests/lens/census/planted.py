"""Heads with a known job: a score that says it, times a margin, over noise."""

from collections.abc import Callable
from dataclasses import replace

import torch

from regard.lens.maps import Maps, Tokens

BATCH, LENGTH, WORDS = 8, 20, 12
"""Sentences, positions and different words of a planted corpus."""


def tokens(generator: torch.Generator, length: int = LENGTH) -> Tokens:
    ids = torch.randint(1, WORDS, (BATCH, length), generator=generator)
    ids[:, 0] = 0  # a token that begins every sentence
    # Some sentences hold one word that no other position has: the rare one.
    rarity = (ids.double() * 0.3) + 1
    places = torch.randint(2, length - 2, (BATCH,), generator=generator)
    rarity[torch.arange(BATCH), places] = 9.0
    tags = torch.randint(0, 4, (BATCH, length), generator=generator)
    bound = torch.randint(0, length, (BATCH, length), generator=generator)
    first = torch.zeros(BATCH, length, dtype=torch.bool)
    first[:, 0] = True
    end = torch.zeros_like(first)
    end[:, -1] = True
    stops = torch.zeros_like(first)
    stops[:, 5::6] = True
    return Tokens(
        ids,
        classes={"first": first, "end": end, "separator": end, "punctuation": stops},
        tags=tags,
        relations={"bound": bound},
        rarity=rarity,
    )


def maps(
    score: torch.Tensor | float,
    *,
    seed: int,
    margin: float,
    noise: float,
    heads: int = 1,
    side: Tokens | None = None,
    kind: str = "self",
    causal: bool = False,
    gold: torch.Tensor | None = None,
) -> Maps:
    """Heads whose scores are ``margin`` times what says their job, and Gaussian noise of their "
    "own."""
    generator = torch.Generator().manual_seed(seed + 1000)
    side = side or tokens(torch.Generator().manual_seed(seed))
    length = side.ids.shape[1]
    drawn = torch.randn(BATCH, heads, length, length, generator=generator)
    scores = margin * torch.as_tensor(score).expand(BATCH, 1, length, length) + noise * drawn
    allowed = torch.ones(length, length, dtype=torch.bool)
    if causal:
        allowed = allowed.tril()
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)
    return Maps(
        weights,
        side,
        side,
        allowed.expand(BATCH, heads, length, length),
        "planted",
        kind,
        gold=gold,
    )


def places(length: int = LENGTH) -> torch.Tensor:
    """Key less query."""
    n = torch.arange(length)
    return n - n[:, None]


def at_shift(by: int) -> Callable[[Tokens], torch.Tensor]:
    return lambda side: (places() == by).double()


def local(side: Tokens) -> torch.Tensor:
    return (places().abs() <= LENGTH // 8).double()


def on_class(name: str) -> Callable[[Tokens], torch.Tensor]:
    return lambda side: side.classes[name][:, None, None, :].double()


def broad(side: Tokens) -> torch.Tensor:
    return torch.zeros(1)


def duplicate(side: Tokens) -> torch.Tensor:
    same = (side.ids[:, :, None] == side.ids[:, None]) & (places() != 0)
    return same[:, None].double()


def induction(side: Tokens) -> torch.Tensor:
    before = torch.roll(side.ids, 1, dims=-1)
    follows = (side.ids[:, :, None] == before[:, None]) & (places() != 1)
    follows[:, :, 0] = False
    return follows[:, None].double()


def rare(side: Tokens) -> torch.Tensor:
    assert side.rarity is not None
    return (side.rarity == side.rarity.amax(-1, keepdim=True))[:, None, None, :].double()


def bound(side: Tokens) -> torch.Tensor:
    return torch.nn.functional.one_hot(side.relations["bound"], LENGTH)[:, None].double()


def tagged(side: Tokens) -> torch.Tensor:
    assert side.tags is not None
    return (side.tags[:, :, None] == (side.tags[:, None] + 1) % 4)[:, None].double()


def diagonal(side: Tokens) -> torch.Tensor:
    return -places().abs().double()


def with_gold(side: Tokens, seed: int) -> torch.Tensor:
    """A one-to-one alignment that is not monotone."""
    generator = torch.Generator().manual_seed(seed + 7)
    order = torch.stack([torch.randperm(LENGTH, generator=generator) for _ in range(BATCH)])
    return torch.nn.functional.one_hot(order, LENGTH).bool()


def repeated(side: Tokens) -> Tokens:
    """The first half of every sentence twice."""
    half = side.ids.shape[1] // 2
    return replace(side, ids=torch.cat([side.ids[:, :half], side.ids[:, :half]], dim=1))
