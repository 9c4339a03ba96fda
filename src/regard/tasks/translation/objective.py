"""What training minimises: how surprising the targets are, and what else is asked for."""

from collections.abc import Mapping

from torch.nn.functional import cross_entropy

from regard.decoding.protocol import inference
from regard.models.seq2seq import Decoded, Drawn, Seq2Seq
from regard.nn import MovingBaseline, ReinforceLoss
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.objective import Loss, Objective
from regard.types import Bool, Float, Tensor

from .batch import Alignment, Batch, empty_batch
from .loss import LossConfig

LEAST_WEIGHT = 1e-6
"""Below it a weight counts as this one: sparse weights are exactly zero, and so would learn
nothing."""


class TranslationObjective(Objective[Batch]):
    r"""A model together with what it is trained for, as one module.

    .. math:: \mathcal L = \mathcal L_{CE} + \lambda_g \mathcal L_{guided} + \mathcal L_{REINFORCE}

    Every term is a *sum* over target tokens: divide by the tokens of the whole step
    (:attr:`Batch.num_targets`), so that a mean does not depend on how a step is cut into batches
    or over processes.

    A position s_t drawn by hard attention is paid by all tokens that depend on it, its own and with
    input feeding those behind it, in comparison with the positions ŝ that the model holds
    likeliest:

    .. math:: \mathcal L_{REINFORCE} = -\sum_t \Bigl[ \lambda_r \log p(s_t)
              \sum_{u \ge t} \bigl(\log p(y_u \mid s) - \log p(y_u \mid \hat s) - b\bigr)
              + \lambda_e H(s_t) \Bigr]

    b is the moving mean of the difference. Neither ŝ nor b depends on what is drawn, so that the
    gradient is that of the expected loss. Differs from Xu et al. 2015, section 4.1
    (https://arxiv.org/abs/1502.03044), whose baseline is a moving mean alone: sentences are harder
    or easier by far more than choices matter. The likeliest positions cost a second forward pass,
    as in self-critical training (Rennie et al. 2017, https://arxiv.org/abs/1612.00563).

    Args:
        model: what is trained.
        config: which terms count, and how much.
    """

    model: Seq2Seq

    def __init__(self, model: Seq2Seq, config: LossConfig) -> None:
        super().__init__()
        self.model = model
        self.config = config
        self.baseline = MovingBaseline()
        self.reinforce = ReinforceLoss(
            reward_weight=config.reinforce, entropy_weight=config.entropy
        )

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch.

        Its parts: ``nll``, the negative log-likelihood in nats; ``guided``, of the guided
        attention; ``gained``, log-likelihood by positions drawn over that by the likeliest ones.
        """
        wanted = batch.target_out.ne(self.model.config.pad)
        guides = batch.alignment if self.config.guided else None
        decoded = self.model.decode_parallel(
            batch.source, batch.source_lengths, batch.target_in, aligned=guides is not None
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
        return Loss(total, {"nll": nll, "guided": guided.detach(), "gained": gained})

    def after_step(self, means: Mapping[str, float]) -> None:
        """Move the baseline by what all tokens of the step gained, whoever read them.

        Until then choices are judged by what was usual before the step: it matters neither how a
        step is cut into batches nor over how many processes.
        """
        self.baseline.update(self.baseline.value.new_tensor(means["gained"]))

    def empty_batch(self) -> Batch:
        """A row without a token to predict."""
        return empty_batch()

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
        return total + self._choices(drawn, gained, wanted), nll.sum(), gained.sum()

    def _nll_of_the_likeliest(
        self, batch: Batch, wanted: Bool[Tensor, "B T"]
    ) -> Float[Tensor, " N"]:
        """The negative log-likelihood of each token, if the model looks where it likes most."""
        with inference(self.model):
            read = self.model.decode_parallel(batch.source, batch.source_lengths, batch.target_in)
            logits = self.model.output(read.features[wanted])
            return cross_entropy(logits, batch.target_out[wanted], reduction="none")

    def _choices(
        self, drawn: Drawn, gained: Float[Tensor, " N"], wanted: Bool[Tensor, "B T"]
    ) -> Float[Tensor, ""]:
        """REINFORCE's term: each choice is paid by all tokens that depend on it."""
        if not len(gained):
            return drawn.log_prob.sum() * 0
        reward = gained.new_zeros(wanted.shape)
        reward[wanted] = gained - self.baseline.value
        if drawn.lasting:
            reward = reward.flip(-1).cumsum(-1).flip(-1)
        loss = self.reinforce(
            reward=reward[wanted], log_prob=drawn.log_prob[wanted], entropy=drawn.entropy[wanted]
        )
        return loss * len(gained)


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
