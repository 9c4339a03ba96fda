"""Views as an array of numbers: what ``.npy`` holds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..alignments import AlignmentView
from ..explain import Explanation
from ..pictures import PictureView

View = AlignmentView | PictureView | Explanation


def array(views: Sequence[View]) -> NDArray[np.float64]:
    """The weights of all views, one behind the other; of steps, the row of weights.

    Maps of different sizes are padded with NaN.
    """
    maps = [one for view in views for one in _maps(view)]
    sizes = {one.ndim for one in maps}
    if len(sizes) > 1:
        maps = [np.atleast_2d(one) for one in maps]
    largest = tuple(np.max([one.shape for one in maps], axis=0)) if maps else (0,)
    whole = np.full((len(maps), *largest), np.nan)
    for number, one in enumerate(maps):
        corner: Any = (number, *map(slice, one.shape))
        whole[corner] = one
    return whole


def _maps(view: View) -> list[NDArray[Any]]:
    if isinstance(view, AlignmentView):
        return [np.array(view.rows)]
    if isinstance(view, Explanation):
        return [view["weights"].tensor.double().numpy()]
    grids = (panel.heat if panel.heat is not None else panel.bars for panel in view.panels)
    return [grid.double().numpy() for grid in grids if grid is not None]
