import pytest
from pydantic import ValidationError

from models.transformer.sentences import tiny
from regard.errors import ChoiceError
from regard.functional import normalisers, scores
from regard.models.transformer import TransformerConfig
from regard.models.transformer.choices import plain, read_normaliser, read_score


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "cosine", "additive", "general", "concat"])
def test_a_name_of_a_score_stays_a_name(name):
    assert read_score(name) == name
    assert plain(read_score(name)) == name


@pytest.mark.parametrize("name", [*normalisers.named])
def test_a_name_of_a_normaliser_stays_a_name(name):
    assert read_normaliser(name) == name


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (normalisers.TopK(3), {"name": "top_k", "k": 3}),
        (normalisers.Entmax(1.3), {"name": "entmax", "alpha": 1.3}),
        (normalisers.softmax, {"name": "softmax"}),
    ],
)
def test_a_normaliser_is_written_with_its_numbers_and_read_again(value, written):
    assert plain(read_normaliser(value)) == written
    assert read_normaliser(written) == value


def test_a_score_is_written_with_its_numbers_and_read_again():
    written = plain(read_score(scores.Cosine(scale=2.5)))
    assert written == {"name": "cosine", "scale": 2.5}
    read = read_score(written)
    assert isinstance(read, scores.Cosine)
    assert read.scale == 2.5


def test_a_config_with_values_survives_a_file():
    config = tiny(score=scores.ScaledDot(scale=0.3), normalise=normalisers.TopK(2)).config
    again = TransformerConfig.model_validate_json(config.model_dump_json())
    assert again.normalise == normalisers.TopK(2)
    assert again.score.scale == 0.3
    assert again.model_dump() == config.model_dump()


def test_misspelling_is_answered_with_the_nearest_name():
    with pytest.raises(ChoiceError, match=r"unknown normaliser 'sofmax'\. Did you mean 'softmax'"):
        read_normaliser("sofmax")
    with pytest.raises(ValidationError, match=r"unknown score 'scaled_dit'\. Did you mean"):
        tiny(score="scaled_dit")


@pytest.mark.parametrize("came", ["top_k", {"name": "top_k"}, {"name": "top_k", "k": 2, "j": 1}])
def test_numbers_that_are_missing_or_too_many_are_refused(came):
    with pytest.raises(ChoiceError, match="the normaliser 'top_k' takes k, got"):
        read_normaliser(came)


def test_something_else_is_refused():
    with pytest.raises(ChoiceError, match="a score needs a name, a value, or a table"):
        read_score(3)


def test_values_with_tensors_cannot_be_written():
    cross = tiny(score="general").decoder[0].cross
    with pytest.raises(ChoiceError, match="made of plain numbers"):
        plain(cross.score())
