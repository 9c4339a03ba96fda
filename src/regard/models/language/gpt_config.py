"""What a GPT is built from."""

from typing import Annotated, Literal

from pydantic import Field

from ..config import Probability, Size
from ..transformer.feed_forward import ActivationName
from ..transformer.layers_config import LayersConfig
from ..transformer.positions import PositionName
from .config import LanguageConfig


class GPTConfig(LayersConfig, LanguageConfig):
    """Phuong and Hutter 2022, DTransformer (https://arxiv.org/abs/2207.09238), which is GPT-2.

    Theirs → ours: l_max → ``context``, L → ``num_layers``, H → ``num_heads``, d_e → ``model_dim``,
    d_mlp → ``hidden_dim``, N_V → ``vocab``.
    """

    kind: Literal["gpt"] = "gpt"
    """Which model this is the config of."""
    context: Size = 256
    """Tokens that it is trained to look at."""
    num_layers: Size = 4
    """Layers."""
    activation: ActivationName = "gelu"
    """Non-linearity of the feed-forward layers."""
    position: PositionName = "learned"
    """How a token knows where it stands."""
    window: Size | None = None
    """Tokens that each one looks back at, itself among them; all before it if not given."""
    embedding_factor: Annotated[float, Field(gt=0)] = 1.0
    """What the tokens' vectors are multiplied with."""
    output_bias: bool = True
    """Whether the output layer has one."""
    embedding_dropout: Probability | None = None
    """Of embeddings with their positions; as dropout if not given."""

    @property
    def longest(self) -> int:
        """As many tokens as it is trained to look at."""
        return self.context

    @property
    def max_length(self) -> int:
        """Positions that have a vector, where these are learned."""
        return self.context

    @property
    def chosen_embedding_dropout(self) -> float:
        """Of embeddings with their positions."""
        return self.dropout if self.embedding_dropout is None else self.embedding_dropout


def gpt_tiny(*, vocab: int) -> GPTConfig:
    """Four layers of 128, context 64: characters on a laptop, in minutes."""
    return GPTConfig(
        vocab=vocab,
        context=64,
        model_dim=128,
        hidden_dim=512,
        position="rotary",
        activation="relu_squared",
    )


def gpt_small(*, vocab: int) -> GPTConfig:
    """Six layers of 256, context 256: an hour or two on a CPU."""
    return GPTConfig(
        vocab=vocab, num_layers=6, num_heads=8, position="rotary", activation="relu_squared"
    )


def gpt_base(*, vocab: int) -> GPTConfig:
    """The sizes of the smallest GPT-2 (Radford et al. 2019): twelve layers of 768."""
    return GPTConfig(
        vocab=vocab,
        context=1024,
        model_dim=768,
        num_heads=12,
        num_layers=12,
        hidden_dim=3072,
        activation="gelu_tanh",
        dropout=0.1,
        attention_dropout=0.1,
    )
