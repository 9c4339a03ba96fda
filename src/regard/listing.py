"""Rows with headings: a table where the terminal is wide enough, else blocks, or several tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

if TYPE_CHECKING:
    from rich.table import Table

Cell = str | Text

BETWEEN = 3
"""Letters that a table needs between two columns, and a line at its end."""


@dataclass
class Listing:
    """Rows, each named by its first cell; nothing is ever cut off or broken inside a word.

    Args:
        headings: of the columns.
        numbers: whether all columns but the first hold numbers, which stand on the right.
        several: whether what is too wide becomes several tables of some columns each, with the
            first column in all of them, instead of a block for every row.
    """

    headings: Sequence[str]
    numbers: bool = False
    several: bool = False
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """One more row; no bracket in a text is markup."""
        self.rows.append(tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        if sum(self._widths()) + 1 <= options.max_width:
            yield self._table(range(len(self.headings)))
        elif self.several:
            for columns in self._groups(options.max_width):
                yield self._table(columns)
        else:
            yield from self._blocks(console, options.max_width)

    def _widths(self) -> list[int]:
        """Letters across every column of a table without a line break."""
        columns = zip(self.headings, *([c.plain for c in row] for row in self.rows), strict=True)
        return [max(map(cell_len, column)) + BETWEEN for column in columns]

    def _groups(self, width: int) -> Iterator[list[int]]:
        """Columns that fit beside the first one."""
        first, *widths = self._widths()
        group, room = [0], width - first - 1
        for place, wide in enumerate(widths, 1):
            if wide > room and len(group) > 1:
                yield group
                group, room = [0], width - first - 1
            group.append(place)
            room -= wide
        yield group

    def _table(self, columns: Sequence[int]) -> "Table":
        from rich.table import Table

        made = Table()
        for place in columns:
            right = self.numbers and place > 0
            heading = Text(self.headings[place])
            made.add_column(heading, justify="right" if right else "left", no_wrap=True)
        for row in self.rows:
            made.add_row(*(row[place] for place in columns))
        return made

    def _blocks(self, console: Console, width: int) -> Iterator[RenderableType]:
        """A line per cell below the name of its row; what is too long for a line goes on below."""
        margin = max(map(cell_len, self.headings[1:]), default=0) + 2
        for name, *cells in self.rows:
            yield Text.assemble(name, style="bold", overflow="fold")
            for heading, cell in zip(self.headings[1:], cells, strict=True):
                if cell:
                    label = f"  {heading}".ljust(margin + 2)
                    for part in cell.wrap(console, max(1, width - len(label))):
                        part.rstrip()
                        yield Text.assemble((label, "dim"), part, no_wrap=True)
                        label = " " * len(label)
