import pytest
import torch
from torch.testing import assert_close

from regard.errors import RangeError
from regard.models.dropout import Dropout


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.83])
def test_entries_are_dropped_with_the_probability_and_the_others_scaled_to_match(probability):
    x = torch.full((300, 701), 2.0, dtype=torch.float64)
    dropped = Dropout(probability)(x)
    kept = dropped != 0
    share = 1 - kept.double().mean()
    deviation = (probability * (1 - probability) / x.numel()) ** 0.5
    assert abs(float(share) - probability) < 4 * deviation
    scaled = torch.full_like(dropped, 2 / (1 - probability))[kept]
    assert_close(dropped[kept], scaled, rtol=1e-4, atol=0)


def test_neighbours_that_share_a_random_number_are_dropped_independently():
    kept = (Dropout(0.3)(torch.ones(4, 200_000)) != 0).double()
    lanes = kept.reshape(-1, 4)
    correlation = torch.corrcoef(lanes.T) - torch.eye(4)
    assert correlation.abs().max() < 0.012
    assert (lanes.mean(dim=0) - 0.7).abs().max() < 0.005


def test_the_gradient_is_dropped_where_the_value_was():
    x = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    dropped = Dropout(0.4)(x)
    dropped.sum().backward()
    assert_close(x.grad * x, dropped)


def test_nothing_is_dropped_outside_of_training_or_with_probability_zero():
    x = torch.randn(3, 5)
    assert Dropout(0.4).eval()(x) is x
    assert Dropout(0.0)(x) is x


def test_one_seed_drops_the_same():
    drop, x = Dropout(0.4), torch.ones(3, 7)
    torch.manual_seed(5)
    first = drop(x)
    torch.manual_seed(5)
    assert torch.equal(drop(x), first)
    assert not torch.equal(drop(x), first)


@pytest.mark.parametrize("probability", [-0.1, 1.0])
def test_an_impossible_probability_is_refused(probability):
    with pytest.raises(RangeError, match="from 0 to below 1"):
        Dropout(probability)


def test_nothing_at_all_can_be_dropped_from():
    assert Dropout(0.5)(torch.ones(0, 3)).shape == (0, 3)
