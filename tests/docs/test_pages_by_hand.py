"""Pages written by hand: their Python runs, their links lead somewhere, the site lists them."""

import re
from functools import cache

import pytest

yaml = pytest.importorskip("yaml")
pages = pytest.importorskip("docs.pages")
commands_page = pytest.importorskip("docs.commands").commands_page
OTHERS = {"--help", "--nnodes", "--rdzv-endpoint"}
"""Options of every command, and of torchrun."""

from regard.catalogue import CATALOGUE  # noqa: E402

pytestmark = pytest.mark.usefixtures("without_shape_checks")


def made() -> set[str]:
    """Pages and pictures that come from the catalogue."""
    both = (pages.address, pages.picture)
    found = {f(family, row) for family, rows in CATALOGUE.items() for row in rows for f in both}
    others = ("mechanisms/index.md", "reference.md", "changelog.md", "commands.md", "black-cat.svg")
    return {*found, *others}


def test_a_block_of_python_runs_as_it_stands_or_says_that_it_is_continued(page, capsys):
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        names = names if block.startswith("# continued\n") else {}
        exec(compile(block, page.name, "exec"), names)
    assert "\N{REPLACEMENT CHARACTER}" not in capsys.readouterr().out  # of a model untrained


def test_every_column_of_a_table_has_a_name(page):
    heads = re.findall(r"^(\|.*\|)\n\|[-:|]+\|$", page.read_text(), flags=re.MULTILINE)
    assert [head for head in heads if re.search(r"\|\s*\|", head)] == []


def test_every_link_of_a_page_leads_to_a_page(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [to for to in links if not (page.parent / to).exists() and to not in made()]
    assert missing == []


def test_the_home_page_leads_to_every_page(root):
    home = (root / "docs" / "index.md").read_text()
    others = {path.name for path in (root / "docs").glob("*.md")} - {"index.md"}
    led_to = set(re.findall(r"^- \[[^]]+\]\(([^)#]+)\)", home, flags=re.MULTILINE))
    generated = {"mechanisms/index.md", "reference.md", "changelog.md", "commands.md"}
    assert (others | generated) - led_to == set()


@cache
def options() -> frozenset[str]:
    """All that the command line knows."""
    lines = re.findall(r"^\* `(--[^`]*)`", commands_page(), flags=re.MULTILINE)
    return OTHERS.union(re.findall(r"--[a-z][a-z-]*", " ".join(lines)))


def test_every_option_that_a_page_names_is_one_of_the_command_line(page):
    if page.name == "results.md":
        pytest.skip("it tells what was typed when it was measured")
    said = re.sub(r"torchrun (?:.*\\\n)*.*", "", page.read_text())
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said)) - options() == set()


def test_our_own_grammar_is_linked_to_where_it_is_described(root):
    pages = {path.name: path.read_text() for path in (root / "docs").glob("*.md")}
    for name, text in pages.items():
        for to, anchor in re.findall(r"\[our own[^]]*grammar\]\(([^)#]*)#?([^)]*)\)", text):
            described = pages[to or name]
            assert anchor == "our-own-grammar"
            assert "\n## Our own grammar\n\n`regard.data.grammar`" in described


def test_the_site_lists_every_page_written_by_hand_and_nothing_else(root):
    def files(entry):
        if isinstance(entry, str):
            return [entry]
        values = entry.values() if isinstance(entry, dict) else entry
        return [name for value in values for name in files(value)]

    listed = files(yaml.safe_load((root / "mkdocs.yml").read_text())["nav"])
    docs = root / "docs"
    assert sorted(listed) == sorted(
        path.relative_to(docs).as_posix() for path in docs.rglob("*.md")
    )
