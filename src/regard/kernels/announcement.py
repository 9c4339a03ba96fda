"""The one-line notice while numba compiles kernels, once for each family of them."""

import logging
from functools import cache
from typing import Any

PURPOSES = {
    "entmax_numba": "sparsemax and entmax",
    "gru_numba": "GRU layers",
    "paged_numba": "decoding with a Transformer",
    "ragged_numba": "Transformer layers without padding",
    "stack_numba": "decoding many sentences with a Transformer",
    "support_numba": "gradients of sparse weights",
    "tanh_numba": "additive attention",
    "threshold_numba": "sparsemax and entmax",
    "matmul_numba": "decoding many sentences with a Transformer",
    "turned_numba": "additive attention",
}
"""What the functions of a file are for; those of other files are only called by them."""


class Announcements:
    """Says once, when a kernel really has to be compiled, what it is for."""

    def __init__(self) -> None:
        self._said = set[str]()

    def of(self, module: str) -> None:
        """Announce a kernel of this module, unless another one of its purpose was."""
        purpose = PURPOSES.get(module.rpartition(".")[2])
        if purpose is not None and purpose not in self._said:
            self._said.add(purpose)
            logging.getLogger("regard").warning(
                "compiling kernels of regard for %s: some seconds, and kept for the next time",
                purpose,
            )


@cache
def announce_compilation() -> None:
    """From now on, tell of every purpose for which numba compiles."""
    from numba.core import event

    announcements = Announcements()

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            kernel = event.data["dispatcher"].py_func
            if kernel.__module__.startswith("regard."):
                announcements.of(kernel.__module__)

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
