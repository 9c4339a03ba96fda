"""Whether code may depend on the numbers in a tensor."""

import torch
from torch.nn import Parameter

from regard.kernels.derivatives import transformed
from regard.types import Tensor

_PLAIN = (Tensor, Parameter)


def readable(x: Tensor) -> bool:
    """False while a graph is made of the code, inside ``torch.func``, and for stand-ins."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    if transformed() or type(x) not in _PLAIN:
        return False
    kind = x.device.type
    return kind == "cpu" or (
        kind != "meta" and not (kind == "cuda" and torch.cuda.is_current_stream_capturing())
    )
