"""Fill-mask from end to end: trained on the grammar, resumed, used, taken over."""

import numpy as np
import pytest
import torch

from regard.data.running import GrammarText, TextFiles
from regard.data.running.codec import VocabularyConfig
from regard.errors import ChoiceError, InputError
from regard.models import build
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_model
from regard.tasks.fill_mask.predictor import Filler
from regard.tasks.fill_mask.task import FillMaskTask
from regard.training import Budget, Settings, launch, relaunch
from regard.training.launch import load_origin
from regard.zoo.load import load

GRAMMAR = GrammarText(max_words=7, vocabulary_sentences=300, valid_size=20)
SMALL = {
    "embedding": {"dim": 16, "dropout": 0.0},
    "encoder": {
        "kind": "transformer",
        "model_dim": 16,
        "num_heads": 2,
        "num_layers": 1,
        "hidden_dim": 24,
        "position": "rotary",
    },
}


def settings(steps, **task):
    chosen = FillMaskTask(data=GRAMMAR, vocabulary=VocabularyConfig(size=500), **task)
    fields = {"validate_every": 2, "save_every": 2}
    return Settings(task=chosen, budget=Budget(steps=steps), **fields)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fill-mask") / "run"
    launch(settings(4), "bert-tiny", folder, changes=SMALL, device="cpu")
    return folder


def test_a_run_that_is_resumed_has_the_weights_of_one_that_was_not(run, tmp_path):
    launch(settings(2), "bert-tiny", tmp_path / "run", changes=SMALL, device="cpu")
    relaunch(tmp_path / "run", budget=Budget(steps=4), device="cpu")
    ours, other = (read_model(max(one.glob("step-*"))).weights for one in (run, tmp_path / "run"))
    assert all(torch.equal(ours[name], other[name]) for name in ours)


def test_logits_are_taken_of_hidden_tokens_and_of_no_others():
    task = settings(1).task
    codec = task.learn()
    torch.manual_seed(0)
    model = build("bert-tiny", **codec.sizes()).eval()
    pool = task.pools(codec, longest=None).pool(0, 0, None)
    rows = np.array([3, 1, 8])
    batch = pool.corpus.batch(rows, indices=rows, num_targets=int(pool.corpus.counts[rows].sum()))
    assert batch.num_targets == int(batch.places.sum()) == len(batch.targets)
    logits = model(batch.tokens, batch.lengths)
    wanted = -logits.log_softmax(dim=-1)[batch.places].gather(1, batch.targets[:, None]).sum()
    torch.testing.assert_close(task.objective(model)(batch).total, wanted)


def test_holes_are_filled_with_the_likeliest_words(run):
    filler = load(run)
    found = filler("The [MASK] sees ___.", top=3, looks=True)
    assert found.source == "The [MASK] sees [MASK]." and len(found.holes) == 2
    for hole in found.holes:
        chances = [one.probability for one in hole]
        assert len(hole) == 3 and chances == sorted(chances, reverse=True)
    assert found.text == f"The {found.holes[0][0].word} sees {found.holes[1][0].word}."
    assert found.weights.shape == (1, 2, len(found.tokens), len(found.tokens))
    assert len(found.views()) == 2 and found.tokens[0] == "[CLS]" and found.tokens[-1] == "."
    assert found.to_json()["holes"][0][0] == found.holes[0][0]._asdict()


def test_a_hole_is_one_token_where_the_word_stood(run):
    filler = load(run)
    plain = filler.codec.tokens.encode("The cat sees Paris.")
    read = filler.read("The ___ sees Paris.")
    assert read.ids[read.holes[0]] == 3 and read.ids[:1] == plain[:1]
    assert read.ids[read.holes[0] + 1 :] == plain[len(plain) - len(read.ids) + 2 :]


def test_a_text_without_a_hole_is_told(run):
    with pytest.raises(InputError, match=r"needs a text with a hole, \[MASK\] or ___"):
        load(run)("The cat sleeps.")


def test_a_word_has_one_static_vector_and_one_in_every_context(run):
    filler = load(run)
    first, again, other = filler.contextual(
        "cat", ["The cat sleeps.", "The cat sleeps.", "I see a cat in Paris."]
    )
    assert torch.equal(first, again) and not torch.allclose(first, other, atol=1e-3)
    with pytest.raises(InputError, match="'dog' needs to stand in"):
        filler.contextual("dog", ["The cat sleeps."])


@pytest.mark.parametrize("kind", ["tagging", "text-classification"])
def test_a_model_of_labels_begins_with_the_encoder(run, kind, tmp_path):
    from regard.task_registry import task_class

    task = task_class(kind)()
    adopted = task.adopted(load_origin(run))
    origin = read_best(run, read_model)
    assert set(adopted.weights) == {name for name in origin.weights if name.startswith("text.")}
    chosen = Settings(task=task, budget=Budget(steps=1), validate_every=1, save_every=1)
    launch(chosen, load_origin(run), tmp_path / "run", device="cpu")
    sample = load(tmp_path / "run")("The cat sleeps.")
    assert sample.to_json()


def test_changes_that_the_encoder_does_not_fit_are_told(run, tmp_path):
    from regard.task_registry import task_class

    chosen = Settings(task=task_class("text-classification")(), budget=Budget(steps=1))
    with pytest.raises(ChoiceError, match="the weights to go on from need the model"):
        launch(
            chosen,
            load_origin(run),
            tmp_path / "run",
            changes={"encoder.hidden_dim": 25},
            device="cpu",
        )


def test_long_paragraphs_are_cut_and_nothing_is_lost(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("one two three four five six seven\n\n" * 30, encoding="utf-8")
    data = TextFiles(train=text, valid=text)
    task = FillMaskTask(data=data, vocabulary=VocabularyConfig(level="words"), length=3)
    codec = task.learn()
    texts = task.pools(codec, longest=None).plain.corpus
    assert texts.tokens.lengths.max() == 3
    assert len(texts.tokens.values) == 30 * len(
        codec.tokens.encode("one two three four five six seven")
    )


def test_blank_files_are_told(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n  \n", encoding="utf-8")
    with pytest.raises(InputError, match="needs text, got nothing but blank lines"):
        FillMaskTask(data=TextFiles(train=text)).learn()


def test_a_filler_tells_what_it_is(run):
    assert isinstance(load(run), Filler) and "tokens" in repr(load(run))
