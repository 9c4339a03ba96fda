"""What training minimises: how surprising the targets are, and what else is asked for."""

import torch
from torch.nn.functional import cross_entropy

from regard.decoding.protocol import inference
from regard.lens.maps import Tokens
from regard.lens.scene import NOTHING, Ids, Scene
from regard.models.seq2seq import Decoded, Drawn, Seq2Seq
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.drawn import DrawnObjective
from regard.training.objective import EXAMINED, Loss
from regard.types import Bool, Float, Tensor

from ..scenes import lengths_of
from .config import LossConfig
from .corpus import Alignment, Batch, empty_batch

LEAST_WEIGHT = 1e-6
"""Below it a weight counts as this one: sparse weights are exactly zero, and so would learn
nothing."""


class TranslationObjective(DrawnObjective[Batch]):
    r"""A model together with what it is trained for, as one module.

    .. math:: \mathcal L = \mathcal L_{CE} + \lambda_g \mathcal L_{guided} + \mathcal L_{REINFORCE}

    Every term is a *sum* over target tokens: divide by the tokens of the whole step
    (:attr:`Batch.num_targets`), so that a mean does not depend on how a step is cut into batches
    or over processes.

    Positions drawn by hard attention are paid as :class:`DrawnObjective` says.

    Args:
        model: what is trained.
        config: which terms count, and how much.
    """

    model: Seq2Seq

    def __init__(self, model: Seq2Seq, config: LossConfig) -> None:
        super().__init__(reinforce=config.reinforce, entropy=config.entropy)
        self.model = model
        self.config = config

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch.

        Its parts: ``nll``, the negative log-likelihood in nats; ``guided``, of the guided
        attention; ``gained``, log-likelihood by positions drawn over that by the likeliest ones.
        """
        wanted = batch.target_out.ne(self.model.config.pad)
        guides = batch.alignment if self.config.guided else None
        aligned = guides is not None or self.config.coverage > 0
        decoded = self.model.decode_parallel(
            batch.source, batch.source_lengths, batch.target_in, aligned=aligned
        )
        if decoded.drawn is None:
            total, nll = self._nll(decoded, batch)
            gained = nll.new_zeros(())
        else:
            total, nll, gained = self._drawn(decoded, decoded.drawn, batch, wanted)
        guided = total.new_zeros(())
        if guides is not None and decoded.weights is not None:
            guided = guided_attention_loss(decoded.weights, guides, wanted)
            total = total + self.config.guided * guided
        if self.config.coverage and decoded.weights is not None:
            total = total + self.config.coverage * coverage_loss(decoded.weights, wanted)
        return Loss(total, {"nll": nll, "guided": guided.detach(), "gained": gained})

    def empty_batch(self) -> Batch:
        """A row without a token to predict."""
        return empty_batch()

    def scene(self, batch: Batch) -> Scene:
        """Some pairs, read with their translations."""
        some, pad = slice(EXAMINED), self.model.config.pad
        source = Tokens(batch.source[some], batch.source_lengths[some])
        target = Tokens(batch.target_in[some], batch.target_lengths[some])
        wanted = batch.target_out[some]

        def forward(ids: Ids) -> Tensor:
            lengths = lengths_of(ids["input"], source)
            decoded = self.model.decode_parallel(ids["input"], lengths, ids["target"])
            logits: Tensor = self.model.output(decoded.features)
            return logits

        return Scene(
            {"input": source, "target": target},
            forward,
            wanted.masked_fill(wanted == pad, NOTHING),
            causal=True,
            pad=pad,
        )

    def _nll(self, decoded: Decoded, batch: Batch) -> tuple[Tensor, Tensor]:
        """What is minimised and the negative log-likelihood, where nothing is drawn."""
        return smoothed_cross_entropy(
            decoded.features,
            batch.target_out,
            self.model.output,
            smoothing=self.config.label_smoothing,
            pad=self.model.config.pad,
        )

    def _drawn(
        self, decoded: Decoded, drawn: Drawn, batch: Batch, wanted: Bool[Tensor, "B T"]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The same where positions are drawn, with REINFORCE's term; and what they gained."""
        smoothing, targets = self.config.label_smoothing, batch.target_out[wanted]
        logits = self.model.output(decoded.features[wanted])
        nll = cross_entropy(logits.detach(), targets, reduction="none")
        total = cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)
        gained = self._nll_of_the_likeliest(batch, wanted) - nll
        return total + self.choices(drawn, gained, wanted), nll.sum(), gained.sum()

    def _nll_of_the_likeliest(
        self, batch: Batch, wanted: Bool[Tensor, "B T"]
    ) -> Float[Tensor, " N"]:
        """The negative log-likelihood of each token, if the model looks where it likes most."""
        with inference(self.model):
            read = self.model.decode_parallel(batch.source, batch.source_lengths, batch.target_in)
            logits = self.model.output(read.features[wanted])
            return cross_entropy(logits, batch.target_out[wanted], reduction="none")


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


def coverage_loss(
    weights: Float[Tensor, "B T S"], wanted: Bool[Tensor, "B T"]
) -> Float[Tensor, ""]:
    r"""How much is looked at again, summed over target tokens.

    .. math:: \mathcal L = \sum_t \sum_i \min(\alpha_{ti}, c_{ti}), \quad
              c_t = \sum_{u < t} \alpha_u

    See et al. 2017, Eq. 10 and 12 (https://arxiv.org/abs/1704.04368). Differs from the paper:
    attention is not told what it has covered (their Eq. 11), it learns to from this loss alone.

    Args:
        weights: where each target position looked.
        wanted: which positions are of tokens.
    """
    covered = weights.cumsum(dim=1) - weights
    return torch.minimum(weights, covered).sum(dim=-1)[wanted].sum()
