"""Detection as the prediction of a set: object queries look at the picture, and each other.

Carion et al. 2020 (https://arxiv.org/abs/2005.12872).
"""

from typing import ClassVar, Literal, NamedTuple

import torch
from torch import nn

from regard.nn import MultiHeadAttention
from regard.positions import grid2d
from regard.types import Float, Tensor

from ..config import Probability, Size
from ..dropout import Dropout
from ..transformer.feed_forward import FeedForward
from .candidates import Candidates
from .pyramid import FramedConfig, Pyramid, PyramidConfig, entered


class SetPredictionConfig(FramedConfig):
    """Object queries over the map of a small convolutional network."""

    kind: Literal["set-prediction"] = "set-prediction"
    pyramid: PyramidConfig = PyramidConfig()
    """The network below; its coarsest map is looked at."""
    model_dim: Size = 128
    """M."""
    num_heads: Size = 4
    """H."""
    hidden_dim: Size = 256
    """F."""
    num_encoder_layers: int = 2
    """In which the places of the map look at each other."""
    num_decoder_layers: Size = 3
    """In which the queries look at them."""
    num_queries: Size = 40
    """Objects that can be found in a picture."""
    dropout: Probability = 0.0
    """Of what layers add."""


class Found(NamedTuple):
    """What the queries say after one layer."""

    logits: Float[Tensor, "B Q C1"]
    """Of the classes; the last is that there is nothing."""
    boxes: Float[Tensor, "B Q 4"]
    """Left, top, right and bottom edge as shares of the picture."""


class FoundSets(NamedTuple):
    """What the queries say after every layer, the last one last."""

    layers: tuple[Found, ...]
    height: int
    """Rows of the picture."""
    width: int

    @property
    def last(self) -> Found:
        """What counts."""
        return self.layers[-1]


class SetPrediction(nn.Module):
    r"""Queries of objects that look at a picture, and at each other lest two find the same.

    .. math:: (\hat p_q, \hat b_q) = \text{heads}(\text{decoder}(q, \text{encoder}(f(x))))

    Carion et al. 2020 (https://arxiv.org/abs/2005.12872). Differs: norms stand before the
    layers, and a box is learned as the way from a point that each query has of its own (Zhu et
    al. 2020, https://arxiv.org/abs/2010.04159), which is learned many times faster.

    Args:
        config: classes and sizes.
    """

    criterion: ClassVar[str] = "matched"
    """What it is trained by, see :mod:`regard.tasks.object_detection.objective`."""

    def __init__(self, config: SetPredictionConfig) -> None:
        super().__init__()
        self.config = config
        dim = config.model_dim
        self.pyramid = Pyramid(config.pyramid, None)
        self.input_proj = nn.Conv2d(config.pyramid.channels[-1], dim, 1)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_decoder_layers))
        self.encoder_norm, self.norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.queries = nn.Parameter(torch.empty(config.num_queries, dim))
        self.points = nn.Parameter(torch.empty(config.num_queries, 2))
        nn.init.normal_(self.queries)
        nn.init.uniform_(self.points)
        self.label_proj = nn.Linear(dim, config.classes + 1)
        last = nn.Linear(dim, 4)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias[:2])  # boxes begin around their points, as a fifth of the picture
        nn.init.constant_(last.bias[2:], -1.5)
        self.box_proj = nn.Sequential(
            nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU(), last
        )

    def forward(self, pixels: Tensor) -> FoundSets:
        """What the queries found, layer by layer."""
        memory, places = self._memory(pixels)
        queries = self.queries.expand(len(memory), -1, -1)  # (B, Q, M)
        states, layers = torch.zeros_like(queries), []
        for layer in self.decoder:
            states = layer(states, queries, memory, places)
            layers.append(self._found(self.norm(states)))
        return FoundSets(tuple(layers), pixels.shape[2], pixels.shape[3])

    def candidates(self, found: FoundSets, most: int = 200) -> Candidates:
        """What every query found, the surest first; that it found nothing is left out of account.

        Args:
            found: by a call.
            most: of each picture.
        """
        likely = found.last.logits.softmax(dim=-1)[..., :-1].max(dim=-1)  # (B, Q)
        order = likely.values.argsort(dim=1, descending=True, stable=True)[:, :most]
        size = [found.width, found.height, found.width, found.height]
        boxes = found.last.boxes * found.last.boxes.new_tensor(size)
        kept = boxes.gather(1, order.unsqueeze(-1).expand(-1, -1, 4))
        scores, labels = likely.values.gather(1, order), likely.indices.gather(1, order)
        return Candidates(kept, scores, labels, order)

    @property
    def look(self) -> str:
        """The module whose weights say where each query looked at last."""
        return f"decoder.{len(self.decoder) - 1}.cross"

    def grid(self, height: int, width: int) -> tuple[int, int]:
        """Rows and columns of the places that queries look at."""
        stride = 2 ** (1 + len(self.config.pyramid.channels))
        return -(-height // stride), -(-width // stride)

    def _memory(self, pixels: Tensor) -> tuple[Float[Tensor, "B K M"], Float[Tensor, "K M"]]:
        """What is looked at: the encoded places of the map, and where they are."""
        features = self.input_proj(self.pyramid(entered(pixels, self.config))[-1])
        height, width = features.shape[2:]
        places = grid2d(
            height, width, self.config.model_dim, dtype=features.dtype, device=features.device
        )
        memory = features.flatten(2).mT  # (B, K, M)
        for layer in self.encoder:
            memory = layer(memory, places)
        return self.encoder_norm(memory), places

    def _found(self, states: Float[Tensor, "B Q M"]) -> Found:
        """Logits of classes, and boxes."""
        told = self.box_proj(states)
        start = torch.logit(self.points.clamp(0.01, 0.99))  # (Q, 2)
        centre, size = (told[..., :2] + start).sigmoid(), told[..., 2:].sigmoid()
        boxes = torch.cat([centre - size / 2, centre + size / 2], dim=-1)
        return Found(self.label_proj(states), boxes)


class EncoderLayer(nn.Module):
    """Places of the map look at each other; queries and keys know where they are, values do not."""

    def __init__(self, config: SetPredictionConfig) -> None:
        super().__init__()
        dim = config.model_dim
        self.attention = MultiHeadAttention(dim, config.num_heads)
        self.attention_norm, self.norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.feed_forward = FeedForward(model_dim=dim, hidden_dim=config.hidden_dim)
        self.dropout = Dropout(config.dropout)

    def forward(
        self, x: Float[Tensor, "B K M"], places: Float[Tensor, "K M"]
    ) -> Float[Tensor, "B K M"]:
        """The states above ``x``."""
        entered = self.attention_norm(x)
        placed = entered + places
        x = x + self.dropout(self.attention(placed, placed, values=entered))
        return x + self.dropout(self.feed_forward(self.norm(x)))


class DecoderLayer(nn.Module):
    """Queries look at each other, then at the picture."""

    def __init__(self, config: SetPredictionConfig) -> None:
        super().__init__()
        dim = config.model_dim
        self.attention = MultiHeadAttention(dim, config.num_heads)
        self.cross = MultiHeadAttention(dim, config.num_heads)
        self.attention_norm, self.cross_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.norm = nn.LayerNorm(dim)
        self.feed_forward = FeedForward(model_dim=dim, hidden_dim=config.hidden_dim)
        self.dropout = Dropout(config.dropout)

    def forward(
        self,
        x: Float[Tensor, "B Q M"],
        queries: Float[Tensor, "B Q M"],
        memory: Float[Tensor, "B K M"],
        places: Float[Tensor, "K M"],
    ) -> Float[Tensor, "B Q M"]:
        """The states of the queries after one more look."""
        entered = self.attention_norm(x)
        asked = entered + queries
        x = x + self.dropout(self.attention(asked, asked, values=entered))
        asked = self.cross_norm(x) + queries
        x = x + self.dropout(self.cross(asked, memory + places, values=memory))
        return x + self.dropout(self.feed_forward(self.norm(x)))


def set_prediction_small(*, classes: int, height: int, width: int) -> SetPredictionConfig:
    """Forty queries over places 16 pixels apart."""
    return SetPredictionConfig(classes=classes, height=height, width=width)
