"""Our docstrings as mkdocstrings reads them: Markdown, with links between pages."""

from collections.abc import Iterator
from typing import Any

from griffe import (
    AliasResolutionError,
    Extension,
    GriffeLoader,
    Module,
    NameResolutionError,
    Object,
)

from .homes import documented
from .markup import to_markdown


class Docstrings(Extension):
    """Converts every docstring of a package once all of it is known."""

    def on_package(self, *, pkg: Module, loader: GriffeLoader, **around: Any) -> None:
        """Called by griffe."""
        if pkg.name != "regard":
            return
        pages = documented()
        for member in _objects(pkg):
            if member.docstring is not None:
                value = member.docstring.value
                member.docstring.value = to_markdown(value, lambda n, m=member: _page(m, n, pages))


def _objects(parent: Object) -> Iterator[Object]:
    yield parent
    for member in parent.members.values():
        if not member.is_alias:
            yield from _objects(member)


def _page(member: Object, name: str, pages: dict[str, str]) -> str | None:
    """The identifier behind a name as it is meant inside a docstring."""
    try:
        path = member.resolve(name) if not name.startswith("regard.") else name
        target = member.modules_collection[path]
        return pages.get(target.canonical_path)
    except (NameResolutionError, AliasResolutionError, KeyError):
        return None
