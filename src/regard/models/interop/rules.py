"""Which of our tensors is which of theirs: a table that is read in both directions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch

from regard.errors import ChoiceError, ShapeError
from regard.types import Tensor

Weights = dict[str, Tensor]
SHOWN = 6
"""Names that a message lists."""


class Rule(NamedTuple):
    """One tensor of ours, of one of theirs or of several, one above the other."""

    ours: str
    theirs: tuple[str, ...]
    rows: tuple[int, ...] = ()
    """How many rows each of several has."""
    turned: bool = False
    """Whether theirs stands on its side, (inputs, outputs)."""

    def read(self, theirs: Mapping[str, Tensor]) -> Tensor:
        """Ours."""
        parts = [theirs[name].t() if self.turned else theirs[name] for name in self.theirs]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def write(self, ours: Tensor) -> Weights:
        """Theirs."""
        parts = ours.split(self.rows) if self.rows else (ours,)
        turned = (part.t() if self.turned else part for part in parts)
        return {
            name: part.clone(memory_format=torch.contiguous_format)
            for name, part in zip(self.theirs, turned, strict=True)
        }


class Rules(NamedTuple):
    """All tensors of a model."""

    rules: tuple[Rule, ...]
    ours_again: Mapping[str, str] = {}
    """Names of ours that are another one's tensor, as a tied output layer is the embedding's."""
    theirs_again: Mapping[str, str] = {}
    """Names of theirs that may be there too, and then need to be equal to another."""


def same(ours: str, theirs: str, parts: Sequence[str] = ("weight", "bias")) -> Iterator[Rule]:
    """The parts of a module that has the same ones there."""
    for part in parts:
        yield Rule(f"{ours}.{part}", (f"{theirs}.{part}",))


def turned(ours: str, theirs: str) -> Iterator[Rule]:
    """A linear map whose matrix stands on its side there."""
    yield Rule(f"{ours}.weight", (f"{theirs}.weight",), turned=True)
    yield Rule(f"{ours}.bias", (f"{theirs}.bias",))


def stacked(
    ours: str, theirs: Sequence[str], rows: Sequence[int], parts: Sequence[str] = ("weight", "bias")
) -> Iterator[Rule]:
    """One map that is several there."""
    for part in parts:
        yield Rule(f"{ours}.{part}", tuple(f"{name}.{part}" for name in theirs), tuple(rows))


def read(
    rules: Rules, theirs: Mapping[str, Tensor], shapes: Mapping[str, Sequence[int]]
) -> Weights:
    """Our tensors.

    Args:
        rules: which is which.
        theirs: a state dict of theirs.
        shapes: of ours, by name.

    Raises:
        ChoiceError: names that are missing, or that nothing here takes.
        ShapeError: tensors of another shape than the config says.
    """
    wanted = [name for rule in rules.rules for name in rule.theirs]
    _require_all(wanted, theirs)
    left = sorted(set(theirs) - set(wanted) - set(rules.theirs_again))
    if left:
        raise ChoiceError(
            f"the weights hold what this model has no place for, {_listed(left)}; convert the "
            "model without it, or say that it may be left out"
        )
    for name, of in rules.theirs_again.items():
        if name in theirs and not torch.equal(theirs[name], theirs[of]):
            raise ChoiceError(
                f"the weights {name} and {of} need to be one tensor, as the config says, and differ"
            )
    ours = {rule.ours: _shaped(rule, theirs, shapes[rule.ours]) for rule in rules.rules}
    return ours | {name: ours[of] for name, of in rules.ours_again.items()}


def write(rules: Rules, ours: Mapping[str, Tensor]) -> Weights:
    """Their tensors, of ours.

    Raises:
        ChoiceError: tensors of ours that they have no name for.
    """
    named = {rule.ours for rule in rules.rules}
    left = sorted(set(ours) - named - set(rules.ours_again))
    if left:
        raise ChoiceError(f"this model has what the family has no name for, {_listed(left)}")
    theirs: Weights = {}
    for rule in rules.rules:
        theirs |= rule.write(ours[rule.ours].detach())
    return theirs


def _shaped(rule: Rule, theirs: Mapping[str, Tensor], shape: Sequence[int]) -> Tensor:
    made = rule.read(theirs)
    if tuple(made.shape) != tuple(shape):
        came = ", ".join(f"{name} {tuple(theirs[name].shape)}" for name in rule.theirs)
        raise ShapeError(
            f"the config asks for {rule.ours} of shape {tuple(shape)}, and the weights give "
            f"{tuple(made.shape)} by {came}; use the config.json that belongs to them"
        )
    return made.detach().clone(memory_format=torch.contiguous_format)


def _require_all(wanted: Iterable[str], theirs: Mapping[str, Tensor]) -> None:
    missing = sorted(set(wanted) - set(theirs))
    if missing:
        raise ChoiceError(
            f"the weights lack {_listed(missing)}; use the config.json that belongs to them"
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
