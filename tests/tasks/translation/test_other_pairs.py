"""Pairs that are no sentences: pronunciations and summaries."""

import pytest

from regard.errors import ChoiceError
from regard.models import build
from regard.tasks.translation import FileData, TranslationTask
from regard.training import Settings

WORDS = "cat\tK AE1 T\nact\tAE1 K T\ntack\tT AE1 K\n"


@pytest.fixture
def spelled(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text(WORDS)
    return TranslationTask(
        data=FileData(train=path, valid=path),
        vocabulary={"source": "characters", "target": "words"},
        scores=("phoneme-error",),
    )


def test_a_run_is_measured_by_what_it_goes_by_and_by_what_it_asks_for(spelled):
    codec = spelled.learn()
    model = build("bahdanau-small", hidden_dim=6, embedding_dim=5, **codec.sizes())
    settings = Settings(task=spelled, measure="word-error")
    judge = settings.task.measured_by(settings.measure).validator(
        codec, max_tokens=64, longest=None
    )
    scores = judge.validate(model).scores
    assert 0 <= scores["word-error"] <= 1
    assert scores["phoneme-error"] >= 0
    assert "bleu" not in scores
    assert spelled.measured_by("loss") == spelled == spelled.measured_by("phoneme-error")


def test_tokens_of_two_kinds_are_told(spelled):
    codec = spelled.learn()
    assert codec.source.pieces("cat") == ["c", "a", "t"]
    assert codec.target.pieces("K AE1 T") == ["K", "AE1", "T"]
    assert spelled.about_codec(codec).startswith("characters and words, separate")


def test_a_packed_model_keeps_how_lines_are_read():
    assert TranslationTask(typing=None).in_use() == {"typing": None}
    assert TranslationTask(typing={"margin": 5}).in_use()["typing"]["margin"] == 5


def test_long_sources_are_cut_at_a_word_in_training_and_in_validation(tmp_path):
    path = tmp_path / "long.tsv"
    path.write_text("one  two three four\tshort\n")
    data = FileData(train=path, valid=path, source_words=2)
    assert [one.source for one in data.texts()] == ["one  two"]
    assert [one.source for one in data.held_out()] == ["one  two"]
    whole = FileData(train=path, valid=path, source_words=9)
    assert [one.source for one in whole.texts()] == ["one  two three four"]


def test_what_alignments_count_cannot_be_cut(tmp_path):
    with pytest.raises(ValueError, match="source_words cuts"):
        FileData(train="a.tsv", alignments="a.links", source_words=3)


def test_an_unknown_measure_is_named(spelled):
    with pytest.raises((ChoiceError, ValueError), match="rouge-l"):
        Settings(task=spelled, measure="rouge")
