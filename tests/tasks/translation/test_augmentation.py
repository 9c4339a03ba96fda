"""Pairs made of others."""

import pytest

from regard.data.vocabulary import learn
from regard.tasks.translation import FileData, VocabularyConfig
from regard.tasks.translation.augmentation import Augmentation
from regard.tasks.translation.example import Example

FIRST = Example("Tom has 12 cats.", "Tom a 12 chats.", frozenset({(0, 0), (2, 2)}))
SECOND = Example("Go!", "Va !")
THIRD = Example("I see.", "Je vois.", frozenset({(1, 1)}), ("I", "see", "."), ("Je", "vois", "."))


def made(*examples, **shares):
    """What is added, without what was there."""
    return [one for one in Augmentation(**shares).added(examples) if one not in examples]


def test_without_shares_nothing_is_added():
    assert list(Augmentation().added([FIRST, SECOND])) == [FIRST, SECOND]


def test_a_name_on_both_sides_becomes_another_and_links_stay():
    [found] = made(FIRST, SECOND, names=1)
    name = found.source.split()[0]
    assert name != "Tom" and name.istitle()
    assert found == Example(f"{name} has 12 cats.", f"{name} a 12 chats.", FIRST.alignment)


def test_a_number_on_both_sides_becomes_another_of_as_many_digits():
    [found] = made(FIRST, SECOND, numbers=1)
    number = found.source.split()[2]
    assert number.isdigit() and len(number) == 2
    assert found.target == f"Tom a {number} chats."


def test_a_pair_is_joined_with_the_one_before_and_links_count_on():
    [found] = made(FIRST, THIRD, joined=1)
    assert found.source == "Tom has 12 cats. I see."
    assert found.target == "Tom a 12 chats. Je vois."
    assert found.alignment == {(0, 0), (2, 2), (5, 5)}
    assert found.source_words == ("Tom", "has", "12", "cats.", "I", "see", ".")
    [plain] = made(FIRST, SECOND, joined=1)
    assert plain == Example("Tom has 12 cats. Go!", "Tom a 12 chats. Va !")


def test_capitals_and_small_letters_are_those_of_both_sides():
    assert made(SECOND, capitals=1) == [Example("GO!", "VA !")]
    assert made(SECOND, small=1) == [Example("go", "va")]
    [found] = made(THIRD, capitals=1)
    assert found.source_words == ("I", "SEE", ".")


def test_copies_are_the_same_on_both_sides_and_need_bytes():
    found = made(*[SECOND] * 99, copies=1)
    assert len(found) == 99
    assert all(one.source == one.target for one in found)
    pieces = learn("bpe", ["go there"] * 9, size=290)
    spelled = [piece for one in found for piece in pieces.pieces(one.source)]
    assert any(piece.startswith("<0x") for piece in spelled)


def test_every_pass_adds_the_same_and_another_seed_something_else():
    pairs = [FIRST, SECOND, THIRD] * 9
    some = Augmentation(copies=0.5, names=0.5, joined=0.5)
    assert list(some.added(pairs)) == list(some.added(pairs))
    other = Augmentation(copies=0.5, names=0.5, joined=0.5, seed=1)
    assert list(some.added(pairs)) != list(other.added(pairs))


def test_files_are_trained_on_with_them_and_vocabularies_learned_without(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"Tom has {n} cats.\tTom a {n} chats.\n" for n in range(10, 30)))
    plain = FileData(train=path, valid=path)
    more = FileData(train=path, valid=path, augmentation={"capitals": 1.0})
    vocabulary = VocabularyConfig(level="words")
    assert vocabulary.learn(plain).files() == vocabulary.learn(more).files()
    codec = vocabulary.learn(plain)
    sizes = [len(data.pools(codec).pool(0, 0, None).corpus) for data in (plain, more)]
    assert sizes == [20, 40]
    digests = {data.pools(codec).identity for data in (more, more)}
    assert len(digests) == 1


def test_a_share_is_a_probability():
    with pytest.raises(ValueError, match="less than or equal to 1"):
        Augmentation(names=1.5)
