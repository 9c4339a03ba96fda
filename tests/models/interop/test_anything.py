"""Whatever their config holds, it is a model or one sentence, before memory or time is taken."""

import time

import pytest

from models.interop.test_bert import bert
from models.interop.test_language import gpt2, llama
from models.interop.test_seq2seq import marian, t5
from models.interop.test_vit import vit
from regard.errors import RegardError
from regard.models.interop import imported
from regard.models.interop.settings import ABOUT

ANYTHING = (-1, 10**9, 0.5, "x", [None], {"x": []})
DECIDES = (int, float, str, dict, list)
"""Of these types are the fields that say something; others are switches, or left open."""


@pytest.mark.parametrize("make", [bert, gpt2, llama, marian, t5, vit])
def test_any_value_of_any_field_is_understood_or_one_sentence(make, without_shape_checks):
    theirs = make()
    settings, weights = theirs.config.to_dict(), theirs.state_dict()
    named = [name for name, value in settings.items() if type(value) in DECIDES]
    for name in sorted({*named} - ABOUT):
        for value in ANYTHING:
            try:
                imported({**settings, name: value}, weights)
            except RegardError as error:
                assert "\n" not in f"{error}"


def test_many_layers_are_refused_before_they_are_made(without_shape_checks):
    theirs = bert()
    for count in (10**5, 10**9):
        begun = time.process_time()
        with pytest.raises(RegardError, match="asks for another model"):
            imported(theirs.config.to_dict() | {"num_hidden_layers": count}, theirs.state_dict())
        assert time.process_time() - begun < 5
