"""Counter-based random numbers: a draw depends on its key, not on the draws before it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def uniform(*counters: Any) -> NDArray[np.float64]:
    """A number in [0, 1) for whole numbers, or for each of arrays of them.

    >>> uniform(seed, epoch, numbers_of_texts, places)

    splitmix64 over the counters, Steele et al. 2014 (https://doi.org/10.1145/2714064.2660195).
    """
    bits = np.zeros(1, dtype=np.uint64)
    for counter in counters:
        bits = bits + np.uint64(0x9E3779B97F4A7C15) + np.asarray(counter).astype(np.uint64)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits = bits ^ (bits >> np.uint64(31))
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
