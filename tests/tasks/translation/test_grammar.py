from itertools import islice

import pytest

from regard.data.batches import BatchConfig, Batches
from regard.data.grammar import Grammar, examples, split_of
from regard.tasks.translation import GrammarData, VocabularyConfig
from regard.tasks.translation import grammar as grammar_module

DATA = GrammarData(seed=3, max_words=7, valid_size=6, vocabulary_pairs=40, rarest_of=1)


@pytest.fixture(scope="module")
def vocabularies():
    return VocabularyConfig(level="words", sharing="separate").learn(DATA)


def test_vocabularies_are_learned_from_the_first_pairs():
    first = [(pair.source_text, pair.target_text) for pair in islice(Grammar(3, max_words=7), 40)]
    assert [(example.source, example.target) for example in DATA.texts()][-40:] == first
    assert list(DATA.texts()) == list(DATA.texts())


@pytest.mark.parametrize("form", ["finirons", "cachées", "conduirai", "connaissiez", "pensait"])
def test_the_rarest_forms_of_verbs_are_known(vocabularies, form):
    assert not any(form in pair.target for pair in islice(Grammar(3, max_words=7), 40))
    assert vocabularies.target.unk not in vocabularies.target.encode(form)


def test_english_forms_are_known_too(vocabularies):
    for form in ("drives", "hidden", "understood", "forgetting"):
        assert vocabularies.source.unk not in vocabularies.source.encode(form)


def test_what_is_trained_on_are_all_pairs_with_their_gold(vocabularies, monkeypatch):
    monkeypatch.setattr(grammar_module, "POOL", 41)
    pool = DATA.pools(vocabularies).pool(0, 0, None)
    grammar = Grammar(3, max_words=7)
    known = [n for n in range(40) if not _unknown(grammar[n], vocabularies)]
    assert len(known) > 20
    for number in known[:20]:
        [row] = pool.corpus.source.rows(pool.rows[number : number + 1])
        assert vocabularies.source.decode(row.tolist()) == grammar[number].source_text
    assert pool.corpus.gold.all()


def test_every_second_pair_may_be_the_one_with_the_rarest_word(vocabularies, monkeypatch):
    monkeypatch.setattr(grammar_module, "POOL", 30)
    data = DATA.model_copy(update={"rarest_of": 5})
    pool = data.pools(vocabularies).pool(0, 0, None)
    grammar = Grammar(3, max_words=7)
    seen = [word for number in range(40) for word in grammar[number].target]
    for place in range(0, 30, 2):
        plain, *drawn = (grammar[place * 3 + each] for each in range(6))
        rarest = [min(seen.count(word) for word in pair.target) for pair in drawn]
        chosen = drawn[rarest.index(min(rarest))]
        for row, pair in ((place, plain), (place + 1, chosen)):
            [found] = pool.corpus.target.rows(pool.rows[row : row + 1])
            expected = vocabularies.target.encode(pair.target_text)
            assert found.tolist()[: len(expected)] == expected


def test_how_pairs_are_chosen_cannot_change_in_the_middle_of_a_run(vocabularies):
    state = Batches(DATA.pools(vocabularies), BatchConfig()).state_dict()
    other = DATA.model_copy(update={"rarest_of": 2})
    with pytest.raises(ValueError, match="resume with the data and settings of the run"):
        Batches(other.pools(vocabularies), BatchConfig()).load_state_dict(state)


def _unknown(pair, vocabularies):
    return vocabularies.source.unk in vocabularies.source.encode(pair.source_text)


def test_pairs_to_validate_on_are_of_their_own_split():
    held_out = DATA.held_out()
    assert len(held_out) == 6
    expected = list(islice(Grammar(3, split="valid", max_words=7), 6))
    assert [one.source for one in held_out] == [pair.source_text for pair in expected]
    assert [one.alignment for one in held_out] == [pair.alignment for pair in expected]
    assert held_out[0].source_words == expected[0].source
    trained = {example.source for example in DATA.texts()}
    assert trained.isdisjoint(one.source for one in held_out)


def test_samples_are_the_pairs_everybody_knows():
    assert [one.source for one in DATA.samples()] == [pair.source_text for pair in examples()]
    assert "The black cat ate the mouse." in [one.source for one in DATA.samples()]


def test_another_seed_gives_other_pairs():
    other = DATA.model_copy(update={"seed": 4})
    assert [one.source for one in other.held_out()] != [one.source for one in DATA.held_out()]


def test_another_grammar_is_refused_in_the_middle_of_a_run(vocabularies):
    config = BatchConfig()
    state = Batches(DATA.pools(vocabularies), config).state_dict()
    other = GrammarData(seed=4, max_words=7)
    with pytest.raises(ValueError, match="resume with the data and settings of the run"):
        Batches(other.pools(vocabularies), config).load_state_dict(state)


@pytest.mark.parametrize("wrong", [{"max_words": 4}, {"max_words": 61}, {"seed": -1}])
def test_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        GrammarData(**wrong)


def test_what_is_shown_is_of_the_split_that_is_learned_from_and_says_so():
    assert {split_of(pair.source) for pair in examples()} == {"train"}
    assert DATA.about_samples == "sentences that the grammar trains on"
