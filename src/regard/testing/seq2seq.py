"""A battery of checks for sequence-to-sequence models, ours or anybody's."""

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn.functional import pad

from regard.types import Float, Int, Tensor

from .checks.verdict import fail, gap, skip
from .report import Report, check_names, run_checks
from .subject import EXACT, isolated

if TYPE_CHECKING:
    from regard.models import Seq2Seq

LENGTHS, STEPS = (6, 4, 1), 5
"""Of the sources, and of all targets."""


class Batch(NamedTuple):
    """Sources of different lengths, and targets without padding."""

    source: Int[Tensor, "B S"]
    lengths: Int[Tensor, " B"]
    target: Int[Tensor, "B T"]


class Walk(NamedTuple):
    """What comes of steps: logits, where each looked, and the state behind the last."""

    logits: Float[Tensor, "B T V"]
    weights: list[Tensor | None]
    state: Any


@dataclass(frozen=True)
class Seq2SeqSubject:
    """A model under test: every check has a copy in double precision at eval, and one batch."""

    model: "Seq2Seq"
    batch: Batch
    tolerance: float

    def same(self, found: Tensor, expected: Tensor) -> bool:
        """Equal but for rounding; NaN equals nothing."""
        equal = found.shape == expected.shape
        return equal and torch.allclose(found, expected, self.tolerance, self.tolerance)

    def require(self, what: str, found: Tensor, expected: Tensor) -> None:
        """Fail unless they are the same."""
        if not self.same(found, expected):
            fail(f"{what} differ {gap(found.detach(), expected.detach())}")

    def copied(self) -> "Seq2Seq":
        """A copy of the model."""
        return copy.deepcopy(self.model).eval().to("cpu", EXACT)


@torch.no_grad()
def walk(model: "Seq2Seq", state: Any, target: Int[Tensor, "B T"]) -> Walk:
    """Token by token from a state."""
    logits, weights = [], []
    for tokens in target.unbind(1):
        step, state = model.step(tokens, state)
        logits.append(step.clone())
        weights.append(model.last_weights(state))
    return Walk(torch.stack(logits, dim=1), weights, state)  # (B, T, V)


def determinism(subject: Seq2SeqSubject) -> None:
    """Two calls at eval are equal."""
    model = subject.copied()
    subject.require("two calls with the same inputs", model(*subject.batch), model(*subject.batch))


def steps(subject: Seq2SeqSubject) -> None:
    """Step by step is the parallel pass, in logits and weights, with gradients or without."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    read = model.decode_parallel(source, lengths, target, aligned=True)
    expected = model.output(read.features)
    with torch.no_grad():
        starts = [model.start(source, lengths)]
    starts.append(model.start(source, lengths))
    for start in starts:
        if model.last_weights(start) is not None:
            fail("before the first step, last_weights needs to be None")
        logits, weights, _ = walk(model, start, target)
        subject.require("logits of steps and of the parallel pass", logits, expected)
        looked = [each for each in weights if each is not None]
        if (read.weights is None) != (not looked):
            fail("decode_parallel(aligned=True) and last_weights need to look both, or neither")
        if read.weights is not None:
            found = torch.stack(looked, dim=1)  # (B, T, S)
            subject.require("weights of steps and of the parallel pass", found, read.weights)


def batch(subject: Seq2SeqSubject) -> None:
    """A sentence alone has the logits that it has in the batch."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    together = model(source, lengths, target)
    for row, length in enumerate(lengths.tolist()):
        one = slice(row, row + 1)
        alone = model(source[one, :length], lengths[one], target[one])
        subject.require(f"logits of source {row} alone and in the batch", alone, together[one])


def padding(subject: Seq2SeqSubject) -> None:
    """Neither content nor amount of padding matters."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    config = model.config
    expected = model(source, lengths, target)
    wide = pad(source, (0, 2), value=config.pad)  # (B, S + 2)
    beyond = torch.arange(wide.shape[1]) >= lengths.unsqueeze(-1)
    junk = wide.masked_fill(beyond, (config.pad + 1) % config.source_vocab)
    found = model(wide, lengths, target)
    subject.require("logits with and without more padding", found, expected)
    found = model(junk, lengths, target)
    subject.require("logits with other tokens in the padding", found, expected)
    said = pad(target, (0, 2), value=config.pad)
    found = model(source, lengths, said)[:, : target.shape[1]]
    subject.require("logits with and without padding behind the target", found, expected)


def causality(subject: Seq2SeqSubject) -> None:
    """A later token never changes earlier logits, and changes its own."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    before = model(source, lengths, target)
    for place in (1, STEPS - 2):
        other = target.clone()
        other[:, place:] = _others(target[:, place:], model)
        after = model(source, lengths, other)
        subject.require("logits before changed tokens", after[:, :place], before[:, :place])
        if subject.same(after[:, place], before[:, place]):
            fail(f"the logits at target position {place} do not depend on its token")


def weights(subject: Seq2SeqSubject) -> None:
    """Weights are no less than 0, lie on the source, and asking for them changes nothing."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    plain = model.decode_parallel(source, lengths, target)
    if plain.weights is not None:
        fail("decode_parallel shows weights only with aligned=True")
    read = model.decode_parallel(source, lengths, target, aligned=True)
    subject.require("features with and without aligned=True", read.features, plain.features)
    if read.weights is None:
        skip("it does not look")
    if read.weights.shape != (*target.shape, source.shape[1]):
        fail(f"weights need the shape (B, T, S), got {tuple(read.weights.shape)}")
    if not (read.weights >= 0).all():
        fail("a weight is less than 0, or no number")
    beyond = torch.arange(source.shape[1]) >= lengths[:, None, None]
    if read.weights.masked_select(beyond.expand_as(read.weights)).any():
        fail("padding has a weight")


def reorder(subject: Seq2SeqSubject) -> None:
    """A reordered state goes on as the rows it was taken from."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    rows = torch.tensor([2, 0, 0, 1])
    with torch.no_grad():
        begun = model.start(source, lengths)
    for state, done in ((begun, 0), (walk(model, begun, target[:, :2]).state, 2)):
        moved = walk(model, state.reorder(rows), target[rows, done:])
        straight = walk(model, state, target[:, done:])
        subject.require("logits behind a reordered state", moved.logits, straight.logits[rows])
        for found, expected in zip(moved.weights, straight.weights, strict=True):
            if expected is not None and found is not None:
                subject.require("weights behind a reordered state", found, expected[rows])


def going_back(subject: Seq2SeqSubject) -> None:
    """A step changes no state: an earlier one can be gone back to."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    with torch.no_grad():
        state = walk(model, model.start(source, lengths), target[:, :2]).state
    once = walk(model, state, target[:, 2:]).logits
    walk(model, state, _others(target, model))
    again = walk(model, state, target[:, 2:]).logits
    subject.require("logits behind a state that others went on from", again, once)


def joined(subject: Seq2SeqSubject) -> None:
    """Two states as one go on as each of them, however far they have come."""
    model, (source, lengths, target) = subject.copied(), subject.batch
    with torch.no_grad():
        ours, theirs = model.start(source, lengths), model.start(source[1:, :4], lengths[1:])
    if not hasattr(ours, "joined"):
        skip("its states cannot be joined")
    ours = walk(model, ours, target[:, :2]).state
    both = ours.joined(theirs)
    if both is None:
        skip("its states go together only where they have come equally far")
    rows = torch.cat([torch.arange(3), torch.arange(1, 3)])
    found = walk(model, both, target[rows, 2:]).logits
    first = walk(model, ours, target[:, 2:]).logits
    second = walk(model, theirs, target[1:, 2:]).logits
    subject.require("logits behind a joined state", found, torch.cat([first, second]))


def gradient(subject: Seq2SeqSubject) -> None:
    """In training every parameter gets a gradient that is a number."""
    model = subject.copied().train()
    read = model.decode_parallel(*subject.batch, aligned=True)
    loss = model.output(read.features).square().sum()
    if read.drawn is not None:
        loss = loss + read.drawn.log_prob.sum()
    loss.backward()
    for name, parameter in model.named_parameters():
        found = parameter.grad
        if found is None or not found.any():
            fail(f"{name} gets no gradient")
        if not found.isfinite().all():
            fail(f"the gradient of {name} is no number")


Check = Callable[[Seq2SeqSubject], None]
_ALL: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        *(determinism, steps, batch, padding, causality),
        *(weights, reorder, going_back, joined, gradient),
    )
}

SEQ2SEQ_CHECKS: tuple[str, ...] = tuple(_ALL)
"""The names of all checks, in the order in which they run."""


def check_seq2seq(
    model: "Seq2Seq", *, only: Iterable[str] | None = None, tolerance: float = 1e-5
) -> Report:
    """Put a sequence-to-sequence model to the test, whoever wrote it.

    ============  ==============================================================================
    check         what is promised
    ============  ==============================================================================
    determinism   two calls at eval are equal
    steps         step by step is the parallel pass, in logits and weights
    batch         a sentence alone has the logits that it has in the batch
    padding       neither content nor amount of padding matters
    causality     a later token never changes earlier logits, and changes its own
    weights       they are ≥ 0, lie on the source, and asking for them changes nothing
    reorder       a reordered state goes on as the rows it was taken from
    going_back    a step changes no state
    joined        two states as one go on as each of them
    gradient      in training every parameter gets a gradient
    ============  ==============================================================================

    >>> check_seq2seq(build("bahdanau-small", source_vocab=11, target_vocab=13))

    Everything runs on copies in double precision, on the CPU; vocabularies need three tokens
    beside ``pad``.

    Args:
        model: a :class:`regard.models.Seq2Seq`.
        only: names of the checks to run; all of :data:`SEQ2SEQ_CHECKS` if not given.
        tolerance: what rounding may change, relative and absolute.

    Returns:
        What came of every check; prints as a table.

    Raises:
        CheckError: a check failed; names it and says what is wrong.
        ChoiceError: an unknown name.
    """
    names = check_names(SEQ2SEQ_CHECKS, only)
    with isolated():
        subject = Seq2SeqSubject(model, _drawn(model), tolerance)
        results = run_checks(_ALL, names, subject)
    return Report(type(model).__name__, results).require()


def _drawn(model: "Seq2Seq") -> Batch:
    config, lengths = model.config, torch.tensor(LENGTHS)
    source = _tokens(len(LENGTHS), max(LENGTHS), config.source_vocab, config.pad)
    beyond = torch.arange(max(LENGTHS)) >= lengths.unsqueeze(-1)
    target = _tokens(len(LENGTHS), STEPS, config.target_vocab, config.pad)
    return Batch(source.masked_fill(beyond, config.pad), lengths, target)


def _tokens(rows: int, columns: int, vocab: int, pad: int) -> Int[Tensor, "B N"]:
    """Any tokens but padding."""
    return (pad + torch.randint(1, vocab, (rows, columns))) % vocab


def _others(tokens: Int[Tensor, "B N"], model: "Seq2Seq") -> Int[Tensor, "B N"]:
    """For each token another one, which is not padding either."""
    vocab, pad = model.config.target_vocab, model.config.pad
    return (pad + 1 + ((tokens - pad - 1) % vocab + 1) % (vocab - 1)) % vocab
