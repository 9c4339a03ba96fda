"""Check: no state between calls, and a complete state dict."""

import copy

import torch
from torch import nn

from regard.types import Tensor

from ..subject import Subject
from .verdict import fail, gap, same


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
    if not same(again, first):
        fail(
            f"a call gives another context after a call with other inputs, {gap(again, first)}: it "
            "keeps something between calls; return that and take it back as an argument"
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
    if not same(found, expected):
        fail(
            f"after load_state_dict the context differs {gap(found, expected)}: something it "
            "computes with is not in the state dict"
        )


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
    if not same(found, expected):
        fail(f"a deepcopy gives another context, {gap(found, expected)}")
    mine = {p.data_ptr() for p in module.parameters() if p.numel()}
    for name, p in twin.named_parameters():
        if p.data_ptr() in mine:
            fail(f"a deepcopy shares the parameter {name!r} with the original")
