"""How torch's own module is called."""

from dataclasses import dataclass, field

from torch import nn

from .call import Answer, Inputs
from .traits import Masks


@dataclass(frozen=True)
class TorchMultihead:
    """``torch.nn.MultiheadAttention``: its mask says where *not* to attend, its weights by head."""

    itself: bool = field(default=False, init=False)
    valued: bool = field(default=True, init=False)
    masks: Masks = field(default="pairs", init=False)

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and the weights of every head, whose mean torch would show."""
        assert isinstance(module, nn.MultiheadAttention)
        barred = None
        if inputs.allowed is not None:
            barred = (~inputs.allowed).repeat_interleave(module.num_heads, dim=0)
        vectors = inputs[:3] if module.batch_first else [x.transpose(0, 1) for x in inputs[:3]]
        context, weights = module(*vectors, attn_mask=barred, average_attn_weights=False)
        return Answer(context if module.batch_first else context.transpose(0, 1), weights)
