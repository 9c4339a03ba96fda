"""Who is compared: models that differ in how they look at the source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mechanism:
    """A model whose size is free.

    Args:
        name: what ``--only`` takes.
        title: in tables and in the figure.
        preset: the model it begins with.
        embedding: the field that is as wide as the embeddings.
        widths: the fields that are made wider or narrower together, until the parameters fit.
        changes: other fields that differ from the preset.
    """

    name: str
    title: str
    preset: str
    embedding: str = "embedding_dim"
    widths: tuple[str, ...] = ("hidden_dim",)
    changes: Mapping[str, Any] = field(default_factory=dict)


MECHANISMS = {
    mechanism.name: mechanism
    for mechanism in (
        Mechanism("none", "no attention (GRU)", "gru-plain-small"),
        Mechanism(
            "bahdanau",
            "Bahdanau",
            "bahdanau-small",
            widths=("hidden_dim", "attention_dim", "readout_dim"),
        ),
        Mechanism("luong-general", "Luong, general", "luong-general-small"),
        Mechanism("local-p", "Luong, local-p", "luong-local-p-small"),
        Mechanism("gnmt-4", "GNMT, 4 + 4 layers", "gnmt-4", widths=("hidden_dim", "attention_dim")),
        Mechanism("transformer", "Transformer", "transformer-small", embedding="model_dim"),
    )
}
"""From nothing to attention all the way."""
