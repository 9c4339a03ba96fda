"""From a record to charts: the modules of a model with their projections and gradients."""

from collections.abc import Iterator, Mapping

from torch import nn

from regard.types import Tensor

from ..look import Look
from ..maps import Maps
from ..reading import maps_of, steps, vectors_of
from ..record import Record
from ..scene import Scene
from .chart import Chart, Projection

NAMES = {
    "query": ("query_proj", "q_proj", "query", "q_lin", "q", "query_weight", "wq"),
    "key": ("key_proj", "k_proj", "key", "k_lin", "k", "key_weight", "wk"),
    "value": ("value_proj", "v_proj", "value", "v_lin", "v", "wv"),
}
"""What the libraries call the three maps of a module."""
JOINT = ("in_proj", "in_proj_weight", "c_attn", "qkv", "qkv_proj", "query_key_value", "Wqkv")
"""And one map for all three."""


def charts_of(
    model: nn.Module,
    record: Record,
    scene: Scene,
    gradients: Mapping[int, Tensor | None] | None = None,
) -> tuple[Chart, ...]:
    """One chart for every module that weighs keys; weights that are not verified count too."""
    modules = dict(model.named_modules())
    found = []
    for maps in maps_of(record, scene, force=True):
        if maps.kind == "gate":
            continue
        name = maps.name.partition(", call ")[0]
        entry = record[name]
        call = int(maps.name.rpartition(" ")[2]) if name != maps.name else 0
        look = entry.looks[call]
        vectors = {} if steps(entry) else vectors_of(look)
        found.append(
            Chart(
                maps.weights,
                maps.name,
                maps.kind,
                maps.scores,
                maps.allowed,
                **vectors,
                query_side=maps.query,
                key_side=maps.key,
                causal=_causal(maps, scene),
                given_mask=_given(look),
                dropout=look.dropout if look.training else 0.0,
                projections=dict(projections(modules.get(name), gradients or {})),
            )
        )
    return tuple(found)


def projections(
    module: nn.Module | None, gradients: Mapping[int, Tensor | None]
) -> Iterator[tuple[str, Projection]]:
    """The maps of a module by what they make, as far as they have one of the usual names."""
    if module is None:
        return
    for name in JOINT:
        part = getattr(module, name, None)
        weight = getattr(part, "weight", part)
        if isinstance(weight, nn.Parameter):
            yield from _split(weight, part, gradients)
            return
    holders = [module, *(part for part in module.children())]
    for what, names in NAMES.items():
        parts = (getattr(holder, name, None) for holder in holders for name in names)
        weights = (getattr(part, "weight", part) for part in parts)
        weight = next((one for one in weights if isinstance(one, nn.Parameter)), None)
        if weight is not None and weight.dim() == 2:
            yield what, Projection(weight.detach(), gradients.get(id(weight)))


def _split(
    weight: nn.Parameter, part: object, gradients: Mapping[int, Tensor | None]
) -> Iterator[tuple[str, Projection]]:
    """A joint matrix in three; one whose rows are inputs is turned."""
    turned = weight.shape[0] < weight.shape[1]
    rows, slope = (weight.detach(), gradients.get(id(weight)))
    if turned:
        rows, slope = rows.T, None if slope is None else slope.T
    sizes = getattr(part, "sizes", None) or [len(rows) // 3] * 3
    if sum(sizes) != len(rows):
        return
    slopes = [None] * 3 if slope is None else slope.split(list(sizes))
    yield from zip(NAMES, map(Projection, rows.split(list(sizes)), slopes), strict=True)


def _causal(maps: Maps, scene: Scene) -> bool | None:
    """Whether a module ought not to look ahead."""
    if maps.kind != "self":
        return False
    return scene.causal and maps.query is not None and _is_written(maps, scene)


def _is_written(maps: Maps, scene: Scene) -> bool:
    side = scene.sides[scene.written]
    same = maps.query.ids is side.ids
    return same or ("target" not in scene.sides and maps.query.ids.shape == side.ids.shape)


def _given(look: Look) -> Tensor | None:
    """The mask as the caller passed it, where that was a tensor."""
    for holder in (look.event, getattr(look.event, "call", None)):
        for name in ("attention_mask", "attn_mask", "mask"):
            mask = getattr(holder, name, None)
            if isinstance(mask, Tensor):
                return mask
    return None
