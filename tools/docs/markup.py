"""Our docstrings as Markdown: equations, tables, definitions and examples of reStructuredText."""

import re
from collections.abc import Callable

Link = Callable[[str], str | None]
"""The identifier that a name in a role stands for; ``None`` if nothing documents it."""


def to_markdown(text: str, link: Link = lambda name: None) -> str:
    """A docstring without its reStructuredText.

    Args:
        text: the docstring, indentation removed.
        link: looks up what roles refer to; a name it does not know becomes code.
    """
    for convert in (_equations, _tables, _examples, _definitions, _axes):
        text = convert(text)
    return _roles(text, link)


def _equations(text: str) -> str:
    """``.. math::`` and all lines indented below it, between two dollars each."""
    block = re.compile(r"^( *)\.\. math::(.*(?:\n(?:\1 +.*|(?=\s*\n\1 +\S)\s*))*)", re.MULTILINE)

    def fenced(found: re.Match[str]) -> str:
        indent = found[1]
        lines = "\n".join(indent + line.strip() for line in found[2].split("\n") if line.strip())
        return f"\n{indent}$$\n{lines}\n{indent}$$\n"

    return block.sub(fenced, text)


def _tables(text: str) -> str:
    """Simple tables, whose columns are marked by lines of ``=``."""
    rule = r"^ *=+(?: +=+)+$"
    whole = re.compile(rf"{rule}\n(?P<head>(?:.+\n)+?){rule}\n(?P<body>(?:.+\n)+?){rule}", re.M)

    def piped(found: re.Match[str]) -> str:
        columns = [mark.span() for mark in re.finditer("=+", found[0].split("\n")[0])]
        head, body = (found[part].rstrip("\n").split("\n") for part in ("head", "body"))
        rows = [_cells(line, columns) for line in (*head, *body)]
        rows.insert(len(head), ["---"] * len(columns))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    return whole.sub(piped, text)


def _cells(line: str, columns: list[tuple[int, int]]) -> list[str]:
    """What stands in each column; the last one may be longer than its mark."""
    last = len(columns) - 1
    cut = (line[start : None if i == last else stop] for i, (start, stop) in enumerate(columns))
    return [cell.strip().replace("|", r"\|") for cell in cut]


def _examples(text: str) -> str:
    """Lines of a Python prompt as a block of code."""
    block = re.compile(r"^( *)>>> .*(?:\n\1\S.*)*", re.MULTILINE)
    return block.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


def _definitions(text: str) -> str:
    """A term in quotes with its definition indented below."""
    item = re.compile(r"^(``[^`\n]+``)\n    (\S.*(?:\n    .*)*)", re.MULTILINE)
    return item.sub(lambda found: f"{found[1]}\n:   {found[2]}\n", text)


def _axes(text: str) -> str:
    """Leading axes such as ``*B``, whose star begins no emphasis."""
    return re.sub(r"(?<=[(\s])\*(?=#?[A-Z]\b)", r"\\*", text)


def _roles(text: str, link: Link) -> str:
    """``:math:`` as an equation in the line, all other roles as links or code."""
    text = re.sub(r":math:`([^`]+)`", lambda found: f"${found[1]}$", text)

    def linked(found: re.Match[str]) -> str:
        short, name = found[1] == "~", found[2]
        target = link(name)
        shown = name.rpartition(".")[2] if short else name
        return f"`{shown}`" if target is None else f"[`{shown}`][{target}]"

    return re.sub(r":[a-z]+:`(~?)\.*([^`]+)`", linked, text)
