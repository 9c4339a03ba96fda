"""Every mask beside the condition that defines it."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from reference import masks as ref_masks
from regard import masks

from .sizes import BATCH, HEADS, KEYS, QUERIES


@dataclass(frozen=True, eq=False)
class MaskCase:
    """A mask beside the condition that defines it, per batch entry and head."""

    name: str
    make: Callable[[], masks.Mask | Tensor | None]
    condition: Callable[[int, int], ref_masks.Condition]

    def __str__(self) -> str:
        return self.name

    def table(self, b: int, h: int) -> list[list[bool]]:
        """All pairs of one batch entry and head."""
        return ref_masks.table(self.condition(b, h), QUERIES, KEYS)


def _always(condition: ref_masks.Condition) -> Callable[[int, int], ref_masks.Condition]:
    return lambda b, h: condition


_LENGTHS = [6, 3]
_LENGTHS_WITH_ZERO = [0, 4]
_LENGTHS_BY_HEAD = [[7, 2, 5], [1, 6, 3]]
_QUERY_IDS = [[0, 0, 1, 1, 2], [4, 3, 3, 3, 9]]
_KEY_IDS = [[0, 0, 0, 1, 1, 2, 2], [3, 3, 3, 4, 4, 4, 4]]
_LAYOUT = [[True, False, True, False], [False, True, True, False], [False, False, False, True]]
_DENSE = [
    [
        [[(i * j + b + 2 * h) % 3 != 0 and i != 2 + b for j in range(KEYS)] for i in range(QUERIES)]
        for h in range(HEADS)
    ]
    for b in range(BATCH)
]
_KEY_ROW = [[True, False, True, True, False, True, False]]

MASKS = [
    MaskCase("none", lambda: None, _always(ref_masks.everything())),
    MaskCase("causal", masks.causal, _always(ref_masks.causal())),
    MaskCase("causal(2)", lambda: masks.causal(offset=2), _always(ref_masks.causal(2))),
    MaskCase("causal(-2)", lambda: masks.causal(offset=-2), _always(ref_masks.causal(-2))),
    MaskCase("window(2,1)", lambda: masks.window(2, 1), _always(ref_masks.window(2, 1))),
    MaskCase("window(1,0)", lambda: masks.window(1, 0), _always(ref_masks.window(1, 0))),
    MaskCase(
        "padding",
        lambda: masks.padding(torch.tensor(_LENGTHS)),
        lambda b, h: ref_masks.padding(_LENGTHS[b]),
    ),
    MaskCase(
        "padding_of_everything",
        lambda: masks.padding(_LENGTHS_WITH_ZERO),
        lambda b, h: ref_masks.padding(_LENGTHS_WITH_ZERO[b]),
    ),
    MaskCase(
        "padding_by_head",
        lambda: masks.padding(torch.tensor(_LENGTHS_BY_HEAD)),
        lambda b, h: ref_masks.padding(_LENGTHS_BY_HEAD[b][h]),
    ),
    MaskCase(
        "document",
        lambda: masks.document(torch.tensor(_QUERY_IDS), torch.tensor(_KEY_IDS)),
        lambda b, h: ref_masks.document(_QUERY_IDS[b], _KEY_IDS[b]),
    ),
    MaskCase("prefix", lambda: masks.prefix(3), _always(ref_masks.prefix(3))),
    MaskCase(
        "prefix_by_batch",
        lambda: masks.prefix(torch.tensor([4, 1])),
        lambda b, h: ref_masks.prefix([4, 1][b]),
    ),
    MaskCase("strided", lambda: masks.strided(3), _always(ref_masks.strided(3))),
    MaskCase("blocks", lambda: masks.blocks(3), _always(ref_masks.blocks(3))),
    MaskCase(
        "blocks_by_layout",
        lambda: masks.blocks(2, torch.tensor(_LAYOUT)),
        _always(ref_masks.blocks(2, _LAYOUT)),
    ),
    MaskCase(
        "window|global_tokens",
        lambda: masks.window(1, 0) | masks.global_tokens([0, 3]),
        _always(ref_masks.either(ref_masks.window(1, 0), ref_masks.global_tokens([0, 3]))),
    ),
    MaskCase("tensor", lambda: torch.tensor(_DENSE), lambda b, h: ref_masks.dense(_DENSE[b][h])),
    MaskCase(
        "tensor_of_keys",
        lambda: masks.dense(torch.tensor(_KEY_ROW)),
        _always(ref_masks.dense(_KEY_ROW * QUERIES)),
    ),
    MaskCase(
        "causal&padding",
        lambda: masks.causal() & masks.padding(torch.tensor(_LENGTHS_WITH_ZERO)),
        lambda b, h: ref_masks.both(ref_masks.causal(), ref_masks.padding(_LENGTHS_WITH_ZERO[b])),
    ),
    MaskCase(
        "window&padding",
        lambda: masks.window(1, 2) & masks.padding(torch.tensor(_LENGTHS)),
        lambda b, h: ref_masks.both(ref_masks.window(1, 2), ref_masks.padding(_LENGTHS[b])),
    ),
    MaskCase(
        "~window",
        lambda: ~masks.window(2, 2),
        _always(ref_masks.inverted(ref_masks.window(2, 2))),
    ),
]
MASK = {case.name: case for case in MASKS}
