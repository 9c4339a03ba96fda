"""What mkdocs calls."""

from types import SimpleNamespace

import pytest

pytest.importorskip("mkdocs")
pytest.importorskip("matplotlib")

import regard
from docs.hook import drawn, on_config, on_page_content
from regard.catalogue import CATALOGUE


def test_the_navigation_goes_on_with_the_families_the_reference_and_the_changelog():
    config = on_config(SimpleNamespace(nav=[{"Home": "index.md"}]))
    home, mechanisms, reference, commands, changelog = config.nav
    assert home == {"Home": "index.md"}
    overview, *families = mechanisms["Mechanisms"]
    assert overview == "mechanisms/index.md"
    assert [list(family) for family in families] == [[name.capitalize()] for name in CATALOGUE]
    assert {"additive": "mechanisms/scores/additive.md"} in families[1]["Scores"]
    first, *others = reference["Reference"]
    assert first == "reference.md"
    assert {"training": "reference/training.md"} in others
    assert commands == {"Commands": "commands.md"}
    assert changelog == {"Changelog": "changelog.md"}


def test_the_foot_of_every_page_says_the_version():
    assert on_config(SimpleNamespace(nav=[])).copyright == f"regard {regard.__version__}"


def test_a_picture_is_an_svg_and_always_the_same():
    first, second = drawn("additive"), drawn("additive")
    assert first == second
    assert b"<svg" in first[:600]
    assert drawn("dot") != first


def test_pages_are_finished_with_mathml_and_bars():
    html = r'<span class="arithmatex">\(a\)</span><code>b \| c</code>'
    made = on_page_content(html, page=None)
    assert made.startswith("<math")
    assert made.endswith("<code>b | c</code>")
