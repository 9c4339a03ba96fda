"""One small program per system: loads it, then trains it for as long as it is told to.

Each runs as ``python -m benchmarks.training.drivers.<name> '<job as JSON>'`` in the environment of
its system, where regard is not installed: nothing here but :mod:`.ours` may import it.
"""
