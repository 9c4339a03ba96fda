"""What is wrong with a model that looks nowhere, and what to do about it."""

from collections.abc import Sequence
from typing import Any

from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.types import Tensor

from ..maps import Tokens, plain_tokens
from ..reading import heads_first
from ..scene import scene_of
from . import causes as causes
from .cause import CAUSES, EVERYTHING, SOFT, Cause
from .chart import Chart
from .finding import Diagnosis, Finding
from .patient import History, Loss, Patient, patient_of


def doctor(
    subject: nn.Module | Tensor,
    batch: Any = None,
    *,
    loss: Loss | None = None,
    history: History = (),
    steps: int | None = None,
    mask: Tensor | None = None,
    lengths: Tensor | None = None,
    causal: bool | None = None,
) -> Diagnosis:
    """Find out what is wrong with attention, by signs that are measured.

    Hard facts come first, then structure, then training, then what looks odd and is harmless; what
    an earlier cause explains is not looked for again.

    >>> print(doctor(model, batch))
    >>> print(doctor(weights, mask=mask, lengths=lengths))

    Args:
        subject: a model, or weights (*B, Q, K) of anybody's code.
        batch: for a model: a :class:`regard.lens.Scene`, or what it is called with.
        loss: from logits to what is minimised; that of what the batch wants if not given.
        history: lines of a log of its training.
        steps: updates that were made, where that is known.
        mask: for weights: as it was passed to whatever made them.
        lengths: for weights: of the sequences of keys.
        causal: for weights: whether nobody ought to look ahead.

    Raises:
        ChoiceError: a model without a batch.
        ShapeError: weights with fewer than two axes.
    """
    if isinstance(subject, Tensor):
        return examine(Patient((chart_of(subject, mask, lengths, causal),), history=history))
    if batch is None:
        if not history:
            raise ChoiceError("doctor needs a batch beside a model: doctor(model, batch)")
        return examine(Patient(history=history, steps=steps))
    scene = scene_of(subject, batch)
    return examine(patient_of(subject, scene, loss=loss, history=history, steps=steps))


def examine(patient: Patient, order: Sequence[Cause] = CAUSES) -> Diagnosis:
    """All causes in their order, each where no earlier one explains what it would find."""
    found: list[Finding] = []
    for cause in order:
        explained = {where for one in found for where in _explained(one, cause)}
        if "" in explained:
            continue
        found += [one for one in cause.look(patient) if one.where not in explained]
    return Diagnosis(found, len(patient.charts))


def _explained(finding: Finding, cause: Cause) -> tuple[str, ...]:
    """Where a finding explains what a later cause would find: ``""`` is everywhere."""
    by = next(one for one in CAUSES if one.name == finding.cause)
    every = EVERYTHING in by.explains or (SOFT in by.explains and cause.soft)
    if by is cause or not (every or cause.name in by.explains):
        return ()
    return ("" if by.everywhere else finding.where,)


def chart_of(
    weights: Tensor, mask: Tensor | None, lengths: Tensor | None, causal: bool | None
) -> Chart:
    """Weights of foreign code as a chart; a mask of booleans says what may be seen."""
    if weights.dim() < 2:
        raise ShapeError(f"doctor needs weights (*B, Q, K), got {tuple(weights.shape)}")
    four = heads_first(weights.detach())
    batch, _, queries, keys = four.shape
    query_side = key_side = None
    if lengths is not None:
        key_side = Tokens(plain_tokens(batch, keys).ids, lengths)
        query_side = key_side if queries == keys else plain_tokens(batch, queries)
    allowed = None
    if mask is not None and mask.dtype.is_floating_point is False:
        allowed = (
            mask
            if mask.dim() == 4
            else mask.unsqueeze(-2)
            if mask.dim() == 2 and mask.shape == (batch, keys) and queries != batch
            else mask
        )
        while allowed.dim() < 4:
            allowed = allowed.unsqueeze(-3 if allowed.dim() > 2 else 0)
        allowed = allowed.bool().expand(four.shape)
    return Chart(
        four,
        kind="self" if queries == keys else "cross",
        allowed=allowed,
        causal=causal,
        given_mask=mask,
        query_side=query_side,
        key_side=key_side,
    )
