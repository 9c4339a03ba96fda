"""Models of one size: the width at which the parameters are as many as they should be."""

from collections.abc import Callable
from functools import cache

import torch

from regard.errors import RangeError
from regard.models import Seq2SeqConfig, build, config_from, preset_config

from .contenders import Mechanism

TOLERANCE = 0.03
"""Share of the parameters by which a model may be larger or smaller than it should be."""
STEPS = (32, 16, 8, 4, 2)
"""Widths are multiples of the first of these at which the parameters fit."""
WIDEST = 8192


def sized(
    mechanism: Mechanism,
    *,
    parameters: int,
    embedding_dim: int,
    source_vocab: int,
    target_vocab: int,
    joint: bool,
) -> Seq2SeqConfig:
    """The config that has about so many parameters.

    Matrices of tokens are the same for everybody: the output layer uses that of the target, and
    with a joint vocabulary so does the source. What is left goes into the mechanism.

    Args:
        mechanism: which.
        parameters: how many there should be.
        embedding_dim: width of the embeddings, and of a Transformer.
        source_vocab: number of source tokens.
        target_vocab: number of target tokens.
        joint: whether the vocabularies are one.

    Raises:
        RangeError: no width fits.
    """
    usual = preset_config(mechanism.preset, source_vocab=source_vocab, target_vocab=target_vocab)
    fixed = {
        **usual.model_dump(),
        **mechanism.changes,
        mechanism.embedding: embedding_dim,
        "tied": True,
        "shared": joint,
    }

    def config(width: int) -> Seq2SeqConfig:
        made = config_from(fixed | dict.fromkeys(mechanism.widths, width))
        assert isinstance(made, Seq2SeqConfig)
        return made

    return config(fitting(lambda width: count(config(width)), parameters, mechanism.name))


def count(config: Seq2SeqConfig) -> int:
    """Numbers that a model learns; nothing is allocated."""
    with torch.device("meta"):
        model = build(config)
    return sum(parameter.numel() for parameter in model.parameters())


def fitting(counted: Callable[[int], int], wanted: int, name: str) -> int:
    """The width whose count is within the tolerance, the roundest there is.

    Args:
        counted: parameters at a width; they grow with it.
        wanted: how many there should be.
        name: whose, for the message.

    Raises:
        RangeError: no width fits.
    """
    counted = cache(counted)
    exact = nearest(counted, wanted)
    for step in STEPS:
        width = step * max(1, round(exact / step))
        if abs(counted(width) - wanted) <= TOLERANCE * wanted:
            return width
    raise RangeError(
        f"{name} needs a width at which it has {wanted:,} parameters ± {TOLERANCE:.0%}, and at "
        f"{exact} it has {counted(exact):,}; ask for others"
    )


def nearest(counted: Callable[[int], int], wanted: int) -> int:
    """The even width whose count is nearest, by halving: an encoder's two ways share a width."""
    low, high = 1, WIDEST // 2
    while low < high:
        middle = (low + high) // 2
        if counted(2 * middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return min((2 * max(1, low - 1), 2 * low), key=lambda width: abs(counted(width) - wanted))
