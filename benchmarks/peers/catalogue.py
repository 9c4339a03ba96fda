"""All systems, by name."""

from .eager import EAGER
from .entmax import ENTMAX, ENTMAX_PARTIAL
from .flex import FLEX
from .keras import KERAS
from .local_attention import LOCAL_ATTENTION
from .modules import REGARD_NN
from .multihead import MULTIHEAD
from .ours import REGARD, REGARD_EAGER, REGARD_NUMBA
from .sdpa import SDPA, SDPA_BIAS, SDPA_PLAIN
from .system import System
from .tutorial import TUTORIAL
from .x_transformers import X_TRANSFORMERS

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        REGARD,
        REGARD_NUMBA,
        REGARD_EAGER,
        REGARD_NN,
        EAGER,
        SDPA,
        SDPA_BIAS,
        SDPA_PLAIN,
        MULTIHEAD,
        FLEX,
        KERAS,
        TUTORIAL,
        X_TRANSFORMERS,
        ENTMAX,
        ENTMAX_PARTIAL,
        LOCAL_ATTENTION,
    )
}
