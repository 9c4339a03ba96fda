import pytest

from regard.data.vocabulary import Vocabularies, learner
from regard.tasks.translation import VocabularyConfig
from regard.tasks.translation.task import TranslationTask, _told_by
from regard.training import load_origin
from regard.zoo import ZOO


@pytest.mark.parametrize("name", ["en-fr-transformer", "en-fr-bahdanau"])
def test_a_packed_model_tells_what_its_vocabulary_is(name):
    origin = load_origin(ZOO.folder(name))
    found = TranslationTask().going_on(origin.task, origin.codec).vocabulary
    assert found == VocabularyConfig(level="bpe", size=6000, sharing="joint")


@pytest.mark.parametrize("level", ["words", "characters"])
def test_vocabularies_of_words_and_characters_do_too(level):
    learned = learner(level, size=400).learn
    source, target = (learned([text]) for text in ("the cat", "le chat noir a vu la souris"))
    found = _told_by(Vocabularies(source, target))
    assert (found.level, found.size, found.sharing) == (level, len(target), "separate")
