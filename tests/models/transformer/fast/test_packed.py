"""The pass without any padding is the pass with it."""

import pytest
import torch
from torch.testing import assert_close

from models.transformer.sentences import real, sentences, tiny
from regard.kernels.available import without_numba
from regard.models.transformer.fast import packed as module

pytest.importorskip("numba")

CHOICES = [
    {},
    {"norm": "pre", "position": "learned"},
    {"num_heads": 4, "num_key_heads": 2, "alignment_head": 3},
]
LABELS = ["post", "pre", "grouped"]


@pytest.fixture
def packed(monkeypatch):
    """How many decoder layers ran on tokens alone."""
    calls, run = [], module.decoded
    monkeypatch.setattr(module, "decoded", lambda *call: calls.append(1) or run(*call))
    return calls


@pytest.mark.parametrize("choice", CHOICES, ids=LABELS)
@pytest.mark.parametrize("source", [(5, 2, 7), (7, 7, 7)], ids=["ragged", "even"])
def test_it_has_the_numbers_of_the_padded_pass(choice, source, packed):
    model, batch = tiny(**choice).train(), sentences(source=source)
    inside, found = real(batch), []
    for numba in (True, False):
        model.zero_grad()
        if numba:
            read = model.decode_parallel(*batch, aligned=True)
        else:
            with without_numba():
                read = model.decode_parallel(*batch, aligned=True)
        (
            model.output(read.features)[inside].sin().sum() + read.weights[inside].sin().sum()
        ).backward()
        gradients = [p.grad for p in model.parameters()]
        found.append([read.features[inside], read.weights[inside], *gradients])
    assert len(packed) == len(model.decoder)
    assert_close(*found)


def test_an_empty_source_is_read_like_any_other(packed):
    model, batch = tiny(), sentences()
    batch = batch._replace(source_lengths=torch.tensor([5, 0, 7]))
    read = model.decode_parallel(*batch)
    with without_numba():
        expected = model.decode_parallel(*batch)
    assert packed
    assert_close(read.features[real(batch)], expected.features[real(batch)])


@pytest.mark.parametrize("part", ["encoder.0", "decoder.1", "decoder.1.cross"])
def test_a_hook_anywhere_in_the_layers_is_heard(part, packed):
    model, heard = tiny(), []
    model.get_submodule(part).register_forward_hook(lambda *call: heard.append(part))
    model.decode_parallel(*sentences())
    assert heard and not packed
