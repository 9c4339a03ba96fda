"""A model is a plain module: a loop of one's own trains it."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from regard.models import build
from regard.nn import MovingBaseline, ReinforceLoss

pytestmark = pytest.mark.usefixtures("without_shape_checks")

VOCAB, BEGIN, STEPS = 9, 1, 4
TINY = {"source_vocab": VOCAB, "target_vocab": VOCAB, "embedding_dim": 32, "hidden_dim": 32}


def pairs(count):
    """Sources of four tokens, and themselves behind the token that begins a sentence."""
    source = torch.randint(2, VOCAB, (count, STEPS))
    target = torch.cat([torch.full((count, 1), BEGIN), source], dim=1)
    return source, torch.full((count,), STEPS), target


def copied(model):
    """Share of unseen sequences that are copied without a mistake, token by token."""
    model.eval()
    source, lengths, _ = pairs(200)
    state, tokens, written = model.start(source, lengths), torch.full((200,), BEGIN), []
    for _ in range(STEPS):
        logits, state = model.step(tokens, state)
        tokens = logits.argmax(dim=-1)
        written.append(tokens)
    return (torch.stack(written, dim=1) == source).all(dim=1).float().mean().item()


@pytest.mark.parametrize(
    ("name", "steps", "changes"),
    [
        ("bahdanau-small", 450, {"attention_dim": 32, "readout_dim": 32}),
        ("luong-general-small", 330, {"input_feeding": False}),
    ],
)
def test_ten_lines_teach_it_to_copy(name, steps, changes):
    model = build(name, **TINY, **changes, dropout=0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        source, lengths, target = pairs(32)
        logits = model(source, lengths, target[:, :-1])
        loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert copied(model) >= 0.95


def test_hard_attention_learns_to_copy_by_reinforce():
    model = build("hard-small", **TINY, input_feeding=False, dropout=0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    reinforce, baseline = ReinforceLoss(entropy_weight=0.01), MovingBaseline()
    for _ in range(300):
        source, lengths, target = pairs(32)
        decoded = model.decode_parallel(source, lengths, target[:, :-1])
        logits = model.output(decoded.features).transpose(1, 2)
        reward = -cross_entropy(logits, target[:, 1:], reduction="none")
        log_prob, entropy, _ = decoded.drawn
        paid = reinforce(reward=reward, log_prob=log_prob, entropy=entropy, baseline=baseline.value)
        loss = paid - reward.mean()
        baseline.update(reward.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert copied(model) >= 0.9
