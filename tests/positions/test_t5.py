"""The buckets and the bias of T5 against logarithms and Hugging Face."""

import pytest
import torch
from torch.testing import assert_close

from reference import positions as ref
from regard import attend, positions, scores
from regard.errors import RangeError

SIZES = [(32, 128), (16, 64), (12, 50), (8, 20), (10, 33), (4, 5)]

every_size = pytest.mark.parametrize(("num_buckets", "max_distance"), SIZES)
both_directions = pytest.mark.parametrize("bidirectional", [True, False])


@both_directions
@every_size
def test_the_buckets_are_those_of_the_logarithms(num_buckets, max_distance, bidirectional):
    sizes = {"num_buckets": num_buckets, "max_distance": max_distance}
    found = positions.t5_buckets(**sizes, bidirectional=bidirectional)
    offsets = range(-max_distance, max_distance + 1)
    expected = [ref.t5_bucket(n, **sizes, bidirectional=bidirectional) for n in offsets]
    assert found.tolist() == expected


@both_directions
@every_size
def test_the_buckets_are_those_of_hugging_face(num_buckets, max_distance, bidirectional):
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    offsets = torch.arange(-max_distance, max_distance + 1)
    bucket = t5.T5Attention._relative_position_bucket
    expected = bucket(offsets, bidirectional, num_buckets, max_distance)
    found = positions.t5_buckets(
        num_buckets=num_buckets, max_distance=max_distance, bidirectional=bidirectional
    )
    assert found.equal(expected)


@both_directions
@pytest.mark.parametrize("start", [0, 4])
def test_the_bias_is_that_of_the_attention_of_hugging_face(bidirectional, start):
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    config = pytest.importorskip("transformers").T5Config(
        num_heads=3,
        d_model=6,
        d_kv=2,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=9,
        is_decoder=not bidirectional,
    )
    theirs = t5.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = positions.T5Bias(3, num_buckets=8, max_distance=9, bidirectional=bidirectional)
    ours.load_state_dict({"table": theirs.relative_attention_bias.weight.detach().T})
    query, key = torch.randn(2, 3, 20, 2), torch.randn(2, 3, 25, 2)
    expected = theirs.compute_bias(20, 25, past_seen_tokens=start)
    found = ours.term(start)(query, key)
    assert_close(found, expected.expand(2, -1, -1, -1))


def test_far_keys_share_the_last_bucket_however_far():
    module = positions.T5Bias(2, num_buckets=8, max_distance=9).double()
    x = torch.zeros(2, 40, 3, dtype=torch.float64)
    found = module.term()(x, x)
    assert (found[:, 0, 9:] == module.table[:, 7:]).all()
    assert (found[:, 39, :31] == module.table[:, 3:4]).all()


def test_the_gradient_reaches_the_buckets_that_were_used():
    module = positions.T5Bias(2, num_buckets=8, max_distance=9).double()
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    attend(x, x, x, score=scores.Dot() + module.term()).square().sum().backward()
    sizes = {"num_buckets": 8, "max_distance": 9, "bidirectional": True}
    used = {ref.t5_bucket(distance, **sizes) for distance in range(-2, 3)}
    gradient = module.table.grad.abs().sum(0)
    assert {bucket for bucket in range(8) if gradient[bucket] > 0} == used


@pytest.mark.parametrize(
    ("sizes", "match"),
    [
        ({"num_buckets": 2}, "T5Bias needs an even num_buckets of at least 4, got 2"),
        ({"num_buckets": 7}, "T5Bias needs an even num_buckets of at least 4, got 7"),
        ({"num_buckets": 1, "bidirectional": False}, "T5Bias needs at least 2 buckets, got 1"),
        ({"max_distance": 8}, "T5Bias needs max_distance above 8, .*got 8"),
        ({"max_distance": 16, "bidirectional": False}, "T5Bias needs max_distance above 16"),
        ({"max_distance": 10**9}, "T5Bias needs max_distance of at most 65,536, got 10"),
        (
            {"num_buckets": 10**9, "max_distance": 2**15},
            "T5Bias needs num_buckets of at most 1,024",
        ),
    ],
)
def test_sizes_that_make_no_buckets_are_refused(sizes, match):
    with pytest.raises(RangeError, match=match):
        positions.T5Bias(2, **sizes)
