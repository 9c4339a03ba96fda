"""Tensors as attention takes them: one block of numbers, sequences padded to one length."""

import torch

from regard.errors import DtypeError
from regard.types import Tensor


def require_padded(owner: object, x: Tensor) -> None:
    """Raise on nested and on sparse tensors; ``owner`` may be a name.

    Raises:
        DtypeError: what to do instead.
    """
    if not x.is_nested and x.layout is torch.strided:
        return
    name = owner if isinstance(owner, str) else type(owner).__name__
    if x.is_nested:
        raise DtypeError(
            f"{name} needs padded tensors, got a nested one; pad it by .to_padded_tensor(0.0), and "
            "pass its lengths as the mask, masks.padding(lengths)"
        )
    raise DtypeError(f"{name} needs dense tensors, got {x.layout}; convert with .to_dense()")
