"""Attention for any convolutional network: a block by its name, put into that of a user."""

from collections.abc import Callable, Iterator

from torch import nn

from regard.errors import ChoiceError
from regard.registry import Registry
from regard.types import Float, Tensor

from .context import GlobalContext
from .coordinates import CoordinateAttention
from .efficient import EfficientChannelAttention
from .gates import CBAM, ChannelAttention, SpatialAttention, SqueezeExcitation
from .non_local import NonLocal

Maker = Callable[[int], nn.Module]
FEWEST = 8
"""Hidden units that a gate over channels keeps at least: fewer cannot tell channels apart."""

ATTENTIONS: Registry[Maker] = Registry("attention over features")
"""Blocks that keep the shape of (B, C, Y, X), as their authors published them, by name."""
ATTENTIONS.add("se", lambda c: SqueezeExcitation(c, hidden_channels=_narrow(c), bias=True))
ATTENTIONS.add("eca", EfficientChannelAttention)
ATTENTIONS.add("cbam", lambda c: CBAM(c, hidden_channels=_narrow(c), norm="batch"))
ATTENTIONS.add("channel", lambda c: ChannelAttention(c, hidden_channels=_narrow(c)))
ATTENTIONS.add("spatial", lambda c: SpatialAttention(norm="batch"))
ATTENTIONS.add("non_local", lambda c: NonLocal(c, subsample=2, norm="batch"))
ATTENTIONS.add("global_context", GlobalContext)
ATTENTIONS.add("coordinate", CoordinateAttention)


def _narrow(channels: int) -> int:
    return max(FEWEST, channels // 16)


class Attended(nn.Module):
    """A layer and the attention over what it puts out.

    Args:
        layer: whose output is (B, C, Y, X).
        attention: keeps the shape.
    """

    def __init__(self, layer: nn.Module, attention: nn.Module) -> None:
        super().__init__()
        self.layer = layer
        self.attention = attention

    def forward(self, features: Float[Tensor, "B c y x"]) -> Float[Tensor, "B C Y X"]:
        """The layer, then the attention."""
        return self.attention(self.layer(features))


def add_attention(model: nn.Module, attention: str, *, after: str = "") -> nn.Module:
    """Put attention into a network, in place, behind the last norm of each of its residual blocks.

    >>> model = add_attention(my_resnet, "se")
    >>> model = add_attention(my_cnn, "cbam", after="features.6")   # behind one layer of mine

    A block is a module that holds two convolutions or more beside each other, as those of ResNets
    do; attention comes behind its last batch norm, or its last convolution if no norm follows it,
    thus before the sum with the skip, as in the paper of squeeze and excitation. A network that has
    no such block gets it behind every norm, or every convolution, that has two axes of positions
    and more than one channel. Weights that are there stay as they are, and keep their names but for
    a ``layer.`` inside. Calling it twice adds twice.

    Args:
        model: changed in place, and returned.
        attention: a name of ``ATTENTIONS``.
        after: the name of a module: attention goes behind this one alone.

    Raises:
        ChoiceError: an unknown name, no such module, or a network without convolutions.
    """
    make = ATTENTIONS[attention]
    places = [after] if after else list(_places(model))
    if not places:
        raise ChoiceError(
            f"add_attention needs a network with convolutions over images, {type(model).__name__} "
            "has none"
        )
    for place in places:
        holder, name = _held(model, place)
        layer = getattr(holder, name)
        tensor = next(layer.parameters(), None)
        made = make(_channels(layer, place))
        setattr(holder, name, Attended(layer, made if tensor is None else made.to(tensor.device)))
    return model


def _places(model: nn.Module) -> Iterator[str]:
    """Where attention goes: the last norm of every block, or every norm if there are no blocks."""
    blocks = [(name, _layers(part)) for name, part in model.named_modules()]
    found = [(name, layers) for name, layers in blocks if _is_block(layers)]
    if found:
        for name, layers in found:
            yield f"{name}.{_last(layers)}".removeprefix(".")
        return
    flat = [name for name, part in model.named_modules() if isinstance(part, nn.BatchNorm2d)]
    plain = [name for name, part in model.named_modules() if isinstance(part, nn.Conv2d)]
    yield from (name for name in flat or plain if name)


def _layers(part: nn.Module) -> dict[str, nn.Module]:
    """The layers that a module holds itself: those of a sequence are in no block of their own."""
    if isinstance(part, nn.Sequential | nn.ModuleList):
        return {}
    return {
        name: child
        for name, child in part.named_children()
        if isinstance(child, nn.Conv2d | nn.BatchNorm2d)
    }


def _is_block(layers: dict[str, nn.Module]) -> bool:
    return sum(isinstance(layer, nn.Conv2d) for layer in layers.values()) > 1


def _last(layers: dict[str, nn.Module]) -> str:
    """The norm behind the last convolution, as far as channels tell, or that convolution."""
    convolution = [name for name, one in layers.items() if isinstance(one, nn.Conv2d)][-1]
    channels = layers[convolution].out_channels
    norms = [
        name
        for name, one in layers.items()
        if isinstance(one, nn.BatchNorm2d) and one.num_features == channels
    ]
    return norms[-1] if norms else convolution


def _held(model: nn.Module, place: str) -> tuple[nn.Module, str]:
    parent, _, name = place.rpartition(".")
    try:
        model.get_submodule(place)
        return model.get_submodule(parent), name
    except AttributeError:
        raise ChoiceError(
            f"add_attention needs the name of a module to put attention behind, {place!r} is none"
        ) from None


def _channels(layer: nn.Module, place: str) -> int:
    for part in reversed(list(layer.modules())):
        width = getattr(part, "num_features", None) or getattr(part, "out_channels", None)
        if isinstance(width, int):
            return width
    raise ChoiceError(
        f"add_attention needs a layer that says how many channels it puts out, {place!r} does not"
    )
