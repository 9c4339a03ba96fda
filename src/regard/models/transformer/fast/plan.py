"""Which way a Transformer runs, and why."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import torch

from regard.functional.normalisers import softmax
from regard.functional.scores import ScaledDot
from regard.kernels.available import numba_available

from ...output import Unembedding
from ..config import TransformerConfig
from ..layers import DecoderLayer, EncoderLayer
from ..padding import Trimmed
from ..positions import attended
from .packed import hooked, packable

if TYPE_CHECKING:
    from ..model import Transformer


class Plan(NamedTuple):
    """The path that runs, and why this one."""

    name: Literal["packed", "compiled", "eager", "definition"]
    why: str


def plan(
    model: "Transformer", source: Trimmed, target: Trimmed | None = None, *, lasting: bool = False
) -> Plan:
    """The path of a batch through a model.

    Args:
        model: which model.
        source: what it reads.
        target: what is read in parallel; without one, the model writes step by step.
        lasting: whether parameters stay as they are for so long that packing them is worth while.
    """
    if target is not None:
        return _parallel(model, source, target)
    obstacle = next(_obstacles(model, source), None)
    if obstacle is not None:
        return Plan("definition", f"{obstacle}: every hypothesis has a KV cache of its own")
    if not lasting:
        return Plan("eager", "plain attention: hypotheses share pages; too few to pack weights for")
    config, weight = model.config, model.target_embedding.weight
    if weight.device.type != "cpu" or weight.dtype != torch.float32 or not numba_available():
        return Plan("eager", "hypotheses share pages; compiling needs float32, a CPU and numba")
    if config.norm_kind != "layer":
        return Plan("eager", f"hypotheses share pages; {config.norm_kind} has no compiled form")
    if config.activation != "relu":
        return Plan("eager", f"hypotheses share pages; {config.activation} has no compiled form")
    return Plan("compiled", "plain attention, relu, float32 on a CPU: a step is one compiled call")


def is_plain(config: TransformerConfig) -> bool:
    """Whether a config's attentions are plain: all that a key says is in its own vector.

    Softmax of scaled dot products, and positions that only the input knows of.
    """
    return (
        not config.query_key_norm
        and config.score in ("scaled_dot", ScaledDot())
        and config.normalise in ("softmax", softmax)
        and attended(config, causal=True) is None
    )


def _parallel(model: "Transformer", source: Trimmed, target: Trimmed) -> Plan:
    layers: list[EncoderLayer | DecoderLayer] = [*model.encoder, *model.decoder]
    if packable(layers, source, target, like=model.target_embedding.weight):
        return Plan("packed", "short sequences, plain attention on a CPU: no padding anywhere")
    if hooked(layers):
        return Plan("definition", "a layer has hooks, which only its own forward calls")
    return Plan("definition", "attention needs the padded batch; all else leaves padding out")


def _obstacles(model: "Transformer", source: Trimmed) -> Iterator[str]:
    """What keeps hypotheses from sharing."""
    if torch.is_grad_enabled():
        yield "gradients are recorded"
    if model.training:
        yield "the model is in training mode"
    if any(layer.attention.observed or layer.cross.observed for layer in model.decoder):
        yield "an attention is watched"
    if torch.is_autocast_enabled(source.lengths.device.type):
        yield "autocast is on"
    if model.config.output_factor != 1:
        yield "features are scaled before the output layer"
    if not is_plain(model.config):
        yield "attention is not plain"
    if not isinstance(model.output, Unembedding):
        yield "its output layer is another's"
    if not bool((source.lengths > 0).all()):
        yield "a source is empty"
