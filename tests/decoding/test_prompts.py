"""Decoding starts from tokens, from features, or from a beginning to be continued."""

from typing import NamedTuple

import pytest
import torch
from torch import nn

from regard.decoding import (
    BatchLimit,
    Beam,
    ContinuedPrompts,
    FeaturePrompts,
    Greedy,
    Joinable,
    Limits,
    Sample,
    Steady,
    decode,
)
from regard.decoding.protocol import inference

BOS, EOS, VOCAB = 2, 3, 9


class Reading(NamedTuple):
    features: torch.Tensor
    lengths: torch.Tensor
    position: int

    def reorder(self, rows):
        return Reading(self.features[rows], self.lengths[rows], self.position)


class Caption(nn.Module):
    """Reads a feature map from left to right: at each position the channel that is highest."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.started = []

    def start(self, prompt, lengths):
        self.started.append((tuple(prompt.shape), lengths.tolist(), self.training))
        return Reading(prompt, lengths, 0)

    def step(self, tokens, state):
        assert state.position or (tokens == BOS).all()
        logits = self.scale * torch.zeros(len(tokens), VOCAB, dtype=torch.float64)
        over = state.lengths <= state.position
        here = min(state.position, state.features.shape[1] - 1)
        logits[:, 4:] = state.features[:, here].double()
        logits[over, EOS] = 99.0
        return logits, state._replace(position=state.position + 1)

    def last_weights(self, state):
        place = torch.arange(state.features.shape[1]) == state.position - 1
        return place.double().expand(len(state.lengths), -1)


def image(*channels):
    """A feature map (S, 5) with these channels highest."""
    return 5 * nn.functional.one_hot(torch.tensor(channels), 5).float()


IMAGES = [image(1, 4), image(0), image(3, 3, 2, 1), image(2, 0, 4)]
SAID = [(5, 8), (4,), (7, 7, 6, 5), (6, 4, 8)]


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=2)], ids=["greedy", "beam"])
@pytest.mark.parametrize("together", [1, 3, 64])
def test_a_model_may_start_from_features(strategy, together):
    model = Caption()
    found = decode(
        model,
        IMAGES,
        strategy=strategy,
        prompts=FeaturePrompts(),
        batch=BatchLimit(sentences=together),
        aligned=True,
    )
    assert [best.tokens for best, *_ in found] == SAID
    assert [best.weights.shape[1] for best, *_ in found] == [2, 1, 4, 3]
    assert model.started[0][0] == (min(together, 4), 4, 5)
    assert not any(training for *_, training in model.started)
    assert model.training


def test_maps_are_filled_up_with_zeros():
    prompt = FeaturePrompts().batch(IMAGES[:2], torch.device("cpu"))
    assert prompt.lengths.tolist() == [2, 1]
    assert torch.equal(prompt.inputs[0], IMAGES[0])
    assert torch.equal(prompt.inputs[1], torch.cat([IMAGES[1], torch.zeros(1, 5)]))
    grids = [torch.ones(2, 3, 5), torch.ones(1, 3, 5)]
    assert FeaturePrompts().batch(grids, torch.device("cpu")).inputs.shape == (2, 2, 3, 5)


def test_what_is_drawn_for_features_depends_on_them_alone():
    def answers(images):
        found = decode(
            Caption(), images, strategy=Sample(n=3, temperature=4.0), prompts=FeaturePrompts()
        )
        return [[each.tokens for each in one] for one in found]

    alone = [answers([each])[0] for each in IMAGES]
    assert answers(IMAGES) == alone
    assert answers(IMAGES[::-1]) == alone[::-1]
    assert FeaturePrompts().key(IMAGES[0]) != FeaturePrompts().key(2 * IMAGES[0])


def test_an_empty_map_is_refused_as_an_empty_sentence_is():
    with pytest.raises(ValueError, match="got none in source 1"):
        decode(Caption(), [IMAGES[0], torch.zeros(0, 5)], prompts=FeaturePrompts())


class Own:
    """Prompts of a task: names of images, which are looked up as a batch is made."""

    def length(self, source):
        return len(IMAGES[source])

    def key(self, source):
        return source

    def batch(self, sources, device):
        return FeaturePrompts().batch([IMAGES[source] for source in sources], device)


def test_a_task_brings_prompts_of_its_own():
    found = decode(Caption(), [2, 0, 3], prompts=Own())
    assert [best.tokens for best, *_ in found] == [SAID[2], SAID[0], SAID[3]]


class Adder:
    """A decoder without a source: the next token is the sum of all before it, modulo 5, plus 4."""

    def __init__(self):
        self.prompts = []

    def start(self, prompt, lengths):
        self.prompts.append(prompt.tolist())
        inside = torch.arange(prompt.shape[1]) < lengths.unsqueeze(-1)
        return Sum((prompt * inside).sum(dim=1))

    def step(self, tokens, state):
        total = state.total + tokens
        return nn.functional.one_hot(total % 5 + 4, VOCAB).double(), Sum(total)

    def last_weights(self, state):
        return None


class Sum(NamedTuple):
    total: torch.Tensor

    def reorder(self, rows):
        return Sum(self.total[rows])

    def joined(self, other):
        return Sum(torch.cat([self.total, other.total]))


def continued(tokens, count):
    tokens = list(tokens)
    for _ in range(count):
        tokens.append(sum(tokens) % 5 + 4)
    return tuple(tokens[-count:])


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=2)], ids=["greedy", "beam"])
@pytest.mark.parametrize("together", [1, 2, 64])
def test_a_beginning_is_continued_from_its_last_token(strategy, together):
    beginnings = [[4, 7, 5], [8], [6, 6], [5, 4, 4, 8]]
    model = Adder()
    found = decode(
        model,
        beginnings,
        strategy=strategy,
        prompts=ContinuedPrompts(),
        batch=BatchLimit(sentences=together),
        limits=Limits(max_length=6, ratio=0, offset=6),
    )
    assert [best.tokens for best, *_ in found] == [continued(each, 6) for each in beginnings]
    most = [[5, 4, 4], [4, 7, 0], [6, 0, 0], [0, 0, 0]]
    assert model.prompts[0] == most[:together]


def test_protocols_tell_what_states_and_models_can_do():
    assert isinstance(Sum(torch.zeros(1)), Joinable)
    assert not isinstance(Reading(torch.zeros(1, 1), torch.ones(1), 0), Joinable)
    assert not isinstance(Caption(), Steady)


def test_inference_may_be_entered_again_and_leaves_all_as_it_was():
    model = Caption()
    quiet = inference(model)
    for _ in range(2):
        with quiet:
            assert not model.training and torch.is_inference_mode_enabled()
        assert model.training and not torch.is_inference_mode_enabled()
