"""Every recurrent model, tiny, and a batch for it."""

from typing import NamedTuple

import torch
from torch import Tensor

from regard.models import build

SOURCE_VOCAB, TARGET_VOCAB = 11, 13
LENGTHS = (6, 4, 1)
"""Of three sources; the targets have five tokens."""

WIDTHS = {"embedding_dim": 5, "hidden_dim": 8}
BAHDANAU = {**WIDTHS, "attention_dim": 7, "readout_dim": 9}
GNMT = {**WIDTHS, "attention_dim": 7}


def luong(input_feeding: bool = True, num_layers: int = 2, **attention):
    return {
        **WIDTHS,
        "num_layers": num_layers,
        "input_feeding": input_feeding,
        "attention": attention,
    }


LOOKS = {
    "dot": {"kind": "global", "score": "dot"},
    "general": {"kind": "global", "score": "general"},
    "concat": {"kind": "global", "score": "concat", "normalise": "sparsemax"},
    "location": {"kind": "global", "score": "location", "max_length": 9},
    "local-m": {"kind": "local-m", "half_width": 1},
    "local-p": {"kind": "local-p", "half_width": 2, "score": "concat"},
    "hard": {"kind": "hard"},
}

LOOKING = {
    "bahdanau maxout": ("bahdanau-small", BAHDANAU),
    "bahdanau tanh": ("bahdanau-small", {**BAHDANAU, "readout": "tanh", "reset": "before"}),
    **{f"luong {name} fed": ("luong-dot-small", luong(**look)) for name, look in LOOKS.items()},
    **{
        f"luong {name}": ("luong-dot-small", luong(input_feeding=False, **look))
        for name, look in LOOKS.items()
    },
    "gnmt 1+1": ("gnmt-4", {**GNMT, "encoder_layers": 1, "decoder_layers": 1}),
    "gnmt 4+3": ("gnmt-4", {**GNMT, "decoder_layers": 3}),
}
PLAIN = {
    "rnn plain": ("rnn-plain-small", WIDTHS),
    "gru plain": ("gru-plain-small", {**WIDTHS, "num_layers": 2}),
    "lstm plain": ("lstm-plain-small", {**WIDTHS, "directions": "right"}),
}
EVERY = {**LOOKING, **PLAIN}
FEW = [
    "bahdanau maxout",
    "luong general fed",
    "gnmt 4+3",
    "rnn plain",
    "luong local-p",
    "luong hard",
]
LOOSE = {name for name in LOOKING if "local-p" in name}
"""Weights that need not sum to one."""


class Tiny(NamedTuple):
    source: Tensor
    lengths: Tensor
    target: Tensor


def made(name: str, **changes):
    """The model in double precision, as it is used: nothing is dropped."""
    preset, sizes = EVERY[name]
    sizes = {**sizes, **changes}
    model = build(preset, source_vocab=SOURCE_VOCAB, target_vocab=TARGET_VOCAB, **sizes)
    return model.double().eval()


def batch() -> Tiny:
    """Three sources of different lengths, and targets without padding."""
    lengths = torch.tensor(LENGTHS)
    source = torch.randint(1, SOURCE_VOCAB, (3, 6))
    source[torch.arange(6) >= lengths.unsqueeze(-1)] = 0
    return Tiny(source, lengths, torch.randint(1, TARGET_VOCAB, (3, 5)))
