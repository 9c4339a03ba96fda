"""What every recurrent model keeps: steps are the full pass, and a row is a row of any batch."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call
from torch.nn.utils import parameters_to_vector
from torch.testing import assert_close

from models.rnn.tiny import EVERY, FEW, LOOKING, LOOSE, PLAIN, TARGET_VOCAB, batch, made
from regard.lens import capture
from regard.testing import check_seq2seq


@pytest.mark.parametrize("name", EVERY)
def test_shapes_are_those_of_the_signatures(name):
    """Checked on the way, in a full pass and a step."""
    model, (source, lengths, target) = made(name), batch()
    assert model(source, lengths, target).shape == (3, 5, TARGET_VOCAB)
    assert model.step(target[:, 0], model.start(source, lengths))[0].shape == (3, TARGET_VOCAB)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.usefixtures("without_shape_checks")
def test_every_model_keeps_the_promises_of_its_kind(name):
    report = check_seq2seq(made(name), tolerance=1e-7)
    skipped = {result.name for result in report if result.verdict == "skipped"}
    assert skipped == ({"weights"} if name in PLAIN else {"joined"} if "local-m" in name else set())


@pytest.mark.parametrize("name", ["luong local-m", "luong local-m fed"])
def test_windows_that_go_with_the_steps_do_not_go_together(name):
    model, (source, lengths, target) = made(name), batch()
    start = model.start(source, lengths)
    _, state = model.step(target[:, 0], start)
    assert state.joined(start) is None
    assert start.joined(start) is not None


@pytest.mark.parametrize("name", LOOKING)
def test_weights_lie_on_the_source_and_nowhere_else(name):
    model, (source, lengths, target) = made(name), batch()
    weights = model.decode_parallel(source, lengths, target, aligned=True).weights
    assert weights.shape == (3, 5, 6)
    assert (weights >= 0).all()
    for row, length in enumerate(lengths.tolist()):
        assert (weights[row, :, length:] == 0).all()
        if name not in LOOSE and "local-m" not in name:
            assert_close(weights[row].sum(dim=-1), torch.ones(5).double())


@pytest.mark.parametrize("name", LOOKING)
def test_where_it_looks_can_be_captured(name):
    model, (source, lengths, target) = made(name), batch()
    expected = model.decode_parallel(source, lengths, target, aligned=True).weights
    with capture(model) as record:
        model(source, lengths, target)
    found = record["attention"].weights.reshape(3, 5, 6)
    assert_close(found, expected)


@pytest.mark.parametrize("name", LOOKING)
def test_weights_carry_a_gradient_into_the_attention(name):
    model, (source, lengths, target) = made(name), batch()
    decoded = model.decode_parallel(source, lengths, target, aligned=True)
    decoded.weights.square().sum().backward()
    found = [p.grad for n, p in model.named_parameters() if n.startswith("source_embedding")]
    own = [p.grad for n, p in model.named_parameters() if n.startswith("attention.")]
    assert any(g is not None and g.abs().sum() > 0 for g in (*found, *own))


@pytest.mark.parametrize("name", ["bahdanau tanh", "luong concat fed", "luong local-p", "gnmt 4+3"])
def test_gradients_are_those_of_the_values(name):
    model, (source, lengths, target) = made(name), batch()
    parameters = dict(model.named_parameters())
    flat = parameters_to_vector(parameters.values()).detach().requires_grad_()

    def run(vector):
        pieces = vector.split([p.numel() for p in parameters.values()])
        state = {n: x.view_as(parameters[n]) for n, x in zip(parameters, pieces, strict=True)}
        return functional_call(model, state, (source, lengths, target))

    assert gradcheck(run, flat, fast_mode=True)


@pytest.mark.parametrize("name", FEW)
def test_dropout_acts_in_training_alone(name):
    model, (source, lengths, target) = made(name, dropout=0.5), batch()
    used = model(source, lengths, target)
    assert_close(used, model(source, lengths, target), rtol=0, atol=0)
    trained = model.train()(source, lengths, target)
    assert not torch.allclose(trained, used)


@pytest.mark.parametrize("name", FEW)
def test_a_source_without_any_token_gives_finite_numbers(name):
    model, (source, lengths, target) = made(name), batch()
    lengths = torch.tensor([6, 0, 1])
    logits = model(source, lengths, target)
    logits.sum().backward()
    assert logits.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("name", FEW[:4])
def test_under_autocast_a_model_runs_and_keeps_its_state(name):
    model, (source, lengths, target) = made(name).float(), batch()
    expected = model(source, lengths, target)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = model(source, lengths, target)
    assert_close(found.float(), expected, rtol=0.1, atol=0.1)
