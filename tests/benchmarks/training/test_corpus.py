import pytest

from benchmarks.training import corpus
from benchmarks.training.corpus import prepare, spaced, vocabulary
from regard.data.vocabulary import learn
from regard.errors import InputError


@pytest.fixture
def source_file(tmp_path):
    path = tmp_path / "pairs.tsv"
    words = ["red", "green", "blue", "grey"]
    lines = [f"one {word} line\tune ligne {word}\n" for word in words]
    path.write_text("".join(lines) + "odd\u00a0one\timpair\n", encoding="utf-8")
    return path


def lines(folder, name):
    return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def test_pieces_joined_are_the_text_again(source_file, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    prepared = prepare([source_file], folder)
    assert prepared[1:3] == ("pairs.tsv", 4)
    joined = [
        line.replace(" ", "").replace("▁", " ").strip() for line in lines(folder, "train.source")
    ]
    assert joined == [f"one {word} line" for word in ("red", "green", "blue", "grey")]
    assert len(lines(folder, "train.target")) == 4


def test_every_piece_of_the_text_has_an_entry_and_no_entry_is_there_twice(source_file, tmp_path):
    prepared = prepare([source_file], tmp_path)
    entries = lines(tmp_path, "vocabulary.txt")
    assert entries[:4] == ["<pad>", "<unk>", "<s>", "</s>"]
    assert len(entries) == len(set(entries)) == prepared.vocabulary
    text = lines(tmp_path, "train.source") + lines(tmp_path, "train.target")
    assert {piece for line in text for piece in line.split(" ")} <= set(entries)


def test_without_files_there_is_the_grammar_with_sentences_of_many_lengths(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "GRAMMAR_PAIRS", 40)
    prepared = prepare([], tmp_path)
    assert prepared.origin == "grammar, up to 60 words"
    assert 30 < prepared.pairs <= 40
    lengths = {len(line.split(" ")) for line in lines(tmp_path, "train.source")}
    assert max(lengths) > 3 * min(lengths)


def test_of_a_large_corpus_pairs_from_all_of_it_are_taken(source_file, monkeypatch):
    monkeypatch.setattr(corpus, "MOST_PAIRS", 2)
    assert [source for source, _ in corpus.texts([source_file])] == [
        "one red line",
        "one grey line",
    ]


def test_pairs_that_are_too_long_are_left_out(source_file, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "LONGEST", 1)
    with pytest.raises(InputError, match="at most 1 pieces"):
        prepare([source_file], tmp_path)


@pytest.mark.parametrize(
    ("piece", "cut"), [("▁a", False), ("", True), ("\u2028", True), ("a\u00a0b", True)]
)
def test_a_piece_with_space_in_it_is_no_piece_of_a_plain_file(piece, cut):
    assert spaced(piece) is cut


def test_entries_that_never_occur_keep_their_place():
    tokeniser = learn("words", ["a b c"])
    first, rare, last = tokeniser.ids(["a", "b", "c"])
    entries = vocabulary([(["a"], ["c", "a"])], tokeniser)
    assert len(entries) == len(tokeniser)
    assert (entries[first], entries[last]) == ("a", "c")
    assert entries[rare] == f"<unused-{rare}>"
