"""Text to numbers and back, for every kind of tokeniser."""

import json
import subprocess
import sys
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.vocabulary import (
    LEARNERS,
    Characters,
    Pieces,
    Tokeniser,
    Vocabularies,
    Words,
    both_from,
    learn,
    learn_both,
    learner,
    load,
    load_both,
)
from regard.errors import ChoiceError, InputError

ENGLISH = [
    "The old captain reads seven letters.",
    "Seven captains read the oldest letter, slowly!",
    "Does the captain's sister read letters?",
]
FRENCH = [
    "Le vieux capitaine lit sept lettres.",
    "L'aînée n'aime pas qu'on lise l'autre lettre.",
    "Est-ce qu'elle lit aujourd'hui ?",
]
ODD = [
    "naïve  café 😀👩‍👩‍👧 ❤️",
    "日本語 と 中文\uff0c没有空格。",
    "שלחן \u200fעלם، مرحبا بالعالم",
    " leading,\ttabs\nand lines  trailing ",
    "low ▁ lines▁, \uffed squares \\ and \\j",
    "<unk> <s> </s> <pad> <0x41>",
    "\x00\ue000\ufeff\u2028\U0010ffff",
    "",
    " ",
]
SIZES = {"words": None, "characters": None, "bpe": 330, "unigram": 310}


def texts():
    return [*ENGLISH, *FRENCH] * 5


@pytest.fixture(scope="module", params=sorted(SIZES))
def tokeniser(request) -> Tokeniser:
    size = SIZES[request.param]
    return learn(request.param, texts(), **({} if size is None else {"size": size}))


LOSSLESS = [
    learn("characters", texts()),
    learn("bpe", texts(), size=330),
    learn("unigram", texts(), size=310),
]


def test_every_kind_has_a_name():
    assert list(LEARNERS) == ["bpe", "characters", "plain_words", "unigram", "words"]
    with pytest.raises(ChoiceError, match=r"unknown vocabulary 'word'\. Did you mean 'words'\?"):
        learn("word", ["a"])


def test_special_tokens_are_the_first_four(tokeniser):
    assert (tokeniser.pad, tokeniser.unk, tokeniser.bos, tokeniser.eos) == (0, 1, 2, 3)
    ids = {number for text in texts() for number in tokeniser.encode(text)}
    assert ids.isdisjoint(range(4))
    assert max(ids) < len(tokeniser)


def test_text_that_was_learned_comes_back(tokeniser):
    for text in texts():
        assert tokeniser.decode(tokeniser.encode(text)) == text


def test_special_tokens_leave_no_trace(tokeniser):
    ids = tokeniser.encode(ENGLISH[0])
    assert tokeniser.decode([2, *ids, 3, 0, 0]) == ENGLISH[0]


def test_every_piece_has_its_number(tokeniser):
    for text in [*texts(), *ODD]:
        pieces = tokeniser.pieces(text)
        assert tokeniser.ids(pieces) == tokeniser.encode(text)
        assert len(tokeniser.ids(pieces)) == len(pieces)


@pytest.mark.parametrize("text", ODD)
def test_pieces_of_odd_text_join_to_the_text(tokeniser, text):
    pieces = tokeniser.pieces(text)
    assert tokeniser.text(pieces) == text
    for piece, (start, end) in zip(pieces, tokeniser.spans(pieces), strict=True):
        assert 0 <= start <= end <= len(text), piece


@pytest.mark.parametrize("number", [-1, 10**6])
def test_a_number_outside_the_vocabulary_is_refused(tokeniser, number):
    with pytest.raises(InputError, match=rf"token {number} is not among the {len(tokeniser)}"):
        tokeniser.decode([5, number])


def test_spans_are_the_characters_of_the_pieces(tokeniser):
    text = "L'aînée lit  sept lettres."
    pieces = tokeniser.pieces(text)
    marks = ("\u2581", "\uffed")
    for piece, (start, end) in zip(pieces, tokeniser.spans(pieces), strict=True):
        if not piece.startswith("<0x"):
            bare = "".join(c for c in piece if c not in marks).strip()
            assert text[start:end].strip() == bare


def test_pieces_merge_to_words(tokeniser):
    text = "L'aînée n'aime pas l'autre."
    pieces = tokeniser.pieces(text)
    merged = dict.fromkeys(range(8), "")
    for word, (start, end) in zip(tokeniser.word_of(pieces), tokeniser.spans(pieces), strict=True):
        merged[word] += text[start:end]
    found = [merged[word].strip() for word in range(8)]
    assert found == ["L'", "aînée", "n'", "aime", "pas", "l'", "autre", "."]


def test_a_tokeniser_comes_back_from_its_folder(tokeniser, tmp_path):
    tokeniser.save(tmp_path)
    again = load(tmp_path)
    assert type(again) is type(tokeniser)
    assert len(again) == len(tokeniser)
    for text in [*texts(), *ODD]:
        assert again.encode(text) == tokeniser.encode(text)
    assert [path.name for path in tmp_path.iterdir()] == ["tokeniser.json"]


def test_no_text_is_refused():
    for name in LEARNERS:
        with pytest.raises(InputError, match="needs text to be learned from, got none"):
            learn(name, [])


def test_unknown_settings_are_refused_all_at_once():
    with pytest.raises(InputError, match=r"of words .* min_count: .*; unknown field"):
        learner("words", sise=7, min_count="x")


@pytest.mark.parametrize("place", range(3))
@given(text=st.text())
def test_any_text_comes_back_from_its_numbers(place, text):
    tokeniser = LOSSLESS[place]
    ids = tokeniser.encode(text)
    assert tokeniser.decode(ids) == text
    assert tokeniser.unk not in ids
    assert tokeniser.text(tokeniser.pieces(text)) == text


@given(
    st.lists(st.sampled_from(["l'", "a", "-ce", " ", "  ", ".", "\uffed", "\\", "j", "'s", "é"]))
)
def test_words_of_any_text_join_again(parts):
    text = "".join(parts)
    tokeniser = learn("words", [text or "x"])
    assert tokeniser.text(tokeniser.pieces(text)) == text
    assert tokeniser.decode(tokeniser.encode(text)) == text


@given(st.text())
def test_words_join_to_any_text(text):
    tokeniser = Words([])
    assert tokeniser.text(tokeniser.pieces(text)) == text


@pytest.mark.parametrize("place", range(3))
@given(text=st.text(st.sampled_from("aé日😀 '.▁"), max_size=20))
def test_spans_cover_the_text_in_order(place, text):
    tokeniser = LOSSLESS[place]
    spans = tokeniser.spans(tokeniser.pieces(text))
    covered = [i for start, end in spans for i in range(start, end)]
    assert sorted(set(covered)) == list(range(len(text)))
    assert spans == sorted(spans)


def test_a_word_has_one_number_wherever_it_stands():
    tokeniser = learn("words", ["l'homme (homme) homme."])
    assert tokeniser.pieces("l'homme (homme) homme.") == [
        "l'\uffed",
        "homme",
        "(\uffed",
        "homme",
        "\uffed)",
        "homme",
        "\uffed.",
    ]
    assert len(tokeniser) == 4 + 5


def test_rare_words_are_unknown():
    tokeniser = learn("words", ["b b b a a c c d"], size=6)
    assert tokeniser.encode("b a c d") == [4, 5, 1, 1]
    assert tokeniser.decode([4, 1, 5]) == "b <unk> a"
    assert learn("words", ["b b b a a c"], min_count=2).encode("c b a") == [1, 4, 5]


def test_characters_without_bytes_are_unknown():
    tokeniser = learn("characters", ["aab"], fallback="unknown")
    assert (len(tokeniser), tokeniser.encode("abc")) == (6, [4, 5, 1])
    assert tokeniser.decode([4, 1]) == "a<unk>"


def test_parts_of_words_without_bytes_save_their_room():
    both = [learn("bpe", texts(), size=400, fallback=f) for f in ("unknown", "bytes")]
    assert len(both[0]) < 400
    assert both[0].encode("😀").count(1) == 1
    assert both[0].decode(both[0].encode(FRENCH[1])) == FRENCH[1]
    assert both[0].decode(both[0].encode("▁capitaine▁")) == " capitaine "


def test_a_vocabulary_too_small_for_the_characters_says_so():
    with pytest.raises(InputError, match=r"room for every character .*, size=100 is too small"):
        learn("bpe", texts(), size=100)


def test_an_error_while_reading_is_not_hidden_by_the_trainer():
    def broken():
        yield "one"
        raise InputError("file.tsv, line 2: needs UTF-8")

    for name in LEARNERS:
        with pytest.raises(InputError, match=r"^file\.tsv, line 2: needs UTF-8$"):
            learn(name, broken())


@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_the_same_text_gives_the_same_model_in_another_process(name):
    code = (
        "import sys, json, hashlib; from regard.data.vocabulary import learn; "
        "texts = json.load(sys.stdin); "
        f"print(hashlib.sha256(learn({name!r}, texts, size=320).model).hexdigest())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts()), capture_output=True, text=True
    )
    here = learn(name, texts(), size=320)
    assert run.stdout.strip() == sha256(here.model).hexdigest(), run.stderr


def test_joint_and_separate_vocabularies_are_saved_and_loaded(tmp_path):
    for sharing in ("joint", "separate"):
        both = learn_both(learner("words"), sources=ENGLISH, targets=FRENCH, sharing=sharing)
        assert (both.sharing, both.source is both.target) == (sharing, sharing == "joint")
        (tmp_path / sharing).mkdir()
        both.save(tmp_path / sharing)
        again = load_both(tmp_path / sharing)
        assert again.sharing == sharing
        told = both_from(both.files(), tmp_path)
        assert [side.to_bytes() for side in told] == [side.to_bytes() for side in again]
        assert again.source.encode(ENGLISH[1]) == both.source.encode(ENGLISH[1])
        assert again.target.decode(again.target.encode(FRENCH[1])) == FRENCH[1]
    separate = learn_both(learner("words"), sources=ENGLISH, targets=FRENCH, sharing="separate")
    assert 1 in separate.source.encode(FRENCH[0])
    with pytest.raises(InputError, match="holds vocabularies of another kind"):
        separate.save(tmp_path / "joint")


def test_folders_of_vocabularies_may_be_text(tmp_path):
    one = learn("words", ENGLISH)
    one.save(str(tmp_path))
    assert load(str(tmp_path)).to_bytes() == one.to_bytes()
    Vocabularies(one, one).save(str(tmp_path / "both"))
    assert load_both(str(tmp_path / "both")).source.to_bytes() == one.to_bytes()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "needs a saved tokeniser"),
        ("[]", "needs a saved tokeniser, got list"),
        ("[" * 100_000, "needs a saved tokeniser"),
        ('{"format": 2}', "needs format 1, got 2"),
        ('{"format": 1, "kind": "verbs"}', "unknown stored tokeniser 'verbs'"),
        ('{"format": 1, "kind": "words", "entries": [1]}', "needs a list of text in .* 'entries'"),
        ('{"format": 1, "kind": "words", "entries": ["a", "a"]}', "needs every entry once"),
        ('{"format": 1, "kind": "pieces", "model": "%%"}', "needs a model in the field 'model'"),
        ('{"format": 1, "kind": "pieces", "model": "AAAA"}', "needs a model of sentencepiece"),
    ],
)
def test_a_damaged_tokeniser_is_named(tmp_path, content, complaint):
    (tmp_path / "tokeniser.json").write_text(content)
    with pytest.raises(InputError, match=rf"tokeniser\.json: .*{complaint}"):
        load(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"tokeniser\.json: cannot be read, No such file"):
        load(tmp_path / "none")
    with pytest.raises(InputError, match=r"cannot be written, No such file"):
        Characters(["a"]).save(tmp_path / "none")


def test_kinds_are_tokenisers():
    assert {Words.kind, Characters.kind, Pieces.kind} == {"words", "characters", "pieces"}
    assert Vocabularies(*LOSSLESS[:2]).sharing == "separate"
