"""Text as scenes of a folder that ``transformers`` wrote, read by its own tokeniser."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import nn

from regard.data.grammar import Grammar
from regard.errors import InputError
from regard.lens.foreign.folder import Folder
from regard.lens.scene import NOTHING, Ids, Scene, logits_of
from regard.types import Tensor

from .scenes import batched, lengths_of, padded, side

SENTENCES = 128
EVERY = 7
"""Of so many tokens one is a hole, where the model guesses hidden ones."""
LONGEST = 512
"""Tokens of a text at most, where the model itself knows no end."""
WRITTEN = 60
"""Tokens that a model writes at most, where no translation is given."""


class _Text(NamedTuple):
    """What one line becomes."""

    read: list[int]
    wanted: list[int]
    """Empty where nothing is to be predicted."""
    written: list[int] = []  # noqa: RUF012, nobody adds to it
    """What a decoder reads; empty without one."""


def foreign_scenes(folder: Folder, lines: Iterable[str] | None) -> list[Scene]:
    """A line is a text, or two with a tab between for an encoder with a decoder.

    A language model is to predict the token behind each, a model of hidden tokens every seventh
    one, a decoder its translation, which it writes by itself where none is given; of models with
    other heads, or none, nothing is asked. Our grammar's sentences if there are no lines.

    Raises:
        InputError: the folder has no tokeniser, or not one line has a token.
    """
    if folder.tokenizer is None:
        raise InputError("this folder has no tokeniser, so its model cannot be examined on text")
    drawn = (one.source_text for one in islice(Grammar(seed=1), SENTENCES))
    texts = [line.strip() for line in (drawn if lines is None else lines)]
    read = [_text(folder, text) for text in texts if text]
    kept = [one for one in read if len(one.read) > 1]
    if not kept:
        raise InputError("an examination needs a text of two tokens at least, got none")
    groups = batched(kept, lambda one: max(len(one.read), len(one.written)))
    return [_scene(folder, group) for group in groups]


def predicts(folder: Folder) -> bool:
    """Whether a model has an output that says what it predicts, and not features alone."""
    model: Any = folder.model
    bare = getattr(model, "base_model", None)
    return bare is not model


def _text(folder: Folder, line: str) -> _Text:
    model, tokenizer = folder.model, folder.tokenizer
    text, _, translation = line.partition("\t")
    ids: list[int] = tokenizer(text)["input_ids"][: _longest(model)]
    if _config(model, "is_encoder_decoder"):
        return _pair(folder, ids, translation)
    if _writes(model):
        return _Text(ids[:-1], ids[1:])
    hole = tokenizer.mask_token_id
    if hole is None or not type(model).__name__.endswith("ForMaskedLM"):
        return _Text(ids, [])
    special = set(tokenizer.all_special_ids)
    inner = [place for place, number in enumerate(ids) if number not in special]
    holes = set(inner[::EVERY])
    read = [hole if place in holes else number for place, number in enumerate(ids)]
    return _Text(read, [number if n in holes else NOTHING for n, number in enumerate(ids)])


def _pair(folder: Folder, ids: list[int], translation: str) -> _Text:
    model: Any = folder.model
    if translation:
        wanted = folder.tokenizer(text_target=translation)["input_ids"][: _longest(model)]
    else:
        given = torch.tensor([ids], device=model.device)
        with torch.no_grad():
            found = model.generate(given, max_new_tokens=WRITTEN, num_beams=1, do_sample=False)
        wanted = found[0, 1:].tolist()
    return _Text(ids, wanted, [_config(model, "decoder_start_token_id"), *wanted[:-1]])


def _scene(folder: Folder, texts: Sequence[_Text]) -> Scene:
    model, tokenizer = folder.model, folder.tokenizer
    pad = tokenizer.pad_token_id
    filler = 0 if pad is None else pad

    def told(rows: list[list[int]]) -> Any:
        return side(rows, [tokenizer.convert_ids_to_tokens(row) for row in rows], filler)

    sides = {"input": told([one.read for one in texts])}
    if texts[0].written:
        sides["target"] = told([one.written for one in texts])
    wanted = padded([one.wanted for one in texts], NOTHING) if texts[0].wanted else None

    def forward(ids: Ids) -> Tensor:
        lengths = lengths_of(ids["input"], sides["input"])
        places = torch.arange(ids["input"].shape[1])
        given = {"attention_mask": (places < lengths.unsqueeze(-1)).long()}
        if "target" in ids:
            given["decoder_input_ids"] = ids["target"]
        return logits_of(model(input_ids=ids["input"], **given))

    # GPT-2 calls one token its end, its beginning and what it does not know.
    ends = (tokenizer.eos_token_id, tokenizer.bos_token_id)
    unknown = tokenizer.unk_token_id
    return Scene(
        sides,
        forward,
        wanted,
        causal="target" in sides or _writes(model),
        pad=pad,
        unknown=None if unknown in ends else unknown,
    )


def _writes(model: nn.Module) -> bool:
    """Whether it is a language model that reads from left to right."""
    return type(model).__name__.endswith(("ForCausalLM", "LMHeadModel"))


def _longest(model: nn.Module) -> int:
    for name in ("max_position_embeddings", "n_positions"):
        found = _config(model, name)
        if isinstance(found, int) and found > 1:
            return min(found, LONGEST)
    return LONGEST


def _config(model: nn.Module, name: str) -> Any:
    return getattr(getattr(model, "config", None), name, None)
