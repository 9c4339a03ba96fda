import pytest
import torch

from regard.decoding.top_k import log_total, top


@pytest.mark.parametrize("width", [5, 64, 8000, 8037])
@pytest.mark.parametrize("count", [1, 10])
@pytest.mark.parametrize("rows", [1, 33])
def test_the_highest_are_found_with_their_places(rows, width, count):
    generator = torch.Generator().manual_seed(width)
    x = torch.randn(rows, width, generator=generator)
    x[0, -1] = 99
    values, places = top(x, count)
    expected = x.sort(dim=-1, descending=True).values[:, :count]
    assert torch.equal(values, expected)
    assert torch.equal(x.gather(1, places), expected)


def test_what_is_impossible_is_found_last():
    x = torch.full((40, 8000), -torch.inf)
    x[:, 7001] = 1.0
    values, places = top(x, 3)
    assert (places[:, 0] == 7001).all()
    assert (values[:, 1:] == -torch.inf).all()


@pytest.mark.parametrize("rows", [1, 31, 70])
def test_totals_are_logsumexp(rows):
    x = 300 * torch.randn(rows, 77, dtype=torch.float64)
    torch.testing.assert_close(log_total(x), x.logsumexp(dim=-1, keepdim=True))
