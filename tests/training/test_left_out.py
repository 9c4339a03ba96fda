"""Pairs longer than a batch: left out, counted, and told."""

import io

import pytest
from rich.console import Console

from regard.data.batches import BatchConfig
from regard.data.vocabulary import Vocabularies, Words
from regard.errors import InputError
from regard.tasks.translation.corpus import encode
from regard.tasks.translation.example import Example
from regard.training.config import Budget
from regard.training.view import LineView
from training import small

BOTH = Vocabularies(Words(["bo", "da"]), Words(["ti", "ru"]))


def pair(source, target):
    return Example(" ".join(["bo"] * source), " ".join(["ti"] * target))


def test_a_pair_is_kept_if_both_sides_fit_with_their_ends():
    pairs = [pair(4, 4), pair(5, 2), pair(2, 5), pair(4, 1), pair(1, 70)]
    found = encode(pairs, BOTH, longest=5)
    assert (len(found), found.left_out) == (2, 3)
    assert found.source.lengths.tolist() == [4, 4]
    everything = encode(pairs, BOTH)
    assert (len(everything), everything.left_out) == (5, 0)


def test_if_all_are_too_long_it_is_said():
    with pytest.raises(InputError, match="got none, all 2 being longer than 3 tokens"):
        encode([pair(4, 4), pair(3, 1)], BOTH, longest=3)


def test_one_very_long_pair_does_not_take_a_training_over(tmp_path):
    data = small.corpus(tmp_path)
    plain = data.model_copy(update={"alignments": None, "valid_alignments": None})
    for name in ("train", "valid"):
        with (tmp_path / f"{name}.tsv").open("a") as file:
            file.write(" ".join(["bo"] * 5000) + "\t" + " ".join(["ti"] * 5000) + "\n")
    said = Console(file=io.StringIO(), width=200)
    longest = []

    class Watching(LineView):
        def updated(self, run, update):
            longest.append(run.batches.config.max_tokens)
            super().updated(run, update)

    small.start(
        tmp_path / "run",
        plain,
        "plain",
        observer=Watching(said, tmp_path / "run"),
        batch=BatchConfig(max_tokens=64),
        budget=Budget(steps=8),
    )
    told = said.file.getvalue()
    assert longest == [64] * 8
    assert "left out 1 examples that are longer than a batch (--batch-tokens)" in told
    assert "left out 1 validation examples" in told
    assert "validation on 3 examples every 4 updates, checkpoints every" in told
    assert "; ends after 8 updates" in told
