"""The module under test, how it is called, and the inputs it is tested with."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import nn

from regard.functional.events import Observable
from regard.lens import capture
from regard.types import Bool, Tensor

from .call import Answer, Call, Inputs
from .traits import Sizes, Total

EXACT = torch.float64
"""The dtype of everything that is compared."""


@dataclass(frozen=True)
class Subject:
    """A module, how it is called, and what it is known to be.

    The module itself is never called: every run has a copy of its own, so that a state hidden in
    one run is not seen by another, and nothing of the user's is changed.
    """

    module: nn.Module
    call: Call
    sizes: Sizes
    causal: bool
    ordered: bool
    total: Total
    pooled: bool

    def copy(self, dtype: torch.dtype = EXACT) -> nn.Module:
        """A copy at eval, on the CPU, in this dtype."""
        return deepcopy(self.module).eval().to("cpu", dtype)

    def draw(self, allowed: Tensor | None = None, *, seed: int = 0) -> Inputs:
        """Inputs from the normal distribution."""
        source = torch.Generator().manual_seed(seed)
        b, q, k, query_dim, key_dim, value_dim = self.sizes
        rows = k if self.call.itself else q
        query = torch.randn(b, rows, query_dim, generator=source, dtype=EXACT)
        if self.call.itself:
            return Inputs(query, query, query, allowed)
        key = torch.randn(b, k, key_dim, generator=source, dtype=EXACT)
        value = torch.randn(b, k, value_dim, generator=source, dtype=EXACT)
        return Inputs(query, key, value if self.call.valued else key, allowed)

    @property
    def num_queries(self) -> int:
        """How many queries :meth:`draw` draws."""
        return self.sizes.num_keys if self.call.itself else self.sizes.num_queries

    @property
    def lengths(self) -> list[int]:
        """Lengths of the sequences of a batch, where there is padding: the first has none."""
        k = self.sizes.num_keys
        return [k - i % 3 for i in range(self.sizes.batch)]

    def padding(self) -> Bool[Tensor, "B Q K"]:
        """The mask of :attr:`lengths`."""
        ends = torch.tensor(self.lengths).view(-1, 1, 1)
        before = torch.arange(self.sizes.num_keys) < ends
        return before.expand(-1, self.num_queries, -1)

    def holes(self) -> Bool[Tensor, "B Q K"]:
        """A mask with holes and a key for every query; by pairs if the module can, else by keys."""
        k = self.sizes.num_keys
        rows = self.num_queries if self.call.masks == "pairs" else 1
        source = torch.Generator().manual_seed(2)
        allowed = torch.rand(self.sizes.batch, rows, k, generator=source) < 0.5
        first = torch.arange(self.sizes.batch).view(-1, 1) + torch.arange(rows)
        kept = nn.functional.one_hot(first % k, k).bool()
        dropped = nn.functional.one_hot((first + 1) % k, k).bool()
        return ((allowed | kept) & ~dropped).expand(-1, self.num_queries, -1)

    @torch.no_grad()
    def run(self, inputs: Inputs, module: nn.Module | None = None) -> Answer:
        """Context and weights of a copy; weights (B, H, Q, K), those captured if none came back."""
        module = self.copy(inputs.query.dtype) if module is None else module
        context, weights = self.call_captured(module, inputs)
        if weights is not None and weights.dim() >= 3:
            weights = weights.reshape(weights.shape[0], -1, *weights.shape[-2:])
        return Answer(context, weights)

    def call_captured(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and weights as they are."""
        if not any(isinstance(part, Observable) for part in module.modules()):
            return self.call(module, inputs)
        with capture(module) as record:
            context, weights = self.call(module, inputs)
        if weights is None and len(record) == 1:
            (entry,) = record.values()
            weights = entry.weights if len(entry.looks) == 1 else None
        return Answer(context, weights)


@torch.no_grad()
def without_zeros(module: nn.Module) -> nn.Module:
    """A copy in which no parameter is all zero."""
    twin = deepcopy(module)
    for p in twin.parameters():
        if p.is_floating_point() and not p.any():
            p.normal_(std=0.5)
    return twin


@contextmanager
def isolated() -> Iterator[None]:
    """A fixed seed and one thread inside, enough for so small inputs; all as it was outside."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            yield
    finally:
        torch.set_num_threads(threads)
