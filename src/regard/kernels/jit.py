"""Just-in-time compilation of kernels by numba: on first use, announced, cached on disk."""

import inspect
import logging
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

ANY_ORDER = frozenset({"arcp", "contract", "nsz", "reassoc"})
"""Liberties that make sums and products vector instructions. None assumes finite numbers."""
SOURCES = Path(__file__).parent
"""Where all kernels lie."""


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
}
"""What the functions of a file are for; those of other files are only called by them."""


def jit(
    *, liberties: frozenset[str] = ANY_ORDER, inline: bool = False
) -> Callable[[Kernel], Kernel]:
    """Decorator: compile with numba at the first call with each type of arguments.

    The machine code is kept beside the source, or in the user's cache folder, and if neither can be
    written it is compiled once per process. Kernels release the interpreter lock.

    Args:
        liberties: LLVM's fast-math flags; ``nnan`` and ``ninf`` are never right here.
        inline: repeat the code where it is called, so that loops see their bounds.
    """

    def decorate(function: Kernel) -> Kernel:
        announce_compilation()
        plain = _named(function)
        try:
            return _njit(plain, liberties, inline, cache=True)
        except RuntimeError:  # no folder can be written
            return _njit(plain, liberties, inline, cache=False)

    return decorate


def compiled_callback(function: Callable[[Any], None]) -> Any:
    """A function of C that is given the address of whole numbers; compiled at once, and kept."""
    from numba import cfunc, types

    announce_compilation()
    signature = types.void(types.CPointer(types.int64))  # type: ignore[no-untyped-call]
    plain = _named(function)
    try:
        return cfunc(signature, cache=True)(plain)
    except RuntimeError:  # no folder can be written
        return cfunc(signature)(plain)


def _named(function: Any) -> Any:
    """The function under a name that changes with the text of any kernel.

    Machine code is kept by name and by the text of the function's own file, but holds what the
    function calls and the constants it reads, which may be of another file that is newer.
    """
    plain = inspect.unwrap(function)  # type checkers wrap functions in tests
    plain.__qualname__ += f"_{_digest(SOURCES)}"
    return plain


@cache
def _digest(folder: Path) -> str:
    text = sha256()
    for path in sorted(folder.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()[:12]


def _njit(function: Any, liberties: frozenset[str], inline: bool, *, cache: bool) -> Any:
    from numba import njit

    return njit(
        nogil=True,
        cache=cache,
        error_model="numpy",  # a division checked for zero is not vectorised
        fastmath=set(liberties),
        inline="always" if inline else "never",
    )(function)


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
