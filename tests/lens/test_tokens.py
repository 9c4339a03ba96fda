"""Tokens of a record: text, kinds, and the labels of a look's rows and columns."""

from types import SimpleNamespace

import pytest
import torch

from regard.errors import DtypeError
from regard.functional.events import StoredWeights
from regard.lens import Record
from regard.lens.inputs import Inputs, Side, words
from regard.lens.tokens import kind_of, shown

WORDS = ["[PAD]", "[CLS]", "[SEP]", "the", "##s", ",", "[MASK]", "[UNK]"]


def read(tokenizer, **sides):
    record = Record()
    record.passes.append(Inputs(dict(sides)))
    return record.read(tokenizer).inputs


@pytest.mark.parametrize(
    "tokenizer",
    [
        WORDS,
        WORDS.__getitem__,
        SimpleNamespace(id_to_token=WORDS.__getitem__),
        SimpleNamespace(convert_ids_to_tokens=WORDS.__getitem__, pad_token_id=0, cls_token_id=1),
    ],
    ids=["list", "function", "tokenizers", "transformers"],
)
def test_every_kind_of_tokeniser_tells_texts_and_kinds(tokenizer):
    side = read(tokenizer, input=Side(ids=torch.tensor([[1, 3, 4, 5, 6, 2, 0]])))["input"]
    assert side.tokens == (("[CLS]", "the", "##s", ",", "[MASK]", "[SEP]", "[PAD]"),)
    kinds = ("class", "word", "word", "punctuation", "hole", "separator", "padding")
    assert side.classes == (kinds,)
    assert side.of_class("separator", "class").tolist() == [[True, *[False] * 4, True, False]]


def test_what_the_mask_says_is_padding_is_that_whatever_its_token():
    side = Side(ids=torch.tensor([[3, 2, 2]]), real=torch.tensor([[True, True, False]]))
    found = read(WORDS, input=side)["input"]
    assert found.classes == (("word", "separator", "padding"),)
    assert found.lengths.tolist() == [2]


def test_something_else_is_no_tokeniser():
    with pytest.raises(DtypeError, match=r"tokens are read by a tokeniser .* got int"):
        read(3, input=Side(ids=torch.tensor([[1]])))


@pytest.mark.parametrize(
    ("token", "kind"), [("Ġthe", "word"), ("▁,", "punctuation"), ("</s>", "end"), ("▁", "word")]
)
def test_texts_tell_kinds(token, kind):
    assert kind_of(token) == kind


def test_marks_of_pieces_are_not_shown():
    pieces = ("Ġthe", "▁cat", "##s", "er</w>")
    assert [shown(piece) for piece in pieces] == ["the", "cat", "s", "er"]


def look_at(shape, kind="self", name="layer", start=0, **sides):
    record = Record()
    record.passes.append(Inputs(dict(sides), start))
    record.add(name, StoredWeights(torch.rand(*shape), kind=kind))
    return record.looks[0]


def test_a_look_is_labelled_by_its_tokens():
    both = {"input": words([("a", "b", "c")]), "target": words([("x", "y")])}
    assert look_at((1, 2, 3), kind="cross", **both).labels() == (("x", "y"), ("a", "b", "c"))
    assert look_at((1, 3, 3), name="encoder.0", **both).labels()[0] == ("a", "b", "c")
    assert look_at((1, 2, 2), name="decoder.0", **both).labels()[1] == ("x", "y")


def test_steps_behind_a_cache_are_labelled_by_where_they_stand():
    side = words([("a", "b", "c", "d")])
    assert look_at((1, 1, 4), start=3, input=side).labels() == (("d",), ("a", "b", "c", "d"))
    assert look_at((1, 1, 2), start=3, input=side).labels() == (("d",), ("c", "d"))


def test_patches_are_labelled_by_row_and_column_and_the_unknown_by_numbers():
    look = look_at((1, 5, 5), input=Side(grid=(2, 2), before=1))
    assert look.labels()[0] == ("[0]", "0,0", "0,1", "1,0", "1,1")
    assert look_at((1, 2, 3)).labels() == (("0", "1"), ("0", "1", "2"))


def test_a_notebook_sees_what_a_model_was_given():
    both = Inputs({"input": words([WORDS]), "picture": Side(grid=(2, 3), before=1)})
    shown_sides = both._repr_html_()
    assert "[MASK]" in shown_sides
    assert "2 × 3 patches behind 1 others" in shown_sides
