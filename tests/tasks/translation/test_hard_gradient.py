"""Hard attention's gradient, against all that could have been drawn."""

import itertools

import jaxtyping
import pytest
import torch
from torch.nn.functional import cross_entropy, one_hot
from torch.testing import assert_close

from regard.models import build
from regard.tasks.translation.config import LossConfig
from regard.tasks.translation.corpus import Batch
from regard.tasks.translation.objective import TranslationObjective

POSITIONS, TARGET = 3, [5, 6, 3]
EVERY = list(itertools.product(range(POSITIONS), repeat=len(TARGET)))
BATCH = Batch(
    source=torch.tensor([[4, 7, 3]]),
    source_lengths=torch.tensor([POSITIONS]),
    target_in=torch.tensor([[2, *TARGET]]),
    target_out=torch.tensor([[*TARGET, 0]]),  # what is behind the end counts nothing
    target_lengths=torch.tensor([len(TARGET)]),
    indices=torch.tensor([0]),
    alignment=None,
    num_targets=len(TARGET),
)


@pytest.fixture
def drawing(monkeypatch):
    """Lets models draw these positions, a row of them for each sentence."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # many small steps

    def draw(rows):
        steps = itertools.chain(zip(*rows, strict=True), itertools.repeat([0] * len(rows)))

        def noise(like, _):
            chosen = torch.tensor(list(itertools.islice(steps, like.shape[-2]))).T
            return 1e9 * one_hot(chosen, POSITIONS).to(like)

        monkeypatch.setattr("regard.nn.hard._gumbel", noise)

    return draw


def made(seed, feeding):
    torch.manual_seed(seed)
    sizes = {"embedding_dim": 5, "hidden_dim": 4, "num_layers": 1, "dropout": 0.0}
    model = build(
        "hard-small", source_vocab=9, target_vocab=7, input_feeding=feeding, **sizes
    ).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.5)  # so that it matters where it looks
    return model


def told(model):
    """Surprise and log-probability of the draw of each step, for all that can be drawn."""
    source, lengths, target = (
        part.expand(len(EVERY), *part.shape[1:])
        for part in (BATCH.source, BATCH.source_lengths, BATCH.target_in)
    )
    read = model.decode_parallel(source, lengths, target)
    logits = model.output(read.features)[:, : len(TARGET)].transpose(1, 2)
    wanted = torch.tensor(TARGET).expand(len(EVERY), -1)
    return cross_entropy(logits, wanted, reduction="none"), read.drawn.log_prob[:, : len(TARGET)]


def gradient(loss, model):
    found = torch.autograd.grad(loss, model.parameters(), allow_unused=True, retain_graph=True)
    return torch.cat([g.flatten() for g in found if g is not None])


def moments(gradients, shares):
    """Mean and variance over all that can be drawn."""
    mean = shares @ gradients
    return mean, shares @ (gradients - mean).square().sum(dim=1)


@pytest.mark.parametrize(
    ("seed", "feeding"), [(0, True), (1, True), (2, True), (3, False)], ids=["0", "1", "2", "unfed"]
)
def test_it_is_that_of_the_expected_loss_with_less_variance_than_rewards_alone(
    seed, feeding, drawing
):
    model = made(seed, feeding)
    drawing(EVERY)
    surprise, log_prob = told(model)
    shares = log_prob.sum(dim=1).exp()
    assert_close(shares.sum().item(), 1.0)
    exact = gradient(shares @ surprise.sum(dim=1), model)
    to_go = surprise.detach().flip(1).cumsum(1).flip(1)
    rewarded = (surprise + to_go * log_prob).sum(dim=1)
    plain = torch.stack([gradient(one, model) for one in rewarded])

    objective = TranslationObjective(model, LossConfig(entropy=0.0))
    objective.baseline.value.fill_(-0.1)
    found = []
    for positions in EVERY:
        drawing([positions])
        found.append(gradient(objective(BATCH).total, model))
    shares = shares.detach()
    mean, variance = moments(torch.stack(found), shares)
    assert_close(mean, exact, rtol=1e-9, atol=1e-12)
    assert variance < 0.5 * moments(plain, shares)[1]
