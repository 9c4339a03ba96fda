"""A hypothesis: tokens, score and attention weights, as decoding returns it."""

from typing import NamedTuple

from regard.types import Float, Tensor


class Hypothesis(NamedTuple):
    """One way to say it."""

    tokens: tuple[int, ...]
    """What was written, without the tokens that begin and end a sentence."""
    score: float
    """What it was ranked by, finished or not; more is better."""
    log_prob: float
    """Logarithm of the model's probability of these tokens, and of the end if ``finished``."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    log_probs: tuple[float, ...] = ()
    """Of each token by itself, given those before it; and of the end, if ``finished``."""
    weights: Float[Tensor, "T S"] | None = None
    """Where each step looked, if it was asked for and the model looks.

    Row t is the step that wrote token t. The end was written too: if ``finished``, there is one
    row more than there are tokens. Columns are the tokens of the source, its end included.
    """
