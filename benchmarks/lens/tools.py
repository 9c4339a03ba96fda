"""One job by one tool, in a process of its own: all weights of one text, ready to be read.

Every tool does what its documentation shows first. ``lines`` are those a user writes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.memory import resident_bytes

from .models import bert, gpt2, tokens

Job = Callable[[int, bool], object]
"""From a number of tokens, and whether the model is to be small, to whatever the tool gives."""


@dataclass(frozen=True)
class Tool:
    """A tool and how it does the job.

    Args:
        package: what is imported.
        lines: a user writes so many.
        job: does it.
        verified: whether the weights are compared with what ran.
    """

    package: str
    lines: int
    job: Job
    verified: bool = False


def by_regard(length: int, quick: bool) -> object:
    """Capture, and a row of every head of every layer."""
    from regard.lens import capture

    model = bert(quick=quick)
    with torch.inference_mode(), capture(model) as record:
        model(input_ids=tokens(1, length))
    return [look.weigh(rows=[length // 2]) for look in record.looks]


def by_transformers(length: int, quick: bool) -> object:
    """The model's own eager run, all maps."""
    model = bert(quick=quick, implementation="eager")
    with torch.inference_mode():
        return model(input_ids=tokens(1, length), output_attentions=True).attentions


def by_bertviz(length: int, quick: bool) -> object:
    """The page of its head view."""
    from bertviz import head_view  # type: ignore[import-not-found]

    maps: Any = by_transformers(length, quick)
    return head_view(maps, [str(i) for i in range(length)], html_action="return")


def by_transformer_lens(length: int, quick: bool) -> object:
    """Its bridge around the model, and the cache of its patterns."""
    from transformer_lens import (  # type: ignore[import-not-found]
        HookedTransformer,
        HookedTransformerConfig,
    )

    config = HookedTransformerConfig(
        n_layers=3 if quick else 12,
        d_model=768,
        n_ctx=max(1024, length),
        d_head=64,
        n_heads=12,
        d_vocab=30_522,
        act_fn="gelu",
    )
    model = HookedTransformer(config)
    with torch.inference_mode():
        _, cache = model.run_with_cache(
            tokens(1, length), names_filter=lambda name: name.endswith("pattern")
        )
    return cache


def by_inseq(length: int, quick: bool) -> object:
    """Its attention attribution, of the last token."""
    import inseq  # type: ignore[import-not-found]

    model: Any = inseq.load_model(gpt2(quick=quick), "attention", tokenizer="gpt2")
    return model.attribute("word " * (length - 1), generation_args={"max_new_tokens": 1})


def by_captum(length: int, quick: bool) -> object:
    """Activations of every attention, which under eager give weights."""
    from captum.attr import LayerActivation  # type: ignore[import-not-found]

    model = bert(quick=quick, implementation="eager")
    layers = [layer.attention.self for layer in model.encoder.layer]
    found = LayerActivation(lambda ids: model(input_ids=ids)[0], layers)
    with torch.inference_mode():
        return found.attribute(tokens(1, length))


TOOLS = {
    "regard": Tool("regard", 3, by_regard, verified=True),
    "transformers, eager": Tool("transformers", 3, by_transformers),
    "bertviz": Tool("bertviz", 4, by_bertviz),
    "TransformerLens": Tool("transformer_lens", 3, by_transformer_lens),
    "inseq": Tool("inseq", 2, by_inseq),
    "captum": Tool("captum", 4, by_captum),
}


def measured(name: str, length: int, *, quick: bool) -> dict[str, Any]:
    """Seconds of the second time, and the most memory that the process held."""
    tool = TOOLS[name]
    tool.job(16, quick)
    before = resident_bytes("VmRSS")
    begun = time.perf_counter()
    tool.job(length, quick)
    seconds = time.perf_counter() - begun
    used = (resident_bytes("VmHWM") - before) / 2**20
    return {"tool": name, "tokens": length, "lines": tool.lines, "seconds": seconds, "MB": used}
