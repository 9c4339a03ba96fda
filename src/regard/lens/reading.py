"""From a record to the maps of its modules, with what stands at each position."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from regard.functional.tensors import spread_over
from regard.types import Bool, Float, Tensor

from .look import Look
from .maps import Maps, Tokens, plain_tokens
from .record import Entry, Record
from .scene import Scene

BEFORE = 8
"""Tokens before the patches of a picture at most: a class token, registers."""


def maps_of(record: Record, scene: Scene, *, force: bool = False) -> Iterator[Maps]:
    """The maps of all modules that looked, one at a time.

    The steps of a decoder are the rows of one map; a module that is shared by several layers has a
    map for each of its calls.

    Args:
        record: of one pass over the scene.
        scene: what was read.
        force: whether to read what is not verified, too.
    """
    for name in record:
        entry = record[name]
        if steps(entry):
            yield _joined(entry, scene, force)
        else:
            for look in entry.looks:
                several = len(entry.looks) > 1
                yield map_of(look, scene, f"{name}, call {look.call}" if several else name, force)


def steps(entry: Entry) -> bool:
    """Whether its looks are steps, one query each."""
    shapes = [look.shape for look in entry.looks]
    return len(shapes) > 1 and len({*shapes}) == 1 and shapes[0][-2] == 1


def map_of(look: Look, scene: Scene, name: str, force: bool = False) -> Maps:
    """One look as maps."""
    if look.kind == "gate":
        return gate_of(look, name)
    weights = heads_first(look.weigh(force=force))
    allowed = heads_first(look.allowed().expand(look.shape))
    scores = heads_first(look.scores()) if look.scored else None
    return _told(weights, allowed, scores, look, scene, name)


def gate_of(look: Look, name: str) -> Maps:
    """Gates of any shape as one row for every input."""
    gates = look.weigh(force=True)
    flat = gates.reshape(len(gates), 1, 1, -1)
    batch, count = len(flat), flat.shape[-1]
    return Maps(flat, plain_tokens(batch, 1), plain_tokens(batch, count), name=name, kind="gate")


def heads_first(x: Tensor) -> Tensor:
    """(B, H, Q, K), whether there are heads or not."""
    if x.dim() == 2:
        return x[None, None]
    return x.unsqueeze(1) if x.dim() == 3 else x.flatten(1, -3) if x.dim() > 4 else x


def vectors_of(look: Look) -> dict[str, Tensor]:
    """Queries, keys and values with a head for every query's."""
    if not look.scored:
        return {}
    like = torch.empty(*look.shape[:-1], 0, device=look.query.device)
    given = {"query": look.query, "key": spread_over(like, look.key)}
    if look.value is not None:
        given["value"] = spread_over(like, look.value)
    batch, heads = heads_first(torch.empty(*look.shape, device="meta")).shape[:2]
    return {
        name: heads_first(x.expand(*look.shape[:-2], *x.shape[-2:])).expand(batch, heads, -1, -1)
        for name, x in given.items()
    }


def value_sizes(look: Look) -> Float[Tensor, "B H K"] | None:
    """How long each value is."""
    value = look.value
    if value is None or look.kind == "gate":
        return None
    return _sizes(value, look)


def _sizes(vectors: Tensor, look: Look) -> Float[Tensor, "B H K"]:
    """How long vectors of the keys are, in every head."""
    like = torch.empty(*look.shape[:-1], 0)
    spread = spread_over(like, vectors)
    sizes = heads_first(spread.norm(dim=-1).unsqueeze(-2)).squeeze(-2)  # (B, h, K)
    batch, heads = heads_first(torch.empty(*look.shape, device="meta")).shape[:2]
    return sizes.expand(batch, heads, -1)


def _joined(entry: Entry, scene: Scene, force: bool) -> Maps:
    first = entry.looks[0]
    weights = heads_first(torch.cat([look.weigh(force=force) for look in entry.looks], dim=-2))
    allowed = torch.cat([look.allowed().expand(look.shape) for look in entry.looks], dim=-2)
    scores = None
    if first.scored:
        scores = heads_first(torch.cat([look.scores() for look in entry.looks], dim=-2))
    return _told(weights, heads_first(allowed), scores, first, scene, entry.name)


def _told(
    weights: Tensor,
    allowed: Bool[Tensor, "B H Q K"],
    scores: Tensor | None,
    look: Look,
    scene: Scene,
    name: str,
) -> Maps:
    batch, _, queries, keys = weights.shape
    kind = look.kind
    if kind == "self" and queries != keys:
        kind = "cross" if queries > 1 else "pool"
    query, key = sides_of(scene, name, kind, (batch, queries, keys))
    gold = scene.gold if kind == "cross" and scene.gold is not None else None
    if gold is not None:
        gold = gold[:, :queries, :keys] if gold.shape[1:] >= (queries, keys) else None
    return Maps(
        weights,
        query,
        key,
        allowed.expand(weights.shape),
        name,
        kind,
        scores,
        value_sizes=value_sizes(look),
        key_sizes=_sizes(look.key, look) if look.scored else None,
        gold=gold,
    )


def sides_of(
    scene: Scene, name: str, kind: str, shape: tuple[int, int, int]
) -> tuple[Tokens, Tokens]:
    """What looks and what is looked at, by kind and name of the module and by the sizes."""
    batch, queries, keys = shape
    ours, theirs = scene.sides.get("target"), scene.sides.get("input")
    wanted: tuple[Tokens | None, Tokens | None]
    if kind == "cross" and ours is not None:
        wanted = (ours, theirs)
    elif ours is not None and any(part in name for part in ("decoder", "target")):
        wanted = (ours, ours)
    else:
        wanted = (theirs, theirs)
    query, key = (
        _fitting(side, batch, count) for side, count in zip(wanted, (queries, keys), strict=True)
    )
    return query, key


def _fitting(side: Tokens | None, batch: int, count: int) -> Tokens:
    """The side as far as it was read; nothing is known of another one.

    Of a picture its grid is, where some tokens stand before the patches.
    """
    if side is None or len(side.ids) != batch or side.ids.shape[1] < count:
        plain = plain_tokens(batch, count)
        grid = None if side is None else side.grid
        beyond = count if grid is None else count - grid[0] * grid[1]
        return replace(plain, grid=grid) if grid and 0 < beyond <= BEFORE else plain
    return side if side.ids.shape[1] == count else side.first(count)
