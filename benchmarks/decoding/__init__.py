"""``regard bench decoding``: tokens per second of the same weights, a process per system."""
