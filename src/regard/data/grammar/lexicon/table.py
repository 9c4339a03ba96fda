"""Reader of the lexicon tables: tab-separated files, one lexeme a line, under a header."""

from importlib.resources import files

Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """The lines of ``name.tsv``, each from column name to cell; a dash stands for an empty cell."""
    text = files(__package__).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    header, *lines = ([c if c != "-" else "" for c in s.split("\t")] for s in text.splitlines())
    return [dict(zip(header, cells, strict=True)) for cells in lines]


def groups(name: str) -> dict[str, list[Row]]:
    """The rows of ``name.tsv`` by their first column, in the order of the file."""
    grouped: dict[str, list[Row]] = {}
    for row in rows(name):
        grouped.setdefault(next(iter(row.values())), []).append(row)
    return grouped
