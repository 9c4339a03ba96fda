"""Dropout of weights: one seed, one result, on every path."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from functional.cases.call import inputs, reference_weights
from functional.cases.masks import MASK
from functional.cases.normalisers import NORMALISER
from functional.cases.scores import SCORE
from functional.cases.sizes import KEYS
from regard import attend, masks, normalisers, scores
from regard.errors import ChoiceError, RangeError

PATHS = ("auto", "reference", "stream", "lower", "window")
CASES = [
    ("scaled_dot", "softmax", "none"),
    ("scaled_dot", "softmax", "causal&padding"),
    ("scaled_dot", "softmax", "window(2,1)"),
    ("additive", "sparsemax", "tensor"),
    ("alibi", "softmax", "window&padding"),
    ("location", "relu", "~window"),
]
every_case = pytest.mark.parametrize("case", CASES, ids="-".join)
every_path = pytest.mark.parametrize("path", PATHS)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """The map is streamed in several blocks."""


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def dropped_weights(case, path, probability, seed):
    """Identity values make the context the dropped weights themselves; ``None`` if refused."""
    score, normaliser, mask = case
    query, key, _, parameters = inputs(SCORE[score])
    try:
        return attend(
            query,
            key,
            torch.eye(KEYS, dtype=torch.float64),
            score=SCORE[score].make(**parameters),
            mask=MASK[mask].make(),
            normalise=NORMALISER[normaliser].value,
            dropout=probability,
            generator=seeded(seed),
            path=path,
        )
    except ChoiceError:
        assert path in ("lower", "window")
        return None


@every_path
@every_case
def test_one_seed_drops_the_same_weights_on_every_path(case, path):
    found = dropped_weights(case, path, 0.4, seed=3)
    if found is not None:
        expected = dropped_weights(case, "reference", 0.4, seed=3)
        assert_close(found, expected, rtol=1e-11, atol=1e-12)


@every_path
@every_case
def test_a_dropped_weight_is_zero_and_a_kept_one_is_scaled_up(case, path):
    found = dropped_weights(case, path, 0.4, seed=5)
    if found is None:
        return
    weights = torch.tensor(reference_weights(*case), dtype=torch.float64)
    kept = weights / (1 - 0.4)
    is_zero = found == 0
    assert (is_zero | torch.isclose(found, kept, rtol=1e-8, atol=1e-10)).all()
    positive = weights > 0
    assert is_zero[positive].any()
    assert (~is_zero)[positive].any()


@every_path
@every_case
def test_no_dropout_is_no_change(case, path):
    found = dropped_weights(case, path, 0.0, seed=5)
    if found is not None:
        weights = torch.tensor(reference_weights(*case), dtype=torch.float64)
        assert_close(found, weights, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("path", ["reference", "stream"])
def test_weights_are_dropped_as_often_as_asked_and_keep_their_mean(path, probability):
    length, width = 128, 2
    query = torch.zeros(3, length, width)
    value = torch.eye(length)
    found = attend(query, query, value, dropout=probability, generator=seeded(1), path=path)
    count = found.numel()
    deviation = (probability * (1 - probability) / count) ** 0.5
    assert abs((found == 0).double().mean().item() - probability) < 5 * deviation
    mean, spread = 1 / length, deviation / (1 - probability) / length
    assert abs(found.double().mean().item() - mean) < 5 * spread


@pytest.mark.parametrize(
    "shift", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 0, 1)]
)
def test_neighbours_are_dropped_independently(shift):
    query = torch.zeros(60, 64, 2)
    dropped = attend(query, query, torch.eye(64), dropout=0.5, generator=seeded(9)) == 0
    moved = dropped.roll(shift, dims=(0, 1, 2))
    same = (dropped == moved).double().mean().item()
    assert abs(same - 0.5) < 5 * 0.5 / dropped.numel() ** 0.5


def test_seeds_differ_and_calls_with_one_generator_differ():
    first = dropped_weights(CASES[0], "auto", 0.5, seed=1)
    assert not torch.equal(first, dropped_weights(CASES[0], "auto", 0.5, seed=2))
    generator, x = seeded(1), torch.randn(4, 6, 3)
    once, twice = (attend(x, x, x, dropout=0.5, generator=generator) for _ in range(2))
    assert not torch.equal(once, twice)


def test_a_generator_given_leaves_the_global_one_alone():
    x = torch.randn(4, 6, 3)
    before = torch.get_rng_state()
    attend(x, x, x, dropout=0.5, generator=seeded(1))
    attend(x, x, x, normalise=normalisers.Sample(seeded(2)))
    attend(x, x, x)
    assert torch.equal(before, torch.get_rng_state())


def test_without_a_generator_the_global_seed_decides():
    x = torch.randn(4, 6, 3)
    results = []
    for _ in range(2):
        torch.manual_seed(12)
        results.append(attend(x, x, x, dropout=0.5))
    assert torch.equal(*results)


@pytest.mark.parametrize("path", ["reference", "stream"])
def test_the_gradient_goes_through_the_weights_that_were_kept(path):
    leaves = [torch.randn(2, n, 3, dtype=torch.float64, requires_grad=True) for n in (4, 5, 5)]

    def dropped(query, key, value):
        return attend(query, key, value, dropout=0.5, generator=seeded(4), path=path)

    assert gradcheck(dropped, leaves)


@pytest.mark.parametrize("path", ["reference", "stream"])
def test_shared_keys_do_not_share_what_is_dropped(path):
    """Keys that broadcast are dropped as if they were written out."""
    query, key = torch.randn(2, 3, 5, 4), torch.randn(7, 4)
    choices = {"dropout": 0.5, "path": path}
    small = attend(query, key, torch.eye(7), generator=seeded(3), **choices)
    large = attend(
        query,
        key.expand(2, 3, 7, 4),
        torch.eye(7).expand(2, 3, 7, 7),
        generator=seeded(3),
        **choices,
    )
    assert torch.equal(small == 0, large == 0)
    assert not torch.equal(small[0] == 0, small[1] == 0)


@every_path
@pytest.mark.parametrize("mask", ["none", "causal&padding", "window(2,1)", "~window"])
def test_one_seed_samples_the_same_keys_on_every_path(mask, path):
    query, key, value, parameters = inputs(SCORE["additive"])
    made = scores.Additive(**parameters)

    def run(path):
        sample = normalisers.Sample(seeded(7))
        return attend(
            query, key, value, score=made, mask=MASK[mask].make(), normalise=sample, path=path
        )

    try:
        found = run(path)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    assert_close(found, run("reference"))


@pytest.mark.parametrize("probability", [1.0, -0.1, 1.5, float("nan")])
def test_a_dropout_that_is_no_probability_is_an_error(probability):
    x = torch.zeros(2, 3, 4)
    with pytest.raises(RangeError, match="dropout needs a probability of at least 0 and below 1"):
        attend(x, x, x, dropout=probability)


def test_the_fused_path_says_that_it_cannot_drop():
    x = torch.zeros(2, 3, 4)
    with pytest.raises(ChoiceError, match=r"path 'lower' cannot run this: .*drop"):
        attend(x, x, x, dropout=0.5, path="lower", mask=masks.causal())
