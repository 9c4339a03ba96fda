"""``census``, ``doctor`` and ``faithful`` of folders that ``transformers`` wrote."""

import json

import numpy as np
import pytest
import torch

from regard import extras
from regard.cli.app import main

transformers = pytest.importorskip("transformers")

LINES = ["the black cat ate the small mouse near the old house", "a dog saw the cat and ran away"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, *sorted({word for line in LINES for word in line.split()})]


def tokeniser(*, ends):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if ends:
        made.post_processor = processors.TemplateProcessing(
            single=ends, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, cls_token="[CLS]", sep_token="[SEP]", **names
    )


BERT = {
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 32,
}
MODELS = {
    "bert": ("BertForMaskedLM", "BertConfig", BERT, "[CLS] $A [SEP]"),
    "bare": ("BertModel", "BertConfig", BERT, "[CLS] $A [SEP]"),
    "gpt2": (
        "GPT2LMHeadModel",
        "GPT2Config",
        {"n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 32},
        "",
    ),
    "t5": (
        "T5ForConditionalGeneration",
        "T5Config",
        {
            "d_model": 12,
            "d_kv": 5,
            "d_ff": 20,
            "num_layers": 1,
            "num_heads": 3,
            "decoder_start_token_id": 0,
        },
        "$A [SEP]",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Makes folders as ``transformers`` writes them, each once."""
    made = {}

    def of(name, *, with_tokeniser=True):
        if (name, with_tokeniser) not in made:
            kind, config, sizes, ends = MODELS[name]
            path = tmp_path_factory.mktemp(name)
            torch.manual_seed(0)
            settings = getattr(transformers, config)(vocab_size=len(WORDS), **sizes)
            getattr(transformers, kind)(settings).save_pretrained(path)
            if with_tokeniser:
                tokeniser(ends=ends).save_pretrained(path)
            made[name, with_tokeniser] = str(path)
        return made[name, with_tokeniser]

    return of


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "lines.txt"
    path.write_text("".join(f"{line}\t{line}\n" for line in LINES))
    return str(path)


def told(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("bert", ["bert.encoder.layer.0.attention.self", "bert.encoder.layer.1.attention.self"]),
        ("gpt2", ["transformer.h.0.attn", "transformer.h.1.attn"]),
    ],
)
def test_a_census_has_every_head_and_the_words_of_the_folders_own_tokeniser(
    folder, text, capsys, name, modules
):
    found = told(capsys, "census", folder(name), "--data", text)
    assert [(one["module"], one["head"]) for one in found["heads"]] == [
        (module, head) for module in modules for head in range(3)
    ]
    read = found["heads"][0]["examples"][0]["tokens"]
    words = [word for word in read if word not in ("[CLS]", "[SEP]", "[MASK]")]
    assert set(words) <= set(LINES[0].split()) | set(LINES[1].split())
    assert {row["role"] for row in found["rows"]} >= {"previous", "sink", "broad"}


@pytest.mark.parametrize("name", ["bert", "gpt2", "t5"])
def test_a_model_that_was_not_trained_is_only_that(folder, text, capsys, name):
    found = told(capsys, "doctor", folder(name), "--data", text)
    assert [one["cause"] for one in found["findings"]] == ["at initialisation"]


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_a_prediction_is_explained(folder, capsys, name):
    found = told(capsys, "faithful", folder(name), LINES[1], "--word", "3")
    assert "leave-one-out" in found["verdict"]
    assert len(found["columns"]["attention"]) == len(found["tokens"])


def test_every_attention_of_an_encoder_with_a_decoder_is_counted(folder, text, capsys):
    found = told(capsys, "census", folder("t5"), "--data", text, "--important")
    kinds = {one["module"].rpartition(".")[2] for one in found["heads"]}
    assert kinds == {"SelfAttention", "EncDecAttention"}
    assert all(one["loss"] is not None for one in found["heads"])


def refused(capsys, *words):
    capsys.readouterr()
    assert main([*words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_what_cannot_be_done_is_said_in_a_sentence(folder, tmp_path, capsys, monkeypatch):
    said = refused(capsys, "faithful", folder("bare"), LINES[0])
    assert "BertModel makes features alone" in said
    said = refused(capsys, "census", folder("gpt2", with_tokeniser=False))
    assert "no tokeniser" in said
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "bert"}')
    (broken / "model.safetensors").write_bytes(b"nothing")
    assert "no model that transformers can load" in refused(capsys, "doctor", str(broken))

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", missing)
    assert "pip install 'regard[hf]'" in refused(capsys, "doctor", folder("bert"))


@pytest.mark.parametrize("end", [".json", ".html", ".png", ".svg", ".npy"])
@pytest.mark.parametrize("verb", ["census", "faithful"])
def test_an_examination_is_a_file_of_the_kind_that_its_name_says(folder, text, tmp_path, verb, end):
    out = tmp_path / f"found{end}"
    words = ["census", folder("bert"), "--data", text]
    if verb == "faithful":
        words = ["faithful", folder("bert"), LINES[1], "--word", "3"]
    assert main([*words, "--out", str(out)]) == 0
    data = out.read_bytes()
    starts = {".json": b"{", ".html": b"<!doctype html>", ".png": b"\x89PNG", ".svg": b"<?xml"}
    assert data.startswith(starts.get(end, b"\x93NUMPY"))
    if end == ".html":
        assert b"http" not in data
        assert b"bert.encoder.layer" in data if verb == "census" else b"cat" in data
    if end == ".npy":
        table = np.load(out)
        assert np.nanmax(np.abs(table)) == pytest.approx(1) or verb == "census"


def test_findings_are_a_page_a_picture_and_no_numbers(folder, text, tmp_path, capsys):
    words = ["doctor", folder("gpt2"), "--data", text, "--out"]
    assert main([*words, str(tmp_path / "found.html")]) == 0
    assert "at initialisation" in (tmp_path / "found.html").read_text()
    assert main([*words, str(tmp_path / "found.png")]) == 0
    assert (tmp_path / "found.png").read_bytes().startswith(b"\x89PNG")
    assert "findings are no array of numbers" in refused(capsys, *words, str(tmp_path / "a.npy"))
    assert "--out needs a name that ends in" in refused(capsys, *words, str(tmp_path / "a.txt"))


@pytest.mark.parametrize("verb", ["census", "faithful"])
def test_a_terminal_of_80_columns_cuts_nothing_off(folder, text, capsys, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "80")
    words = [LINES[1], "--word", "3"] if verb == "faithful" else ["--data", text]
    assert main([verb, folder("bert"), *words]) == 0
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    assert "…" not in told
    if verb == "census":
        assert "bert.encoder.layer.1.attention.self.2" in told
    else:
        assert all(part in told for part in ("gradient × attention", "ln p(", "left out"))
