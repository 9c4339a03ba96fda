"""What training minimises: how surprising the targets are, and what else is asked for."""

from typing import NamedTuple

from pydantic import Field
from torch import nn
from torch.nn.functional import cross_entropy

from regard.config import Config
from regard.models.seq2seq import Decoded, Drawn, Seq2Seq
from regard.nn import MovingBaseline, ReinforceLoss
from regard.tasks.batches import Alignment, Batch
from regard.types import Bool, Float, Int, Tensor

from .cross_entropy import smoothed_cross_entropy

LEAST_WEIGHT = 1e-6
"""Below it a weight counts as this one: sparse weights are exactly zero, and so would learn
nothing."""


class ObjectiveConfig(Config):
    """The terms of the loss, and how much each of them counts."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the target's probability that goes to all tokens alike (Szegedy et al. 2016)."""
    guided: float = Field(default=0.0, ge=0)
    """Weight of the loss that makes attention look where gold alignments say; 0 leaves it out."""
    reinforce: float = Field(default=1.0, ge=0)
    """λ_r, weight of the reward of positions drawn; only for hard attention by REINFORCE."""
    entropy: float = Field(default=0.01, ge=0)
    """λ_e, weight of the entropy of what they are drawn from."""


class Loss(NamedTuple):
    """Sums over the target tokens of one batch; only ``total`` carries a gradient."""

    total: Float[Tensor, ""]
    """What is minimised."""
    surprise: Float[Tensor, ""]
    """Negative log-likelihood, in nats."""
    guided: Float[Tensor, ""]
    """Of the guided attention; 0 without."""


class Objective(nn.Module):
    r"""A model together with what it is trained for, as one module.

    .. math:: \mathcal L = \mathcal L_{CE} + \lambda_g \mathcal L_{guided} + \mathcal L_{REINFORCE}

    Every term is a *sum* over target tokens: divide by the tokens of the whole step
    (:attr:`Batch.total_tokens`), so that a mean does not depend on how a step is cut into batches
    or over processes.

    Args:
        model: what is trained.
        config: which terms count, and how much.
    """

    def __init__(self, model: Seq2Seq, config: ObjectiveConfig) -> None:
        super().__init__()
        self.model = model
        self.config = config
        self.baseline = MovingBaseline()
        self.reinforce = ReinforceLoss(
            reward_weight=config.reinforce, entropy_weight=config.entropy
        )

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch."""
        wanted = batch.target_out.ne(self.model.config.pad)
        guides = batch.alignment if self.config.guided else None
        decoded = self.model.read(
            batch.source, batch.source_lengths, batch.target_in, aligned=guides is not None
        )
        total, surprise = self._surprise(decoded, batch.target_out, wanted)
        guided = total.new_zeros(())
        if guides is not None and decoded.weights is not None:
            guided = guided_attention_loss(decoded.weights, guides, wanted)
            total = total + self.config.guided * guided
        return Loss(total, surprise, guided.detach())

    def learned(self, surprise: float) -> None:
        """Note that a step was made, and the mean surprise of all its tokens, whoever read them.

        Until then choices are judged by what was usual before the step: it matters neither how a
        step is cut into batches nor over how many processes.
        """
        self.baseline.update(self.baseline.value.new_tensor(-surprise))

    def _surprise(
        self, decoded: Decoded, targets: Int[Tensor, "B T"], wanted: Bool[Tensor, "B T"]
    ) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        """What is minimised and the negative log-likelihood; REINFORCE's term is part of it."""
        smoothing = self.config.label_smoothing
        if decoded.drawn is None:
            return smoothed_cross_entropy(
                decoded.features,
                targets,
                self.model.output,
                smoothing=smoothing,
                pad=self.model.config.pad,
            )
        logits, targets = self.model.output(decoded.features[wanted]), targets[wanted]
        surprise = cross_entropy(logits.detach(), targets, reduction="none")
        total = cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)
        return total + self._choices(decoded.drawn, -surprise, wanted), surprise.sum()

    def _choices(
        self, drawn: Drawn, reward: Float[Tensor, " N"], wanted: Bool[Tensor, "B T"]
    ) -> Float[Tensor, ""]:
        """REINFORCE's term: each choice is paid by the likelihood of the token it was made for."""
        if not len(reward):
            return drawn.log_prob.sum() * 0
        loss = self.reinforce(
            reward=reward,
            log_prob=drawn.log_prob[wanted],
            entropy=drawn.entropy[wanted],
            baseline=self.baseline.value,
        )
        return loss * len(reward)


def guided_attention_loss(
    weights: Float[Tensor, "B T S"], gold: Alignment, wanted: Bool[Tensor, "B T"]
) -> Float[Tensor, ""]:
    r"""How far attention is from gold alignments, summed over target tokens.

    .. math:: \mathcal L = -\sum_t \sum_i A_{ti} \log \alpha_{ti}, \quad \sum_i A_{ti} = 1

    Chen et al. 2016, guided alignment training (https://arxiv.org/abs/1607.01628), with the cross
    entropy of their Eq. 8. Target tokens without a link and sentences without gold count nothing.

    Args:
        weights: where each target position looked.
        gold: where it should have.
        wanted: which positions are of tokens.
    """
    rows = gold.links.any(dim=-1) & gold.gold.unsqueeze(-1) & wanted
    links = gold.links[rows].to(weights.dtype)
    shares = links / links.sum(dim=-1, keepdim=True)
    return -(shares * weights[rows].clamp(min=LEAST_WEIGHT).log()).sum()
