"""Batches: complete, within their budget, resumable, and the same on several ranks."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.batches import BatchConfig, Batches, EndlessPools, FinitePools
from regard.data.vocabulary import Characters, Vocabularies
from regard.errors import InputError, RangeError
from regard.tasks.translation.corpus import empty_batch, encode
from regard.tasks.translation.example import Example

BOTH = Vocabularies(Characters("xyz", fallback="unknown"), Characters("abc", fallback="unknown"))
BOS, EOS, PAD = 2, 3, 0


def corpus(lengths):
    return encode([Example("x" * s, "a" * t) for s, t in lengths], BOTH)


def random_lengths(rows, seed=0):
    return np.random.default_rng(seed).integers(1, 12, (rows, 2)).tolist()


def batches(lengths, *, size=50, rank=0, world_size=1, **chosen):
    pools = FinitePools(corpus(lengths), size=size)
    return Batches(pools, BatchConfig(**chosen), rank=rank, world_size=world_size)


def rows_of(run):
    return [batch.indices.tolist() for batch in run]


def draw(number):
    s, t = np.random.default_rng([5, number]).integers(1, 9, 2)
    return Example("x" * s, "a" * t, frozenset({(0, 0)}) if t > 4 else None)


def endless():
    return Batches(
        EndlessPools(draw, partial(encode, vocabularies=BOTH), name="toy 5", size=20),
        BatchConfig(max_tokens=30),
    )


def same(first, second):
    return all(
        torch.equal(getattr(first, name), getattr(second, name))
        for name in ("source", "target_in", "target_out", "source_lengths", "target_lengths")
    )


def test_tokens_are_padded_and_framed():
    run = Batches(
        FinitePools(encode([Example("xyz", "a"), Example("y", "bc")], BOTH)),
        BatchConfig(order="by_length"),
    )
    (batch,) = run
    assert batch.indices.tolist() == [1, 0]
    assert batch.source.tolist() == [[5, EOS, PAD, PAD], [4, 5, 6, EOS]]
    assert batch.target_in.tolist() == [[BOS, 5, 6], [BOS, 4, PAD]]
    assert batch.target_out.tolist() == [[5, 6, EOS], [4, EOS, PAD]]
    assert (batch.source_lengths.tolist(), batch.target_lengths.tolist()) == ([2, 4], [3, 2])
    assert batch.num_targets == 5
    assert batch.source.dtype == batch.target_out.dtype == torch.long


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25),
    st.integers(1, 60),
    st.integers(1, 17),
    st.sampled_from([None, 1, 3]),
)
def test_every_example_comes_once_and_within_the_budget(lengths, budget, size, max_rows):
    run = batches(lengths, size=size, max_tokens=budget, max_rows=max_rows)
    seen = []
    for batch in run:
        seen += batch.indices.tolist()
        rows = len(batch.source)
        longest = max(batch.source.shape[1], batch.target_out.shape[1])
        assert rows == 1 or rows * longest <= budget
        assert max_rows is None or rows <= max_rows
        for place, row in enumerate(batch.indices.tolist()):
            assert batch.source_lengths[place] == lengths[row][0] + 1
            assert batch.target_lengths[place] == lengths[row][1] + 1
        assert batch.num_targets == batch.target_lengths.sum()
    assert sorted(seen) == list(range(len(lengths)))


def test_similar_lengths_share_a_batch():
    lengths = [(n, n) for n in range(1, 31)] * 10
    padding = sum(
        int((batch.target_out == PAD).sum()) for batch in batches(lengths, size=300, max_tokens=200)
    )
    tokens = 10 * sum(range(2, 32))
    assert padding < 0.1 * tokens


def test_epochs_differ_and_repeat_with_the_seed():
    first, again, other = (batches(random_lengths(120), max_tokens=40, seed=s) for s in (3, 3, 4))
    epochs = [rows_of(first) for _ in range(3)]
    assert [rows_of(again) for _ in range(3)] == epochs
    assert epochs[0] != epochs[1] != epochs[2]
    assert rows_of(other) != epochs[0]


def test_both_the_company_and_the_order_of_batches_change_with_the_epoch():
    company = batches(random_lengths(120), max_tokens=40)
    first, second = ({frozenset(rows) for rows in rows_of(company)} for _ in range(2))
    assert first != second
    order = batches([(n, n) for n in range(1, 20)], max_rows=1)
    assert rows_of(order) != rows_of(order)


def test_the_order_by_length_is_the_same_every_epoch():
    run = batches(random_lengths(70), size=100, max_tokens=40, order="by_length")
    longest = [max(batch.source.shape[1], batch.target_in.shape[1]) for batch in run]
    assert longest == sorted(longest)
    assert rows_of(run) == rows_of(run)


@pytest.mark.parametrize("make", [lambda: batches(random_lengths(130), max_tokens=40), endless])
@pytest.mark.parametrize("steps", [0, 1, 7, 26, 60])
def test_a_run_resumes_with_the_identical_remaining_batches(make, steps):
    def forever(run):
        while True:
            yield from run

    whole = make()
    stream = forever(whole)
    for _ in range(steps):
        next(stream)
    state = json.loads(json.dumps(whole.state_dict()))
    resumed = make()
    resumed.load_state_dict(state)
    after = forever(resumed)
    for _ in range(40):
        expected, found = next(stream), next(after)
        assert same(expected, found)
        assert expected.indices.tolist() == found.indices.tolist()


def test_resuming_behind_the_last_batch_ends_the_epoch_once():
    run = batches(random_lengths(20), max_tokens=40)
    stream = iter(run)
    for _ in range(len(rows_of(batches(random_lengths(20), max_tokens=40)))):
        next(stream)
    resumed = batches(random_lengths(20), max_tokens=40)
    resumed.load_state_dict(run.state_dict())
    assert rows_of(resumed) == []
    assert resumed.position.epoch == 1
    assert next(stream, None) is None
    assert rows_of(resumed) == rows_of(run)


def test_breaking_off_loses_nothing():
    lengths = random_lengths(90)
    whole = rows_of(batches(lengths, max_tokens=40))
    run = batches(lengths, max_tokens=40)
    parts = []
    while len(parts) < len(whole):
        for batch in run:
            parts.append(batch.indices.tolist())
            if len(parts) % 3 == 0:
                break
    assert parts == whole


@pytest.mark.parametrize("world_size", [2, 3])
def test_ranks_together_see_the_batches_of_one_process_with_their_budget(world_size):
    lengths = random_lengths(101)
    whole = batches(lengths, max_tokens=24 * world_size)
    ranks = [
        batches(lengths, max_tokens=24, rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]
    steps = 0
    for _ in range(2):
        for one, *shares in zip(whole, *ranks, strict=True):
            found = [row for share in shares for row in share.indices.tolist() if row >= 0]
            assert sorted(found) == sorted(one.indices.tolist())
            assert {share.num_targets for share in shares} == {one.num_targets}
            predicted = sum(int((share.target_out != PAD).sum()) for share in shares)
            assert predicted == one.num_targets
            steps += 1
    assert steps > 20


def test_a_rank_without_a_row_gets_nothing_to_predict():
    shares = [list(batches([(3, 4)], rank=rank, world_size=2)) for rank in range(2)]
    assert shares[0][0].indices.tolist() == [0]
    (batch,) = shares[1]
    assert batch.indices.tolist() == [-1]
    assert batch.num_targets == shares[0][0].num_targets == 5
    assert (batch.target_out == PAD).all()
    assert same(batch, empty_batch(5))


def test_a_run_of_one_process_resumes_on_two():
    lengths = random_lengths(60)
    one = batches(lengths, max_tokens=40)
    next(iter(one))
    two = [batches(lengths, max_tokens=20, rank=rank, world_size=2) for rank in range(2)]
    for rank in two:
        rank.load_state_dict(one.state_dict())
    for whole, *shares in zip(one, *two, strict=True):
        found = [row for share in shares for row in share.indices.tolist() if row >= 0]
        assert sorted(found) == sorted(whole.indices.tolist())


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (lambda: batches([(1, 2), (3, 3)], max_tokens=40), "saved with data"),
        (
            lambda: batches([(1, 2), (3, 4)], max_tokens=41),
            "tokens_of_all_ranks 40, .* 41",
        ),
        (lambda: batches([(1, 2), (3, 4)], max_tokens=40, seed=1), "saved with seed 0, .* 1"),
        (lambda: batches([(1, 2), (3, 4)], max_tokens=40, max_rows=2), "rows_of_all_ranks None"),
        (endless, "saved with data"),
    ],
)
def test_a_position_in_other_data_is_refused(other, complaint):
    state = batches([(1, 2), (3, 4)], max_tokens=40).state_dict()
    with pytest.raises(InputError, match=complaint):
        other().load_state_dict(state)


@pytest.mark.parametrize("change", [{"pool": -1}, {"batch": "1"}, {"epoch": None}, {"format": 7}])
def test_a_position_that_is_none_is_refused(change):
    run = batches([(1, 2)])
    with pytest.raises(InputError):
        run.load_state_dict({**run.state_dict(), **change})


def test_an_endless_source_gives_every_example_once_in_pools():
    run = iter(endless())
    seen = []
    while len(seen) < 100:
        batch = next(run)
        for place, row in enumerate(batch.indices.tolist()):
            assert batch.source_lengths[place] == len(draw(row).source) + 1
            assert batch.target_lengths[place] == len(draw(row).target) + 1
        seen += batch.indices.tolist()
        whole = len(seen) // 20 * 20
        assert sorted(seen[:whole]) == list(range(whole))


def test_an_endless_source_of_another_name_or_pool_is_refused():
    for name, size in (("toy 6", 20), ("toy 5", 21)):
        other = Batches(
            EndlessPools(draw, partial(encode, vocabularies=BOTH), name=name, size=size),
            BatchConfig(max_tokens=30),
        )
        with pytest.raises(InputError, match="saved with data 'toy 5, 20 examples per pool'"):
            other.load_state_dict(endless().state_dict())


def test_no_example_and_a_rank_out_of_range_are_refused():
    with pytest.raises(InputError, match="needs at least one example"):
        encode([], BOTH)
    with pytest.raises(RangeError, match="rank must lie in 0…1, got 2 of 2"):
        batches([(1, 1)], rank=2, world_size=2)


def test_a_batch_moves_to_a_device():
    (batch,) = Batches(FinitePools(encode([Example("x", "a", frozenset())], BOTH)), BatchConfig())
    moved = batch.to("meta")
    assert moved.source.device.type == moved.indices.device.type == "meta"
    assert moved.alignment.links.device.type == "meta"
    assert empty_batch(3).to("meta").alignment is None


def test_many_pairs_fit_in_little_memory():
    rows = 500
    packed = encode((Example("x" * 10, "a" * 11) for _ in range(rows)), BOTH)
    size = (
        sum(
            array.nbytes
            for ragged in (packed.source, packed.target, packed.links)
            for array in ragged
        )
        + packed.gold.nbytes
    )
    assert size < 120 * rows
