import torch

from benchmarks.training.drivers.text import (
    amount,
    batches,
    padded,
    pairs,
    plan,
    steps,
    vocabulary,
)

PAD, UNK, BOS, EOS = range(4)


def test_pairs_are_numbers_of_the_vocabulary_file(folder):
    numbers = vocabulary(folder)
    assert len(numbers) == 10 and numbers["a"] == 4 and numbers["z"] == 9
    assert pairs(folder, numbers)[1] == ([4], [7, 8, 9])


def test_a_piece_that_has_no_entry_is_unknown(folder):
    (folder / "train.source").write_text("a q\n" * 5, encoding="utf-8")
    assert pairs(folder, vocabulary(folder))[0][0] == [4, UNK]


def test_the_budget_counts_rows_times_the_longer_side_with_its_end():
    short, long = ([5], [6]), ([5, 5, 5], [6])
    assert [steps(short), steps(long)] == [2, 4]
    found = plan([short] * 5 + [long] * 2, 8)
    assert [len(batch) for batch in found] == [4, 2, 1]
    assert found[1] == [short, long]
    assert [len(batch) for batch in plan([long, long], 3)] == [1, 1]


def test_a_batch_is_shifted_and_filled_up():
    batch = padded([([4], [7, 8]), ([4, 5, 6], [9])])
    assert batch.source.tolist() == [[4, EOS, PAD, PAD], [4, 5, 6, EOS]]
    assert batch.target_in.tolist() == [[BOS, 7, 8], [BOS, 9, PAD]]
    assert batch.target_out.tolist() == [[7, 8, EOS], [9, EOS, PAD]]
    assert amount(batch) == (2, 6, 5, 8)


def test_every_epoch_has_every_pair_once_in_another_order(folder):
    examples = pairs(folder, vocabulary(folder))
    stream = batches(list(examples), 1)  # one pair per batch
    epochs = [[next(stream).source for _ in examples] for _ in range(4)]
    rows = [[tuple(source[0].tolist()) for source in epoch] for epoch in epochs]
    assert all(sorted(epoch) == sorted(rows[0]) for epoch in rows)
    assert len({tuple(epoch) for epoch in rows}) > 1
    assert torch.is_tensor(epochs[0][0])
