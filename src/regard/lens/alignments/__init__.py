"""Alignments to look at: one value, drawn in the terminal, as a picture or as a page.

>>> view = AlignmentView(("red", "dress"), ("robe", "rouge"), [[0.1, 0.9], [0.8, 0.2]])
>>> Console().print(terminal(view))
>>> Path("alignment.png").write_bytes(picture([view], "png"))
>>> Path("alignment.html").write_text(html([view]), encoding="utf-8")
"""

from typing import TYPE_CHECKING

from .figure import figure as figure
from .figure import picture as picture
from .page import html as html
from .view import AlignmentView as AlignmentView

__all__ = ["AlignmentView", "beside", "figure", "html", "picture", "terminal"]

if TYPE_CHECKING:
    from .drawing import beside as beside
    from .drawing import terminal as terminal
else:
    from regard.lazy import lazy_names

    # Theirs are drawings of rich, which comes with an extra.
    __getattr__, __dir__ = lazy_names(__name__, {"beside": "drawing", "terminal": "drawing"})
