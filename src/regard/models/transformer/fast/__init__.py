"""Twins of the Transformer that exist for speed alone; :func:`plan` says which of them runs.

``packed``
    Reading in parallel without any padding, attention included.
``paged``
    The state of step-by-step decoding whose hypotheses share their KV cache through page tables
    (``storage``, ``paged_cache``, ``flat_sentences``). Its steps are computed by a ``backend``:
``eager``
    by torch, layer by layer, or
``compiled``
    as a whole, a ``program`` of packed weights; ``compiled_decoder`` keeps it between batches.

Each equals the definition in :mod:`..model`; ``tests/models/transformer/fast/`` compares them.
"""

from . import packed as packed
from . import paged as paged
from .backend import DecodingBackend as DecodingBackend
from .compiled_decoder import SteadyTransformer as SteadyTransformer
from .paged import PagedState as PagedState
from .plan import Plan as Plan
from .plan import plan as plan
