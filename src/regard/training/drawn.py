"""REINFORCE for hard attention: the reward of drawn positions, against a baseline."""

from collections.abc import Mapping
from typing import TypeVar

from regard.models.seq2seq import Drawn
from regard.nn import MovingBaseline, ReinforceLoss
from regard.types import Bool, Float, Tensor

from .objective import Batch, Objective

B = TypeVar("B", bound=Batch)


class DrawnObjective(Objective[B]):
    r"""An objective of a model that may draw where it looks.

    A position s_t drawn by hard attention is paid by all tokens that depend on it, its own and
    those behind it, in comparison with the positions ŝ that the model holds likeliest:

    .. math:: \mathcal L_{REINFORCE} = -\sum_t \Bigl[ \lambda_r \log p(s_t)
              \sum_{u \ge t} \bigl(\log p(y_u \mid s) - \log p(y_u \mid \hat s) - b\bigr)
              + \lambda_e H(s_t) \Bigr]

    b is the moving mean of the difference. Neither ŝ nor b depends on what is drawn, so that the
    gradient is that of the expected loss. Differs from Xu et al. 2015, section 4.1
    (https://arxiv.org/abs/1502.03044), whose baseline is a moving mean alone: examples are harder
    or easier by far more than choices matter. The likeliest positions cost a second forward pass,
    as in self-critical training (Rennie et al. 2017, https://arxiv.org/abs/1612.00563).

    Args:
        reinforce: λ_r.
        entropy: λ_e.
    """

    def __init__(self, *, reinforce: float, entropy: float) -> None:
        super().__init__()
        self.baseline = MovingBaseline()
        self.reinforce = ReinforceLoss(reward_weight=reinforce, entropy_weight=entropy)

    def after_step(self, means: Mapping[str, float]) -> None:
        """Move the baseline by what all tokens of the step gained, whoever read them.

        Until then choices are judged by what was usual before the step: it matters neither how a
        step is cut into batches nor over how many processes.
        """
        self.baseline.update(self.baseline.value.new_tensor(means["gained"]))

    def choices(
        self, drawn: Drawn, gained: Float[Tensor, " N"], wanted: Bool[Tensor, "B T"]
    ) -> Float[Tensor, ""]:
        """REINFORCE's term, summed: each choice is paid by all tokens that depend on it.

        Args:
            drawn: the choices.
            gained: log-likelihood of each wanted token over that by the likeliest positions.
            wanted: which positions are of tokens.
        """
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
