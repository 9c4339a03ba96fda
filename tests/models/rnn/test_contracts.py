"""What every recurrent model keeps: steps are the full pass, and a row is a row of any batch."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call
from torch.nn.functional import pad
from torch.nn.utils import parameters_to_vector
from torch.testing import assert_close

from models.rnn.tiny import EVERY, FEW, LOOKING, LOOSE, PLAIN, batch, made
from regard.lens import capture


def walked(model, state, target):
    """Logits and weights, token by token, and the state behind the last."""
    logits, weights = [], []
    for tokens in target.unbind(1):
        step, state = model.step(tokens, state)
        logits.append(step)
        weights.append(model.last_weights(state))
    return torch.stack(logits, dim=1), weights, state


@pytest.mark.parametrize("name", EVERY)
def test_steps_give_the_numbers_of_the_full_pass(name):
    model, (source, lengths, target) = made(name), batch()
    logits, weights, _ = walked(model, model.start(source, lengths), target)
    assert_close(logits, model(source, lengths, target))
    decoded = model.decode_parallel(source, lengths, target, aligned=True)
    if name in PLAIN:
        assert decoded.weights is None
        assert weights == [None] * 5
    else:
        assert_close(torch.stack(weights, dim=1), decoded.weights)


@pytest.mark.parametrize("name", [name for name in EVERY if "local-m" not in name])
def test_batches_that_have_come_differently_far_go_on_together(name):
    model, (source, lengths, target) = made(name), batch()
    _, _, ours = walked(model, model.start(source, lengths), target[:, :3])
    theirs = model.start(source[1:, :4], lengths[1:])
    logits, weights, _ = walked(model, ours.joined(theirs), target[[0, 1, 2, 1, 2], 3:])
    first, first_weights, _ = walked(model, ours, target[:, 3:])
    second, second_weights, _ = walked(model, theirs, target[1:, 3:])
    assert_close(logits, torch.cat([first, second]))
    if name in LOOKING:
        assert_close(weights[1][:3], first_weights[1])
        assert_close(weights[1][3:, :4], second_weights[1])


@pytest.mark.parametrize("name", ["luong local-m", "luong local-m fed"])
def test_windows_that_go_with_the_steps_do_not_go_together(name):
    model, (source, lengths, target) = made(name), batch()
    start = model.start(source, lengths)
    _, _, state = walked(model, start, target[:, :1])
    assert state.joined(start) is None
    assert start.joined(start) is not None


@pytest.mark.parametrize("name", FEW)
def test_asking_where_it_looked_changes_nothing(name):
    model, (source, lengths, target) = made(name), batch()
    plain = model.decode_parallel(source, lengths, target)
    assert plain.weights is None
    assert_close(
        plain.features, model.decode_parallel(source, lengths, target, aligned=True).features
    )


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_of_one_is_a_row_of_a_batch(name):
    model, (source, lengths, target) = made(name), batch()
    everything = model(source, lengths, target)
    for row, length in enumerate(lengths.tolist()):
        alone = model(source[row, None, :length], lengths[row, None], target[row, None])
        assert_close(alone, everything[row, None])


@pytest.mark.parametrize("name", EVERY)
def test_neither_the_amount_nor_the_content_of_padding_matters(name):
    model, (source, lengths, target) = made(name), batch()
    wider = pad(source, (0, 2))
    beyond = torch.arange(8) >= lengths.unsqueeze(-1)
    wider[beyond] = torch.randint(11, (int(beyond.sum()),))
    assert_close(model(wider, lengths, target), model(source, lengths, target))


@pytest.mark.parametrize("name", EVERY)
def test_a_later_token_never_changes_earlier_logits(name):
    model, (source, lengths, target) = made(name), batch()
    other = target.clone()
    other[:, 3:] = target[:, 3:] % 12 + 1
    before, after = (model(source, lengths, each) for each in (target, other))
    assert_close(before[:, :3], after[:, :3])
    assert (before[:, 3:] - after[:, 3:]).abs().amax(dim=-1).gt(1e-9).all()


@pytest.mark.parametrize("name", EVERY)
def test_a_reordered_state_goes_on_as_the_rows_it_was_taken_from(name):
    model, (source, lengths, target) = made(name), batch()
    rows = torch.tensor([2, 0, 0, 1])
    begun = model.start(source, lengths)
    _, _, state = walked(model, begun, target[:, :2])
    for each, done in ((begun, 0), (state, 2)):
        moved, weights, _ = walked(model, each.reorder(rows), target[rows, done:])
        straight, expected, _ = walked(model, each, target[:, done:])
        assert_close(moved, straight[rows])
        if name in LOOKING:
            assert_close(torch.stack(weights), torch.stack(expected)[:, rows])


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


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter_learns(name):
    model, (source, lengths, target) = made(name).train(), batch()
    decoded = model.decode_parallel(source, lengths, target, aligned=True)
    loss = model.output(decoded.features).square().sum()
    if decoded.drawn is not None:
        loss = loss + decoded.drawn.log_prob.sum()
    loss.backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert still == []


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
