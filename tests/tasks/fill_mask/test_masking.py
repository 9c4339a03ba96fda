"""Masking: the plain loop's numbers, shares of Devlin et al., chance by counters."""

import numpy as np
import pytest

from regard.data.batches.pools import RaggedBuilder
from regard.tasks.fill_mask.masking import Masking, hidden
from tests.reference import masking as reference

VOCAB, MASK = 97, 3
KNOWN = {"mask": MASK, "real": np.arange(4, VOCAB)}


def texts(lengths, seed=0):
    """Random tokens, and where words begin."""
    generator = np.random.default_rng(seed)
    tokens = RaggedBuilder()
    for length in lengths:
        tokens.add(generator.integers(4, VOCAB, size=length).tolist())
    begins = generator.random(sum(lengths)) < 0.6
    return tokens.built(), begins


@pytest.mark.parametrize("unit", ["pieces", "words"])
@pytest.mark.parametrize("epoch", [0, 3])
def test_tokens_are_hidden_as_by_a_plain_loop(unit, epoch):
    tokens, begins = texts([13, 1, 7, 40, 2])
    numbers = np.array([5, 2, 1000, 7, 3])
    masking = Masking(unit=unit, seed=11)
    found = hidden(tokens, begins, numbers=numbers, epoch=epoch, masking=masking, **KNOWN)
    for row, number in enumerate(numbers.tolist()):
        part = slice(tokens.offsets[row], tokens.offsets[row + 1])
        starts = begins[part] if unit == "words" else [True] * len(tokens.row(row))
        read, chosen = reference.hidden(
            tokens.row(row).tolist(),
            starts,
            seed=11,
            epoch=epoch,
            number=number,
            vocab=VOCAB,
            mask=3,
            specials=4,
            share=0.15,
        )
        assert found.inputs[part].tolist() == read
        assert np.flatnonzero(found.places[part]).tolist() == chosen


def test_of_the_hidden_tokens_eight_in_ten_are_masked_and_one_is_another():
    tokens, begins = texts([100] * 300)
    found = hidden(
        tokens,
        begins,
        numbers=np.arange(300),
        epoch=0,
        masking=Masking(unit="pieces"),
        **KNOWN,
    )
    assert found.places.mean() == pytest.approx(0.15)
    read, there = found.inputs[found.places], tokens.values[found.places]
    masked, same = (read == MASK).mean(), (read == there).mean()
    assert masked == pytest.approx(0.8, abs=0.02)
    assert same == pytest.approx(0.1 + 0.1 / (VOCAB - 4), abs=0.02)
    assert (found.inputs == tokens.values)[~found.places].all()


def test_a_text_is_hidden_alike_beside_any_other_and_differently_in_every_epoch():
    tokens, begins = texts([20, 30])
    alone = RaggedBuilder()
    alone.add(tokens.row(1).tolist())

    def places(these, words, numbers, epoch):
        return hidden(
            these, words, numbers=np.array(numbers), epoch=epoch, masking=Masking(), **KNOWN
        ).places

    both = places(tokens, begins, [4, 9], 2)
    assert places(alone.built(), begins[20:], [9], 2).tolist() == both[20:].tolist()
    assert places(tokens, begins, [4, 9], 3).tolist() != both.tolist()
