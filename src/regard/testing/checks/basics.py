"""Checks of a module as such: determinism, dtype, state, batch."""

import copy
from operator import methodcaller

import torch
from torch import nn

from regard.types import Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, require_finite, require_same


def determinism(subject: Subject) -> None:
    """At eval, two fresh copies give one answer, to the bit."""
    inputs = subject.draw()
    one, two = subject.run(inputs).context, subject.run(inputs).context
    if one.shape != two.shape or not one.equal(two):
        both_nan = one.shape == two.shape and one.nan_to_num().equal(two.nan_to_num())
        if both_nan:
            fail("the context of ordinary inputs has NaN")
        fail(
            f"two calls with the same inputs differ {gap(one, two)} at eval: drop weights and draw "
            "samples only where self.training"
        )


DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def dtype(subject: Subject) -> None:
    """In four dtypes: the same dtype comes out, and finite numbers."""
    drawn = subject.draw()
    for kind in DTYPES:
        inputs = drawn.map(methodcaller("to", kind))
        try:
            with torch.no_grad():
                context, weights = subject.call(subject.copy(kind), inputs)
        except Exception as error:
            fail(f"in {_name(kind)} it raised {type(error).__name__}: {error}")
        for what, found in (("context", context), ("weights", weights)):
            if found is None:
                continue
            if found.dtype != kind:
                fail(
                    f"inputs in {_name(kind)} give {what} in {_name(found.dtype)}: normalise in "
                    "float32 if you like, then go back with .to(query.dtype)"
                )
            require_finite(f"the {what}", found, f" in {_name(kind)}")


def _name(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")


def state(subject: Subject) -> None:
    """A call leaves no trace; state dict and copy carry all there is."""
    _leaves_no_trace(subject)
    _owns_its_tensors(subject)
    _comes_back_from_its_state_dict(subject)
    _copies_whole(subject)


def _leaves_no_trace(subject: Subject) -> None:
    module = subject.copy()
    before = {name: x.clone() for name, x in module.state_dict().items()}
    first = subject.run(subject.draw(), module).context
    subject.run(subject.draw(seed=1), module)
    again = subject.run(subject.draw(), module).context
    require_same(
        "a call gives another context after a call with other inputs,",
        again,
        first,
        "it keeps something between calls; return that and take it back as an argument",
    )
    for name, x in module.state_dict().items():
        if not x.equal(before[name]):
            fail(f"a call at eval changes {name!r} in the state dict")


def _owns_its_tensors(subject: Subject) -> None:
    for path, part in subject.module.named_modules():
        for name, x in vars(part).items():
            if isinstance(x, Tensor):
                where = f"{path}.{name}".lstrip(".")
                fail(
                    f"the tensor {where!r} is neither parameter nor buffer, so it is not saved and "
                    f"stays behind in .to(): use register_buffer({name!r}, …)"
                )


def _comes_back_from_its_state_dict(subject: Subject) -> None:
    module = subject.copy()
    saved = {name: x.clone() for name, x in module.state_dict().items()}
    expected = subject.run(subject.draw(), module).context
    other = subject.copy()
    _disturb(other)
    other.load_state_dict(saved)
    found = subject.run(subject.draw(), other).context
    cure = "something it computes with is not in the state dict"
    require_same("after load_state_dict the context differs", found, expected, cure)


@torch.no_grad()
def _disturb(module: nn.Module) -> None:
    """Other numbers in all that a state dict can hold."""
    for x in module.state_dict().values():
        if x.is_floating_point():
            x.add_(1.0)


def _copies_whole(subject: Subject) -> None:
    module = subject.copy()
    twin = copy.deepcopy(module)
    found, expected = (subject.run(subject.draw(), m).context for m in (twin, module))
    require_same("a deepcopy gives another context,", found, expected)
    mine = {p.data_ptr() for p in module.parameters() if p.numel()}
    for name, p in twin.named_parameters():
        if p.data_ptr() in mine:
            fail(f"a deepcopy shares the parameter {name!r} with the original")


def batch(subject: Subject) -> None:
    """Each sequence alone gives what it gives in the batch."""
    allowed = None if subject.call.masks == "none" else subject.padding()
    inputs = subject.draw(allowed)
    together = subject.run(inputs).context
    if together.shape[0] != subject.sizes.batch:
        fail(
            f"the context needs the batch as its first axis, {subject.sizes.batch}, got "
            f"{tuple(together.shape)}"
        )
    for i in range(subject.sizes.batch):
        alone = subject.run(one_sequence(inputs, i)).context[0]
        what = f"sequence {i} alone and in a batch of {subject.sizes.batch} differ"
        require_same(what, alone, together[i], "no mean or norm may go over the batch")


def one_sequence(inputs: Inputs, i: int) -> Inputs:
    """A batch of the one sequence ``i``."""
    allowed = None if inputs.allowed is None else inputs.allowed[i : i + 1]
    return inputs.map(lambda x: x[i : i + 1])._replace(allowed=allowed)
