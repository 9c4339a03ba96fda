"""Checks of a task before it is trained: settings, codec, batches, loss, validation, bad data."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from regard.data.batches import Batches
from regard.errors import RegardError
from regard.task_registry import predictor_class
from regard.types import Tensor

from ..task_subject import TaskSubject
from .verdict import fail, number, skip

FEW = 4
"""Batches that are compared."""


def settings(subject: TaskSubject) -> None:
    """They come back from JSON; published, they name no folder."""
    task = subject.task
    if type(task).model_validate_json(task.model_dump_json()) != task:
        fail("the task is another one when it comes back from JSON")
    located = task.located()
    if located.located() != located:
        fail("located() changes what is located already")
    for text in _texts(located.published().model_dump(mode="json")):
        if Path(text).is_absolute():
            fail(f"published() leaves the path {text!r}: give no more than the name of the file")
    names = [measure.name for measure in task.measures]
    if len({*names}) < len(names):
        fail(f"two measures have one name: {', '.join(names)}")


def codec(subject: TaskSubject) -> None:
    """Learned again it is the same, and so it is from its files."""
    files, sizes = subject.codec.files(), subject.codec.sizes()
    if subject.task.learn().files() != files:
        fail("learned again from the same data, the codec has other files")
    again = predictor_class(subject.task.kind).codec_from(files, Path("codec"))
    if again.files() != files or again.sizes() != sizes:
        fail("codec_from(codec.files()) is another codec")


def batches(subject: TaskSubject) -> None:
    """Two processes have the examples of one; a stream goes on where it was left."""
    together = [set(batch.indices.tolist()) for batch in islice(_stream(subject), FEW)]
    shares = [list(islice(_stream(subject, rank), FEW)) for rank in range(2)]
    for whole, one, other in zip(together, *shares, strict=True):
        if whole != {*one.indices.tolist(), *other.indices.tolist()} - {-1}:
            fail("the batches of two processes do not hold the examples of one with their budget")
        if one.num_targets != other.num_targets:
            fail("num_targets needs to count the targets of all processes, and differs among them")
    begun = _stream(subject)
    list(islice(begun, 1))
    left = _stream(subject)
    left.load_state_dict(json.loads(json.dumps(begun.state_dict())))
    for one, other in zip(islice(begun, 2), islice(left, 2), strict=False):
        if not same(one, other):
            fail("a stream that goes on where another was left gives other batches")


def loss(subject: TaskSubject) -> None:
    """Parts of a batch add up to the whole, in loss and gradient; nothing adds nothing."""
    streams = [_stream(subject), _stream(subject, 0), _stream(subject, 1)]
    whole, *shares = (next(iter(stream)) for stream in streams)
    model = subject.new_model()
    objective = subject.task.objective(model).eval()
    expected, gradient = _learned(objective, whole)
    found = [_learned(objective, share) for share in shares]
    _require_near("the loss", sum(total for total, _ in found), expected, subject.tolerance)
    for name, total in gradient.items():
        parts = sum(part[name] for _, part in found)
        _require_near(f"the gradient of {name}", parts, total, subject.tolerance)
    nothing, zeros = _learned(objective, objective.empty_batch())
    if nothing != 0 or any(zero.any() for zero in zeros.values()):
        fail("an empty batch needs a loss of 0 and no gradient")


def validation(subject: TaskSubject) -> None:
    """Known measures, the same every time, and the model is left as it was."""
    task, model = subject.task, subject.new_model().train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    one, other = (task.validator(subject.codec, **subject.most) for _ in range(2))
    if (one.identity, one.size) != (other.identity, other.size):
        fail("two validators of the same data have another identity, or another size")
    found = one.validate(model)
    if not model.training or not same(before, model.state_dict()):
        fail("validate() needs to leave the model as it was, in training, with its weights")
    if found.scores != other.validate(model).scores:
        fail("the same model has other scores when it is validated again")
    unknown = found.scores.keys() - {measure.name for measure in task.measures}
    if unknown or found.scores.get(subject.settings.measure) is None:
        fail(
            f"validate() scores {', '.join(found.scores)}, and needs {subject.settings.measure!r} "
            "and else nothing but what is in measures"
        )
    for sample in found.samples:
        shown(sample)
    if subject.other is not None:
        elsewhere = subject.other.validator(subject.codec, **subject.most)
        if elsewhere.identity == one.identity:
            fail("another set of examples held out needs another identity")


def bad_data(subject: TaskSubject) -> None:
    """Flawed data is one sentence."""
    from regard.training.launch import plan

    if not subject.flawed:
        skip("no flawed= data was given")
    for task in subject.flawed:
        flawed = subject.short().model_copy(update={"task": task})
        try:
            plan(flawed, subject.model, changes=subject.changes, device="cpu")
        except RegardError as error:
            if "\n" in f"{error}" or len(f"{error}".split()) < 3:
                fail(f"what is wrong with data needs to be one sentence, got {f'{error}'!r}")
        except Exception as error:
            fail(f"flawed data raised {type(error).__name__} instead of an error of ours: {error}")
        else:
            fail(f"flawed data was taken without a word: {task!r}")


def shown(sample: Any) -> str:
    """What a sample is in JSON, as text; it can be shown in a terminal too."""
    import io

    from rich.console import Console

    Console(file=io.StringIO(), width=80).print(sample.__rich__())
    try:
        return json.dumps(sample.to_json(), allow_nan=False)
    except (TypeError, ValueError) as error:
        fail(f"to_json() of a sample is no JSON: {error}")


def same(left: Any, right: Any) -> bool:
    """Equal, bit for bit, whatever is inside."""
    if isinstance(left, Tensor):
        return isinstance(right, Tensor) and left.dtype == right.dtype and torch.equal(left, right)
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _stream(subject: TaskSubject, rank: int | None = None) -> Batches[Any]:
    """Batches of one process with the budget of two, or those of one of these."""
    alone = rank is None
    config = subject.short(times=2 if alone else 1).batch
    pools = subject.task.pools(subject.codec, longest=subject.config.longest)
    return Batches(pools, config, rank=rank or 0, world_size=1 if alone else 2)


def _learned(objective: Any, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
    objective.zero_grad()
    total = objective(batch).total
    if total.requires_grad:
        total.backward()
    gradient = {
        name: torch.zeros_like(one) if one.grad is None else one.grad.clone()
        for name, one in objective.named_parameters()
    }
    return total.detach(), gradient


def _require_near(what: str, found: Any, expected: Tensor, tolerance: float) -> None:
    largest = float(expected.abs().max()) if expected.numel() else 0.0
    if not torch.allclose(found, expected, rtol=tolerance, atol=tolerance * (largest + 1e-3)):
        off = number((found - expected).abs().max())
        fail(f"{what} of a batch in two parts adds up to {off} more or less than of the whole")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
