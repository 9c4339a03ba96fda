"""The translators that ship, while they read a sentence with their translation of it."""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

import regard
from regard.models import Seq2Seq

ENGLISH, FRENCH = "The black cat ate the mouse.", "Le chat noir a mangé la souris."
END = "(end)"


class Reading(NamedTuple):
    """A trained model, and the sentence as it reads and writes it."""

    model: Seq2Seq
    batch: tuple[Tensor, Tensor, Tensor]
    """Source, its length, and the target from the token that begins it."""
    source: tuple[str, ...]
    """The tokens that are read, and the end."""
    target: tuple[str, ...]
    """Those that are written, likewise."""


@cache
def trained(name: str) -> Reading:
    """The translator ``name`` of the zoo, with the sentence."""
    translator = regard.load(name)
    english, french = translator.vocabularies
    read, written = english.pieces(ENGLISH), french.pieces(FRENCH)
    source = torch.tensor([[*english.ids(read), french.eos]])
    target = torch.tensor([[french.bos, *french.ids(written)]])
    batch = (source, torch.tensor([source.shape[1]]), target)
    return Reading(translator.model.eval(), batch, _shown(read), _shown(written))


@torch.no_grad()
def states(reading: Reading) -> tuple[Tensor, Tensor]:
    """What a recurrent decoder is in before every token, and what its encoder is in behind each."""
    source, length, target = reading.batch
    state = reading.model.start(source, length)
    keys, before = state.memory.value[0], []
    for token in target[0]:
        before.append(state.hidden[0])
        _, state = reading.model.step(token.reshape(1), state)
    return torch.stack(before), keys


def _shown(pieces: list[str]) -> tuple[str, ...]:
    return (*(piece.strip("▁") for piece in pieces), END)
