"""How noisy the gradients of hard attention are in a trained captioner, estimator by estimator."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

import torch
from torch.nn.functional import log_softmax

from regard.cells import HiddenMemory
from regard.models.rnn.fast.loops import LSTMLoop
from regard.models.vision import AttendTell
from regard.models.vision.looking import HardLooking
from regard.nn import HardAttention, Memory
from regard.nn.hard import Estimator
from regard.nn.hard_training import estimator_variance
from regard.types import Float, Int, Tensor

from ..seeing.report import Table
from .example import Captioned

if TYPE_CHECKING:
    from .predictor import PictureCaptioner

PICTURES, DRAWS, STEP = 32, 64, 2
"""How many captions, how many draws for each, and before which word: mostly one that is seen."""


class Moments(NamedTuple):
    """Of an estimate of the gradient by the scores' state, means over captions."""

    variance: float
    """Summed over the state."""
    bias: float
    """Squared distance of the mean of the draws from the exact gradient."""
    signal: float
    """Squared length of the exact gradient."""


def estimator_moments(
    model: AttendTell, places: Float[Tensor, "B K M"], target: Int[Tensor, "B T"], step: int = STEP
) -> dict[str, Moments]:
    r"""Variance and bias of every estimator, of the gradient of one word's expected likelihood.

    .. math:: g = \nabla_{h} \sum_i \alpha_i(h) \log p(y_t \mid a_i, h')

    by the state h that scores the places, exact by going through all of them; h′, which writes, is
    held fixed. The baseline is the mean of the rewards of all places, weighted.

    Args:
        model: with hard attention.
        places: what it looks at.
        target: captions, behind ``bos``.
        step: the word that is written, counted from 0.
    """
    state, reward = _before(model, places, target, step)
    found: dict[str, Moments] = {}
    exact, usual = _exact(model, state, places, reward)
    for name in ("none", *get_args(Estimator)[1:], "baseline"):
        attention = _attention(model, "reinforce" if name in ("none", "baseline") else name)
        memory = attention.prepare(places)
        less = usual if name == "baseline" else 0.0

        def above(context: Tensor, less: float | Tensor = less) -> Tensor:
            return reward(context) - less

        moments = estimator_variance(attention, state, memory, above, draws=DRAWS)
        bias = (moments.mean - exact).square().sum(dim=-1).mean()
        title = {"none": "reinforce", "baseline": "reinforce, baseline"}.get(name, name)
        signal = exact.square().sum(dim=-1).mean()
        found[title] = Moments(float(moments.variance.mean()), float(bias), float(signal))
    return found


def variance_table(predictor: "PictureCaptioner", held_out: Sequence[Captioned]) -> Table | None:
    """The moments of a hard captioner on the first pictures; ``None`` of any other model."""
    model = predictor.model
    if not isinstance(model, AttendTell) or not isinstance(model.looking, HardLooking):
        return None
    some = [one._replace(captions=one.captions[:1]) for one in held_out[:PICTURES]]
    pictures = predictor.read([one.image() for one in some])
    ids = [predictor.codec.tokens.encode(one.captions[0]) for one in some]
    kept = [number for number, row in enumerate(ids) if len(row) > STEP]
    if not kept:
        return None
    bos = predictor.codec.tokens.bos
    target = torch.tensor([[bos, *ids[number][: STEP + 1]] for number in kept])
    with torch.no_grad():
        was = model.training
        model.eval()
        places = model.read(pictures[kept])
        found = estimator_moments(model, places, target)
        model.train(was)
    rows = tuple((name, *one) for name, one in found.items())
    heads = ("estimator", "variance", "squared bias", "squared gradient")
    return Table(f"Gradients of hard attention, {len(kept)} captions", heads, rows)


def _before(
    model: AttendTell, places: Tensor, target: Int[Tensor, "B T"], step: int
) -> tuple[Float[Tensor, "B H"], Callable[[Tensor], Tensor]]:
    """The state before a word, and how likely the word is by what is seen."""
    embedded = model.embedding(target)
    loop = LSTMLoop(model.cell, known=model.config.embedding_dim)
    began = model.start_at(places)
    layer, look = began.layer, model.looking.begin(began.memory)
    starts = loop.project(embedded)
    for number in range(step):
        context = model.gated(layer.hidden, look.step(layer.hidden).context)
        layer = loop.step(starts[number], context, layer)

    def reward(contexts: Float[Tensor, "B D E"]) -> Float[Tensor, "B D"]:
        draws = contexts.shape[1]
        one = HiddenMemory(*(part.repeat_interleave(draws, dim=0) for part in layer))
        gated = model.gated(one.hidden, contexts.flatten(0, 1))
        after = loop.step(starts[step].repeat_interleave(draws, dim=0), gated, one)
        words = embedded[:, step].repeat_interleave(draws, dim=0)
        logits = model.output(model.deep(words, after.hidden, gated))
        wanted = target[:, step + 1].repeat_interleave(draws, dim=0).unsqueeze(1)
        return log_softmax(logits, dim=-1).gather(1, wanted).view(-1, draws)

    return layer.hidden, reward


def _exact(
    model: AttendTell, state: Tensor, places: Tensor, reward: Callable[[Tensor], Tensor]
) -> tuple[Float[Tensor, "B H"], Float[Tensor, "B 1"]]:
    """The gradient of the expected reward, and the expected reward."""
    attention = _attention(model, "reinforce")
    leaf = state.detach().requires_grad_()
    with torch.no_grad():
        rewards = reward(places)  # (B, K): of every place
    with torch.enable_grad():
        memory: Memory = attention.prepare(places)
        weights = attention.samples(leaf.unsqueeze(1), memory).weights.squeeze(1)
        expected = (weights * rewards).sum(dim=-1, keepdim=True)
        (gradient,) = torch.autograd.grad(expected.sum(), leaf)
    return gradient, expected.detach()


def _attention(model: AttendTell, estimator: str) -> HardAttention:
    """The model's attention with another estimator, ready to draw."""
    own = model.looking.attention
    assert isinstance(own, HardAttention)
    other = copy(own)  # shares the parameters
    other.estimator, other.training = cast(Estimator, estimator), True
    return other
