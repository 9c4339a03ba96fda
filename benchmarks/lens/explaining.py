"""Value norms of a layer of BERT's size; gradient × attention of 4k tokens, without the map."""

from time import process_time
from typing import Any

import torch

from benchmarks.memory import peak_of
from benchmarks.timing import interleave, ratio_of_medians
from regard.functional.events import Attended
from regard.lens import Look
from regard.lens.faithfulness import looked_through, value_norms
from regard.lens.faithfulness.gradients import TILE

HEADS, WIDTH = 12, 64
MEGABYTE = 2**20
MOST_NORMS = 200
"""Megabytes of the value norms of 512 tokens; a tensor of what every pair writes takes 9,400."""
MOST_PASSES = 2.0
"""Gradient × attention may take so many backward passes of its layer."""
MOST_WITHOUT = 150
"""Megabytes that it may need; the maps of its heads are 768."""
LONG = 4_096


def norms() -> dict[str, Any]:
    """Memory of the value norms of all pairs of 512 tokens."""
    weights = torch.randn(HEADS, 512, 512).softmax(dim=-1)
    value, output = torch.randn(HEADS, 512, WIDTH), torch.randn(768, HEADS * WIDTH)
    value_norms(weights[:, :8, :8], value[:, :8], output)
    peak = peak_of(lambda: value_norms(weights, value, output))[0] / MEGABYTE
    return {"job": "value norms of 512", "MB": peak, "kept": peak <= MOST_NORMS}


class Layer:
    """One layer's queries, keys and values, its fused run, and the gradient behind it."""

    def __init__(self, length: int = LONG) -> None:
        generator = torch.Generator().manual_seed(0)
        shape = (1, HEADS, length, WIDTH)
        self.parts = [torch.randn(shape, generator=generator).requires_grad_() for _ in range(3)]
        query, key, value = self.parts
        self.context = torch.nn.functional.scaled_dot_product_attention(query, key, value)
        self.gradient = torch.randn(shape, generator=generator)
        query, key, value = (part.detach() for part in self.parts)
        self.look = Look(Attended(query, key, value=value, context=self.context.detach()))
        self.start = torch.rand(length, generator=generator)

    def backward(self) -> object:
        """One backward pass."""
        return torch.autograd.grad(self.context, self.parts, self.gradient, retain_graph=True)

    def explained(self) -> object:
        """What all queries together owe to each key."""
        return looked_through(self.look, self.gradient[0], self.start)


def without_the_map() -> dict[str, Any]:
    """Memory of gradient × attention: every eighth tile of rows, each as large as all."""
    Layer(64).explained()
    layer = Layer()
    layer.start[torch.arange(LONG) // TILE % 8 > 0] = 0
    assert layer.look.receipt.verdict == "verified"
    peak = peak_of(layer.explained)[0] / MEGABYTE
    return {"job": "gradient × attention of 4k", "MB": peak, "kept": peak <= MOST_WITHOUT}


def passes(*, quick: bool) -> dict[str, Any]:
    """Its time, beside one backward pass of the same layer, in turns."""
    layer = Layer()
    calls = {"backward": layer.backward, "explained": layer.explained}
    for call in calls.values():
        call()
    found = interleave(calls, rounds=3 if quick else 9, clock=process_time)
    seconds = {name: samples.median for name, samples in found.items()}
    ratio = ratio_of_medians(found["explained"], found["backward"])
    return {"job": "gradient × attention", **seconds, "ratio": ratio, "kept": ratio <= MOST_PASSES}
