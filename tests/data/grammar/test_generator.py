import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.grammar import Grammar
from regard.errors import ChoiceError, RangeError

SPEED = """
from time import process_time
from regard.data.grammar import Grammar
grammar = Grammar(0)
times = []
for turn in range(4):
    start = process_time()
    for index in range(1000 * turn, 1000 * turn + 1000):
        grammar[index]
    times.append(process_time() - start)
print(1000 / min(times))
"""


def pairs_a_second():
    command = [sys.executable, "-c", SPEED]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_draws_the_same_pairs(draw, hash_seed):
    ours = tuple(islice(Grammar(5, split="valid"), 20))
    assert draw(5, 20, split="valid", hash_seed=hash_seed) == ours


def test_iterating_counts_the_indexes_up_and_starts_anew():
    grammar = Grammar(7)
    first = list(islice(grammar, 5))
    assert first == [grammar[index] for index in range(5)] == list(islice(grammar, 5))


def test_other_seeds_and_splits_draw_other_pairs():
    draws = [
        [pair.source for pair in islice(grammar, 20)]
        for grammar in (Grammar(0), Grammar(1), Grammar(0, split="test"), Grammar(0, max_words=19))
    ]
    assert all(one != other for one in draws for other in draws if one is not other)


@settings(max_examples=12)
@given(st.integers(0, 2**40), st.integers(1, 50), st.integers(6, 20), st.integers(0, 10**12))
def test_a_bucket_holds_its_lengths(seed, shortest, width, index):
    longest = min(shortest + width, 60)
    pair = Grammar(seed, bucket=(shortest, longest))[index]
    assert shortest <= len(pair.source) <= longest


@pytest.mark.parametrize("max_words", [5, 9, 20])
def test_no_source_is_longer_than_max_words(draw, max_words):
    lengths = [len(pair.source) for pair in draw(2, 200, max_words=max_words)]
    assert max(lengths) == max_words


def test_a_bucket_is_filled_from_end_to_end(draw):
    lengths = Counter(len(pair.source) for pair in draw(2, 300, bucket=(40, 60)))
    assert set(lengths) == set(range(40, 61))
    assert max(lengths.values()) < 80


def test_sentences_are_many_and_of_all_lengths(pairs):
    short = pairs[:5000]
    lengths = Counter(len(pair.source) for pair in short)
    assert set(lengths) == set(range(1, 21))
    assert 7 < sum(len(pair.source) for pair in short) / len(short) < 12
    assert len({pair.source for pair in short}) > 4700
    assert len({word for pair in pairs for word in pair.source}) > 800
    assert len({word for pair in pairs for word in pair.target}) > 1200


def test_one_source_has_one_translation(pairs, draw):
    translations = {}
    for pair in (*pairs, *draw(4, 1500, bucket=(1, 5))):
        assert translations.setdefault(pair.source, pair.target) == pair.target


def test_it_draws_thousands_of_pairs_a_second():
    # A third of what one idle core does: other work may run beside the tests.
    assert pairs_a_second() > 2000


@pytest.mark.slow
def test_it_draws_five_thousand_pairs_a_second_on_an_idle_core():
    assert pairs_a_second() > 5000


@pytest.mark.parametrize("bucket", [(0, 9), (10, 9), (30, 61), (1, 4)])
def test_a_length_out_of_reach_is_refused(bucket):
    with pytest.raises(RangeError, match=f"got {bucket[0]} to {bucket[1]}; choose a range inside"):
        Grammar(bucket=bucket)


def test_two_bounds_at_once_are_refused():
    with pytest.raises(ChoiceError, match=r"got 9 and \(2, 9\); pass one"):
        Grammar(max_words=9, bucket=(2, 9))


def test_a_negative_seed_or_index_is_refused():
    with pytest.raises(RangeError, match="seed must be 0 or more, got -1"):
        Grammar(-1)
    with pytest.raises(IndexError, match="no end to count back from, got index -2"):
        Grammar()[-2]
