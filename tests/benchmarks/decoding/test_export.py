"""Our weights in other libraries: the same function."""

import pytest
import torch

from benchmarks.decoding.decoders import ours
from benchmarks.decoding.decoders.protocol import SOURCES, Order, read
from benchmarks.decoding.export import exported, halves
from regard.errors import ChoiceError
from regard.models import build
from regard.positions import sinusoidal

MODELS = {
    "post": {},
    "pre": {"norm": "pre"},
    "gelu, separate vocabularies": {"activation": "gelu", "target_vocab": 31, "tied": False},
    "shared": {"shared": True},
}


@pytest.fixture(params=MODELS, ids=[name.replace(" ", "-") for name in MODELS])
def changes(request):
    return MODELS[request.param]


@pytest.fixture
def hugging_face():
    pytest.importorskip("transformers")
    from benchmarks.decoding.decoders import hugging_face

    return hugging_face


def test_their_logits_are_ours_but_for_tokens_that_are_never_written(made, changes, hugging_face):
    model, _, job = made(**changes)
    theirs = hugging_face.model_of(job)
    source = torch.tensor([[5, 9, 11, 7, 3], [8, 6, 3, 0, 0]])
    target = torch.tensor([[2, 10, 4, 21], [2, 30, 30, 6]])
    with torch.no_grad():
        expected = model(source, torch.tensor([5, 3]), target)
        found = theirs(
            input_ids=source, attention_mask=source.ne(0).long(), decoder_input_ids=target
        ).logits
    written = [token for token in range(expected.shape[-1]) if token not in (0, 2)]
    torch.testing.assert_close(found[..., written], expected[..., written], atol=2e-5, rtol=1e-4)
    assert (found[..., [0, 2]] < -1e8).all()


@pytest.mark.parametrize("beam", [1, 4])
def test_they_write_the_tokens_that_we_write(made, beam, hugging_face):
    _, _, job = made(length=7)
    sources = read(job, SOURCES)
    order = Order(list(range(len(sources))), size=3, beam=beam)
    mine = ours.translator(job)(sources, order)
    assert {len(answer) for answer in mine} == {7}
    assert len({tuple(answer) for answer in mine}) > 1
    assert hugging_face.translator(job)(sources, order) == mine


def test_features_are_in_the_order_of_sines_before_cosines():
    table = sinusoidal(5, 6)[:, halves(6)]
    positions = torch.arange(5.0).unsqueeze(1)
    angles = positions / 10000 ** (torch.arange(0, 6, 2) / 6)
    torch.testing.assert_close(table, torch.cat([angles.sin(), angles.cos()], dim=1))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"position": "rotary"}, "position='rotary'"),
        ({"normalise": "sparsemax"}, "normalise='sparsemax'"),
        ({"num_key_heads": 1, "activation": "swiglu"}, "activation='swiglu', num_key_heads=1"),
        ({"model_dim": 15}, "model_dim=15"),
    ],
    ids=["position", "normaliser", "two", "odd"],
)
def test_what_they_do_not_have_is_said(small, changes, what):
    with pytest.raises(ChoiceError, match=f"got {what}; name another model"):
        exported(small(**changes))


def test_the_models_weights_are_not_changed(small):
    model = small()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    exported(model).weights["final_logits_bias"].zero_()
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_our_own_process_has_the_very_same_weights(made):
    model, prepared, job = made()
    again = ours.model_of(job)
    assert again.config == model.config == prepared.config
    for name, value in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)
    assert prepared.parameters == sum(value.numel() for value in model.parameters())


def test_other_models_are_refused_before_anything_is_written(tmp_path, monkeypatch):
    from benchmarks.decoding import prepare as preparing

    class Loaded:
        model = build("gru-plain-small", source_vocab=9, target_vocab=9, hidden_dim=4)

    monkeypatch.setattr(preparing, "load_translator", lambda _: Loaded())
    with pytest.raises(ChoiceError, match=r"needs a run of a Transformer, and .* holds a Plain"):
        preparing.prepare(tmp_path / "run", (), tmp_path)
    assert list(tmp_path.iterdir()) == []
