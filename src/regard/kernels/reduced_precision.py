"""Products of float32 matrices with factors of 16 bits, where the CPU has units for them."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.backends import mkldnn

X86 = ("x86_64", "amd64", "i386", "i686")
UNITS = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
"""What ``torch.cpu`` calls the units of x86 that multiply bfloat16."""


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether this is a CPU whose units multiply bfloat16 and add up in float32.

    oneDNN says that it computes in bfloat16 on every x86 with AVX-512, but without the units by
    other instructions, slower than in float32. So x86 is asked for the units themselves.
    """
    if device.type != "cpu" or not _takes_bfloat16():
        return False
    if platform.machine().lower() not in X86:
        return True  # of ARM, oneDNN says so where there are units alone
    return any(getattr(torch.cpu, name, bool)() for name in UNITS)


@cache
def _takes_bfloat16() -> bool:
    """By trial: of x86, oneDNN may have units for bfloat16 and use them for bfloat16 alone."""
    if not (mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported()):
        return False
    x = torch.full((32, 32), 1 + 2**-10)  # a bfloat16 has 8 bits: rounded, it is 1
    with bfloat16_products():
        return bool((x @ x == 32).all())


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
    """Whether products of float32 matrices are taken in fewer bits on the CPU just now.

    What ``torch.compile`` traces cannot ask, and is planned as if they were not.
    """
    if torch.compiler.is_compiling():
        return False
    return any(part.fp32_precision == "bf16" for part in _products())


def _products() -> tuple[Any, Any]:
    """Settings of matrix products and of convolutions; torch's stubs do not know them."""
    backend: Any = mkldnn
    return backend.matmul, backend.conv
