"""Models of one size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mechanisms.contenders import MECHANISMS
from benchmarks.mechanisms.sizes import count, fitting, nearest, sized
from regard.errors import RangeError
from regard.models import build

SIZES = {
    "grammar": (2_000_000, 128, 1900, 2300, False),
    "files": (7_000_000, 256, 8000, 8000, True),
    "quick": (400_000, 64, 700, 900, False),
}


@pytest.mark.parametrize("task", SIZES)
@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda one: one.name)
def test_all_mechanisms_have_as_many_parameters(mechanism, task):
    wanted, width, source, target, joint = SIZES[task]
    config = sized(
        mechanism,
        parameters=wanted,
        embedding_dim=width,
        source_vocab=source,
        target_vocab=target,
        joint=joint,
    )
    assert abs(count(config) - wanted) <= 0.03 * wanted
    assert (config.source_vocab, config.target_vocab) == (source, target)
    assert config.tied and config.shared == joint
    assert getattr(config, mechanism.embedding) == width
    assert len({getattr(config, name) for name in mechanism.widths}) == 1


def test_counting_is_what_a_real_model_has():
    model = build("gnmt-4", source_vocab=11, target_vocab=13, hidden_dim=6, embedding_dim=5)
    assert count(model.config) == sum(parameter.numel() for parameter in model.parameters())


@given(st.integers(1, 400), st.integers(1, 300_000))
def test_no_other_even_width_is_nearer(slope, wanted):
    found = nearest(lambda width: slope * width + 7, wanted)
    assert found % 2 == 0
    away = abs(slope * found + 7 - wanted)
    for other in (found - 2, found + 2):
        if 0 < other <= 8192:
            assert away <= abs(slope * other + 7 - wanted)


def test_the_roundest_width_that_fits_is_taken():
    assert fitting(lambda width: width * 100, 6_400, "it") == 64
    assert fitting(lambda width: width * 100, 6_590, "it") == 64  # 2.9 % off
    assert fitting(lambda width: width * 100, 3_700, "it") == 36  # 32 and 48 are too far


def test_what_cannot_be_as_small_is_said():
    with pytest.raises(
        RangeError, match=r"gnmt-4 needs a width at which it has 10 parameters ± 3%"
    ):
        fitting(lambda width: 5000 + width, 10, "gnmt-4")
