"""Models in good health are not called broken, foreign ones neither."""

import pytest
import torch

import regard
from regard.errors import ChoiceError
from regard.lens.doctor import doctor
from regard.tasks.scenes import scenes_of


@pytest.mark.parametrize("name", ["en-fr-transformer", "en-fr-bahdanau"])
def test_a_shipped_translator_is_not_called_broken(name):
    translator = regard.load(name)
    lines = [
        "The black cat ate the mouse.\tLe chat noir a mangé la souris.",
        "I love you.\tJe t'aime.",
        "She is reading a book.\tElle lit un livre.",
        "Where is the station?\tOù est la gare ?",
        "My brother sings well.\tMon frère chante bien.",
    ]
    (scene, *_) = scenes_of("translation", translator, lines)
    found = doctor(translator.model, scene)
    assert not found.of("broken"), str(found)
    assert len({one.cause for one in found.of("suspicious")}) <= 1, str(found)


def test_a_shipped_classifier_is_not_called_broken():
    classifier = regard.load("en-sentiment")
    lines = ["A film full of wit, and warm.", "I slept through it.", "Not bad at all, really!"]
    (scene, *_) = scenes_of("text-classification", classifier, lines)
    found = doctor(classifier.model, scene)
    assert not found.of("broken"), str(found)


def test_a_tagger_without_attention_is_no_patient():
    tagger = regard.load("en-tagger")
    (scene, *_) = scenes_of("tagging", tagger, ["I sing ."])
    with pytest.raises(ChoiceError, match="needs a model with attention modules"):
        doctor(tagger.model, scene)


def _bert():
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(
        BertConfig(
            vocab_size=40,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=37,
        )
    )


def _gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(vocab_size=40, n_embd=32, n_layer=2, n_head=2, n_positions=64)
    )


@pytest.mark.parametrize("make", [_bert, _gpt2])
def test_an_untrained_model_of_hugging_face_is_only_untrained(make):
    pytest.importorskip("transformers")
    torch.manual_seed(0)
    model = make().eval()
    ids = torch.randint(3, 40, (4, 9))
    found = doctor(model, {"input_ids": ids, "labels": ids.clone()})
    assert found.causes == ["at initialisation"], str(found)
    assert found[0].severity == "normal"
