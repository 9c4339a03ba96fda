"""Products of float32 matrices with factors of 16 bits, where the CPU has units for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.backends import mkldnn


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether this is a CPU whose units multiply bfloat16 and add up in float32."""
    return (
        device.type == "cpu"
        and mkldnn.is_available()
        and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    )


@contextmanager
def bfloat16_products() -> Iterator[None]:
    """Rounds the factors of products and convolutions on their way in, forward and backward.

    Tensors stay in float32, and so do sums: nothing is kept in 16 bits, and everything between the
    products is what it is in float32. ``torch.autocast`` rounds every tensor on its way out, too,
    and is slower where matrices are small. Holds for all threads of the process, as torch has it.
    """
    parts = _products()
    before = [part.fp32_precision for part in parts]
    try:
        for part in parts:
            part.fp32_precision = "bf16"
        yield
    finally:
        for part, precision in zip(parts, before, strict=True):
            part.fp32_precision = precision


def products_are_reduced() -> bool:
    """Whether products of float32 matrices are taken in fewer bits on the CPU just now."""
    return any(part.fp32_precision == "bf16" for part in _products())


def _products() -> tuple[Any, Any]:
    """Settings of matrix products and of convolutions; torch's stubs do not know them."""
    backend: Any = mkldnn
    return backend.matmul, backend.conv
