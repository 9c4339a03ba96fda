"""Recurrent language models: any cell, whole or step by step, in pieces with the state carried."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from regard.models import RecurrentLMConfig, build
from regard.models.language.recurrent import CELLS, flattened, unflattened

VOCAB = 11
TEXTS = torch.arange(3 * 7).view(3, 7) * 4 % VOCAB


def made(cell="lstm", **changes):
    sizes = {"vocab": VOCAB, "embedding_dim": 5, "hidden_dim": 5, "num_layers": 2}
    return build(RecurrentLMConfig(cell=cell, **sizes | changes)).double().eval()


@pytest.mark.parametrize("cell", CELLS)
def test_steps_behind_a_prompt_of_any_length_give_the_numbers_of_the_whole_text(cell):
    model, begun = made(cell), torch.tensor([4, 2, 0])
    rows = torch.arange(3)
    with torch.inference_mode():
        whole, state, found = model(TEXTS), model.start(TEXTS, begun), []
        for step in range(3):
            logits, state = model.step(TEXTS[rows, begun + step], state)
            found.append(logits)
        wanted = torch.stack([whole[b, n : n + 3] for b, n in enumerate(begun.tolist())])
        torch.testing.assert_close(torch.stack(found, dim=1), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("cell", CELLS)
def test_no_position_sees_a_later_token(cell):
    model, other = made(cell), TEXTS.clone()
    other[:, 4:] = (other[:, 4:] + 1) % VOCAB
    with torch.no_grad():
        before, after = model(TEXTS), model(other)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


def gradients(model, pieces):
    """Of all pieces together, the state carried between them without its history."""
    model.zero_grad()
    state = None
    for tokens, targets in pieces:
        features, state = model.read(tokens, state)
        logits = model.output(features).flatten(0, 1)
        cross_entropy(logits, targets.flatten(), reduction="sum").backward()
        state = state.detach()
    return [parameter.grad.clone() for parameter in model.parameters()]


@pytest.mark.parametrize("cell", ["lstm", "gru", "mut1"])
def test_truncated_back_propagation_of_one_chunk_is_all_of_it(cell):
    model = made(cell)
    whole = gradients(model, [(TEXTS[:, :-1], TEXTS[:, 1:])])
    logits = model(TEXTS[:, :-1]).flatten(0, 1)
    model.zero_grad()
    cross_entropy(logits, TEXTS[:, 1:].flatten(), reduction="sum").backward()
    for own, parameter in zip(whole, model.parameters(), strict=True):
        torch.testing.assert_close(own, parameter.grad)
    cut = gradients(model, [(TEXTS[:, :3], TEXTS[:, 1:4]), (TEXTS[:, 3:6], TEXTS[:, 4:7])])
    assert not all(torch.allclose(own, other) for own, other in zip(whole, cut, strict=True))


def test_pieces_with_a_carried_state_read_as_the_whole_text():
    model = made("lstm")
    with torch.no_grad():
        whole = model.features(TEXTS)
        first, state = model.read(TEXTS[:, :3])
        kept = unflattened(flattened(state), model.carried(3))
        second, _ = model.read(TEXTS[:, 3:], kept)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
