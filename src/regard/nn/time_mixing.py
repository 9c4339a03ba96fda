"""Time mixing: attention-like pooling as a recurrence."""

from math import log
from typing import NamedTuple

import torch
from torch import nn

from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional import masks
from regard.functional.decay import Sums, decayed_mean, passed
from regard.functional.engine.unseen import tamed
from regard.functional.events import Attended
from regard.functional.scores import Dot, Relative
from regard.functional.tensors import require_padded
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Bool, Float, Int, Tensor

from .base import AttentionModule

TokenMask = Bool[Tensor, "*B N"] | Int[Tensor, "*B"]
"""Which positions count: one boolean each, or the length of every sequence."""


class TimeMixingState(NamedTuple):
    """All that later positions need of earlier ones, however many those were."""

    last: Float[Tensor, "*B M"]
    """The input before."""
    sums: Sums
    """What there is to be pooled, faded."""

    def reorder(self, rows: Int[Tensor, " b"]) -> "TimeMixingState":
        """The state of these elements of the batch, as beam search asks for."""
        sums = Sums(*(x.index_select(0, rows) for x in self.sums))
        return TimeMixingState(self.last.index_select(0, rows), sums)

    def detach(self) -> "TimeMixingState":
        """The same state without the graph behind it."""
        return TimeMixingState(self.last.detach(), Sums(*(x.detach() for x in self.sums)))


@mechanism(
    "RWKV time mixing",
    equation="wkvₜ = Σᵢ e^{−(t−1−i)w + kᵢ} vᵢ + e^{u + kₜ} vₜ over its weights",
    cost="O(N D), O(D) a step",
    paper=("Peng 2023", "https://arxiv.org/abs/2305.13048"),
)
class TimeMixing(AttentionModule):
    r"""The time-mixing block of RWKV-4: every channel is a head whose weights fade with time.

    .. math:: r_t = W_r (\mu_r \odot x_t + (1 - \mu_r) \odot x_{t-1}), \quad
              \text{likewise } k_t, v_t \\
              wkv_t = \frac{\sum_{i<t} e^{-(t-1-i) w + k_i} v_i + e^{u + k_t} v_t}
                           {\sum_{i<t} e^{-(t-1-i) w + k_i} + e^{u + k_t}} \\
              o_t = W_o (\sigma(r_t) \odot wkv_t)

    Peng et al. 2023, section 3.1 (https://arxiv.org/abs/2305.13048); initial values follow the
    authors'. Theirs → ours: w → exp(``log_decay``), u → ``bonus``, μ → ``receptance_mix``,
    ``key_mix``, ``value_mix``, W_r, W_k, W_v, W_o → ``receptance_proj``, ``key_proj``,
    ``value_proj``, ``output_proj``. A sequence at once, or step by step: the outputs are the same.
    O(N M A) time, memory linear in N; a step costs the same however long the past is.

    Args:
        model_dim: M, width of input and output.
        hidden_dim: A, number of channels; M if not given.
        depth: where in the model the block stands, from 0, the first, to 1, the last; only initial
            values depend on it.
    """

    causal = True

    def __init__(
        self, model_dim: int, hidden_dim: int | None = None, *, depth: float = 0.0
    ) -> None:
        super().__init__()
        hidden_dim = model_dim if hidden_dim is None else hidden_dim
        require_sizes(self, model_dim=model_dim, hidden_dim=hidden_dim)
        if not 0 <= depth <= 1:
            raise RangeError(f"TimeMixing needs depth from 0 to 1, got {depth}")
        self.model_dim, self.hidden_dim = model_dim, hidden_dim
        self.log_decay = nn.Parameter(_first_decay(hidden_dim, depth))
        self.bonus = nn.Parameter(log(0.3) + 0.5 * ((torch.arange(hidden_dim) + 1) % 3 - 1))
        share = (torch.arange(model_dim) / model_dim) ** (1 - depth)
        self.receptance_mix = nn.Parameter(share.sqrt())
        self.key_mix = nn.Parameter(share.clone())
        self.value_mix = nn.Parameter(share + 0.3 * depth)
        self.receptance_proj = nn.Linear(model_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(model_dim, hidden_dim, bias=False)
        self.value_proj = nn.Linear(model_dim, hidden_dim, bias=False)
        self.output_proj = nn.Linear(hidden_dim, model_dim, bias=False)

    def forward(
        self, x: Float[Tensor, "*B N M"], mask: TokenMask | None = None
    ) -> Float[Tensor, "*B N M"]:
        """A whole sequence, all positions at once.

        Args:
            x: the sequence; no position sees a later one.
            mask: which positions count: booleans (*B, N), or lengths (*B,). The others are as if
                they were not there.
        """
        return self.step(x, mask=mask)[0]

    def step(
        self,
        x: Float[Tensor, "*B n M"],
        state: TimeMixingState | None = None,
        *,
        mask: TokenMask | None = None,
    ) -> tuple[Float[Tensor, "*B n M"], TimeMixingState]:
        """The next positions, one or several, and the state behind them.

        Args:
            x: the positions.
            state: what the step before returned; ``None`` begins.
            mask: as in :meth:`forward`.
        """
        require_padded(self, x)
        if x.dim() < 2 or x.shape[-1] != self.model_dim:
            raise ShapeError(
                f"TimeMixing needs a sequence (*B, N, {self.model_dim}), got {tuple(x.shape)}"
            )
        allowed = None if mask is None else _allowed(mask, x)
        x = x if allowed is None else tamed(x, allowed.unsqueeze(-1))
        before, last = _shifted(x, allowed, None if state is None else state.last)
        receptance = self.receptance_proj(_mixed(x, before, self.receptance_mix))
        key = self.key_proj(_mixed(x, before, self.key_mix))
        value = self.value_proj(_mixed(x, before, self.value_mix))
        past = None if state is None else state.sums
        pooled, sums = decayed_mean(
            key, value, decay=self.decay, bonus=self.bonus, sums=past, allowed=allowed
        )
        if self.watchers:
            self.notify(self._look(key.detach(), value.detach(), pooled, allowed, past))
        output = self.output_proj(torch.sigmoid(receptance) * pooled)
        return output, TimeMixingState(last, sums)

    @property
    def decay(self) -> Float[Tensor, " A"]:
        """w, positive: how much the logarithm of a weight loses from one position to the next."""
        return self.log_decay.exp()

    def _look(
        self,
        key: Float[Tensor, "*B n A"],
        value: Float[Tensor, "*B n A"],
        pooled: Float[Tensor, "*B n A"],
        allowed: Tensor | None,
        sums: Sums | None,
    ) -> Attended:
        """The same weights as an attention, (*B, A, n, n).

        Under a causal mask the fading e^{−(t−1−i) w} is a term i·w of the key, and the bonus adds
        u − w on the diagonal. All that was before a state is one more key, the first.
        """
        key, decay, bonus = (x.detach().double() for x in (key, self.decay, self.bonus))
        value = value.double()
        time = torch.ones_like(key[..., :1]) if allowed is None else allowed.unsqueeze(-1).double()
        key = key + time.cumsum(-2) * decay  # (*B, n, A)
        diagonal, counted = 0, allowed
        if sums is not None:
            diagonal = 1
            past = (sums.denominator.double().log() + sums.maximum.double()).unsqueeze(-2)
            key = torch.cat([past.clamp(min=-1e30), key], dim=-2)  # (*B, 1 + n, A)
            mean = sums.numerator.double() / sums.denominator.double().clamp(min=1e-300)
            value = torch.cat([mean.unsqueeze(-2), value], dim=-2)
            counted = None if allowed is None else nn.functional.pad(allowed, (1, 0), value=True)
        mask: masks.Mask = masks.causal(offset=diagonal)
        if counted is not None:
            mask = mask & masks.dense(counted.unsqueeze(-2).unsqueeze(-2))
        table = torch.zeros(self.hidden_dim, 3, dtype=key.dtype, device=key.device)
        table[:, 1 + diagonal] = bonus - decay
        key = key.mT.unsqueeze(-1)  # (*B, A, n, 1)
        query = torch.ones_like(key[..., diagonal:, :])
        return Attended(
            query,
            key,
            Dot() + Relative(table),
            mask,
            value=value.mT.unsqueeze(-1),
            context=pooled.mT.unsqueeze(-1),
            training=self.training,
        )

    def extra_repr(self) -> str:
        """Sizes."""
        return f"{self.model_dim}, hidden_dim={self.hidden_dim}"


def _first_decay(hidden_dim: int, depth: float) -> Float[Tensor, " A"]:
    """From slow to fast channels, −5 to 3; deeper blocks have more slow ones."""
    share = torch.arange(hidden_dim) / max(1, hidden_dim - 1)
    return -5 + 8 * share ** (0.7 + 1.3 * depth)


def _mixed(x: Tensor, before: Tensor, share: Tensor) -> Tensor:
    return x * share + before * (1 - share)


def _allowed(mask: TokenMask, x: Float[Tensor, "*B N M"]) -> Bool[Tensor, "*B N"]:
    """One boolean per position."""
    if not isinstance(mask, Tensor) or mask.is_floating_point() or mask.is_complex():
        came = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise DtypeError(
            f"TimeMixing needs mask as booleans (*B, N) or whole lengths (*B,), got {came}"
        )
    if mask.dtype != torch.bool:
        mask = torch.arange(x.shape[-2], device=x.device) < mask.unsqueeze(-1)
    if mask.dim() > x.dim() - 1 or mask.shape[-1] != x.shape[-2]:
        raise ShapeError(
            f"TimeMixing needs a mask for positions {tuple(x.shape[:-1])}, got {tuple(mask.shape)}"
        )
    return mask.expand(x.shape[:-1])


def _shifted(
    x: Float[Tensor, "*B N M"],
    allowed: Bool[Tensor, "*B N"] | None,
    last: Float[Tensor, "*B M"] | None,
) -> tuple[Float[Tensor, "*B N M"], Float[Tensor, "*B M"]]:
    """What came right before each position, and what came last, both among those that count."""
    first = x.new_zeros(*x.shape[:-2], 1, x.shape[-1]) if last is None else last.unsqueeze(-2)
    behind = torch.cat([first, x], dim=-2)  # entry t is what a position t looks back at
    if allowed is not None:
        steps = nn.functional.pad(passed(allowed), (1, 0))  # (*B, 1 + N)
        behind = behind.gather(-2, steps.unsqueeze(-1).expand_as(behind))
    return behind[..., :-1, :], behind[..., -1, :]
