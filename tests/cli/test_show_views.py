"""``regard show --view``: any view of any model, in the terminal and in five kinds of files."""

import json

import numpy as np
import pytest
import torch

from regard.cli.app import main

transformers = pytest.importorskip("transformers")

TEXT = "the black cat ate the mouse"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(TEXT.split()))]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A folder as ``transformers`` writes it: a tiny BERT with a tokeniser of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(folder)
    known = {word: number for number, word in enumerate(VOCABULARY)}
    made = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, sep_token="[SEP]", mask_token="[MASK]", **special
    )
    fast.save_pretrained(folder)
    return str(folder)


def shown(bert, *words):
    assert main(["show", TEXT, "--model", bert, *words]) == 0


@pytest.mark.parametrize("view", ["alignment", "heads", "text", "matrix", "steps"])
def test_every_view_is_drawn_in_the_terminal(bert, view, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")  # no word is cut in two
    shown(bert, "--view", view)
    out, err = capsys.readouterr()
    assert len(out.splitlines()) > 3 or view == "text"
    assert "verified" in out or view == "steps"
    assert "Traceback" not in err


@pytest.mark.parametrize("end", ["png", "svg", "html", "json", "npy"])
@pytest.mark.parametrize("view", ["matrix", "heads", "steps"])
def test_every_view_is_written_as_every_kind_of_file(bert, view, end, tmp_path, capsys):
    path = tmp_path / f"x.{end}"
    shown(bert, "--view", view, "--layer", "0", "--out", str(path))
    assert path.stat().st_size > 100
    assert capsys.readouterr().err.endswith(f"wrote {path}\n")


def test_json_holds_the_tokens_and_npy_the_weights(bert, tmp_path, capsys):
    shown(bert, "--view", "matrix", "--head", "1", "--out", str(tmp_path / "x.json"))
    shown(bert, "--view", "matrix", "--head", "1", "--out", str(tmp_path / "x.npy"))
    [view] = json.loads((tmp_path / "x.json").read_text())
    assert view["source"] == ["[CLS]", *TEXT.split(), "[SEP]"]
    weights = np.load(tmp_path / "x.npy")
    assert weights.shape == (1, 8, 8)
    np.testing.assert_allclose(weights[0], view["weights"])
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_without_a_view_a_model_that_does_not_translate_shows_its_alignment(bert, capsys):
    shown(bert)
    assert "encoder.layer.1.attention.self" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", TEXT, "--view", "gates"], "has no gates"),
        (["show", TEXT, "--view", "picture"], "needs a picture that the model sees"),
        (["show", TEXT, "--module", "nothing"], "called like 'nothing'"),
        (["show"], "needs a text, or a picture"),
        (["show", TEXT, "--out", "x.pdf"], ".json or .npy"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(bert, words, says, capsys):
    assert main([*words, "--model", bert]) == 2
    assert says in capsys.readouterr().err
