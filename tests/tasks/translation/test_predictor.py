"""From text to text with a model that knows its phrases by heart."""

from itertools import count

import pytest
import torch
from torch.testing import assert_close

from regard.data.vocabulary import Vocabularies, learn
from regard.decoding import BatchLimit, Beam, Limits
from regard.models import build
from regard.tasks.translation.predictor import Translator
from training.scripted import Phrasebook

SOURCES = ["the black cat", "l'homme dort.", "nothing"]
TEXTS = ["le chat noir", "l'homme dort !", "rien"]
LOOKS = [[0, 2, 1], [0, 1, 2, 3], [0]]


def words():
    return Vocabularies(learn("words", SOURCES), learn("words", TEXTS))


def pieces():
    both = learn("bpe", [*SOURCES, *TEXTS] * 9, size=300)
    return Vocabularies(both, both)


def characters():
    both = learn("characters", [*SOURCES, *TEXTS])
    return Vocabularies(both, both)


KINDS = {"words": words, "pieces": pieces, "characters": characters}


@pytest.fixture(params=KINDS)
def vocabularies(request):
    return KINDS[request.param]()


def phrasebook(vocabularies, texts=TEXTS, sources=SOURCES):
    """Token t of an answer looks at source token t, or at the last."""
    source, target = vocabularies
    phrases = {}
    for text, answer in zip(sources, texts, strict=True):
        key = (*source.encode(text), source.eos)
        ids = target.encode(answer)
        phrases[key] = [(token, min(t, len(key) - 1)) for t, token in enumerate(ids)]
    return Phrasebook(phrases, vocab=max(len(source), len(target)))


def test_answers_come_as_text_in_the_order_of_the_sources(vocabularies):
    found = Translator(phrasebook(vocabularies), vocabularies).translate(SOURCES)
    assert [one.text for one in found] == TEXTS
    assert [one.source for one in found] == SOURCES
    assert all(one.finished and one.weights is None and one.links == frozenset() for one in found)
    assert all(one.log_prob < 0 for one in found)


def test_weights_are_between_words_whatever_the_tokens(vocabularies):
    found = Translator(phrasebook(vocabularies), vocabularies).translate(SOURCES, aligned=True)
    for one in found:
        assert one.weights.shape == (len(one.target_words), len(one.source_words))
        assert (one.weights.sum(dim=-1) <= 1 + 1e-9).all()
    assert found[0].source_words == ("the", "black", "cat")
    assert found[1].target_words == ("l'", "homme", "dort", "!")
    assert found[2].links == {(0, 0)}


def test_links_are_where_each_word_looks_most():
    vocabularies = words()
    source, target = vocabularies
    key = (*source.encode(SOURCES[0]), source.eos)
    ids = target.encode(TEXTS[0])
    model = Phrasebook({key: list(zip(ids, LOOKS[0], strict=True))}, vocab=len(target))
    [found] = Translator(model, vocabularies).translate(SOURCES[:1], aligned=True)
    assert found.links == {(0, 0), (2, 1), (1, 2)}
    assert_close(found.weights, torch.eye(3, dtype=torch.float64)[[0, 2, 1]])


def test_parts_of_one_word_share_what_they_look_at():
    vocabularies = characters()
    source, target = vocabularies
    key = (*source.encode("the"), source.eos)
    model = Phrasebook({key: [(token, 1) for token in target.encode("le chat")]}, vocab=len(target))
    [found] = Translator(model, vocabularies).translate(["the"], aligned=True)
    assert found.links == {(0, 0), (0, 1)}
    assert_close(found.weights, torch.ones(2, 1, dtype=torch.float64))


def test_an_answer_that_begins_inside_a_word_is_aligned_all_the_same():
    vocabularies = pieces()
    both = vocabularies.source
    inner = [token for token in both.encode("noir dort") if not _begins_a_word(both, token)]
    assert inner
    key = (*both.encode("the"), both.eos)
    model = Phrasebook({key: [(inner[0], 0)]}, vocab=len(both))
    [found] = Translator(model, vocabularies).translate(["the"], aligned=True)
    assert len(found.target_words) == 1
    assert found.weights.sum() > 0


def _begins_a_word(tokeniser, token):
    return tokeniser.pieces_of([token])[0].startswith("\u2581")


@pytest.mark.parametrize("kind", ["pieces", "characters"])
def test_what_was_never_seen_is_read_and_written_in_bytes(kind):
    vocabularies = KINDS[kind]()
    sources, texts = ["日本 😀", "שלום"], ["été 😀!", "日"]
    model = phrasebook(vocabularies, texts, sources)
    found = Translator(model, vocabularies).translate(sources, aligned=True)
    assert [one.text for one in found] == texts
    assert found[0].target_words == ("été", "😀", "!")
    assert found[0].weights.shape == (3, 2)


def test_bytes_that_are_no_text_do_no_harm():
    vocabularies = characters()
    both = vocabularies.source
    half = both.encode("😀")[:2]
    key = (*both.encode("the"), both.eos)
    model = Phrasebook(
        {key: [(token, 0) for token in [*half, *both.encode(" le")]]}, vocab=len(both)
    )
    [found] = Translator(model, vocabularies).translate(["the"], aligned=True)
    assert "\ufffd" in found.text
    assert found.target_words[-1] == "le"
    assert found.weights.shape == (len(found.target_words), 1)


def test_unknown_words_are_named():
    vocabularies = words()
    source, target = vocabularies
    model = Phrasebook({(source.unk, source.eos): [(target.unk, 0)]}, vocab=len(target))
    [found] = Translator(model, vocabularies).translate(["zebra"], aligned=True)
    assert found.text == "<unk>"
    assert found.weights.shape == (len(found.target_words), 1)


def test_an_answer_that_does_not_end_is_cut_and_says_so():
    vocabularies = words()
    model = phrasebook(vocabularies)
    limits = Limits(max_length=2)
    [found, *_] = Translator(model, vocabularies).translate(SOURCES, limits=limits, aligned=True)
    assert found.text == "le chat"
    assert not found.finished
    assert found.weights.shape == (2, 3)


def test_nothing_is_translated_to_nothing():
    assert Translator(phrasebook(words()), words()).translate([]) == []


def test_a_model_that_does_not_look_gives_no_weights():
    vocabularies = words()
    sizes = {"embedding_dim": 5, "hidden_dim": 8}
    model = build(
        "rnn-plain-small", source_vocab=20, target_vocab=len(vocabularies.target), **sizes
    )
    found = Translator(model, vocabularies).translate(SOURCES, aligned=True)
    assert [one.weights for one in found] == [None, None, None]


@pytest.mark.parametrize("blank", ["", " ", "\u00a0\t", "\r\n"])
def test_a_blank_source_has_a_blank_translation_wherever_it_stands(vocabularies, blank):
    sources = [blank, SOURCES[0], blank]
    found = Translator(phrasebook(vocabularies), vocabularies).translate(sources, aligned=True)
    assert [one.text for one in found] == ["", TEXTS[0], ""]
    assert [one.finished for one in found] == [True, True, True]
    assert [one.weights is None for one in found] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "read"),
    [("\x00", "\ufffd"), ("a\ud800b", "a\ufffdb"), ("zebra " * 9, ("zebra " * 9)[:-1])],
)
def test_odd_sources_get_an_answer(vocabularies, text, read):
    sizes = {"embedding_dim": 5, "hidden_dim": 8, "attention_dim": 7, "readout_dim": 9}
    vocab = {"source_vocab": len(vocabularies.source), "target_vocab": len(vocabularies.target)}
    model = build("bahdanau-small", **vocab, **sizes)
    [found] = Translator(model, vocabularies).translate([text], aligned=True)
    assert found.source == read
    assert found.weights.shape == (len(found.target_words), len(found.source_words))
    assert model.training


def test_a_source_is_read_as_far_as_it_may_be_and_says_how_much_is_missing():
    vocabularies = words()
    model = phrasebook(vocabularies, ["rien"], ["the black"])
    [found] = Translator(model, vocabularies, longest=2).translate(["the black cat the cat"])
    assert (found.source, found.text, found.cut) == ("the black", "rien", 3)


def test_an_answer_is_one_line():
    vocabularies = characters()
    both = vocabularies.source
    key = (*both.encode("the"), both.eos)
    model = Phrasebook({key: [(token, 0) for token in both.encode("a\nb")]}, vocab=len(both))
    [found] = Translator(model, vocabularies).translate(["the"])
    assert found.text == "a b"


def test_answers_hold_the_best_few_and_need_no_end():
    vocabularies = words()
    endless = (SOURCES[n % 2] for n in count())
    batch = BatchLimit(ahead=3)
    answers = Translator(phrasebook(vocabularies), vocabularies).answers(
        endless, strategy=Beam(size=4, n_best=2), batch=batch
    )
    found = [next(answers) for _ in range(7)]
    assert [few[0].source for few in found] == [SOURCES[n % 2] for n in range(7)]
    assert all(len(few) == 2 and few[0].score > few[1].score for few in found)
    assert len({few[0].text for few in found[::2]}) == 1


def test_tokens_are_told_as_the_vocabulary_writes_them(vocabularies):
    [found, *_] = Translator(phrasebook(vocabularies), vocabularies).translate(SOURCES)
    assert list(found.source_tokens) == vocabularies.source.pieces(SOURCES[0])
    assert list(found.target_tokens) == vocabularies.target.pieces(TEXTS[0])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("convs2s-small", {"embedding_dim": 8, "hidden_dim": 6}),
        ("transformer-tiny", {"model_dim": 12, "num_heads": 3, "position": "learned"}),
    ],
)
def test_a_model_with_few_positions_reads_and_writes_no_more_than_these(name, sizes):
    both = characters().source
    model = build(name, source_vocab=len(both), target_vocab=len(both), max_length=7, **sizes)
    limits = Limits(min_length=6, offset=50)
    [found] = Translator(model, characters()).translate(["the black cat"], limits=limits)
    assert found.source == "the bl"
    assert found.cut == 7
    assert len(found.target_tokens) <= 7
