"""ViT: a classifier of pictures over patches."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import torch

from regard.errors import ChoiceError
from regard.types import Tensor

from ..vision.classifier import PictureClassifierConfig
from ..vision.vit import ViTConfig
from .family import Family, families, require
from .rules import Rule, Rules, Weights, same, stacked
from .settings import Settings

OLDER = (
    (r"^encoder\.layer\.", "layers."),
    (r"\.attention\.attention\.(query|key|value)\.", r".attention.\1."),
    (r"\.attention\.output\.dense\.", ".attention.o_proj."),
    (r"\.attention\.(q)uery\.", r".attention.\1_proj."),
    (r"\.attention\.(k)ey\.", r".attention.\1_proj."),
    (r"\.attention\.(v)alue\.", r".attention.\1_proj."),
    (r"\.intermediate\.dense\.", ".mlp.fc1."),
    (r"^(layers\.\d+)\.output\.dense\.", r"\1.mlp.fc2."),
)
"""How files before version 5 name what has another name now."""
TABLE, CLASS = "embeddings.position_embeddings", "embeddings.cls_token"


class ViTFamily(Family):
    """Dosovitskiy et al. 2021 (https://arxiv.org/abs/2010.11929).

    Theirs → ours: ``patch_embeddings.projection`` → ``patches.patch_proj``, ``layernorm_before``,
    ``layernorm_after`` → ``norm1``, ``norm2``, ``mlp.fc1``, ``mlp.fc2`` → ``expand``, ``reduce``.
    Their class token has a position of its own, which is added to it once and for all here.
    """

    spare: ClassVar[tuple[str, ...]] = ("pooler.", "embeddings.mask_token")

    def stripped(self, name: str) -> str:
        """Without the ``vit.`` of models with a head, by the newer names."""
        name = name.removeprefix("vit.")
        for older, newer in OLDER:
            name = re.sub(older, newer, name)
        return name

    def written(self, name: str, config: Any) -> str:
        """With it."""
        return name if name.startswith("classifier.") else f"vit.{name}"

    def prepared(self, theirs: Weights) -> Weights:
        """The position of the class token as a part of it."""
        if TABLE not in theirs or CLASS not in theirs:
            return theirs
        table, token = theirs[TABLE], theirs[CLASS]
        return {**theirs, TABLE: table[0, 1:], CLASS: token[0] + table[0, :1]}

    def finished(self, theirs: Weights) -> Weights:
        """A class token that stands at zero."""
        table, token = theirs[TABLE], theirs[CLASS]
        zero = torch.zeros_like(table[:1])
        return {**theirs, TABLE: torch.cat([zero, table]).unsqueeze(0), CLASS: token.unsqueeze(0)}

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> PictureClassifierConfig:
        """Patches, a class token, learned positions."""
        settings.expect("hidden_act", "gelu")
        settings.expect("qkv_bias", True)
        settings.expect("num_channels", 3)
        settings.ignore("encoder_stride", "pooler_output_size", "pooler_act")
        size, patch = settings.take("image_size", 224), settings.take("patch_size", 16)
        height, width = size if isinstance(size, list | tuple) else (size, size)
        labels = settings.take("id2label") or {0: "0", 1: "1"}
        return PictureClassifierConfig(
            labels=len(labels),
            encoder=ViTConfig(
                height=height,
                width=width,
                patch_size=tuple(patch) if isinstance(patch, list | tuple) else patch,
                model_dim=settings.need("hidden_size"),
                num_layers=settings.need("num_hidden_layers"),
                num_heads=settings.need("num_attention_heads"),
                hidden_dim=settings.need("intermediate_size"),
                norm_eps=settings.take("layer_norm_eps", 1e-12),
                dropout=settings.take("hidden_dropout_prob", 0.0),
                attention_dropout=settings.take("attention_probs_dropout_prob", 0.0),
            ),
        )

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of a ``ViTConfig`` of theirs."""
        encoder = getattr(config, "encoder", None)
        if not isinstance(config, PictureClassifierConfig) or not isinstance(encoder, ViTConfig):
            raise ChoiceError(f"a ViT is a classifier of pictures by patches, got {config.kind!r}")
        require(encoder, {"pooling": "class_token", "position": "learned", "registers": 0})
        patch = encoder.patch_size
        if encoder.height % encoder.grid[0] or encoder.width % encoder.grid[1]:
            raise ChoiceError("a ViT needs patches that fill the picture")
        return {
            "architectures": ["ViTForImageClassification"],
            "image_size": [encoder.height, encoder.width],
            "patch_size": list(patch) if isinstance(patch, tuple) else patch,
            "hidden_size": encoder.model_dim,
            "num_hidden_layers": encoder.num_layers,
            "num_attention_heads": encoder.num_heads,
            "intermediate_size": encoder.hidden_dim,
            "hidden_act": "gelu",
            "layer_norm_eps": encoder.norm_eps,
            "hidden_dropout_prob": encoder.dropout,
            "attention_probs_dropout_prob": encoder.attention_dropout,
            "id2label": {str(number): str(number) for number in range(config.labels)},
            "label2id": {str(number): number for number in range(config.labels)},
        }

    def rules(self, config: PictureClassifierConfig) -> Rules:
        """Patches, layers, the last norm, the output layer."""
        encoder = config.encoder
        assert isinstance(encoder, ViTConfig)
        rows = (encoder.model_dim,) * 3
        return Rules(
            (
                *same("encoder.patches.patch_proj", "embeddings.patch_embeddings.projection"),
                Rule("encoder.patches.class_tokens", (CLASS,)),
                Rule("encoder.positions", (TABLE,)),
                *(rule for n in range(encoder.num_layers) for rule in _layer(n, rows)),
                *same("encoder.norm", "layernorm"),
                *same("output", "classifier"),
            )
        )


def _layer(number: int, rows: tuple[int, ...]) -> Iterator[Rule]:
    ours, theirs = f"encoder.layers.{number}", f"layers.{number}"
    maps = [f"{theirs}.attention.{name}_proj" for name in ("q", "k", "v")]
    yield from stacked(f"{ours}.attention.in_proj", maps, rows)
    yield from same(f"{ours}.attention.output_proj", f"{theirs}.attention.o_proj")
    yield from same(f"{ours}.norm1", f"{theirs}.layernorm_before")
    yield from same(f"{ours}.norm2", f"{theirs}.layernorm_after")
    yield from same(f"{ours}.expand", f"{theirs}.mlp.fc1")
    yield from same(f"{ours}.reduce", f"{theirs}.mlp.fc2")


families.add("vit", ViTFamily())
