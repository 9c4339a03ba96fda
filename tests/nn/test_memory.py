"""The memory of a decoder: which keys there are, and where a sequence ends."""

import jaxtyping
import pytest
import torch
from torch.testing import assert_close

from regard import masks
from regard.errors import DtypeError
from regard.nn import Memory
from regard.nn.memory import key_mask

KEY, VALUE = torch.randn(2, 5, 3), torch.randn(2, 5, 7)
TABLE = torch.tensor([[True, False, True, False, False], [False, True, True, True, True]])


def test_nothing_given_allows_every_key():
    memory = Memory(KEY, VALUE)
    assert memory.allowed().tolist() == [[True] * 5] * 2
    assert memory.lengths().tolist() == [5, 5]


def test_lengths_allow_what_comes_before_the_end():
    memory = Memory(KEY, VALUE, key_mask(torch.tensor([2, 0])))
    assert memory.allowed().tolist() == [[True, True, False, False, False], [False] * 5]
    assert memory.lengths().tolist() == [2, 0]


def test_booleans_end_behind_the_last_allowed_key():
    memory = Memory(KEY, VALUE, key_mask(TABLE))
    assert memory.allowed().tolist() == TABLE.tolist()
    assert memory.lengths().tolist() == [3, 5]


def test_no_allowed_key_is_a_length_of_zero():
    memory = Memory(KEY, VALUE, key_mask(torch.zeros(2, 5).bool()))
    assert memory.lengths().tolist() == [0, 0]


def test_a_mask_is_what_it_was():
    mask = masks.padding([2, 3]) & masks.dense(TABLE.unsqueeze(-2))
    assert key_mask(mask) is mask
    memory = Memory(KEY, VALUE, mask)
    assert memory.allowed().int().tolist() == [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0]]
    assert memory.lengths().tolist() == [1, 3]


def test_lengths_belong_to_the_first_axes():
    key, value = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 7)
    memory = Memory(key, value, key_mask(torch.tensor([2, 4])))
    assert memory.lengths().tolist() == [[2, 2, 2], [4, 4, 4]]
    assert memory.allowed().sum(-1).tolist() == [[2, 2, 2], [4, 4, 4]]


def test_a_memory_of_no_keys_has_no_length():
    memory = Memory(KEY[:, :0], VALUE[:, :0], key_mask(TABLE[:, :0]))
    assert memory.lengths().tolist() == [0, 0]


@pytest.mark.parametrize("mask", [None, torch.tensor([2, 4]), TABLE, masks.padding([3])])
def test_reordering_takes_keys_values_and_mask_along(mask):
    rows = torch.tensor([1, 1, 0])
    memory = Memory(KEY, VALUE, key_mask(mask))
    moved = memory.reorder(rows)
    assert_close(moved.key, KEY[rows])
    assert_close(moved.value, VALUE[rows])
    assert moved.allowed().tolist() == memory.allowed()[rows].tolist()
    assert moved.lengths().tolist() == memory.lengths()[rows].tolist()


def test_reordered_lengths_stay_lengths():
    moved = Memory(KEY, VALUE, key_mask(torch.tensor([2, 4]))).reorder(torch.tensor([1]))
    assert isinstance(moved.mask, masks.Padding)
    assert moved.mask.lengths.tolist() == [4]
    assert moved.mask.longest == 4


@pytest.mark.parametrize("mask", [torch.zeros(2, 5), [2, 4]], ids=["floats", "a list"])
def test_what_is_no_mask_is_refused(mask, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(DtypeError, match="a mask over keys needs to be a value of"):
        key_mask(mask)


@pytest.mark.parametrize("mask", ["lengths", "none", "dense"])
def test_two_batches_are_one_behind_the_other(mask):
    given = {
        "lengths": masks.padding(torch.tensor([5, 3])),
        "none": None,
        "dense": masks.dense(torch.rand(2, 1, 5) < 0.5),
    }[mask]
    ours = Memory(KEY, VALUE, given)
    theirs = Memory(KEY[:1, :3] + 1, VALUE[:1, :3] + 1, masks.padding(torch.tensor([2])))
    both = ours.joined(theirs)
    assert torch.equal(both.key[:2], KEY)
    assert torch.equal(both.key[2, :3], KEY[0, :3] + 1)
    assert torch.equal(both.value[2, :3], VALUE[0, :3] + 1)
    assert torch.equal(both.allowed()[:2], ours.allowed())
    assert both.allowed()[2].tolist() == [True, True, False, False, False]
    turned = theirs.joined(ours)
    assert torch.equal(turned.allowed(), both.allowed()[[2, 0, 1]])
    assert torch.equal(turned.value[1:], VALUE)
