"""Run and capture without reading anything, rows of a map of 16k tokens, a census of a GPT."""

from collections.abc import Iterator
from time import perf_counter, process_time
from typing import Any

import torch

from benchmarks.timing import interleave, ratio_of_medians
from regard.functional.events import Attended
from regard.lens import Look, capture

from .models import bert, gpt2, tokens

MOST_WATCHING = 1.05
"""A watched run may take so much of a plain one."""
MOST_ROWS = 0.050
"""Seconds for eight rows of a layer of 16k tokens."""
MOST_CENSUS = 60.0
"""Seconds of a census of a small GPT on 64 sentences."""


def watching(*, quick: bool) -> dict[str, Any]:
    """A BERT on 8 × 512 tokens, plain and watched in turns."""
    model = bert(quick=quick)
    given = tokens(2 if quick else 8, 512)

    @torch.inference_mode()
    def plain() -> object:
        return model(input_ids=given)

    @torch.inference_mode()
    def watched() -> object:
        with capture(model) as record:
            model(input_ids=given)
        return record

    plain(), watched()
    calls = {"plain": plain, "watched": watched}
    # Of the processor: what another program takes would be counted to whoever runs then.
    found = interleave(calls, rounds=5 if quick else 15, clock=process_time)
    seconds = {name: samples.median for name, samples in found.items()}
    ratio = ratio_of_medians(found["watched"], found["plain"])
    return {"job": "watching", **seconds, "ratio": ratio, "kept": ratio <= MOST_WATCHING}


def rows() -> dict[str, Any]:
    """Eight rows of all 12 heads of a layer of 16k tokens."""
    query, key = (torch.randn(1, 12, 16_384, 64) for _ in range(2))
    look, some = Look(Attended(query, key)), list(range(0, 16_384, 2_048))
    look.weigh(rows=some)
    found = interleave({"rows": lambda: look.weigh(rows=some)}, rounds=20)
    seconds = found["rows"].median
    return {"job": "8 rows of 16k", "seconds": seconds, "kept": seconds <= MOST_ROWS}


def census_of_a_gpt(*, quick: bool) -> Iterator[dict[str, Any]]:
    """All roles of all heads of a GPT-2 of the small size, on 64 sentences of 24 tokens."""
    from regard.lens.census import census

    model = gpt2(quick=quick)
    batches = [{"input_ids": part} for part in tokens(64, 24).split(16)]
    begun = perf_counter()
    found = census(model, batches, important=False)
    seconds = perf_counter() - begun
    heads = len(found.heads)
    yield {"job": "census", "heads": heads, "seconds": seconds, "kept": seconds <= MOST_CENSUS}
