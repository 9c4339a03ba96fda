"""Views of translations that a model made, and of those that it is made to read."""

import pytest
import torch
from torch.testing import assert_close

from cli.translating import by_heart, untrained
from regard.decoding import Limits
from regard.errors import InputError, RangeError
from regard.tasks.translation.views import forced_view, head_views, translation_view


def weights_of(view):
    return torch.tensor(view.rows, dtype=torch.float64)


@pytest.mark.parametrize("name", ["bahdanau-small", "transformer-tiny", "convs2s-small"])
def test_a_model_reads_its_own_translation_as_it_wrote_it(name):
    translator = untrained(name, level="bpe")
    [written] = translator.translate(["the black cat"], aligned=True)
    own = translation_view(written, "own")
    read = forced_view(translator, "the black cat", written.text, title="read")
    assert (own.title, read.title) == ("own", "read")
    assert read.source == own.source == ("the", "black", "cat")
    assert read.target == own.target
    if list(written.target_tokens) == translator.vocabularies.target.pieces(written.text):
        assert_close(weights_of(read), weights_of(own), rtol=1e-4, atol=1e-6)


def test_a_given_translation_looks_where_the_model_looks():
    view = forced_view(by_heart(), "the black cat", "le chat noir")
    assert_close(weights_of(view), torch.eye(3, dtype=torch.float64)[[0, 2, 1]])


def test_the_mean_of_the_heads_of_the_alignment_layer_is_the_alignment():
    translator = untrained("transformer-tiny", decoder_layers=4)
    chosen = translator.model.config.chosen_alignment_layer
    [mean] = head_views(translator, "red dress", "robe rouge !", layer=chosen, head="mean")
    assert_close(weights_of(mean), weights_of(forced_view(translator, "red dress", "robe rouge !")))
    heads = head_views(translator, "red dress", "robe rouge !", layer=chosen)
    assert len(heads) == 3
    assert_close(torch.stack([weights_of(head) for head in heads]).mean(dim=0), weights_of(mean))
    assert not torch.allclose(weights_of(heads[0]), weights_of(heads[1]))


def test_layers_are_different_and_named_with_their_title():
    translator = untrained("transformer-tiny", decoder_layers=4)
    views = head_views(translator, "red dress", "robe", head=1, title="a: ")
    assert [view.title for view in views] == [f"a: layer {n}, head 1" for n in range(4)]
    [last] = head_views(translator, "red dress", "robe", layer=-1, head=1)
    assert_close(weights_of(last), weights_of(views[3]))


def test_a_model_of_one_attention_has_one_head():
    translator = untrained()
    [view] = head_views(translator, "red dress", "robe rouge")
    assert_close(weights_of(view), weights_of(forced_view(translator, "red dress", "robe rouge")))


def test_what_is_not_there_is_refused():
    translator = untrained("transformer-tiny")
    with pytest.raises(RangeError, match="has 2 layers, counted from 0, got layer 2"):
        head_views(translator, "a", "b", layer=2)
    with pytest.raises(RangeError, match="has 3 heads, counted from 0, got head -1"):
        head_views(translator, "a", "b", head=-1)
    with pytest.raises(InputError, match="got a blank one"):
        forced_view(translator, "a", " ")
    with pytest.raises(InputError, match="looks at its source"):
        forced_view(untrained("rnn-plain-small"), "a", "b")


def test_nothing_is_drawn_of_a_blank_sentence_or_a_model_that_does_not_look():
    [blank] = by_heart().translate([" "], aligned=True)
    [plain] = untrained("rnn-plain-small").translate(["red"], aligned=True)
    [unasked] = by_heart().translate(["red dress"])
    assert [translation_view(one) for one in (blank, plain, unasked)] == [None, None, None]


def test_only_what_is_read_is_drawn():
    translator = untrained(level="words")
    translator.longest = 2
    view = forced_view(translator, "red dress cat", "robe rouge chat noir")
    assert (view.source, view.target) == (("red", "dress"), ("robe", "rouge"))


def masses(view):
    return torch.tensor(view.cells, dtype=torch.float64).sum(dim=-1)


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("bahdanau-small", "bpe"),
        ("transformer-tiny", "bpe"),
        ("transformer-tiny", "characters"),
        ("convs2s-small", "words"),
    ],
)
def test_every_row_accounts_for_all_of_its_weight(name, level):
    translator = untrained(name, level=level)
    [written] = translator.translate(["red ?!"], aligned=True, limits=Limits(max_length=5))
    for unit in ("words", "tokens"):
        views = [
            forced_view(translator, "red ?!", "rouge noir !", unit=unit),
            *head_views(translator, "red ?!", "rouge noir !", unit=unit),
            *filter(None, [translation_view(written, unit=unit)]),
        ]
        for view in views:
            assert view.columns[-1] == "(end)"
            found = masses(view)
            read = found[found > 0]  # bytes that are no letters are words without tokens
            assert len(read) > 0
            assert_close(read, torch.ones_like(read), rtol=1e-5, atol=1e-6)


def test_tokens_are_drawn_as_the_model_looked():
    translator = untrained("transformer-tiny", level="bpe")
    [written] = translator.translate(["the black cat"], aligned=True, limits=Limits(max_length=7))
    view = translation_view(written, unit="tokens")
    assert view.source == written.source_tokens
    ends = ("(end)",) if written.finished else ()
    assert view.target == (*written.target_tokens, *ends)
    assert_close(torch.tensor(view.cells), written.token_weights)
    read = forced_view(translator, "the black cat", "le chat", unit="tokens")
    assert read.target == (*translator.vocabularies.target.pieces("le chat"), "(end)")


def test_views_know_their_sentences_and_their_model():
    [written] = by_heart().translate(["I love you"], aligned=True)
    own = translation_view(written, model="mine")
    read = forced_view(by_heart(), "I love you", "je t'aime", model="mine")
    [head] = head_views(by_heart(), "I love you", "je t'aime", model="mine")
    for view in (own, read, head):
        assert view.sentences == ("I love you", "je t'aime")
        assert view.model == "mine"
