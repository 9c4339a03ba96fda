"""From a name or a config to a model, and back from what was stored."""

import json
from typing import Literal

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from regard.errors import ChoiceError
from regard.models import (
    ModelConfig,
    Seq2SeqConfig,
    build,
    config_from,
    kinds,
    preset_config,
    presets,
    register,
)
from regard.models.build import preset_sizes
from regard.models.rnn.bahdanau import BahdanauConfig, bahdanau_small

VOCABS = {"source_vocab": 11, "target_vocab": 13}
SMALL = ["rnn-plain-small", "bahdanau-small", "luong-local-p-small", "hard-small", "gnmt-small"]


@pytest.mark.parametrize("name", list(presets))
def test_a_config_survives_a_file(name):
    config = preset_config(name, **dict.fromkeys(preset_sizes(name).keys() - {"mean", "std"}, 11))
    stored = json.loads(config.model_dump_json())
    assert config_from(stored) == config
    assert type(config_from(stored)) is type(config)
    assert kinds[stored["kind"]].config is type(config)


@pytest.mark.parametrize("name", SMALL)
def test_a_stored_config_rebuilds_the_model_that_its_weights_fit(name):
    model = build(name, **VOCABS).eval()
    again = build(config_from(json.loads(model.config.model_dump_json()))).eval()
    again.load_state_dict(model.state_dict())
    source, target = torch.randint(11, (2, 5)), torch.randint(13, (2, 3))
    lengths = torch.tensor([5, 2])
    assert torch.equal(model(source, lengths, target), again(source, lengths, target))
    assert model(source, lengths, target).shape == (2, 3, 13)


def test_changes_change_what_they_name():
    config = build("bahdanau-small", **VOCABS, hidden_dim=6, readout="tanh").config
    expected = bahdanau_small(**VOCABS).model_dump() | {"hidden_dim": 6, "readout": "tanh"}
    assert config.model_dump() == expected


def test_a_config_may_be_changed_on_the_way():
    small = bahdanau_small(**VOCABS)
    model = build(small, target_vocab=17, hidden_dim=6)
    assert (model.config.source_vocab, model.config.target_vocab) == (11, 17)
    assert build(small, hidden_dim=6).config == small.model_copy(update={"hidden_dim": 6})


def test_an_attention_may_be_changed_as_plain_data():
    model = build("luong-dot-small", **VOCABS, attention={"kind": "local-m", "half_width": 3})
    assert model.attention.half_width == 3


def test_the_same_seed_gives_the_same_model():
    states = []
    for _ in range(2):
        torch.manual_seed(3)
        states.append(build("gnmt-small", **VOCABS, hidden_dim=6).state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_a_misspelt_name_is_answered_with_the_nearest():
    with pytest.raises(ChoiceError, match=r"unknown model 'bahdanau-smal'. Did you mean 'bahdanau"):
        build("bahdanau-smal", **VOCABS)


def test_a_misspelt_field_is_answered_with_the_nearest():
    with pytest.raises(ChoiceError, match="unknown field 'hiden_dim', did you mean 'hidden_dim'"):
        build("bahdanau-small", **VOCABS, hiden_dim=4)


def test_all_that_is_wrong_is_said_at_once():
    with pytest.raises(ChoiceError) as caught:
        build("bahdanau-small", **VOCABS, hidden_dim=0, dropout=1.5, normalise="sofmax", reset=3)
    for part in ("hidden_dim", "dropout", "Did you mean 'softmax'", "'before' or 'after'"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_without_vocabularies_is_refused():
    with pytest.raises(ChoiceError, match=r"pass source_vocab=\.\.\. and target_vocab=\.\.\."):
        build("bahdanau-small")
    with pytest.raises(ChoiceError, match=r"tokens there are: pass target_vocab=\.\.\.$"):
        build("bahdanau-small", source_vocab=3)


def test_vocabularies_of_nothing_are_refused():
    with pytest.raises(ChoiceError, match="'bahdanau-small' cannot be built: source_vocab"):
        build("bahdanau-small", source_vocab=0, target_vocab=5)


@pytest.mark.parametrize(("kind", "message"), [("luon", "Did you mean 'luong'"), (None, "a kind")])
def test_data_of_no_known_kind_is_refused(kind, message):
    with pytest.raises(ChoiceError, match=message):
        config_from({"kind": kind, **VOCABS})


def test_a_config_of_no_kind_is_refused():
    with pytest.raises(ChoiceError, match="Seq2SeqConfig has none"):
        build(Seq2SeqConfig(**VOCABS))


def test_shared_embeddings_need_one_vocabulary():
    with pytest.raises(ChoiceError, match="one joint vocabulary, got 11 source and 13 target"):
        build("luong-dot-small", **VOCABS, shared=True)


def test_pad_needs_to_be_a_token_of_both():
    with pytest.raises(ValidationError, match="token of both vocabularies, 11 and 13 tokens"):
        BahdanauConfig(**VOCABS, pad=12)


def test_a_score_that_needs_a_length_says_so():
    with pytest.raises(ChoiceError, match="needs max_length for the score 'location'"):
        build("luong-dot-small", **VOCABS, attention={"kind": "global", "score": "location"})


class BagConfig(ModelConfig):
    """Of a classifier that adds up the vectors of words: no sequence comes out of it."""

    kind: Literal["bag"] = "bag"
    vocab: int
    labels: int = 2
    width: int = 3


class Bag(nn.Module):
    def __init__(self, config: BagConfig) -> None:
        super().__init__()
        self.config = config
        self.words = nn.EmbeddingBag(config.vocab, config.width)
        self.output = nn.Linear(config.width, config.labels)


def bag_small(*, vocab: int, labels: int) -> BagConfig:
    return BagConfig(vocab=vocab, labels=labels, width=5)


@pytest.fixture
def bags(monkeypatch):
    """Registries with a model of a user's own."""
    for registry in (kinds, presets):
        monkeypatch.setattr(registry, "_values", dict(registry._values))
    register("bag", BagConfig, Bag)
    presets.add("bag-small", bag_small)


@pytest.mark.usefixtures("bags")
def test_a_model_of_ones_own_is_built_by_name_and_from_what_was_stored():
    model = build("bag-small", vocab=11, labels=7, width=13)
    assert isinstance(model, Bag)
    assert model.config == BagConfig(vocab=11, labels=7, width=13)
    stored = json.loads(model.config.model_dump_json())
    assert build(config_from(stored)).output.weight.shape == (7, 13)
    assert model.config.longest is None


@pytest.mark.usefixtures("bags")
def test_a_preset_asks_for_its_own_sizes_only():
    assert preset_config("bag-small", vocab=11, labels=7) == BagConfig(vocab=11, labels=7, width=5)
    with pytest.raises(ChoiceError, match=r"its sizes: pass vocab=\.\.\. and labels=\.\.\.$"):
        build("bag-small")
    with pytest.raises(ChoiceError, match=r"how many tokens there are: pass vocab=\.\.\.$"):
        build("bag-small", labels=7)
    with pytest.raises(ChoiceError, match="takes vocab and labels, got source_vocab too"):
        preset_config("bag-small", vocab=11, labels=7, source_vocab=3)


@pytest.mark.usefixtures("bags")
def test_a_kind_that_is_taken_or_said_otherwise_is_refused():
    with pytest.raises(ChoiceError, match="'bag' is registered already"):
        register("bag", BagConfig, Bag)
    with pytest.raises(ChoiceError, match="got BagConfig with 'bag'; write kind: Literal"):
        register("sack", BagConfig, Bag)


@pytest.mark.parametrize("name", ["mean-captioner", "stacked-attention"])
@pytest.mark.parametrize("pad", [-1, 11])
def test_pad_needs_to_be_a_token_of_what_looks_at_pictures(name, pad):
    sizes = dict.fromkeys(preset_sizes(name), 11)
    with pytest.raises(ChoiceError, match=r"pad"):
        build(name, **sizes, pad=pad)
