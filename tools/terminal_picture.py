"""The picture at the head of README: a terminal with a translation and its alignment, as SVG.

``python tools/terminal_picture.py`` draws ``docs/pictures/terminal.svg`` anew, by the command that
stands in it.
"""

import re
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import regard
from regard.decoding import Beam

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "terminal.svg"
SENTENCE = "The black cat ate the mouse."
WIDTH = 76
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INK, PAPER = (212, 219, 223), (24, 31, 37)
THEME = TerminalTheme(PAPER, INK, [PAPER, *[INK] * 7], [INK] * 8)


def terminal() -> str:
    """The terminal after ``regard translate SENTENCE --show``."""
    [best] = regard.load().translate([SENTENCE], strategy=Beam(), aligned=True)
    console = Console(
        file=StringIO(),
        record=True,
        width=WIDTH,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    console.print(Text(f'$ regard translate "{SENTENCE}" --show', style="bold"))
    console.print(Text(best.text))
    console.print(best)
    return console.export_svg(
        title="regard", theme=THEME, code_format=_alone(CONSOLE_SVG_FORMAT), unique_id="regard"
    )


def _alone(template: str) -> str:
    """A template of rich that fetches no fonts."""
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", template, flags=re.DOTALL)
    return re.sub(r"font-family: Fira Code, monospace", f"font-family: {FONTS}", template)


if __name__ == "__main__":
    PICTURE.write_text(terminal(), encoding="utf-8")
    print("drawn", PICTURE)
