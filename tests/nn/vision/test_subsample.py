"""Max pooling of what is allowed."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw
from regard.errors import RangeError, ShapeError
from regard.nn.vision.non_local import Subsample


def test_full_windows_and_the_rest_are_pooled():
    pool = Subsample((2, 3), dims=2)
    features = torch.arange(35.0).view(1, 1, 5, 7)
    assert pool(features).tolist() == [[[[9, 12, 13], [23, 26, 27], [30, 33, 34]]]]


def test_what_is_not_allowed_is_never_the_maximum():
    pool, features = Subsample(2, dims=1), draw(2, 3, 6)
    allowed = torch.tensor([[1, 1, 1, 0, 0, 0], [1, 0, 1, 1, 0, 1]]).bool().unsqueeze(1)
    loud = features.masked_fill(~allowed, 1e9)
    assert torch.equal(pool(loud, allowed), pool(-loud.neg().masked_fill(~allowed, 7), allowed))
    assert_close(pool(loud, allowed)[0, :, 1], features[0, :, 2])
    assert_close(pool(loud, allowed)[1, :, 2], features[1, :, 5])
    assert pool.any(allowed).squeeze(1).tolist() == [[True, True, False], [True, True, True]]
    assert not pool(loud, allowed)[0, :, 2].any()


def test_a_factor_of_one_keeps_all():
    assert Subsample(1, dims=2).keeps_all
    assert not Subsample((1, 2), dims=2).keeps_all


def test_mistakes_are_answered_in_one_sentence():
    with pytest.raises(ShapeError, match=r"one for each of 3 axes, got \(2, 2\)"):
        Subsample((2, 2), dims=3)
    with pytest.raises(RangeError, match="Subsample needs factor of at least 1, got 0"):
        Subsample(0, dims=2)
