"""One step of a model against the same step as loops."""

import torch
from torch.testing import assert_close

from models.rnn.tiny import LENGTHS, batch, made
from reference import models as reference


def lists(model):
    return {name: value.tolist() for name, value in model.state_dict().items()}


def test_a_step_of_bahdanau_is_that_of_the_equations():
    model, (source, lengths, target) = made("bahdanau maxout", reset="before"), batch()
    begun = model.start(source, lengths)
    logits, after = model.step(target[:, 0], begun)
    for row, length in enumerate(LENGTHS):
        step = reference.bahdanau(
            lists(model),
            int(target[row, 0]),
            begun.hidden[row].tolist(),
            begun.memory.value[row, :length].tolist(),
        )
        found = logits[row], after.hidden[row], model.last_weights(after)[row, :length]
        for tensor, numbers in zip(found, step, strict=True):
            assert_close(tensor, torch.tensor(numbers, dtype=torch.double))


def test_the_first_state_of_bahdanau_comes_from_the_leftward_reading():
    model, (source, lengths, _) = made("bahdanau maxout"), batch()
    begun = model.start(source, lengths)
    first = begun.memory.value[:, 0, 8:]  # leftward state at the first word
    expected = torch.tanh(first @ model.bridge.weight.T + model.bridge.bias)
    assert_close(begun.hidden, expected)


def test_a_step_of_luong_is_that_of_the_equations():
    model, (source, lengths, target) = made("luong general fed", num_layers=1), batch()
    begun = model.start(source, lengths)
    _, begun = model.step(target[:, 0], begun)  # something to feed
    logits, after = model.step(target[:, 1], begun)
    for row, length in enumerate(LENGTHS):
        step = reference.luong(
            lists(model),
            int(target[row, 1]),
            begun.fed[row].tolist(),
            begun.layers.layers[0].hidden[row].tolist(),
            begun.layers.layers[0].memory[row].tolist(),
            begun.memory.value[row, :length].tolist(),
        )
        hidden = after.layers.layers[0].hidden
        found = logits[row], hidden[row], model.last_weights(after)[row, :length]
        for tensor, numbers in zip(found, step, strict=True):
            assert_close(tensor, torch.tensor(numbers, dtype=torch.double))


def test_gnmt_feeds_its_context_to_every_layer_and_adds_inputs_from_the_third():
    model, (source, lengths, target) = made("gnmt 4+3"), batch()
    begun = model.start(source, lengths)
    weights = model.attention(begun.layers[0].hidden, begun.memory)[1]
    context = (weights.unsqueeze(1) @ begun.memory.value).squeeze(1)
    x = model.target_embedding(target[:, 0])
    for number, cell in enumerate([model.lowest, *(layer.cell for layer in model.higher)]):
        output, _ = cell(torch.cat([x, context], dim=-1), begun.layers[number])
        x = output + x if number >= 2 else output
    logits, _ = model.step(target[:, 0], begun)
    assert_close(logits, model.output(x))


def test_the_encoder_of_gnmt_reads_both_ways_first_and_adds_inputs_from_the_third():
    model, (source, lengths, _) = made("gnmt 4+3"), batch()
    x = model.source_embedding(source[:1])
    right, left = model.encoder.first.rightward.cell, model.encoder.first.leftward.cell
    outputs = [run(cell, x) for cell in (right, left)]
    outputs[1] = run(left, x.flip(1)).flip(1)
    x = torch.cat(outputs, dim=-1)
    for number, cell in enumerate(model.encoder.higher.cell.cells, start=2):
        x = run(cell, x) + x if number >= 3 else run(cell, x)
    assert_close(model.start(source, lengths).memory.value[:1], x)


def run(cell, x):
    state, outputs = cell.start(x.shape[0]), []
    for x_t in x.unbind(1):
        output, state = cell(x_t, state)
        outputs.append(output)
    return torch.stack(outputs, dim=1)


def test_a_plain_decoder_sees_the_last_state_and_nothing_else_of_the_source():
    model, (source, lengths, target) = made("lstm plain"), batch()
    begun = model.start(source, lengths)
    outputs = run(model.encoder.layers[0].cell, model.source_embedding(source[1:2, :4]))
    assert_close(begun.layers.layers[0].hidden[1:2], outputs[:, -1])
    assert_close(begun.context, begun.layers.layers[-1].hidden)
    logits, _ = model.step(target[:, 0], begun)
    shaken = begun._replace(context=begun.context + 1)
    assert_close(model.step(target[:, 0], shaken)[0], logits)


def test_a_plain_decoder_may_see_the_context_in_every_step():
    model, (source, lengths, target) = made("gru plain"), batch()
    begun = model.start(source, lengths)
    logits, _ = model.step(target[:, 0], begun)
    shaken = begun._replace(context=begun.context + 1)
    assert not torch.allclose(model.step(target[:, 0], shaken)[0], logits)
