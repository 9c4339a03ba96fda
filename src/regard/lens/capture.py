"""Capture the attention weights of a model while it runs."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

from torch import nn

from regard.errors import ChoiceError
from regard.functional.events import AttentionEvent

from .foreign.given import noting
from .foreign.listener import Listener
from .foreign.opened import attending, opened
from .record import Record


def attention_modules(model: nn.Module) -> dict[str, nn.Module]:
    """The modules inside ``model`` that are known to attend, by name."""
    return attending(model)


@contextmanager
def capture(
    model: nn.Module, names: Collection[str] | None = None, *, graph: bool = False
) -> Iterator[Record]:
    """Record where every attention module inside ``model`` looks while the block runs.

    The model runs as it always does, fused where it is fused; weights are computed from what was
    recorded when they are asked for, as many of them as are asked for, and each look is compared
    with what really came out (:class:`Receipt`).

    >>> with capture(model) as record:
    ...     model(source, target)
    >>> record["decoder.2.cross"].weights  # (B, H, Q, K)

    Any model of PyTorch will do: one of ours; one of ``transformers``, unmodified; modules that
    call torch's fused attention, ``nn.MultiheadAttention`` or :func:`regard.attend`. A block sees
    what the thread runs that opened it.

    A model that is itself one attention has the name ``""``; one that occurs twice has its first
    name. Copies made inside the block are not watched. Weights are those before dropout.

    Args:
        model: what contains attention.
        names: of the modules to watch, as in :func:`attention_modules`; all if not given.
        graph: whether contexts are kept with the graph behind them, for
            :meth:`Record.gradients`; what the graph holds lives as long as the record.

    Raises:
        ChoiceError: there is nothing in ``model`` that attends, or nothing of such a name.
    """
    record = Record()

    def tell(name: str, event: AttentionEvent) -> None:
        """One more look, without the graph behind its context unless that is wanted."""
        free = getattr(event, "without_graph", None)
        record.add(name, event if graph or free is None else free())

    with ExitStack() as blocks:
        blocks.enter_context(noting(model, record.passes.append))
        foreign = blocks.enter_context(opened(model, names, Listener({}, tell)))
        yield record
    if foreign and record.passes and not len(record):
        raise ChoiceError(
            f"capture needs a model with attention that can be seen, {type(model).__name__} ran "
            "and none was: it calls neither regard.attend nor torch's scaled_dot_product_attention "
            "nor nn.MultiheadAttention nor the attention interface of transformers; a softmax of "
            "its own cannot be seen from outside (x-transformers calls the kernel with "
            "attn_flash=True, timm's windows with TIMM_FUSED_ATTN=2)"
        )
