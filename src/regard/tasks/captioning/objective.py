"""What captioners minimise: how surprising captions are, and where attention has been."""

from typing import Any

import torch
from torch.nn.functional import cross_entropy

from regard.decoding.protocol import inference
from regard.models.seq2seq import Decoded, Drawn
from regard.models.vision import Captioner
from regard.models.vision.grids import Extent
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.drawn import DrawnObjective
from regard.training.objective import Loss
from regard.types import Bool, Float, Tensor

from .corpus import Batch, empty_batch
from .loss import CaptionLossConfig


class CaptionObjective(DrawnObjective[Batch]):
    r"""A captioner together with what it is trained for, as one module.

    .. math:: \mathcal L = -\sum_t \log p(y_t \mid a, y_{<t})
              + \lambda \sum_i \Bigl(\tau - \sum_t \alpha_{ti}\Bigr)^2
              + \mathcal L_{REINFORCE} + \lambda_g \mathcal L_{guided}

    Xu et al. 2015, Eq. 14 (https://arxiv.org/abs/1502.03044), summed over captions. Places drawn by
    hard attention are paid as :class:`regard.training.drawn.DrawnObjective` says; the picture is
    read once for both passes.

    Args:
        model: what is trained.
        config: which terms count, and how much.
    """

    model: Captioner

    def __init__(self, model: Captioner, config: CaptionLossConfig) -> None:
        super().__init__(reinforce=config.reinforce, entropy=config.entropy)
        self.model, self.config = model, config
        attention: Any = getattr(model.config, "attention", None)
        self._covers = config.doubly_stochastic > 0 and getattr(attention, "kind", "") == "soft"
        self._looks = self._covers or config.guided > 0

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch.

        Its parts: ``nll``, the negative log-likelihood in nats; ``doubly_stochastic``, the second
        term without its weight; ``guided``, of attention that is told where to look; ``gained``,
        log-likelihood by places drawn over that by the likeliest ones; ``entropy`` of what they
        were drawn from.
        """
        wanted = batch.target_out.ne(self.model.config.pad)
        places = self.model.read(batch.pictures)
        decoded = self.model.decode(places, batch.target_in, aligned=self._looks)
        zero = places.new_zeros(())
        covered = gained = entropy = guided = zero
        if decoded.drawn is None:
            total, nll = smoothed_cross_entropy(
                decoded.features,
                batch.target_out,
                self.model.output,
                smoothing=self.config.label_smoothing,
                pad=self.model.config.pad,
            )
        else:
            total, nll, gained = self._drawn(decoded, decoded.drawn, places, batch, wanted)
            entropy = decoded.drawn.entropy.detach()[wanted].sum()
        if self._covers and decoded.weights is not None:
            covered = doubly_stochastic(decoded.weights, wanted, self.config.total)
            total = total + self.config.doubly_stochastic * covered
        if self.config.guided and decoded.weights is not None:
            guided = guided_loss(decoded.weights, batch.nouns, self.model.extent)
            total = total + self.config.guided * guided
        parts = {"nll": nll, "doubly_stochastic": covered.detach(), "guided": guided.detach()}
        return Loss(total, {**parts, "gained": gained, "entropy": entropy})

    def empty_batch(self) -> Batch:
        """A row without a token to predict."""
        return empty_batch(self.model.config.grid.shape)

    def _drawn(
        self,
        decoded: Decoded,
        drawn: Drawn,
        places: Float[Tensor, "B K M"],
        batch: Batch,
        wanted: Bool[Tensor, "B T"],
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Total, likelihood and gain where places are drawn."""
        targets, smoothing = batch.target_out[wanted], self.config.label_smoothing
        logits = self.model.output(decoded.features[wanted])
        nll = cross_entropy(logits.detach(), targets, reduction="none")
        total = cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)
        with inference(self.model):
            read = self.model.decode(places.detach(), batch.target_in)
            likeliest = self.model.output(read.features[wanted])
            gained = cross_entropy(likeliest, targets, reduction="none") - nll
        return total + self.choices(drawn, gained, wanted), nll.sum(), gained.sum()


def doubly_stochastic(
    weights: Float[Tensor, "B T K"], wanted: Bool[Tensor, "B T"], total: float
) -> Float[Tensor, ""]:
    r"""How far places are from having been looked at equally, summed over captions.

    .. math:: \sum_i \Bigl(\tau - \sum_t \alpha_{ti}\Bigr)^2

    Xu et al. 2015, section 4.2.1 (https://arxiv.org/abs/1502.03044), where τ is 1. A caption
    without words counts nothing.

    Args:
        weights: where each word looked.
        wanted: which positions are of words.
        total: τ.
    """
    seen = (weights * wanted.unsqueeze(-1)).sum(dim=1)  # (B, K)
    apart = (total - seen).square().sum(dim=-1)
    return (apart * wanted.any(dim=-1)).sum()


LEAST_SHARE = 1e-6
"""Below it a share counts as this one: its logarithm must be a number."""


def guided_loss(
    weights: Float[Tensor, "B T K"], nouns: Float[Tensor, "N 6"], extent: Extent
) -> Float[Tensor, ""]:
    r"""How little of a noun's attention lies on what it stands for, summed over nouns.

    .. math:: \mathcal L = -\sum_{t \in \text{nouns}} \log \sum_{i \in B_t} \alpha_{ti}

    B_t are the places whose middle lies in a box of what the noun stands for; a thing too small to
    hold one has the place of its own middle. As the guided attention of Liu et al. 2017
    (https://arxiv.org/abs/1605.09553), which compares maps with regions, with a likelihood.

    Args:
        weights: where each word looked.
        nouns: row, place among the words, and edges as shares of the picture, of each thing.
        extent: rows and columns of the grid.
    """
    if not len(nouns):
        return weights.sum() * 0
    row, step = nouns[:, 0].long(), nouns[:, 1].long()
    inside = places_in(nouns[:, 2:], extent).to(weights.dtype)  # (N, K)
    gold = torch.zeros_like(weights).index_put((row, step), inside, accumulate=True) > 0
    share = (weights * gold).sum(dim=-1)[gold.any(dim=-1)]
    return -share.clamp(min=LEAST_SHARE).log().sum()


def places_in(boxes: Float[Tensor, "N 4"], extent: Extent) -> Bool[Tensor, "N K"]:
    """The places of a grid whose middle lies in each box, and that in which the box has its own."""
    rows, columns = (torch.arange(size, device=boxes.device) for size in extent)
    left, top, right, bottom = boxes.unsqueeze(-1).unbind(dim=1)  # (N, 1) each
    x, y = (columns + 0.5) / extent.width, (rows + 0.5) / extent.height
    across = (left <= x) & (x <= right)
    across |= columns == ((left + right) / 2 * extent.width).long()
    down = (top <= y) & (y <= bottom)
    down |= rows == ((top + bottom) / 2 * extent.height).long()
    return (down.unsqueeze(-1) & across.unsqueeze(-2)).flatten(1)
