"""The families as cases: each value of the package beside the loop that defines it.

Data are lists of floats from a seeded generator of the standard library; tensors are made from
them, never the other way round.
"""
