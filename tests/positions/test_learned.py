"""Learned positions: a table with an end."""

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from regard import positions
from regard.errors import RangeError


def test_each_position_adds_its_own_row():
    module = positions.Learned(7, 5).double()
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    found = module(x, start=2)
    rows = module.table.tolist()
    for b in range(2):
        for p in range(3):
            expected = [f + t for f, t in zip(x[b, p].tolist(), rows[p + 2], strict=True)]
            assert found[b, p].tolist() == expected


def test_it_equals_an_embedding_of_the_positions_as_bert_has_it():
    module, embedding = positions.Learned(7, 5), nn.Embedding(7, 5)
    module.load_state_dict({"table": embedding.weight.detach()})
    x = torch.randn(2, 6, 5)
    assert_close(module(x), x + embedding(torch.arange(6)))


@pytest.mark.parametrize("join", ["add", "concatenate"])
def test_its_gradient_is_that_of_finite_differences(join):
    module = positions.Learned(7, 5, join=join).double()
    x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    call = torch.func.functional_call
    table = module.table.detach().requires_grad_()
    assert gradcheck(lambda x, table: call(module, {"table": table}, (x, 4)), (x, table))


def test_the_table_has_an_end_and_the_message_says_where():
    module = positions.Learned(7, 5)
    assert module(torch.zeros(7, 5)).shape == (7, 5)
    assert module(torch.zeros(1, 5), start=6).shape == (1, 5)
    beyond = "Learned needs positions from 0 to 6, the end of its table, got"
    with pytest.raises(RangeError, match=f"{beyond} 0 to 7; make the table longer, or use sin"):
        module(torch.zeros(8, 5))
    with pytest.raises(RangeError, match=f"{beyond} 6 to 7"):
        module(torch.zeros(2, 5), start=6)
    with pytest.raises(RangeError, match=f"{beyond} -1 to 1"):
        module(torch.zeros(3, 5), start=-1)


def test_it_begins_small():
    table = positions.Learned(50, 40).table
    assert 0.015 < table.std().item() < 0.025


@pytest.mark.parametrize("sizes", [(0, 5), (7, 0)])
def test_a_size_of_nothing_is_refused(sizes):
    with pytest.raises(RangeError, match=r"Learned needs (max_length|dim) of at least 1, got 0"):
        positions.Learned(*sizes)
