"""The plan says which twin runs, and why."""

import pytest
import torch

from models.transformer.sentences import sentences, tiny
from regard.kernels.available import without_numba
from regard.lens import capture
from regard.models.transformer.fast import plan
from regard.models.transformer.padding import lengths_of, trimmed

pytest.importorskip("numba")

HOOKED = "a layer has hooks, which only its own forward calls"


def sides(batch):
    target = trimmed(batch.target, lengths_of(batch.target, 0))
    return trimmed(batch.source, batch.source_lengths), target


def test_reading_in_parallel_is_packed_where_nothing_speaks_against_it():
    model, both = tiny(), sides(sentences())
    assert plan(model, *both).name == "packed"
    with without_numba():
        assert plan(model, *both).name == "definition"
    assert plan(tiny(score="additive"), *both).why.startswith("attention needs the padded batch")
    model.encoder[0].register_forward_hook(lambda *call: None)
    assert plan(model, *both) == ("definition", HOOKED)


@torch.no_grad()
def test_steps_share_pages_where_nothing_speaks_against_it():
    model, (source, _) = tiny(), sides(sentences())
    assert plan(model, source).name == "eager"
    assert plan(model.float(), source, lasting=True).name == "compiled"
    assert "gelu" in plan(tiny(activation="gelu").float(), source, lasting=True).why
    assert "float32" in plan(model.double(), source, lasting=True).why


@torch.no_grad()
def test_what_keeps_hypotheses_from_sharing_is_said():
    model, (source, _) = tiny(), sides(sentences())
    empty = source._replace(lengths=torch.tensor([5, 0, 7]))
    assert plan(model, empty).why.startswith("a source is empty")
    assert plan(tiny(position="rotary"), source).why.startswith("attention is not plain")
    assert plan(tiny().train(), source).why.startswith("the model is in training mode")
    with torch.enable_grad():
        assert plan(model, source).why.startswith("gradients are recorded")
    with capture(model):
        assert plan(model, source).why.startswith("an attention is watched")
    with torch.autocast("cpu"):
        assert plan(model, source).why.startswith("autocast is on")
    assert plan(model, source).name == "eager"
