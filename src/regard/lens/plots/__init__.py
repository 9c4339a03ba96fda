"""Pictures, drawn with matplotlib (``pip install 'regard[plots]'``)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.registry import Registry

from .gradient_flow import gradient_flow as gradient_flow
from .heatmap import heatmap as heatmap
from .nadaraya_watson import nadaraya_watson as nadaraya_watson
from .style import need_matplotlib as need_matplotlib
from .style import save as save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

figures: "Registry[Callable[..., Figure]]" = Registry("figure")
figures.add("nadaraya-watson", nadaraya_watson)
figures.add("gradient-flow", gradient_flow)
