"""Links between words out of weights between tokens."""

from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from torch.testing import assert_close

from reference import metrics as reference
from regard.data.alignment import Side, side
from regard.data.vocabulary import Characters
from regard.errors import RangeError, ShapeError
from regard.measures import (
    Argmax,
    Intersection,
    Threshold,
    word_links,
    word_shares,
    word_weights,
)

CHARACTERS = Characters(sorted(set(" abcdefghij")))
TEXTS = st.lists(st.text("abcdefghij", min_size=1, max_size=3), min_size=1, max_size=4)
RULES = [Argmax(), Intersection(), Threshold(above=0.2)]


def tokens_of_words(words: list[str]) -> list[list[int]]:
    """Character numbers of every word in the text, each space with the word behind it."""
    found, start = [], 0
    for number, word in enumerate(words):
        end = start + len(word) + (number > 0)
        found.append(list(range(start, end)))
        start = end
    return found


def weights(rows: int, columns: int, *, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(rows, columns, generator=generator).softmax(dim=-1)


class Case(NamedTuple):
    source: list[str]
    target: list[str]
    shift: int
    padding: int
    seed: int

    @property
    def sides(self) -> dict[str, Side]:
        return {
            "source": side(CHARACTERS, " ".join(self.source)),
            "target": side(CHARACTERS, " ".join(self.target)),
        }

    @property
    def weights(self) -> torch.Tensor:
        rows = len(self.sides["target"].pieces) + self.shift + self.padding
        columns = len(self.sides["source"].pieces) + 1 + self.padding
        return weights(rows, columns, seed=self.seed)


CASES = st.builds(
    Case, TEXTS, TEXTS, st.integers(0, 2), st.integers(0, 3), st.integers(min_value=0, max_value=99)
)


@settings(max_examples=40)
@given(CASES)
def test_word_weights_equal_a_plain_loop(case):
    expected = reference.word_weights(
        case.weights.tolist(),
        source=tokens_of_words(case.source),
        target=tokens_of_words(case.target),
        shift=case.shift,
    )
    found = word_weights(case.weights, **case.sides, shift=case.shift)
    assert_close(found, torch.tensor(expected, dtype=torch.float64))


@settings(max_examples=40)
@given(CASES)
def test_rules_equal_plain_loops(case):
    between = word_weights(case.weights, **case.sides, shift=case.shift).tolist()
    above = {
        (i, j) for j, row in enumerate(between) for i, weight in enumerate(row) if weight > 0.2
    }
    for rule, expected in zip(
        RULES, (reference.highest(between), reference.mutual(between), above), strict=True
    ):
        assert word_links(case.weights, **case.sides, rule=rule, shift=case.shift) == expected


def test_links_are_source_word_and_target_word():
    source, target = side(CHARACTERS, "a bc d"), side(CHARACTERS, "ef g")
    table = torch.zeros(5, 7)
    table[0:2, 2:4] = 0.4  # ef looks at bc
    table[2:4, 5] = 0.6  # g looks at d
    assert word_links(table, source=source, target=target) == {(1, 0), (2, 1)}


def test_the_weights_of_a_long_source_word_are_summed():
    source, target = side(CHARACTERS, "a bcd"), side(CHARACTERS, "e")
    table = torch.tensor([[0.4, 0.0, 0.2, 0.2, 0.2, 0.0]])
    assert word_links(table, source=source, target=target) == {(1, 0)}


def test_the_tokens_of_a_long_target_word_vote_with_their_mean():
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "efg")
    table = torch.tensor([[0.9, 0.0, 0.1, 0.0], [0.4, 0.0, 0.6, 0.0], [0.4, 0.0, 0.6, 0.0]])
    assert word_links(table, source=source, target=target) == {(0, 0)}


def test_eos_and_padding_are_left_out():
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "e")
    table = torch.tensor([[0.1, 0.0, 0.2, 0.7, 0.9], [0.9, 0.0, 0.1, 0.0, 0.0]])
    assert word_links(table, source=source, target=target) == {(1, 0)}


def test_a_shift_takes_the_weights_of_the_next_step():
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "ef")
    table = torch.tensor([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    now, next_step = (
        word_weights(table, source=source, target=target, shift=shift) for shift in (0, 1)
    )
    assert now.tolist() == [[0.5, 0.5]]
    assert next_step.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("rule", [Argmax(), Intersection(), Threshold(above=0.0)], ids=repr)
def test_a_word_that_looks_at_nothing_gets_no_link(rule):
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "e f")
    table = torch.zeros(4, 4)
    table[0, 2] = 1.0
    assert word_links(table, source=source, target=target, rule=rule) == {(1, 0)}


@pytest.mark.parametrize("rule", [Argmax(above=0.5), Intersection(above=0.5)], ids=repr)
def test_a_weight_that_is_not_above_the_bound_makes_no_link(rule):
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "e")
    for weight, expected in ((0.5, set()), (0.75, {(1, 0)})):
        table = torch.tensor([[0.25, 0.0, weight, 0.0]])
        assert word_links(table, source=source, target=target, rule=rule) == expected


def test_a_token_of_two_words_counts_for_both():
    source = Side(pieces=[(0, 2)], words=[(0, 1), (1, 2)])
    target = side(CHARACTERS, "e")
    found = word_weights(torch.tensor([[0.75, 0.25]]), source=source, target=target)
    assert found.tolist() == [[0.75, 0.75]]


def test_a_word_that_no_token_touches_has_no_weight():
    lost = Side(pieces=[(0, 1)], words=[(0, 1), (1, 2)])
    found = word_weights(torch.tensor([[0.75, 0.25]]), source=lost, target=lost)
    assert found.tolist() == [[0.75, 0.0], [0.0, 0.0]]


def test_shares_are_the_weights_of_words_and_last_what_lies_on_none():
    source, target = side(CHARACTERS, "ab c"), side(CHARACTERS, "de")
    tokens = torch.tensor([[0.5, 0.125, 0.0, 0.125, 0.25], [0.0, 0.0, 0.25, 0.0, 0.75]])
    assert word_shares(tokens, source=source, target=target).tolist() == [[0.3125, 0.1875, 0.5]]


def test_a_token_of_two_words_is_shared_out_and_one_of_none_belongs_to_the_last_column():
    source = Side(pieces=[(0, 2), (2, 3)], words=[(0, 1), (1, 2)])
    target = side(CHARACTERS, "e")
    found = word_shares(torch.tensor([[0.5, 0.125, 0.375]]), source=source, target=target)
    assert found.tolist() == [[0.25, 0.25, 0.5]]


@settings(max_examples=40)
@given(CASES)
def test_shares_keep_every_weight_and_equal_those_that_links_are_made_of(case):
    found = word_shares(case.weights, **case.sides)
    assert_close(found.sum(dim=-1), torch.ones_like(found[..., 0]), rtol=0, atol=1e-6)
    assert_close(found[..., :-1], word_weights(case.weights, **case.sides))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_no_words_have_no_links(rule):
    empty, some = Side([], []), side(CHARACTERS, "a b")
    for source, target in ((empty, some), (some, empty), (empty, empty)):
        assert word_links(weights(4, 5), source=source, target=target, rule=rule) == frozenset()


def test_all_heads_at_once_equal_one_after_the_other():
    source, target = side(CHARACTERS, "ab c"), side(CHARACTERS, "d efg h")
    stack = torch.stack([weights(8, 5, seed=seed) for seed in range(6)]).view(2, 3, 8, 5)
    together = word_weights(stack, source=source, target=target, shift=1)
    assert together.shape == (2, 3, 3, 2)
    for layer in range(2):
        for head in range(3):
            alone = word_weights(stack[layer, head], source=source, target=target, shift=1)
            assert_close(together[layer, head], alone)
            for rule in RULES:
                assert torch.equal(rule.link(together)[layer, head], rule.link(alone))


def test_half_precision_and_gradients_are_taken_as_they_come():
    source, target = side(CHARACTERS, "a b"), side(CHARACTERS, "e f")
    table = weights(4, 4)
    half = table.half().requires_grad_()
    expected = word_links(table, source=source, target=target)
    assert word_links(half, source=source, target=target) == expected


@pytest.mark.parametrize(("rows", "columns", "shift"), [(2, 4, 0), (3, 3, 0), (3, 4, 1)])
def test_fewer_weights_than_tokens_are_refused(rows, columns, shift):
    source, target = side(CHARACTERS, "a bc"), side(CHARACTERS, "efg")
    with pytest.raises(ShapeError) as caught:
        word_links(torch.zeros(rows, columns), source=source, target=target, shift=shift)
    assert str(caught.value) == (
        f"weights of 3 target and 4 source tokens with shift {shift} need at least {3 + shift} "
        f"rows and 4 columns, got {(rows, columns)}"
    )


def test_a_negative_shift_is_refused():
    text = side(CHARACTERS, "a")
    with pytest.raises(RangeError, match="shift must be 0 or more, got -1"):
        word_weights(torch.ones(2, 2), source=text, target=text, shift=-1)


def test_a_threshold_below_nothing_is_refused():
    with pytest.raises(ValidationError):
        Threshold(above=-0.1)
