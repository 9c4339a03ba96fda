"""Pages made from rows of the catalogue."""

import re

from docs.pages import (
    NOTES,
    address,
    mechanism_page,
    overview,
    picture,
    reference,
    reference_page,
)
from regard.catalogue import CATALOGUE

ROWS = [(family, row) for family, rows in CATALOGUE.items() for row in rows]
ADDITIVE = next(row for _, row in ROWS if row.name == "additive")


def test_a_page_has_name_equation_cost_paper_home_and_picture():
    page = mechanism_page(ADDITIVE, primary=True)
    assert page.startswith("# Additive\n")
    assert "e = vᵀ tanh(W<sub>q</sub> q + W<sub>k</sub> k)" in page
    assert "| O(Q K A), streamed | [Bahdanau 2014](https://arxiv.org/abs/1409.0473) |" in page
    assert "`regard.scores.Additive`" in page
    assert "](additive.svg){ .figure .map }" in page
    assert "scores.Additive(layer.v, layer.query_proj.weight, layer.key_proj.weight)" in page
    assert "\n::: regard.scores.Additive\n" in page


def test_the_call_behind_the_picture_stands_open_below_it_and_its_names_are_explained():
    page = mechanism_page(ADDITIVE, primary=True)
    assert "???" not in page
    assert page.index(".svg)") < page.index("\n```python\nreading = ") < page.index("## What it is")
    assert "`states()` runs it" in page
    assert "`sharper()`" not in page


def test_every_call_has_a_name_that_is_explained_and_none_is_explained_in_vain():
    pages = "".join(mechanism_page(row, primary=True) for _, row in ROWS)
    assert "\n.\n" not in pages
    assert [name for name in NOTES if f"`{name}()` {NOTES[name]}" not in pages] == []


def test_addresses_are_unique_and_a_picture_lies_beside_its_page():
    addresses = [address(*entry) for entry in ROWS]
    assert len(set(addresses)) == len(ROWS)
    assert address("ways of attending", ADDITIVE) == "mechanisms/ways-of-attending/additive.md"
    assert picture("ways of attending", ADDITIVE) == "mechanisms/ways-of-attending/additive.svg"


def test_bars_inside_a_cost_break_no_table():
    for _, row in ROWS:
        (line,) = re.findall(r"^\| .*\]\(https.*$", mechanism_page(row, primary=True), re.MULTILINE)
        assert line.count("|") == 4


def test_only_a_primary_page_is_where_links_lead():
    assert "skip_local_inventory: false" in reference("regard.attend")
    assert "skip_local_inventory: true" in reference("regard.attend", primary=False)


def test_members_are_shown_where_a_class_is_used_through_them():
    assert "members: false" in reference("regard.scores.Additive")
    assert "'contexts'" in reference("regard.nn.BahdanauAttention")


def test_the_overview_links_to_every_page_and_shows_every_picture():
    text = overview()
    for entry in ROWS:
        assert f"]({address(*entry).removeprefix('mechanisms/')})" in text
        assert f"]({picture(*entry).removeprefix('mechanisms/')})" in text


def test_pictures_of_pictures_keep_their_colours():
    row = CATALOGUE["vision"][0]
    assert "{ .figure .photo }" in mechanism_page(row, primary=True)


def test_the_reference_holds_the_functions_of_the_package():
    text = reference_page()
    for name in ("attend", "weigh", "plan", "explain", "statistics", "lens.capture"):
        assert f"::: regard.{name}\n" in text
