"""One small program per system: loads the weights, then translates whatever it is told to.

Each runs as ``python -m benchmarks.decoding.decoders.<name> '<job as JSON>'`` in the environment of
its system, where regard is not installed: nothing here but :mod:`.ours` may import it.
"""
