"""Cells that read one sentence while they look at another."""

from regard import cells
from regard.lens import capture
from regard.lens.examples import sentence

from .example import Map, sharper, shows
from .french import FRENCH, french


@shows("shallow fusion")
def shallow() -> Map:
    """A cell, drawn at random, reads French; before each word it looks at the English one."""
    encoder, cell = sharper(cells.LSTMN(8, 8), 5.0), sharper(cells.ShallowFusion(8, 8), 5.0)
    _, english = cells.Recurrent(encoder)(sentence())
    with capture(cell) as record:
        source = cell.read(english.tape.hidden)
        cells.Recurrent(cell)(french(), cell.start(source=source))
    return Map(record["inter"].weights.reshape(7, 6), queries=FRENCH)


@shows("deep fusion")
def deep() -> Map:
    """As in shallow fusion, but the word itself looks, and the memory takes up what it finds."""
    encoder, cell = sharper(cells.LSTMN(8, 8), 5.0), sharper(cells.DeepFusion(8, 8), 5.0)
    _, english = cells.Recurrent(encoder)(sentence())
    with capture(cell) as record:
        source = cell.read(english.tape.hidden, english.tape.memory)
        cells.Recurrent(cell)(french(), cell.start(source=source))
    return Map(record["inter"].weights.reshape(7, 6), queries=FRENCH)
