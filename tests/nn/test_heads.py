"""Cutting vectors into heads, and masks that all heads share."""

import pytest
import torch
from torch.testing import assert_close

from regard import masks
from regard.errors import ShapeError
from regard.functional.forms import Tile
from regard.nn.heads import head_mask, join_heads, split_heads, width_of_head


def test_heads_are_neighbouring_parts_of_a_vector():
    x = torch.arange(2 * 5 * 6).view(2, 5, 6).float()
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 2)
    assert heads[1, 2, 4].tolist() == x[1, 4, 4:6].tolist()
    assert torch.equal(join_heads(heads), x)


def test_booleans_and_lengths_hold_for_every_head():
    lengths = torch.tensor([2, 5])
    booleans = torch.arange(5) < lengths[:, None]
    at = Tile(range(3), range(5), torch.device("cpu"))
    for mask in (booleans, lengths):
        allowed = head_mask(mask).allowed(at, 4).expand(2, 7, 3, 5)
        assert_close(allowed, booleans[:, None, None].expand(2, 7, 3, 5))


def test_masks_and_nothing_stay_what_they_are():
    causal = masks.causal()
    assert head_mask(causal) is causal
    assert head_mask(None) is None


def test_a_head_has_an_equal_share_unless_another_width_is_asked_for():
    assert width_of_head(object(), 6, 3, None) == 2
    assert width_of_head(object(), 6, 4, 5) == 5
    with pytest.raises(ShapeError, match="object needs a width that 4 heads share equally, got 6"):
        width_of_head(object(), 6, 4, None)
