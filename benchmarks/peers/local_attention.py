"""The local-attention package: blocks that look at their neighbours."""

from ..case import Case
from ..inputs import Inputs
from .system import Forward, System


def window(case: Case, inputs: Inputs) -> Forward:
    """Blocks cut to the exact window and no rotary positions: our window mask."""
    from local_attention import LocalAttention

    attention = LocalAttention(
        window_size=case.window,
        causal=case.mask == "back",
        look_backward=1,
        look_forward=0 if case.mask == "back" else 1,
        exact_windowsize=True,
        autopad=True,
        use_rotary_pos_emb=False,
    )
    query, key, value = inputs.query, inputs.key, inputs.value
    return lambda: attention(query, key, value)


LOCAL_ATTENTION = System(
    name="local-attention",
    note="the local-attention package, exact window, no rotary positions",
    builders={"window": window},
    module="local_attention",
)
