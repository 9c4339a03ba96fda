"""Pictures to look at: one value, drawn in the terminal, as a file or as a page.

>>> view = PictureView(read_picture("cat.jpg"), [Panel("cat", heat=weights)])
>>> Console().print(terminal([view]))
>>> Path("cat.png").write_bytes(picture([view], "png"))
>>> Path("cat.html").write_text(html([view]), encoding="utf-8")
"""

from typing import TYPE_CHECKING

from .figure import figure as figure
from .figure import picture as picture
from .graphics import protocol_of as protocol_of
from .page import html as html
from .view import Box as Box
from .view import Panel as Panel
from .view import PictureView as PictureView

__all__ = ["Box", "Panel", "PictureView", "figure", "html", "picture", "protocol_of", "terminal"]

if TYPE_CHECKING:
    from .drawing import terminal as terminal
else:
    from regard.lazy import lazy_names

    # A drawing of rich, which comes with an extra.
    __getattr__, __dir__ = lazy_names(__name__, {"terminal": "drawing"})
