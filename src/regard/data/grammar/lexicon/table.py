"""Lexicon tables: one lexeme a line, its forms in columns between bars."""


def rows(table: str) -> list[list[str]]:
    """The cells of ``table``, line by line; blank lines separate groups for the eye only."""
    lines = (line.strip() for line in table.splitlines())
    return [[cell.strip() for cell in line.split("|")] for line in lines if line]
