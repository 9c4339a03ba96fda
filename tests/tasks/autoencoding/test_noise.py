"""Noise and objectives, beside plain loops."""

import numpy as np
import pytest
import torch

from reference import autoencoding as reference
from regard.data.batches import BatchConfig, Batches
from regard.data.vocabulary import learner
from regard.data.vocabulary.tokeniser import PAD
from regard.errors import InputError
from regard.models import TextAutoencoder, TextAutoencoderConfig, build
from regard.tasks.autoencoding import Noise
from regard.tasks.autoencoding.corpus import corpus_of, encode
from regard.tasks.autoencoding.noising import noised, noised_pixels
from regard.tasks.autoencoding.objective import PictureObjective, TextObjective
from tasks.autoencoding.small import SMALL, sentences, task

UNKNOWN = 1
ROWS = [[5, 6, 7, 8, 9], [4], [10, 11], list(range(20, 50))]
NOISES = {
    "nothing": Noise(),
    "dropped": Noise(dropped=0.5),
    "hidden": Noise(hidden=0.4, seed=3),
    "shuffled": Noise(shuffled=2),
    "all": Noise(dropped=0.3, hidden=0.2, shuffled=3, seed=1),
}
WORDS = learner("words").learn(sentences())


@pytest.mark.parametrize("name", NOISES)
def test_noise_is_that_of_plain_loops(name):
    noise, numbers = NOISES[name], np.array([7, 0, 3, 12])
    tokens = corpus_of(ROWS, WORDS).tokens
    for epoch in (0, 2):
        found = noised(tokens, noise, numbers=numbers, epoch=epoch, unknown=UNKNOWN)
        for row, (ids, number) in enumerate(zip(ROWS, numbers.tolist(), strict=True)):
            own = noise.model_dump() | {"epoch": epoch, "number": number, "unknown": UNKNOWN}
            del own["gaussian"]
            assert found.row(row).tolist() == reference.noised(ids, **own)


def test_one_token_stays_and_none_moves_too_far():
    tokens = corpus_of([list(range(100, 150))] * 40, WORDS).tokens
    numbers = np.arange(40)
    most = noised(tokens, Noise(dropped=0.999), numbers=numbers, epoch=0, unknown=UNKNOWN)
    assert (most.lengths >= 1).all() and most.lengths.mean() < 2
    moved = noised(tokens, Noise(shuffled=3), numbers=numbers, epoch=0, unknown=UNKNOWN)
    places = moved.values.reshape(40, 50) - 100
    assert (np.sort(places) == np.arange(50)).all()
    assert 1 <= np.abs(places - np.arange(50)).max() <= 3


def test_batches_read_noise_and_are_to_write_what_was_there(tmp_path):
    noise = Noise(dropped=0.3, shuffled=1)
    chosen = task(tmp_path, noise=noise)
    codec = chosen.learn()
    pools = chosen.pools(codec, longest=None)
    known = set(sentences())
    read = 0
    for batch in Batches(pools, BatchConfig(max_tokens=60)):
        for row in range(len(batch.lengths)):
            written = codec.tokens.decode(batch.written[row].tolist())
            assert written in known
            assert written == codec.tokens.decode(batch.targets[row].tolist())
        read += int(batch.lengths.sum())
    assert read < 0.85 * sum(len(codec.tokens.encode(one)) for one in known)
    first, second = (pools.pool(epoch, 0, None).corpus.inputs.values for epoch in range(2))
    assert not np.array_equal(first, second)


def test_texts_that_are_too_long_are_left_out_and_counted(tmp_path):
    corpus = encode(["a b", "c d e f", " "], WORDS, Noise(), longest=3)
    assert (len(corpus), corpus.left_out) == (1, 1)
    with pytest.raises(InputError, match="at least one text, got none, all 1 being longer than 3"):
        encode(["c d e f"], WORDS, Noise(), longest=3)
    chosen = task(tmp_path, length=4)
    assert chosen.pools(chosen.learn(), longest=None).left_out > 0


def test_the_objective_of_texts_is_that_of_plain_loops():
    torch.manual_seed(0)
    sizes = {name: value for name, value in SMALL.items() if name != "latent"}
    model = TextAutoencoder(TextAutoencoderConfig(vocab=len(WORDS), latent=5, **sizes)).double()
    corpus = corpus_of([WORDS.encode(one) for one in sentences(5)], WORDS)
    batch = corpus.batch(np.arange(5), indices=np.arange(5), num_targets=1)
    loss = TextObjective(model.eval(), pad=PAD)(batch)
    logits = model(batch.tokens, batch.lengths, batch.written)
    expected = sum(
        reference.surprise(rows, targets, PAD)
        for rows, targets in zip(logits.tolist(), batch.targets.tolist(), strict=True)
    )
    assert float(loss.total.detach()) == pytest.approx(expected)
    assert float(loss.parts["nll"]) == pytest.approx(expected)


def test_the_objective_of_pictures_is_that_of_plain_loops_and_nothing_counts_nothing():
    torch.manual_seed(0)
    model = build("cnn-autoencoder", height=5, width=3).eval()
    objective = PictureObjective(model, noise=Noise(gaussian=0.5)).eval()
    from regard.tasks.autoencoding.batch import PictureBatch

    pixels = torch.randint(256, (3, 3, 5, 3), dtype=torch.uint8)
    batch = PictureBatch(pixels, torch.tensor([4, -1, 0]), 2)
    colours = model(pixels)
    expected = sum(
        reference.squared_error(colours[row].tolist(), pixels[row].tolist()) for row in (0, 2)
    )
    assert float(objective(batch).total.detach()) == pytest.approx(expected, rel=1e-5)
    objective.train()
    model.eval()
    assert float(objective(batch).total.detach()) != pytest.approx(expected, rel=1e-5)


def test_noise_of_pictures_hides_whole_pixels_and_stays_in_range():
    pixels = torch.full((2, 3, 40, 30), 128, dtype=torch.uint8)
    assert noised_pixels(pixels, Noise()) is pixels
    hidden = noised_pixels(pixels, Noise(hidden=0.3))
    black = hidden == 0
    assert (black.all(dim=1) == black.any(dim=1)).all()
    assert 0.2 < float(black.float().mean()) < 0.4
    assert (hidden[~black] == 128).all()
    loud = noised_pixels(pixels, Noise(gaussian=0.1)).float() / 255
    assert float(loud.std()) == pytest.approx(0.1, rel=0.1)
    assert (noised_pixels(pixels, Noise(gaussian=9.0)) == 255).any()
