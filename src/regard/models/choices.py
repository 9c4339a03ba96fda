"""Names that configs may hold."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from regard.functional import normalisers


def _known_normaliser(name: str) -> str:
    normalisers.resolve(name)
    return name


NormaliserName = Annotated[str, AfterValidator(_known_normaliser)]
"""A name of :mod:`regard.normalisers`."""

CellName = Literal["rnn", "lstm", "gru"]
"""A recurrent cell that torch has a kernel for."""

Directions = Literal["right", "both"]
"""Whether an encoder reads from left to right, or both ways with half of its width each."""
