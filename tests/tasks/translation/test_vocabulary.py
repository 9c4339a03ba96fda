import pytest

from regard.data.vocabulary import Characters, Pieces, Words
from regard.errors import InputError
from regard.tasks.translation import Data, VocabularyConfig
from regard.tasks.translation.example import Example

TEXTS = [Example("der alte Hund bellt", "le vieux chien aboie"), Example("der Hund", "le chien")]


class Few(Data):
    """Two pairs, or none."""

    count: int = 2

    def texts(self):
        return TEXTS[: self.count] * 10

    def pools(self, vocabularies):
        raise NotImplementedError

    def held_out(self):
        raise NotImplementedError

    def samples(self):
        raise NotImplementedError

    @property
    def about_samples(self):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("level", "kind", "size"),
    [
        ("words", Words, 20),
        ("characters", Characters, 400),
        ("bpe", Pieces, 300),
        ("unigram", Pieces, 285),
    ],
)
def test_every_level_reads_both_sides(level, kind, size):
    vocabularies = VocabularyConfig(level=level, size=size).learn(Few())
    assert isinstance(vocabularies.source, kind)
    assert len(vocabularies.source) <= size or level == "characters"
    for text in (TEXTS[0].source, TEXTS[0].target):
        assert vocabularies.source.decode(vocabularies.source.encode(text)) == text


def test_joint_means_one_for_both():
    vocabularies = VocabularyConfig(level="words", sharing="joint").learn(Few())
    assert vocabularies.source is vocabularies.target


def test_separate_means_that_neither_knows_the_other():
    source, target = VocabularyConfig(level="words", sharing="separate").learn(Few())
    assert source.unk not in source.encode(TEXTS[0].source)
    assert set(source.encode(TEXTS[0].target)) == {source.unk}
    assert set(target.encode(TEXTS[0].source)) == {target.unk}


def test_characters_that_were_never_seen_are_spelled_or_unknown():
    spelled = VocabularyConfig(size=300).learn(Few()).source
    assert spelled.decode(spelled.encode("日")) == "日"
    unknown = VocabularyConfig(size=60, fallback="unknown").learn(Few()).source
    assert unknown.unk in unknown.encode("日")


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(InputError, match="got none"):
        VocabularyConfig(level="words").learn(Few(count=0))


def test_each_side_may_have_tokens_of_its_own_kind():
    config = VocabularyConfig(source="characters", target="words")
    source, target = config.learn(Few())
    assert isinstance(source, Characters)
    assert isinstance(target, Words)
    assert config.levels == ("characters", "words")
    assert VocabularyConfig(level="words", source="characters").levels == ("characters", "words")
