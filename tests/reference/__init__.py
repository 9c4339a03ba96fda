"""Attention written a second time: plain loops over lists of floats.

Nothing here imports the package or torch, so an error has to be made twice, in two ways of
writing, to go unnoticed. Speed does not matter; each function should read like its equation.
"""
