"""What a model is given when it is called: tokens, lengths, the grid of a picture."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from regard.types import Tensor

from ..inputs import Inputs, Side

ROLES = {
    "input_ids": "input",
    "source": "input",
    "tokens": "input",
    "ids": "input",
    "decoder_input_ids": "target",
    "target": "target",
}
"""Arguments that are token ids, and what they are to the model."""

MASKS = {"attention_mask": "input", "decoder_attention_mask": "target"}
PIXELS = ("pixel_values", "pixels")


@contextmanager
def noting(model: nn.Module, note: Callable[[Inputs], None]) -> Iterator[None]:
    """Note what the model is given, each time it is called inside the block."""
    handle = model.register_forward_pre_hook(_Noting(model, note), with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


class _Noting:
    """A hook that stays behind: copies of the model, and files of it, have one that does nothing.

    Args:
        model: whose calls are noted.
        note: what becomes of them.
    """

    passing = True

    def __init__(self, model: nn.Module, note: Callable[[Inputs], None]) -> None:
        self.model, self.note = model, note
        self.last: Inputs | None = None

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if module is self.model:
            self.last = _inputs(module, _named(module, args, kwargs), self.last)
            self.note(self.last)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return _Nothing, ()


class _Nothing:
    """A hook that does nothing."""

    passing = True

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Nothing."""


def _named(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        bound = inspect.signature(module.forward).bind_partial(*args, **kwargs)
    except (TypeError, ValueError):
        return dict(kwargs)
    rest = bound.arguments.pop("kwargs", None)
    return {**bound.arguments, **(rest if isinstance(rest, dict) else {})}


def _inputs(module: nn.Module, given: dict[str, Any], last: Inputs | None) -> Inputs:
    start = _cached(given.get("past_key_values"))
    sides: dict[str, Side] = {}
    for name, role in ROLES.items():
        ids = given.get(name)
        if isinstance(ids, Tensor) and ids.dim() == 2 and not ids.is_floating_point():
            ids = ids.detach()
            known = last.sides.get(role) if last is not None and start else None
            if known is not None and known.ids is not None and len(known.ids) == len(ids):
                ids = torch.cat([known.ids[:, :start], ids], dim=-1)
            sides[role] = Side(ids=ids)
    for name, role in MASKS.items():
        mask = given.get(name)
        if isinstance(mask, Tensor) and mask.dim() == 2:
            side = sides.get(role, Side())
            sides[role] = Side(ids=side.ids, real=mask.detach() > 0)
    if (picture := _picture(module, given)) is not None:
        sides["input"] = picture
    if start and last is not None:  # what an encoder read is only given once
        sides = {**last.sides, **sides}
    return Inputs(sides, start)


def _cached(cache: Any) -> int:
    """How many positions a cache holds."""
    length = getattr(cache, "get_seq_length", None)
    return int(length()) if length is not None else 0


def _picture(module: nn.Module, given: dict[str, Any]) -> Side | None:
    """The grid of a picture that is cut into patches, and what stands before them."""
    if (told := _told_grid(module)) is not None:
        return told
    pixels = next((given[name] for name in PIXELS if isinstance(given.get(name), Tensor)), None)
    if pixels is None or pixels.dim() != 4 or (config := _patches(module)) is None:
        return None
    patch = config.patch_size
    high, wide = (patch, patch) if isinstance(patch, int) else patch
    grid = (pixels.shape[-2] // high, pixels.shape[-1] // wide)
    before = getattr(config, "before", None)
    if not isinstance(before, int):
        named = module.named_parameters()
        before = sum(x.shape[-2] for name, x in named if _stands_before(name, x))
    return Side(grid=grid, before=before)


def _told_grid(module: nn.Module) -> Side | None:
    """The grid that a model of timm names, and how many tokens stand before it."""
    grid = getattr(getattr(module, "patch_embed", None), "grid_size", None)
    before = getattr(module, "num_prefix_tokens", None)
    if not isinstance(grid, tuple) or len(grid) != 2 or not isinstance(before, int):
        return None
    return Side(grid=(int(grid[0]), int(grid[1])), before=before)


def _patches(module: nn.Module) -> Any:
    """The config of the part that cuts pictures into patches, if one does."""
    configs = (getattr(each, "config", None) for each in module.modules())
    every = (part for each in configs for part in (each, getattr(each, "vision_config", None)))
    return next((one for one in every if getattr(one, "patch_size", None) is not None), None)


def _stands_before(name: str, x: Tensor) -> bool:
    last = name.rpartition(".")[-1]
    return x.dim() == 3 and last in ("cls_token", "register_tokens", "distillation_token")
