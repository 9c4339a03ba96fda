"""The whole site, built as ``make docs`` builds it."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

import regard
from docs.pages import address, picture
from regard.catalogue import CATALOGUE

pytest.importorskip("mkdocs")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(root, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site").resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def html(site: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in site.rglob("*.html")}


def test_every_mechanism_has_its_page_and_its_picture(site):
    for family, rows in CATALOGUE.items():
        for row in rows:
            page = site / address(family, row).replace(".md", ".html")
            assert f'src="{row.slug}.svg"' in unquote(page.read_text())
            assert (site / picture(family, row)).read_bytes().lstrip().startswith(b"<?xml")


def test_every_page_says_the_version_and_one_what_has_changed(site, root):
    pages = html(site)
    home = pages[site / "index.html"]
    assert f"regard {regard.__version__}" in home.partition("<footer")[2]
    assert "black-cat.svg" in home
    assert b"en-fr-bahdanau" in (site / "black-cat.svg").read_bytes()
    assert "Keep a Changelog" in pages[site / "changelog.html"]


def test_every_column_of_every_table_has_a_name(site):
    empty = re.compile(r"<th\b[^>]*>\s*</th>")
    assert [path.name for path, text in html(site).items() if empty.search(text)] == []


def test_nothing_is_loaded_from_elsewhere(site):
    tags = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*>")
    found = {found for text in html(site).values() for found in tags.findall(text)}
    assert {tag for tag in found if 'rel="canonical"' not in tag} == set()
    assert "fonts.googleapis" not in "".join(html(site).values())


def test_no_markup_of_docstrings_and_no_source_of_an_equation_is_left(site):
    left = re.compile(
        r"\.\. math::|:(?:func|class|meth|mod|math):|arithmatex|\\\[|&gt;&gt;&gt; .*<p>"
    )
    for path, text in html(site).items():
        article = text.partition("<article")[2].partition("</article")[0]
        assert left.findall(article) == [], path


def test_equations_are_shown_by_the_browser_itself(site):
    assert sum("<math" in text for text in html(site).values()) > 40


def test_links_inside_the_site_lead_to_files_and_anchors(site):
    pages = html(site)
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        article = text.partition("<article")[2].partition("</article")[0]
        for link in re.findall(r'<a\b[^>]*href="(?!https?:|mailto:)([^"]*)"', article):
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            if not target.exists() or (anchor and anchor not in ids[target]):
                broken.append((path.name, link))
    assert broken == []
