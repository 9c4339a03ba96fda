"""All systems, by name."""

from .eager import EAGER
from .entmax import ENTMAX, ENTMAX_PARTIAL
from .flex import FLEX
from .keras import KERAS
from .local_attention import LOCAL_ATTENTION
from .multihead import MULTIHEAD
from .ours import REGARD, REGARD_EAGER, REGARD_NUMBA
from .sdpa import SDPA, SDPA_BIAS, SDPA_PLAIN
from .system import System
from .x_transformers import X_TRANSFORMERS

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        REGARD,
        REGARD_NUMBA,
        REGARD_EAGER,
        EAGER,
        SDPA,
        SDPA_BIAS,
        SDPA_PLAIN,
        MULTIHEAD,
        FLEX,
        KERAS,
        X_TRANSFORMERS,
        ENTMAX,
        ENTMAX_PARTIAL,
        LOCAL_ATTENTION,
    )
}
