"""What every head of a model does, over a corpus."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn

from regard.errors import InputError

from ..capture import capture
from ..maps import Maps
from ..reading import maps_of
from ..scene import Scene, scene_of
from . import roles as roles
from .examples import Examples
from .facts import Facts
from .importance import importance
from .likeness import Likeness
from .result import Census, HeadFacts, Row
from .role import ROLES, Role
from .roles.linguistic import Relation
from .tally import Tally


def census(
    model: nn.Module,
    data: Iterable[Any],
    *,
    roles: Sequence[str | Role] | None = None,
    important: bool = True,
    examples: bool = True,
    force: bool = False,
) -> Census:
    """What every head of a model does: roles with chance level and interval, and examples.

    The model runs as it always does, fused where it is fused; one pass over the data, a batch in
    memory at a time. What a head does on one sentence is not what it does on a corpus: give 64
    sentences or 4,096 tokens at least, and compare with :meth:`Census.stability` what another
    corpus says.

    >>> found = census(model, scenes)
    >>> print(found)

    Args:
        model: anything that :func:`regard.lens.capture` can watch; it is left as it was.
        data: batches: a :class:`regard.lens.Scene` each, or what the model is called with.
        roles: names, or values of your own; all roles if not given.
        important: whether to find out what the loss loses with each head, where a batch says what
            is to be predicted: a pass of the model for each head.
        examples: whether to keep rows to look at.
        force: whether to read weights that are not verified, too.

    Raises:
        InputError: no data.
        ChoiceError: no such role, or a model in which nothing attends.
    """
    scenes = _with_rarity([scene_of(model, batch) for batch in data])
    if not scenes:
        raise InputError("a census needs at least one batch, got none")
    wanted = chosen(roles, scenes)
    counting = _Counting(wanted, examples)
    training = model.training
    model.eval()
    try:
        for scene in scenes:
            with torch.no_grad(), capture(model) as record:
                scene.run()
            counting.batch(maps_of(record, scene, force=force))
            del record
        losses = importance(model, scenes) if important else {}
    finally:
        model.train(training)
    return counting.result(losses)


def census_of(maps: Iterable[Maps], *, roles: Sequence[str | Role] | None = None) -> Census:
    """The same for maps that are there already, of one or more modules and batches.

    Args:
        maps: told apart by name.
        roles: as in :func:`census`.
    """
    some = list(maps)
    counting = _Counting(chosen(roles, some), examples=True)
    counting.batch(some)
    return counting.result({})


def chosen(roles: Sequence[str | Role] | None, data: Sequence[Scene | Maps]) -> list[Role]:
    """The roles that are asked for: all of them, and the relations that the data has gold for."""
    if roles is not None:
        return [ROLES[one] if isinstance(one, str) else one for one in roles]
    bound: dict[str, Role] = {}
    for one in data:
        sides = one.sides.values() if isinstance(one, Scene) else (one.query,)
        bound |= {name: Relation(name) for side in sides for name in side.relations}
    return [*(ROLES[name] for name in ROLES), *bound.values()]


class _Counting:
    """What is counted of every module."""

    def __init__(self, wanted: Sequence[Role], examples: bool) -> None:
        self.roles = wanted
        self.tallies: dict[str, list[Tally]] = {}
        self.facts: dict[str, Facts] = {}
        self.examples: dict[str, Examples] = {}
        self.likeness = Likeness()
        self.keeps_examples = examples

    def batch(self, maps: Iterable[Maps]) -> None:
        """Take a batch in."""
        seen = []
        for one in maps:
            self._module(one)
            if one.kind != "gate":
                seen.append(one)
        self.likeness.add(seen)

    def _module(self, maps: Maps) -> None:
        if maps.name not in self.tallies:
            self.tallies[maps.name] = [Tally(role) for role in self.roles]
            self.facts[maps.name], self.examples[maps.name] = Facts(), Examples()
        for tally in self.tallies[maps.name]:
            tally.add(maps)
        self.facts[maps.name].add(maps)
        if self.keeps_examples and maps.kind != "gate":
            self.examples[maps.name].add(maps)

    def result(self, losses: dict[str, Any]) -> Census:
        """All that was found."""
        rows, heads = [], []
        for module, tallies in self.tallies.items():
            facts = self.facts[module]
            for head in range(facts.heads):
                rows += [_row(module, head, tally) for tally in tallies if tally]
                known = self.examples[module].of(head) if self.keeps_examples else ()
                exact, slope = losses.get(module, {}).get(head, (None, None))
                heads.append(HeadFacts(module, head, *facts.of(head), exact, slope, known))
        return Census(tuple(rows), tuple(heads), self.likeness.result())


def _row(module: str, head: int, tally: Tally) -> Row:
    role, sums = tally.role, tally.sums
    score, chance = role.score(sums), tally.chance
    low, high = tally.interval()
    named = bool(role.named(sums, chance)[head])
    return Row(
        module=module,
        head=head,
        role=role.name,
        score=float(score[head]),
        chance=float(chance[head]),
        interval=(float(low[head]), float(high[head])),
        named=named,
        cases=int(sums[head, -1]),
        note=role.note(sums[head]) if named else "",
    )


def _with_rarity(scenes: list[Scene]) -> list[Scene]:
    """Scenes that know how rare each token is among all of them."""
    counts: dict[str, torch.Tensor] = {}
    for scene in scenes:
        for role, side in scene.sides.items():
            found = torch.bincount(side.ids[side.real].flatten().clamp(min=0))
            known = counts.get(role, found.new_zeros(0))
            size = max(len(known), len(found), int(side.ids.max()) + 1)
            counts[role] = _wide(known, size) + _wide(found, size)
    return [scene.with_rarity(counts) for scene in scenes]


def _wide(x: torch.Tensor, size: int) -> torch.Tensor:
    return torch.nn.functional.pad(x, (0, size - len(x)))
