"""BERT: an encoder with a head for hidden tokens, or without."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from regard.errors import ChoiceError
from regard.types import Tensor

from ..text.bert import BertConfig, SentenceConfig
from ..text.config import EmbeddingConfig, TransformerEncoderConfig
from .family import PLAIN, Family, families, require, without
from .rules import Rule, Rules, same, stacked
from .settings import ACTIVATIONS, Settings, named

HEAD = "cls.predictions.transform.dense.weight"
POOLER = "pooler.dense.weight"


class BertFamily(Family):
    """Devlin et al. 2019 (https://arxiv.org/abs/1810.04805); MiniLM and other sentence encoders.

    Theirs → ours: ``embeddings.LayerNorm`` → ``text.encoder.input_norm``, token types →
    ``segments``, ``attention.self`` → ``in_proj`` (one matrix), ``intermediate`` and ``output`` →
    ``feed_forward``, ``cls.predictions.transform`` → ``final_proj`` and ``final_norm``.
    """

    buffers: ClassVar[tuple[str, ...]] = ("position_ids", "token_type_ids")
    spare: ClassVar[tuple[str, ...]] = ("cls.seq_relationship.",)

    def stripped(self, name: str) -> str:
        """Without the ``bert.`` that models with a head put before the encoder's names."""
        return without("bert.", name)

    def written(self, name: str, config: BertConfig) -> str:
        """With it."""
        return f"bert.{name}" if config.head and not name.startswith("cls.") else name

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> BertConfig:
        """An encoder whose norms stand behind the sums."""
        for name in ("position_embedding_type", "is_decoder", "add_cross_attention"):
            settings.expect(name, *("absolute",) if name.startswith("position") else (False,))
        settings.expect("tie_word_embeddings", True)
        settings.ignore("classifier_dropout")
        activation = settings.choose("hidden_act", ACTIVATIONS, "gelu")
        width, head = settings.need("hidden_size"), HEAD in theirs
        if head and activation != "gelu":
            raise ChoiceError(f"the head of a BERT has GELU here, got {activation}")
        return BertConfig(
            vocab=settings.need("vocab_size"),
            pad=settings.take("pad_token_id", 0),
            embedding=EmbeddingConfig(
                dim=width, factor=1.0, segments=settings.take("type_vocab_size", 2), dropout=0.0
            ),
            encoder=TransformerEncoderConfig(
                model_dim=width,
                num_heads=settings.need("num_attention_heads"),
                num_layers=settings.need("num_hidden_layers"),
                hidden_dim=settings.need("intermediate_size"),
                max_length=settings.take("max_position_embeddings", 512),
                norm="post",
                norm_eps=settings.take("layer_norm_eps", 1e-12),
                input_norm=True,
                activation=activation,
                position="learned",
                dropout=settings.take("hidden_dropout_prob", 0.1),
                attention_dropout=settings.take("attention_probs_dropout_prob", 0.1),
            ),
            head=head,
            pooler=POOLER in theirs,
            sentence=SentenceConfig(framed=True),
        )

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of a ``BertConfig`` of theirs."""
        encoder = getattr(config, "encoder", None)
        if not isinstance(config, BertConfig) or not isinstance(encoder, TransformerEncoderConfig):
            raise ChoiceError(f"a BERT is a model of hidden tokens, got {config.kind!r}")
        require(
            encoder,
            {
                **PLAIN,
                "norm": "post",
                "norm_kind": "layer",
                "input_norm": True,
                "position": "learned",
                "score": "scaled_dot",
                "normalise": "softmax",
                "bias": True,
                "num_key_heads": None,
                "head_dim": None,
            },
        )
        if config.embedding.factor != 1 or config.embedding.spelling is not None:
            raise ChoiceError("a BERT neither scales its embeddings nor spells words")
        return {
            "architectures": ["BertForMaskedLM" if config.head else "BertModel"],
            "vocab_size": config.vocab,
            "hidden_size": encoder.model_dim,
            "num_hidden_layers": encoder.num_layers,
            "num_attention_heads": encoder.num_heads,
            "intermediate_size": encoder.hidden_dim,
            "hidden_act": named(encoder.activation, ACTIVATIONS),
            "hidden_dropout_prob": encoder.dropout,
            "attention_probs_dropout_prob": encoder.attention_dropout,
            "max_position_embeddings": encoder.max_length,
            "type_vocab_size": config.embedding.segments,
            "layer_norm_eps": encoder.norm_eps,
            "pad_token_id": config.pad,
        }

    def rules(self, config: BertConfig) -> Rules:
        """Embeddings, layers, and what stands above them."""
        layers = config.encoder.num_layers
        width = config.embedding.dim
        found = [
            *same("text.embedding.table", "embeddings.word_embeddings", ("weight",)),
            Rule("text.encoder.position.table", ("embeddings.position_embeddings.weight",)),
            *same("text.encoder.input_norm", "embeddings.LayerNorm"),
            *(rule for number in range(layers) for rule in _layer(number, width)),
        ]
        if config.embedding.segments:
            kinds = "embeddings.token_type_embeddings"
            found += same("text.embedding.segments", kinds, ("weight",))
        if config.pooler:
            found += same("pooler.proj", "pooler.dense")
        if not config.head:
            return Rules(tuple(found))
        found += same("final_proj", "cls.predictions.transform.dense")
        found += same("final_norm", "cls.predictions.transform.LayerNorm")
        found += [Rule("output.proj.bias", ("cls.predictions.bias",))]
        return Rules(
            tuple(found),
            {"output.proj.weight": "text.embedding.table.weight"},
            {
                "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
                "cls.predictions.decoder.bias": "cls.predictions.bias",
            },
        )


def _layer(number: int, width: int) -> Iterator[Rule]:
    ours, theirs = f"text.encoder.layers.{number}", f"encoder.layer.{number}"
    maps = [f"{theirs}.attention.self.{name}" for name in ("query", "key", "value")]
    yield from stacked(f"{ours}.attention.in_proj", maps, (width,) * 3)
    yield from same(f"{ours}.attention.output_proj", f"{theirs}.attention.output.dense")
    yield from same(f"{ours}.around_attention.norm", f"{theirs}.attention.output.LayerNorm")
    yield from same(f"{ours}.feed_forward.input_proj", f"{theirs}.intermediate.dense")
    yield from same(f"{ours}.feed_forward.output_proj", f"{theirs}.output.dense")
    yield from same(f"{ours}.around_feed_forward.norm", f"{theirs}.output.LayerNorm")


families.add("bert", BertFamily())
