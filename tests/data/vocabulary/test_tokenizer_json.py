"""Tokens of a tokenizer.json: cut, numbered and put together as its own library does."""

import pytest

from regard.data.vocabulary import SpecialTokens, TokenizerJson, load
from regard.errors import InputError

tokenizers = pytest.importorskip("tokenizers")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "un", "##believ", "##able", "."]


def word_piece():
    """As BERT's: small letters, parts of words, a token before and one behind."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece()
    made.add_special_tokens(WORDS[:5])
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.enable_padding(length=9)
    made.enable_truncation(2)
    return TokenizerJson(made.to_str(), SpecialTokens(0, 1, 2, 3, mask=4), size=13)


def byte_level(text="the cat sat, the cät — sat\n\nthe"):
    """As GPT-2's: bytes joined to parts of words."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=270, initial_alphabet=alphabet, special_tokens=["<|end|>"]
    )
    made.train_from_iterator([text], trainer)
    return TokenizerJson(made.to_str(), SpecialTokens(0, 0, 0, 0))


def test_parts_of_words_know_where_they_stand_and_nothing_is_padded():
    tokens = word_piece()
    cut = tokens.cut("A CAT, unbelievable.")
    assert [piece for piece, _ in cut] == [*("a", "cat", "[UNK]"), *WORDS[7:11]]
    assert [span for _, span in cut] == [
        (0, 1),
        (2, 5),
        (5, 6),
        (7, 9),
        (9, 15),
        (15, 19),
        (19, 20),
    ]
    assert tokens.encode("a cat.") == [5, 6, 10]
    assert tokens.pieces_of([2, 5, 6, 3, 0, 12]) == ["a", "cat", "<12>"]
    assert tokens.decode([2, 7, 8, 9, 10, 3]) == "unbelievable."
    assert tokens.spans(["un", "##able", "cat"]) == [(0, 2), (2, 6), (6, 10)]
    assert (tokens.opening, tokens.closing, tokens.hole) == ((2,), (3,), "[MASK]")
    assert [tokens.begins(piece) for piece in ("cat", "##able", ".")] == [True, False, False]
    assert tokens.shown("##able") == "able"
    assert tokens.specials == {0, 1, 2, 3, 4, 11, 12}
    assert len(tokens) == 13


def test_bytes_come_back_to_the_character():
    tokens, text = byte_level(), "the cät — sat\n\n  the 猫"
    pieces = tokens.pieces(text)
    assert tokens.text(pieces) == text
    assert tokens.decode(tokens.encode(text)) == text
    spans = tokens.spans(pieces)
    assert "".join(text[start:end] for start, end in spans) == text
    assert tokens.begins("Ġcat" if "Ġcat" in pieces else "Ġ") is ("Ġcat" in pieces)


def test_a_stored_one_is_the_same(tmp_path):
    tokens = word_piece()
    tokens.save(tmp_path)
    again = load(tmp_path)
    assert again.special == tokens.special
    assert again.cut("a cat [MASK]") == tokens.cut("a cat [MASK]")
    assert (len(again), again.mask, again.bos) == (13, 4, 2)


def test_what_is_none_is_refused():
    with pytest.raises(InputError, match=r"needs a tokenizer\.json"):
        TokenizerJson("{}", SpecialTokens(0, 0, 0, 0))
    with pytest.raises(InputError, match="has 11 tokens, more than the 7 of the model"):
        TokenizerJson(word_piece().source, SpecialTokens(0, 1, 2, 3), size=7)
    with pytest.raises(InputError, match="needs special tokens below 11"):
        TokenizerJson(word_piece().source, SpecialTokens(0, 1, 2, 11))
