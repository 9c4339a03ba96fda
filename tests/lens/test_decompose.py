"""What a head looks by: shares of scores whose parts are known."""

import pytest
import torch

from regard.errors import RangeError, ShapeError
from regard.lens.decompose import decompose, frozen_share

N = 72
PLACES = torch.arange(N)
OFFSETS = PLACES - PLACES[:, None]
MASKS = {
    "all": None,
    "causal": OFFSETS <= 0,
    "padded": (PLACES < 61).expand(N, N),
}


def drawn(seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    key = torch.randn(N, generator=generator, dtype=torch.float64)
    offset = torch.randn(2 * N - 1, generator=generator, dtype=torch.float64)
    content = torch.randn(N, N, generator=generator, dtype=torch.float64)
    return key.expand(N, N), offset[OFFSETS + N - 1], content


@pytest.mark.parametrize("mask", MASKS)
def test_a_part_of_the_key_alone_is_the_share_of_the_key(mask):
    key, *_ = drawn()
    found = decompose(key + 3 * torch.randn(N, 1).double(), MASKS[mask])
    assert float(found.key + found.either) == pytest.approx(1, abs=1e-6)
    assert float(found.content) == pytest.approx(0, abs=1e-6)
    assert float(found.offset) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("mask", MASKS)
def test_a_part_of_the_distance_alone_is_the_share_of_the_offset(mask):
    _, offset, _ = drawn()
    found = decompose(offset, MASKS[mask])
    assert float(found.offset + found.either) == pytest.approx(1, abs=1e-6)
    assert float(found.key) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("mask", MASKS)
def test_a_linear_trend_belongs_to_either(mask):
    found = decompose(-0.3 * OFFSETS.double(), MASKS[mask])
    assert float(found.either) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("mask", MASKS)
def test_noise_is_content_though_a_fit_has_many_numbers_to_choose(mask):
    *_, content = drawn()
    found = decompose(content, MASKS[mask])
    assert float(found.content) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("mask", MASKS)
def test_sums_in_known_proportion_have_shares_in_that_proportion(mask):
    key, offset, content = drawn(2)
    found = decompose(key + offset + 1.0 * content, MASKS[mask])
    seen = torch.ones(N, N, dtype=torch.bool) if MASKS[mask] is None else MASKS[mask]
    parts = [_spread(one, seen) for one in (key, offset, content)]
    wanted = [one / sum(parts) for one in parts]
    assert float(found.content) == pytest.approx(wanted[2], abs=0.05)
    total = found.key + found.offset + found.either + found.content
    assert float(total) == pytest.approx(1, abs=1e-9)


def _spread(x: torch.Tensor, seen: torch.Tensor) -> float:
    count = seen.sum(-1, keepdim=True)
    mean = (x * seen).sum(-1, keepdim=True) / count
    return float(((x - mean) * seen).square().sum())


def test_the_fit_is_that_of_a_dense_solver():
    size = 9
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(size, size, generator=generator, dtype=torch.float64)
    rows = torch.eye(size).repeat_interleave(size, 0)
    columns = torch.eye(size).repeat(size, 1)
    offsets = torch.eye(2 * size - 1)[(torch.arange(size) - torch.arange(size)[:, None]).flatten()]
    design = torch.cat([rows, columns, offsets], dim=1).double()
    fit = design @ torch.linalg.lstsq(design, scores.flatten(), driver="gelsd").solution
    left = (scores.flatten() - fit).square().sum()
    centred = scores - scores.mean(-1, keepdim=True)
    from regard.lens.least_squares import Design, solve

    own = Design(None, size, size, 4)
    for at in own.slices():
        own.add(at, centred[at])
    explained = solve(own, ("key", "offset")).explained
    assert float(centred.square().sum() - explained) == pytest.approx(float(left), abs=1e-9)


def test_scores_as_a_function_of_rows_are_read_in_tiles():
    key, offset, content = drawn()
    scores = key + offset + content
    asked = []

    def rows(at: slice) -> torch.Tensor:
        asked.append(at.stop - at.start)
        return scores[at]

    found = decompose(rows, size=(N, N), tile=20)
    torch.testing.assert_close(found.content, decompose(scores).content)
    assert max(asked) == 20
    with pytest.raises(ShapeError, match="size="):
        decompose(rows)
    with pytest.raises(RangeError, match="finite"):
        decompose(torch.full((3, 3), torch.inf))


def test_equal_scores_have_no_spread_and_their_share_is_content():
    found = decompose(torch.zeros(2, 5, 5))
    assert found.spread.tolist() == [0, 0]
    assert found.content.tolist() == [1, 1]


def test_the_spread_tells_how_far_softmax_is_from_uniform():
    scores = 0.2 * torch.randn(50, 50, generator=torch.Generator().manual_seed(0)).double()
    weights = scores.softmax(-1)
    apart = (weights * (weights * 50).log()).sum(-1).mean()
    assert float(decompose(scores).spread) ** 2 / 2 == pytest.approx(float(apart), rel=0.1)


def test_a_frozen_head_has_share_one_and_pairs_are_counted_all():
    one = torch.rand(3, 2, 4, 5).double().softmax(-1)
    assert frozen_share(one[:1].expand(3, -1, -1, -1)).tolist() == [1, 1]
    pairs = [(a, b) for a in range(3) for b in range(a)]
    apart = torch.stack([0.5 * (one[a] - one[b]).abs().sum(-1).mean(-1) for a, b in pairs]).mean(0)
    torch.testing.assert_close(frozen_share(one), 1 - apart)
    with pytest.raises(RangeError, match="two inputs"):
        frozen_share(one[:1])
