"""Passages as numbers: places of answers, windows, features; what is minimised."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.reading.small import span_config
from regard.data.reading import Answer, Question
from regard.models import build
from regard.models.reading import FEATURES
from regard.tasks.labelling.vocabulary import VocabularyConfig
from regard.tasks.question_answering.form import form
from regard.tasks.question_answering.spans.corpus import encode
from regard.tasks.question_answering.spans.lexicon import stem_of
from regard.tasks.question_answering.spans.objective import SpansObjective, span_log_probs
from regard.tasks.question_answering.spans.windows import best_window, cut_text, windows

PASSAGE = "The Normans invaded England in 1066, led by William. They had come from France."
OTHER = "Cats sleep."


def question(text, *answers, passage=PASSAGE):
    told = tuple(Answer(answer, passage.index(answer)) for answer in answers)
    return Question(passage, text, told)


QUESTIONS = [
    question("When did the Normans invade England?", "1066", "in 1066"),
    question("Who led them?", "William"),
    question("Who sleeps?", "Cats", passage=OTHER),
]


def codec(level="words"):
    return form("spans").learn(
        QUESTIONS, VocabularyConfig(level=level, min_count=1, splitting="treebank", spelled=True)
    )


def batch_of(questions=QUESTIONS, **options):
    corpus = encode(questions, codec(), **options)
    rows = np.arange(len(corpus))
    return corpus, corpus.batch(rows, indices=rows, num_targets=len(questions))


@pytest.mark.parametrize("level", ["words", "characters"])
def test_answers_are_words_of_the_passage_whatever_the_tokens(level):
    text = cut_text(PASSAGE, codec(level))
    for answer in ("1066", "in 1066", "William", "The", "France", "from France."):
        first, last = text.words_of(Answer(answer, PASSAGE.index(answer)))
        assert PASSAGE[text.spans[first][0] : text.spans[last][1]] == answer


def test_a_part_of_a_word_is_answered_by_the_word():
    text = cut_text("the twenty-first century", codec())
    first, last = text.words_of(Answer("first", 11))
    assert "".join(text.words[first : last + 1]) == "twenty-first"


def test_questions_about_one_passage_read_it_once():
    corpus, batch = batch_of()
    assert corpus.counts.tolist() == [2, 1]
    assert batch.read.about.tolist() == [0, 0, 1]
    assert batch.read.features.shape == (3, len(cut_text(PASSAGE, codec()).words), len(FEATURES))
    words = cut_text(PASSAGE, codec()).words
    assert [words[place] for place in batch.begins[0].tolist()] == ["1066", "in"]
    assert batch.begins[1].tolist() == [words.index("William"), -1]


def test_features_tell_what_the_question_has():
    _, batch = batch_of()
    words = cut_text(PASSAGE, codec()).words
    told = dict(zip(words, batch.read.features[0].tolist(), strict=True))
    column = {name: place for place, name in enumerate(FEATURES)}
    assert told["Normans"][column["as written"]] == 1
    assert told["The"][column["as written"]] == 0  # "the" stands in the question
    assert told["The"][column["lower case"]] == 1
    assert told["invaded"][column["lower case"]] == 0
    assert told["invaded"][column["stem"]] == 1  # invade
    assert told["William"][column["stem"]] == told["William"][column["rarity"]] == 0
    assert told["1066"][column["year"]] == told["1066"][column["digit"]] == 1
    assert told[","][column["mark"]] == 1 and told[","][column["rarity"]] == 0
    assert told["Normans"][column["nearby"]] > told["France"][column["nearby"]]
    assert told["Normans"][column["capital"]] == 1


@pytest.mark.parametrize(
    "forms",
    [
        ("invade", "invades", "invaded", "invading"),
        ("city", "cities"),
        ("plan", "plans", "planned", "planning"),
        ("quick", "quickly"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len({stem_of(form) for form in forms}) == 1


def test_words_that_are_others_have_other_stems():
    words = ("was", "want", "king", "kind", "bed", "bee", "sing", "red")
    assert len({stem_of(word) for word in words}) == len(words)


def test_long_passages_are_read_in_windows_and_all_words_are_in_one():
    for length in range(1, 40):
        found = windows(length, 8)
        assert {place for window in found for place in window} == set(range(length))
        assert all(len(window) <= 8 for window in found)
    assert best_window(20, 22, 40, 8).start in (16, 18)


def test_learning_takes_the_window_with_the_answer_and_answering_all():
    learned, batch = batch_of(QUESTIONS[:1], width=6)
    words = cut_text(PASSAGE, codec()).words
    start = int(learned.starts[0])
    place = start + int(batch.begins[0, 0])
    assert words[place] == "1066"
    asked, _ = batch_of(QUESTIONS[:1], width=6, learning=False)
    assert len(asked) == len(windows(len(words), 6))


def test_any_of_several_answers_will_do():
    begin, end = (torch.randn(2, 5, dtype=torch.double).log_softmax(-1) for _ in range(2))
    begins, ends = torch.tensor([[1, 0], [2, -1]]), torch.tensor([[1, 3], [4, -1]])
    found = span_log_probs(begin, end, begins, ends)
    both = (begin[0, 1] + end[0, 1]).exp() + (begin[0, 0] + end[0, 3]).exp()
    assert_close(found, torch.stack([both.log(), begin[1, 2] + end[1, 4]]))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_what_is_minimised_is_finite_and_has_a_gradient(smoothing):
    _, batch = batch_of()
    model = build(span_config().model_copy(update={"vocab": len(codec().tokens)}))
    objective = SpansObjective(model, smoothing=smoothing)
    loss = objective(batch)
    loss.total.backward()
    assert loss.total.isfinite()
    assert all(one.grad.isfinite().all() for one in model.parameters())


def test_a_batch_of_nothing_moves_nothing():
    objective = SpansObjective(build(span_config()), smoothing=0.1)
    objective(objective.empty_batch()).total.backward()
    for name, parameter in objective.named_parameters():
        assert parameter.grad is None or not parameter.grad.any(), name
