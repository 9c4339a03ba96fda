"""The text of the pages that are made from the catalogue."""

import re

from regard.catalogue import CATALOGUE, Mechanism

from .examples import EXAMPLES
from .homes import FUNCTIONS, REFERENCE, TALKATIVE, companions, found, identifier, members, methods
from .markup import to_markdown
from .notation import notation

FOLDER = "mechanisms"
NOTES = {
    "trained": "loads a translator that ships with `regard.zoo`, with our sentence as it reads it "
    "and its translation as it writes it",
    "states": "runs it, and gives the states of its decoder and of its encoder",
    "sentence": "are six word vectors written by hand",
    "placed": "are word vectors written by hand, of a French and of an English sentence, with "
    "sinusoids for their places",
    "learned": "draws parameters of these sizes and fits them to the links between both sentences, "
    "by sixty steps of gradient descent",
    "taught": "fits the parameters of a module to the links between both sentences, by sixty "
    "steps of gradient descent",
    "french": "are the vectors of the English words that the French ones translate",
    "picture": "is drawn by a formula",
    "channels": "puts the picture, its channels and the result side by side",
    "influence": "differentiates",
    "Map": "holds weights with the words beside them",
    "sharper": "multiplies the parameters of a module, since untrained ones look at everything "
    "alike",
}
"""What is not of regard in the calls, by name."""


def address(family: str, mechanism: Mechanism) -> str:
    """The page of a mechanism among the sources of the site."""
    return f"{FOLDER}/{family.replace(' ', '-')}/{mechanism.slug}.md"


def picture(family: str, mechanism: Mechanism) -> str:
    """Its picture, beside the page."""
    return address(family, mechanism).removesuffix(".md") + ".svg"


def mechanism_page(mechanism: Mechanism, *, primary: bool) -> str:
    """Name, equation, cost, paper, picture and docstring of one mechanism.

    Args:
        mechanism: the row of the catalogue.
        primary: whether links to its home lead to this page.
    """
    example = EXAMPLES[mechanism.name]
    alt = f"{mechanism.name}: {example.caption}".replace("*", "")
    return f"""# {mechanism.name[0].upper()}{mechanism.name[1:]}

<p class="formula">{notation(mechanism.equation)}</p>

{_table(cost=mechanism.cost, paper=_paper(mechanism), home=f"`{mechanism.home}`")}

![{alt}]({mechanism.slug}.svg){{ .figure {_kind(mechanism)} }}

{example.caption}

```python
{example.source}
```

{_notes(example.source)}

## What it is

{reference(identifier(mechanism), primary=primary)}
"""


def _table(**row: str) -> str:
    """One row under its headings."""
    cells = (cell.replace("|", "&#124;") for cell in row.values())
    return f"| {' | '.join(row)} |\n|{'---|' * len(row)}\n| {' | '.join(cells)} |"


def _notes(source: str) -> str:
    """A line about each name in a call that is not of regard."""
    used = (name for name in NOTES if re.search(rf"(?<![\w.]){name}\(", source))
    return "; ".join(f"`{name}()` {NOTES[name]}" for name in used) + "."


def _paper(mechanism: Mechanism) -> str:
    return f"[{mechanism.paper}]({mechanism.link})"


def _kind(mechanism: Mechanism) -> str:
    """Pictures of pictures keep their colours in the dark."""
    return ".photo" if mechanism.target.startswith("regard.nn.vision") else ".map"


def reference(path: str, *, primary: bool = True) -> str:
    """The docstring of an object, rendered by mkdocstrings."""
    shown = methods(path) if path.startswith(TALKATIVE) else members(path)
    return f"""::: {path}
    options:
      members: {shown or "false"}
      inherited_members: {str(bool(shown)).lower()}
      skip_local_inventory: {str(not primary).lower()}
"""


def overview() -> str:
    """All mechanisms with their pictures, family by family."""
    sections = ["# Mechanisms\n", "Every picture is one call of the mechanism over one sentence.\n"]
    for family, rows in CATALOGUE.items():
        cards = "\n".join(_card(family, row) for row in rows)
        sections.append(
            f'## {family.capitalize()}\n\n<div class="gallery" markdown>\n{cards}\n</div>\n'
        )
    return "\n".join(sections)


def _card(family: str, row: Mechanism) -> str:
    page = address(family, row).removeprefix(f"{FOLDER}/")
    image = picture(family, row).removeprefix(f"{FOLDER}/")
    shown = f"![{row.name}]({image}){{ {_kind(row)} loading=lazy }}<br>{row.name}"
    return f"[{shown}]({page}){{ .card }}"


def reference_page() -> str:
    """What most users call, and where the rest is."""
    rows = (
        f"- [{name}](reference/{name}.md): {_of(modules)}" for name, modules in REFERENCE.items()
    )
    functions = "\n".join(reference(path) for path in FUNCTIONS)
    return "\n".join(["# Reference\n", *rows, "", "## Functions\n", functions])


def _of(modules: tuple[str, ...]) -> str:
    return ", ".join(f"`{module}`" for module in modules)


def package_page(name: str) -> str:
    """Everything public of some modules that is no mechanism, which have pages of their own."""
    texts = [f"# {name}\n"]
    for module in REFERENCE[name]:
        shown = "\n".join(reference(path) for path in companions(module))
        texts.append(f"## {module}\n\n{_said(module)}\n\n{shown}")
    return "\n".join(texts)


def _said(module: str) -> str:
    """The first sentence of a module's docstring."""
    said = (found(module).__doc__ or "").strip().partition("\n\n")[0]
    return to_markdown(" ".join(said.split()))
