"""Folders of transformers become models that every command opens, and become folders again."""

import json
import os

import pytest
import torch
from torch.testing import assert_close

import regard
from regard.cli.app import main
from regard.data.vocabulary.tokenizer_json import TokenizerJson
from regard.errors import DamagedError, InputError, StorageError
from regard.zoo.hugging_face import from_hugging_face, to_hugging_face

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the cat dog sees ##s a . un ##able".split()  # noqa: SIM905
BERT = {
    "vocab_size": 17,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 30,
}


def save(kind, config, tokenizer, folder, **special):
    """A random model and its tokens, as their library writes them."""
    torch.manual_seed(0)
    model = kind(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    return model


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT of transformers, and the same as ours."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokens = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokens.normalizer = tokenizers.normalizers.BertNormalizer()
    tokens.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokens.decoder = tokenizers.decoders.WordPiece()
    tokens.add_special_tokens(WORDS[:5])
    tokens.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    folder = tmp_path_factory.mktemp("bert")
    (folder / "theirs/1_Pooling").mkdir(parents=True)
    modules = [
        {"path": path, "type": f"sentence_transformers.models.{kind}"}
        for path, kind in (
            ("", "Transformer"),
            ("1_Pooling", "Pooling"),
            ("2_Normalize", "Normalize"),
        )
    ]
    (folder / "theirs/modules.json").write_text(json.dumps(modules))
    (folder / "theirs/1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}')
    special = {
        f"{role}_token": f"[{role.upper()}]" for role in ("pad", "unk", "cls", "sep", "mask")
    }
    config = transformers.BertConfig(**BERT)
    model = save(transformers.BertForMaskedLM, config, tokens, folder / "theirs", **special)
    command = ["convert", "--from-hf", str(folder / "theirs"), "--out", str(folder / "ours")]
    assert main(command) == 0
    return folder / "theirs", folder / "ours", model


def test_a_bert_fills_holes_as_its_own_library_does(bert):
    _, ours, model = bert
    filled = regard.load(ours)("The [MASK] sees a dog.", top=20, looks=True)
    ids = torch.tensor([[2, 5, 4, 8, 10, 7, 11, 3]])
    with torch.no_grad():
        wanted = model(ids).logits[0, 2].softmax(dim=-1)
    assert filled.tokens == ("[CLS]", "the", "[MASK]", "sees", "a", "dog", ".", "[SEP]")
    assert len(filled.holes[0]) > 3
    for guess in filled.holes[0]:
        assert guess.probability == pytest.approx(float(wanted[WORDS.index(guess.word)]), abs=2e-6)
    assert regard.load(ours)("The un[MASK].").holes[0][0].word in {"s", "able", "."}


def test_a_bert_embeds_as_sentence_transformers_would(bert, capsys):
    _, ours, model = bert
    ids = torch.tensor([[2, 5, 6, 8, 1, 12, 13, 11, 3]])
    with torch.no_grad():
        mean = model.bert(ids).last_hidden_state[0].mean(dim=0)
    [found] = regard.load(ours).vectors(["The cat sees Zürich unable ."])
    assert_close(found, mean / mean.norm(), atol=1e-6, rtol=0)
    assert main(["embed", "The cat sees Zürich unable .", "--model", str(ours)]) == 0
    assert len(capsys.readouterr().out.split()) == 12


def test_a_bert_is_packed_and_goes_out_again(bert, tmp_path):
    _, ours, model = bert
    assert (
        main(["pack", str(ours), "--out", str(tmp_path / "small"), "--precision", "float32"]) == 0
    )
    card = (tmp_path / "small/CARD.md").read_text()
    assert card.startswith("# small\n")
    assert "`theirs`, a bert of transformers" in card
    told = [regard.load(one)("a [MASK].").to_json() for one in (ours, tmp_path / "small")]
    assert told[0] == told[1]
    assert main(["convert", str(tmp_path / "small"), "--to-hf", str(tmp_path / "again")]) == 0
    again = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "again").eval()
    tokens = transformers.AutoTokenizer.from_pretrained(tmp_path / "again")
    asked = tokens("the cat [MASK] .", return_tensors="pt")
    assert asked["input_ids"].tolist() == [[2, 5, 6, 4, 11, 3]]
    with torch.no_grad():
        assert_close(again(**asked).logits, model(**asked).logits, atol=1e-6, rtol=0)


@pytest.mark.parametrize("task", ["fill-mask", "text-classification"])
def test_a_bert_is_what_a_training_begins_with(bert, task, tmp_path):
    _, ours, model = bert
    lines = ["the cat sees a dog .", "a dog sees the cat .", "unable dogs ."] * 5
    labelled = [f"{'yes' if 'unable' in line else 'no'}\t{line}" for line in lines]
    text = tmp_path / ("text.txt" if task == "fill-mask" else "text.tsv")
    text.write_text("\n".join(lines if task == "fill-mask" else labelled) + "\n")
    words = ["--init-from", str(ours), "--data", str(text), "--valid", str(text), "--quiet"]
    words += ["--steps", "2", "--out", str(tmp_path / "run")]
    assert main(["train", task, *words]) == 0
    made = regard.load(tmp_path / "run")
    tokens = made.codec.tokens
    assert isinstance(tokens, TokenizerJson)
    weight = made.model.text.encoder.layers[1].feed_forward.input_proj.weight
    before = model.bert.encoder.layer[1].intermediate.dense.weight
    assert 0 < float((weight - before).detach().abs().max()) < 0.02


GPT2 = {"vocab_size": 14, "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 30}
MARIAN = {
    "vocab_size": 14,
    "d_model": 12,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 14,
    "decoder_ffn_dim": 14,
    "max_position_embeddings": 20,
    "pad_token_id": 0,
    "decoder_start_token_id": 0,
    "eos_token_id": 3,
    "forced_eos_token_id": None,
}


def whole_words():
    """A token a word, with those of WORDS."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokens = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokens.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokens.add_special_tokens(WORDS[:5])
    return tokens


def test_a_gpt_goes_on_as_its_own_library_does(tmp_path, capsys):
    config = transformers.GPT2Config(**GPT2, eos_token_id=3, bos_token_id=3)
    model = save(transformers.GPT2LMHeadModel, config, whole_words(), tmp_path / "theirs")
    from_hugging_face(tmp_path / "theirs", tmp_path / "ours")
    with torch.no_grad():
        asked = torch.tensor([[5, 6, 8]])
        wanted = model.generate(asked, do_sample=False, max_new_tokens=7, pad_token_id=0)[0, 3:]
    said = ["--model", str(tmp_path / "ours"), "--temperature", "0", "--max-tokens", "7"]
    assert main(["generate", "the cat sees", *said, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    written = [WORDS[number] for number in wanted.tolist() if number != 3]
    assert [
        token["token"] if isinstance(token, dict) else token for token in told["tokens"]
    ] == written
    to_hugging_face(tmp_path / "ours", tmp_path / "again")
    again = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "again").eval()
    with torch.no_grad():
        assert_close(again(asked).logits, model(asked).logits, atol=1e-6, rtol=0)


def test_a_qwen_is_trained_on_examined_packed_and_goes_out_again(tmp_path, capsys):
    sizes = {**BERT, "vocab_size": 14, "num_key_value_heads": 1, "head_dim": 4}
    config = transformers.Qwen3Config(**sizes, eos_token_id=3, bos_token_id=2, pad_token_id=0)
    theirs, ours, run = (tmp_path / name for name in ("theirs", "ours", "run"))
    model = save(transformers.Qwen3ForCausalLM, config, whole_words(), theirs)
    from_hugging_face(theirs, ours)
    text = tmp_path / "text.txt"
    text.write_text("the cat sees a dog . a dog sees the cat .\n" * 20)
    words = ["--init-from", str(ours), "--data", str(text), "--valid", str(text), "--quiet"]
    assert main(["train", "text-generation", *words, "--steps", "2", "--out", str(run)]) == 0
    maps = regard.load(run).model.layers[1].attention.in_proj
    moved = maps.query_norm.weight - model.model.layers[1].self_attn.q_norm.weight
    assert 0 < float(moved.detach().abs().max()) < 0.02
    capsys.readouterr()
    assert main(["census", str(ours), "--data", str(text), "--sentences", "4", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["heads"]) == 2 * 3
    assert main(["pack", str(run), "--out", str(tmp_path / "small"), "--precision", "float32"]) == 0
    assert main(["convert", str(tmp_path / "small"), "--to-hf", str(tmp_path / "again")]) == 0
    again = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "again").eval()
    ids = torch.tensor([[5, 6, 8]])
    with torch.no_grad():
        assert_close(again(ids).logits, regard.load(run).model(ids), atol=1e-5, rtol=0)


def test_a_marian_translates_as_its_own_library_does(tmp_path):
    config = transformers.MarianConfig(**MARIAN)
    special = {"eos_token": "[SEP]", "unk_token": "[UNK]"}
    tokens = whole_words()
    model = save(transformers.MarianMTModel, config, tokens, tmp_path / "theirs", **special)
    from_hugging_face(tmp_path / "theirs", tmp_path / "ours")
    found = regard.load(tmp_path / "ours").translate(["the cat sees a dog"], aligned=True)[0]
    with torch.no_grad():
        asked = torch.tensor([[5, 6, 8, 10, 7, 3]])
        wanted = model.generate(asked, do_sample=False, num_beams=1, max_new_tokens=20)[0].tolist()
    kept = [WORDS[number] for number in wanted if number not in (0, 3)]
    assert list(found.target_tokens)[: len(kept)] == kept
    assert found.token_weights.shape == (len(found.target_tokens) + found.finished, 6)


def test_a_vit_classifies_as_its_own_library_does(tmp_path):
    names = {0: "cat", 1: "dog", 2: "mat"}
    sizes = {**BERT, "image_size": 8, "patch_size": 4, "id2label": names}
    sizes = {
        name: size for name, size in sizes.items() if "vocab" not in name and "max" not in name
    }
    config = transformers.ViTConfig(**sizes)
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    model = save(transformers.ViTForImageClassification, config, whole_words(), theirs)
    told = {"image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6]}
    (theirs / "preprocessor_config.json").write_text(json.dumps(told))
    from_hugging_face(theirs, ours)
    picture = torch.randint(0, 256, (3, 8, 8), dtype=torch.uint8)
    mean, std = (torch.tensor(one)[:, None, None] for one in told.values())
    with torch.no_grad():
        shares = model(((picture / 255 - mean) / std).unsqueeze(0)).logits[0].softmax(dim=-1)
    found = regard.load(ours)(picture)
    assert found.label == names[int(shares.argmax())]
    to_hugging_face(ours, tmp_path / "again")
    again = transformers.AutoModelForImageClassification.from_pretrained(tmp_path / "again")
    assert again.config.id2label == names


def test_a_folder_that_is_none_is_refused_in_a_sentence(bert, tmp_path):
    theirs, ours, _ = bert
    with pytest.raises(InputError, match=r"config.json: a model of transformers needs this file"):
        from_hugging_face(tmp_path, tmp_path / "out")
    (tmp_path / "config.json").write_text((theirs / "config.json").read_text())
    with pytest.raises(InputError, match="files of pickle run code and are not read"):
        from_hugging_face(tmp_path, tmp_path / "out")
    (tmp_path / "model.safetensors").write_bytes((theirs / "model.safetensors").read_bytes())
    with pytest.raises(InputError, match="save_pretrained"):
        from_hugging_face(tmp_path, tmp_path / "out")
    with pytest.raises(StorageError, match="needs a new folder"):
        from_hugging_face(theirs, ours)
    with pytest.raises(StorageError, match="needs a new folder"):
        to_hugging_face(ours, theirs)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_pipe_is_not_waited_for(bert, tmp_path, name):
    for file in bert[0].iterdir():
        if file.is_file() and file.name != name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    os.mkfifo(tmp_path / name)
    with pytest.raises((InputError, DamagedError), match="it is a pipe and no file of its own"):
        from_hugging_face(tmp_path, tmp_path / "out")


def test_the_command_says_what_it_needs(capsys):
    assert main(["convert", "run/"]) == 2
    assert "convert needs --from-hf FOLDER with --out RUN" in capsys.readouterr().err
