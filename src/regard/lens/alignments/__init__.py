"""Alignments to look at: one value, drawn in the terminal, as a picture or as a page.

>>> view = AlignmentView(("red", "dress"), ("robe", "rouge"), [[0.1, 0.9], [0.8, 0.2]])
>>> Console().print(terminal(view))
>>> Path("alignment.png").write_bytes(picture([view], "png"))
>>> Path("alignment.html").write_text(html([view]), encoding="utf-8")
"""

from .beside import beside as beside
from .figure import figure as figure
from .figure import picture as picture
from .page import html as html
from .terminal import terminal as terminal
from .view import AlignmentView as AlignmentView
