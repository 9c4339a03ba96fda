"""Models of ``transformers``, unmodified: what is captured is what ran, and the run is plain."""

import pytest
import torch
from torch.testing import assert_close

from lens.foreign.families import FAMILIES, SEQUENCE_PAIRS, best, inputs, made
from regard.lens import capture

PARTS = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")


def tensors(output):
    """All tensors of an output, in order."""
    if isinstance(output, torch.Tensor):
        return [output]
    if isinstance(output, (tuple, list)):
        return [x for part in output for x in tensors(part)]
    if isinstance(output, dict):
        return [x for part in output.values() for x in tensors(part)]
    return []


def maps_of(output):
    """The weights of an eager run, layer by layer."""
    return {part: list(getattr(output, part, None) or ()) for part in PARTS}


def captured(record, family):
    """The weights of a record, sorted as :func:`maps_of` has them."""
    found = {part: [] for part in PARTS}
    for look in record.looks:
        if family not in SEQUENCE_PAIRS:
            part = "attentions"
        elif look.kind == "cross":
            part = "cross_attentions"
        else:
            part = "decoder_attentions" if "decoder" in look.name else "encoder_attentions"
        found[part].append(look.weigh())
    return found


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_captured_weights_are_those_of_the_models_own_eager_run(family, padded):
    given = inputs(family, padded=padded)
    with torch.no_grad():
        eager = made(family, "eager")(**given, output_attentions=True)
        with capture(made(family, best(family))) as record:
            made(family, best(family))(**given)
    expected, found = maps_of(eager), captured(record, family)
    real = real_rows(family, given)
    assert sum(map(len, expected.values())) == len(record.looks) > 0
    for part in PARTS:
        assert len(found[part]) == len(expected[part])
        for one, other in zip(found[part], expected[part], strict=True):
            rows = real if part in ("attentions", "encoder_attentions") else None
            assert_close(kept(one, rows), kept(other, rows), atol=1e-5, rtol=0)


def real_rows(family, given):
    """Rows of real tokens: what a padded query sees differs between kernels."""
    return None if family == "vit" else given.get("attention_mask")


def kept(weights, real):
    return weights if real is None else weights.transpose(1, 2)[real.bool()]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_look_is_verified_and_the_watched_run_is_the_plain_one_to_the_bit(family):
    model, given = made(family, best(family)), inputs(family)
    with torch.no_grad():
        plain = tensors(model(**given))
        with capture(model) as record:
            watched = tensors(model(**given))
        again = tensors(model(**given))
    for look in record.looks:
        assert look.receipt.verdict == "verified", (look, look.receipt)
        assert look.receipt.error <= 1e-5
    assert len(plain) == len(watched) > 0
    for one, other, after in zip(plain, watched, again, strict=True):
        assert one.equal(other)
        assert one.equal(after)


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "t5"])
def test_an_eager_model_is_heard_at_the_same_door(family):
    model, given = made(family, "eager"), inputs(family)
    with torch.no_grad(), capture(model) as record:
        output = model(**given, output_attentions=True)
    found = captured(record, family)
    for part, maps in maps_of(output).items():
        for one, other in zip(found[part], maps, strict=True):
            assert_close(one, other, atol=1e-6, rtol=0)
    assert {look.receipt.verdict for look in record.looks} == {"verified"}
