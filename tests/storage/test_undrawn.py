"""Models made to be filled: nothing is drawn, and nothing is left unfilled."""

import pytest
import torch
from torch import nn

from regard.data.vocabulary import Vocabularies, Words
from regard.models import build, preset_config
from regard.models.build import config_from
from regard.models.outline import SkipInitialisation
from regard.storage.stored_model import predictor_of
from training.small import MODELS

NO_WORDS = Vocabularies(Words([]), Words([]))


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_a_loaded_model_is_the_saved_one_and_took_no_random_number(kind):
    preset, sizes = MODELS[kind]
    start = preset_config(preset, source_vocab=11, target_vocab=13)
    config = config_from(start.model_dump() | sizes)
    weights = build(config).state_dict()
    before = torch.get_rng_state()
    model = predictor_of("translation", config, weights, NO_WORDS).model
    assert torch.equal(torch.get_rng_state(), before)
    for name, value in model.state_dict().items():
        assert torch.equal(value, weights[name]), name


def test_outside_random_numbers_are_drawn_again():
    with SkipInitialisation():
        zeros = nn.init.uniform_(torch.zeros(3, 5))
        more = torch.zeros(3, 5).normal_()
    assert not zeros.any()
    assert not more.any()
    assert nn.init.uniform_(torch.zeros(3, 5)).all()


def test_inside_all_else_is_computed():
    with SkipInitialisation():
        assert nn.init.ones_(torch.zeros(2, 3)).sum() == 6
