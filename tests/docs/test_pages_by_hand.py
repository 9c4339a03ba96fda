"""Pages written by hand: their Python runs, their links lead somewhere, the site lists them."""

import re

import pytest

yaml = pytest.importorskip("yaml")
pages = pytest.importorskip("docs.pages")

from regard.catalogue import CATALOGUE  # noqa: E402


def made() -> set[str]:
    """Pages and pictures that come from the catalogue."""
    both = (pages.address, pages.picture)
    found = {f(family, row) for family, rows in CATALOGUE.items() for row in rows for f in both}
    return {*found, "mechanisms/index.md", "reference.md"}


def test_the_python_of_a_page_runs_as_it_stands(page, capsys):
    shared: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        exec(compile(block, page.name, "exec"), shared)


def test_every_link_of_a_page_leads_to_a_page(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [to for to in links if not (page.parent / to).exists() and to not in made()]
    assert missing == []


def test_the_site_lists_every_page_written_by_hand_and_nothing_else(root):
    def files(entry):
        if isinstance(entry, str):
            return [entry]
        values = entry.values() if isinstance(entry, dict) else entry
        return [name for value in values for name in files(value)]

    listed = files(yaml.safe_load((root / "mkdocs.yml").read_text())["nav"])
    assert sorted(listed) == sorted(path.name for path in (root / "docs").glob("*.md"))
