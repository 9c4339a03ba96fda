"""Stories as numbers, guided hops, and what a linear start counts."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.reading.small import story_config
from reference import reading as reference
from regard.data.reading import Answer, Question
from regard.models import build
from regard.tasks.labelling.vocabulary import VocabularyConfig
from regard.tasks.question_answering.form import form
from regard.tasks.question_answering.words.corpus import encode
from regard.tasks.question_answering.words.objective import WordsObjective, guided_hops_loss

SENTENCES = ("Anna went home.", "Ben sat down.", "Anna slept.", "Ben left.")


def question(number, *supports, answer="home"):
    sentences = SENTENCES[:number]
    return Question("\n".join(sentences), "Where is Anna?", (Answer(answer),), sentences, supports)


QUESTIONS = [question(4, 0), question(2, 1, 0, answer="down"), question(3, 2, 0, 1)]


def encoded(questions=QUESTIONS, **options):
    codec = form("words").learn(QUESTIONS, VocabularyConfig(min_count=1))
    return encode(questions, codec, **options), codec


def test_a_sentence_that_comes_again_is_there_once():
    corpus, codec = encoded()
    assert len(corpus.sentences) == len(SENTENCES) + 2  # none, and the question
    assert corpus.steps.tolist() == [5, 3, 4]
    batch = corpus.batch(np.array([1, 0]), indices=np.array([1, 0]), num_targets=2)
    words = batch.stories.sentences[batch.stories.index[1, 1]]
    assert codec.tokens.decode(words.tolist()) == "ben sat down ."
    assert batch.stories.index[0, 3:].tolist() == [0, 0]
    assert batch.supports.tolist() == [[1, 0], [0, -1]]
    assert [codec.labels[number] for number in batch.answers.tolist()] == ["down", "home"]


def test_an_answer_that_was_not_learned_counts_nothing():
    corpus, _ = encoded([*QUESTIONS, question(2, 0, answer="nowhere")])
    assert corpus.counts.tolist() == [1, 1, 1, 0]


def test_longer_stories_are_left_out_and_counted():
    corpus, _ = encoded(longest=4)
    assert (len(corpus), corpus.left_out) == (2, 1)


def test_guided_hops_are_those_of_a_plain_loop():
    supports = [[2], [1, 0], [3, 0, 1], [4, 3, 2, 0], []]
    looks = torch.rand(5, 3, 5, dtype=torch.double).softmax(dim=-1)
    filled = torch.full((5, 4), -1)
    for row, told in enumerate(supports):
        filled[row, : len(told)] = torch.tensor(told, dtype=torch.long)
    expected = sum(
        reference.guided_hops(seen, told)
        for seen, told in zip(looks.tolist(), supports, strict=True)
        if told
    )
    assert float(guided_hops_loss(looks, filled)) == pytest.approx(expected)


def test_guided_hops_have_a_right_gradient():
    looks = torch.rand(2, 3, 4, dtype=torch.double).softmax(dim=-1).requires_grad_()
    supports = torch.tensor([[2, 0], [1, -1]])
    assert torch.autograd.gradcheck(lambda x: guided_hops_loss(x, supports), (looks,))


def test_a_batch_of_nothing_moves_nothing():
    objective = WordsObjective(build(story_config("encoded")), guided=0.5)
    objective(objective.empty_batch()).total.backward()
    for name, parameter in objective.named_parameters():
        assert parameter.grad is None or not parameter.grad.any(), name


def test_a_linear_start_ends_after_its_updates_and_is_kept_in_a_checkpoint():
    corpus, codec = encoded()
    config = story_config("position, adjacent").model_copy(update={**codec.sizes()})
    objective = WordsObjective(build(config), guided=0.5, linear_start=2)
    batch = corpus.batch(np.arange(3), indices=np.arange(3), num_targets=3)
    told = []
    for _ in range(3):
        told.append(float(objective(batch).parts["guided"]))
        objective.after_step({})
    assert told[:2] == [0, 0] and told[2] > 0
    other = WordsObjective(build(config), guided=0.5, linear_start=2)
    other.load_state_dict(objective.state_dict())
    assert_close(other.made, torch.tensor(3))
