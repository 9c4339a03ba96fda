"""The loss of a model that predicts tokens, without ever holding all logits."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import linear, log_softmax

from regard.errors import RangeError, ShapeError
from regard.kernels.derivatives import differentiated_again, gradients_of, transformed
from regard.models.output import Unembedding
from regard.models.transformer.padding import Tokens
from regard.types import Float, Int, Tensor

LOGITS_AT_ONCE = 2**22
"""Logits of one chunk of rows: enough for a large product, few enough to stay near the CPU."""


class Losses(NamedTuple):
    """Sums over all tokens."""

    smoothed: Float[Tensor, ""]
    """What is minimised."""
    nll: Float[Tensor, ""]
    """Negative log-likelihood, without smoothing and without a gradient."""


def smoothed_cross_entropy(
    features: Float[Tensor, "*N M"],
    targets: Int[Tensor, "*T"],
    output: nn.Module,
    *,
    smoothing: float = 0.0,
    pad: int | None = None,
) -> Losses:
    r"""Cross entropy with a target that leaves a little for every token.

    .. math:: \sum_n \Big( -(1 - \epsilon) \log p_n(y_n)
              - \frac{\epsilon}{V} \sum_j \log p_n(j) \Big), \quad p_n = \text{softmax}(W x_n + b)

    Szegedy et al. 2016, section 7 (https://arxiv.org/abs/1512.00567); the same numbers as
    ``torch.nn.functional.cross_entropy(output(features), ...)``. Behind a linear output layer the
    logits are computed chunk by chunk, and each chunk is turned into its gradients at once: about
    half the time, and memory for a few hundred rows. Second derivatives, and ``torch.func``, take
    all logits at once.

    Args:
        features: x, what the output layer reads.
        targets: y, the tokens to predict.
        output: from features to logits; chunks for :class:`~regard.models.output.Unembedding` and
            ``torch.nn.Linear``, all logits at once for others.
        smoothing: ε, from 0 to 1.
        pad: targets of this token do not count.

    Raises:
        ShapeError: not one target for each vector of features.
        RangeError: ``smoothing`` out of its range.
    """
    if features.shape[:-1] != targets.shape:
        raise ShapeError(
            "smoothed_cross_entropy needs one target for each vector of features, got features "
            f"{tuple(features.shape)} and targets {tuple(targets.shape)}"
        )
    if not 0 <= smoothing <= 1:
        raise RangeError(f"smoothed_cross_entropy needs smoothing from 0 to 1, got {smoothing}")
    rows, tokens = _counting(features, targets, pad)
    layer = _linear(output, rows)
    if layer is None:
        return _all_at_once(output(rows), tokens, smoothing)
    if isinstance(output, Unembedding):
        rows = output.bridge(rows)
    losses = _Chunked.apply(  # type: ignore[no-untyped-call]
        rows, layer.weight, layer.bias, tokens, smoothing, torch.is_grad_enabled()
    )
    return Losses(*losses)


def _counting(features: Tensor, targets: Tensor, pad: int | None) -> tuple[Tensor, Tensor]:
    """Features (R, M) and targets (R,), those that count."""
    flat, tokens = features.reshape(-1, features.shape[-1]), targets.reshape(-1)
    if pad is None:
        return flat, tokens
    index = tokens.ne(pad).nonzero().squeeze(-1)
    if len(index) == len(tokens):
        return flat, tokens
    layout = Tokens(index, 1, len(tokens))
    return layout.packed(flat.unsqueeze(0)), tokens.index_select(0, index)


def _linear(output: nn.Module, features: Tensor) -> nn.Linear | None:
    """The linear map that ends ``output``, if that is all there is and runs as it stands."""
    layer = output.proj if isinstance(output, Unembedding) else output
    if type(layer) is not nn.Linear or layer.weight.dtype not in (torch.float32, torch.float64):
        return None
    hooks = layer._forward_hooks or layer._forward_pre_hooks or layer._backward_hooks
    if hooks or torch.is_autocast_enabled(features.device.type) or transformed():
        return None
    return layer


def _all_at_once(logits: Tensor, tokens: Tensor, smoothing: float) -> Losses:
    logs = log_softmax(logits, dim=-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    nll = -logs.gather(1, tokens.unsqueeze(-1)).sum()
    smooth = -logs.sum() / logits.shape[-1]
    return Losses((1 - smoothing) * nll + smoothing * smooth, nll.detach())


class _Gradients:
    """Of the smoothed loss with respect to rows, weight and bias, chunk by chunk.

    The gradient of a logit is p − (1 − ε) [it is the target's] − ε/V. Its last term is the same for
    all logits, and is left for the end, where it is a sum of rows instead of a product of matrices.
    """

    def __init__(self, rows: Tensor, weight: Tensor, bias: Tensor | None) -> None:
        self.rows = torch.empty_like(rows)
        self.weight = torch.zeros_like(weight)
        self.bias = None if bias is None else torch.zeros_like(bias)

    def add(self, part: slice, logits: Tensor, rows: Tensor, weight: Tensor) -> None:
        """Take in the gradient of some rows' logits."""
        torch.mm(logits, weight, out=self.rows[part])
        self.weight.addmm_(logits.T, rows)
        if self.bias is not None:  # a product is faster than a sum over the first axis
            self.bias.addmv_(logits.T, logits.new_ones(len(logits)))

    def finish(self, share: float, rows: Tensor, weight: Tensor) -> None:
        """Take away ``share`` from the gradient of every logit."""
        self.rows.sub_(weight.sum(0), alpha=share)
        self.weight.sub_(rows.sum(0), alpha=share)
        if self.bias is not None:
            self.bias.sub_(share * len(rows))


class _Chunked(torch.autograd.Function):
    """Both sums, with their gradients found on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        tokens: Tensor,
        smoothing: float,
        learning: bool,
    ) -> tuple[Tensor, Tensor]:
        gradients = _Gradients(rows, weight, bias) if learning else None
        nll, smooth = (rows.new_zeros(()) for _ in range(2))
        for part, logs in _log_probabilities(rows, weight, bias):
            own = tokens[part].unsqueeze(-1)
            nll -= logs.gather(1, own).sum()
            if smoothing:
                smooth -= logs.sum() / len(weight)
            if gradients is not None:
                change = logs.exp_().scatter_add_(1, own, logs.new_full(own.shape, smoothing - 1))
                gradients.add(part, change, rows[part], weight)
        if gradients is not None:
            gradients.finish(smoothing / len(weight), rows, weight)
            found = gradients.rows, gradients.weight, gradients.bias
            ctx.save_for_backward(rows, weight, bias, tokens, *found)
            ctx.smoothing = smoothing
        ctx.mark_non_differentiable(nll)
        return (1 - smoothing) * nll + smoothing * smooth, nll

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight, bias, tokens, *known = ctx.saved_tensors
        if differentiated_again(gradient):

            def definition(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
                return _all_at_once(linear(rows, weight, bias), tokens, ctx.smoothing).smoothed

            return *gradients_of(definition, (rows, weight, bias), gradient), None, None, None
        found = (
            one * gradient if one is not None and needed else None
            for one, needed in zip(known, ctx.needs_input_grad[:3], strict=True)
        )
        return *found, None, None, None


def _log_probabilities(
    rows: Tensor, weight: Tensor, bias: Tensor | None
) -> Iterator[tuple[slice, Tensor]]:
    """Chunks of rows with their log-probabilities, in memory that the next chunk takes over."""
    vocab = len(weight)
    chunk = min(max(1, LOGITS_AT_ONCE // vocab), max(1, len(rows)))
    logits, logs = (rows.new_empty(chunk, vocab) for _ in range(2))
    for start in range(0, len(rows), chunk):
        part = slice(start, min(start + chunk, len(rows)))
        count = part.stop - part.start
        if bias is None:
            torch.mm(rows[part], weight.T, out=logits[:count])
        else:
            torch.addmm(bias, rows[part], weight.T, out=logits[:count])
        yield part, torch.log_softmax(logits[:count], dim=-1, out=logs[:count])
