"""The same jobs by regard and by other tools, each as its documentation shows first.

A way of doing a job is a function whose body is what a user writes; its lines are counted. What is
there before (the model, its tokens) is made outside of it, and not measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .models import bert, gpt2, tokens, words

Way = Callable[[Any, torch.Tensor], Any]
"""From a model and its tokens to whatever the tool gives."""


@dataclass(frozen=True)
class Tool:
    """How a tool does a job.

    Args:
        package: what is imported.
        way: does it.
        model: what it is done on.
        implementation: the attention that the tool needs the model to run.
    """

    package: str
    way: Way
    model: Callable[..., Any] = bert
    implementation: str = "sdpa"


@torch.inference_mode()
def weights_by_regard(model: Any, ids: torch.Tensor) -> list[torch.Tensor]:
    """Every map of the text."""
    from regard.lens import capture

    with capture(model) as record:
        model(input_ids=ids)
    return [look.weigh() for look in record.looks]


@torch.inference_mode()
def rows_by_regard(model: Any, ids: torch.Tensor) -> list[torch.Tensor]:
    """Eight rows of every head, where no map is needed."""
    from regard.lens import capture

    with capture(model) as record:
        model(input_ids=ids)
    return [look.weigh(rows=range(8)) for look in record.looks]


@torch.inference_mode()
def weights_by_transformers(model: Any, ids: torch.Tensor) -> Any:
    """The model's own output."""
    return model(input_ids=ids, output_attentions=True).attentions


@torch.inference_mode()
def weights_by_transformer_lens(model: Any, ids: torch.Tensor) -> Any:
    """Its bridge around the model, and the cache of its patterns."""
    from transformer_lens.model_bridge import (  # type: ignore[import-not-found]
        TransformerBridge,
    )

    bridge = TransformerBridge.boot_transformers("gpt2", hf_model=model, tokenizer=words())
    _, cache = bridge.run_with_cache(ids)
    return [cache["pattern", layer] for layer in range(bridge.cfg.n_layers)]


@torch.inference_mode()
def weights_by_captum(model: Any, ids: torch.Tensor) -> Any:
    """Activations of every attention, the second of which are weights under eager."""
    from captum.attr import LayerActivation  # type: ignore[import-not-found]

    layers = [layer.attention.self for layer in model.encoder.layer]
    found = LayerActivation(lambda ids: model(input_ids=ids)[0], layers).attribute(ids)
    return [one[1] for one in found]


@torch.inference_mode()
def page_by_regard(model: Any, ids: torch.Tensor) -> str:
    """All heads of all layers on one page."""
    from regard.lens import capture
    from regard.lens.pictures import html
    from regard.lens.views import heads

    with capture(model) as record:
        model(input_ids=ids)
    return html(heads(record))


@torch.inference_mode()
def page_by_bertviz(model: Any, ids: torch.Tensor) -> Any:
    """Its model view."""
    from bertviz import model_view  # type: ignore[import-not-found]

    maps = model(input_ids=ids, output_attentions=True).attentions
    names = [str(number) for number in ids[0].tolist()]
    return model_view(maps, names, html_action="return").data


def head_off_by_regard(model: Any, ids: torch.Tensor) -> float:
    """What a head does for the logarithm of the probability of the last token."""
    from regard.lens import HeadOff, effect

    with torch.inference_mode():
        answer = effect(
            model,
            lambda: model(ids[:, :-1]).logits[0, -1].log_softmax(-1)[ids[0, -1]],
            HeadOff("transformer.h.1.attn", heads=[3]),
        )
    return answer.change.item()


@torch.inference_mode()
def head_off_by_transformer_lens(model: Any, ids: torch.Tensor) -> float:
    """A hook on what the heads give."""
    from transformer_lens.model_bridge import TransformerBridge

    bridge = TransformerBridge.boot_transformers("gpt2", hf_model=model, tokenizer=words())

    def off(z: torch.Tensor, hook: Any) -> torch.Tensor:
        z[:, :, 3] = 0
        return z

    hooks = [("blocks.1.attn.hook_z", off)]
    changed = bridge.run_with_hooks(ids[:, :-1], fwd_hooks=hooks)
    after = changed[0, -1].log_softmax(-1)[ids[0, -1]]
    before = bridge(ids[:, :-1])[0, -1].log_softmax(-1)[ids[0, -1]]
    return (after - before).item()


def gradients_by_regard(model: Any, ids: torch.Tensor) -> list[torch.Tensor]:
    """Gradient × attention of every head for the last token, by the run's own gradient."""
    from regard.lens import capture

    with capture(model, graph=True) as record:
        target = model(ids[:, :-1]).logits[0, -1].log_softmax(-1)[ids[0, -1]]
    gradients = record.gradients(target)
    found = []
    for look in record.looks:
        assert look.value is not None
        g = gradients[look.name][0][..., -1:, :]
        found.append(look.weigh(rows=[-1]) * (g @ look.value.mT))
    return found


def gradients_by_captum(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """Gradient × vector of every token."""
    from captum.attr import InputXGradient

    def forward(x: torch.Tensor) -> torch.Tensor:
        return model(inputs_embeds=x).logits[:, -1].log_softmax(-1)

    x = model.transformer.wte(ids[:, :-1]).detach().requires_grad_()
    return InputXGradient(forward).attribute(x, target=ids[0, -1].item())


def gradients_by_inseq(model: Any, ids: torch.Tensor) -> Any:
    """Gradient × vector of every token, of its own loop."""
    import inseq  # type: ignore[import-not-found]

    tokenizer = words()
    attributed = inseq.load_model(model, "input_x_gradient", tokenizer=tokenizer)
    text, end = tokenizer.decode(ids[0, :-1]), tokenizer.decode(ids[0])
    return attributed.attribute(text, end, show_progress=False).sequence_attributions


JOBS: dict[str, tuple[tuple[int, ...], dict[str, Tool]]] = {
    "all weights of a text": (
        (512, 2_048),
        {
            "regard": Tool("regard", weights_by_regard),
            "regard, 8 rows": Tool("regard", rows_by_regard),
            "transformers, SDPA": Tool("transformers", weights_by_transformers),
            "transformers, eager": Tool("transformers", weights_by_transformers, bert, "eager"),
            "TransformerLens": Tool("transformer_lens", weights_by_transformer_lens, gpt2),
            "captum, SDPA": Tool("captum", weights_by_captum),
            "captum, eager": Tool("captum", weights_by_captum, bert, "eager"),
        },
    ),
    "a page with all heads": (
        (64, 256),
        {
            "regard": Tool("regard", page_by_regard),
            "bertviz": Tool("bertviz", page_by_bertviz, bert, "eager"),
        },
    ),
    "a head off, Δ log p": (
        (512,),
        {
            "regard": Tool("regard", head_off_by_regard, gpt2),
            "TransformerLens": Tool("transformer_lens", head_off_by_transformer_lens, gpt2),
        },
    ),
    "which tokens a word owes itself to": (
        (256,),
        {
            "regard": Tool("regard", gradients_by_regard, gpt2),
            "captum": Tool("captum", gradients_by_captum, gpt2),
            "inseq": Tool("inseq", gradients_by_inseq, gpt2),
        },
    ),
}
"""Every job: for texts of so many tokens, by these tools."""


def prepared(tool: Tool, length: int, *, quick: bool) -> tuple[Any, torch.Tensor]:
    """What a way begins with."""
    return tool.model(quick=quick, implementation=tool.implementation), tokens(1, length)
