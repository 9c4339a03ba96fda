"""An explanation as text, as a rich table and as a page: complete, legible, and modest in size."""

import re
from html.parser import HTMLParser
from io import StringIO
from itertools import product

import pytest
import torch
from rich.console import Console

from regard import explain, masks, scores
from regard.errors import RangeError

QUERY = torch.tensor([10.0, 5.0, 10.0], dtype=torch.float64)
KEYS = torch.tensor([[0, 1, 1], [5, 0, 1], [1, 1, 0], [0, 5, 1]], dtype=torch.float64)
VOID = {"meta", "br"}


def first_example():
    return explain(QUERY, KEYS, score="dot")


def printed(explanation, width):
    file = StringIO()
    Console(file=file, width=width).print(explanation)
    return file.getvalue()


class Page(HTMLParser):
    """Reads a page, checks that what is opened is closed, and keeps its cells and words."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.cells, self.words = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open[-1:] == ["td"]:
            self.cells[-1] += data


# --- text -----------------------------------------------------------------------------------------


def test_the_first_example_as_text():
    assert str(first_example()).splitlines() == [
        "score      Dot()         s = q·k",
        "normalise  softmax       α = exp(s) / Σ exp(s)",
        "pool       weighted sum  c = Σ α v",
        "No values were given: the values are the keys.",
        "",
        "query 1",
        "q₁ = [10, 5, 10]  query",
        "    key = value  scores  weights            weighted values",
        "k₁      0  1  1      15  2.9e-20        0  2.9e-20  2.9e-20",
        "k₂      5  0  1      60   1.0000   5.0000        0   1.0000",
        "k₃      1  1  0      15  2.9e-20  2.9e-20  2.9e-20        0",
        "k₄      0  5  1      35  1.4e-11        0  6.9e-11  1.4e-11",
        "Σ                         1.0000   5.0000  6.9e-11   1.0000",
        "c₁ = [5.0000, 6.9e-11, 1.0000]  context: c = Σ α v",
    ]


def test_with_several_queries_the_keys_are_shown_once():
    text = str(explain(QUERY.repeat(3, 1), KEYS, torch.ones(4, 2, dtype=torch.float64)))
    assert text.count("key  value") == 1
    assert [line for line in text.splitlines() if line.startswith("query")] == [
        "query 1",
        "query 2",
        "query 3",
    ]


def test_heads_are_shown_one_after_the_other():
    query, key = torch.randn(2, 3, 2, 4), torch.randn(2, 1, 3, 4)
    score = scores.ScaledDot() + scores.Alibi(3)
    text = str(explain(query, key, score=score, mask="causal", gradients=True))
    assert "query 2, part (2, 3) of (2, 3)" in text
    assert "Gradients are those of L, the sum of the context." in text
    assert "-∞" in text
    assert max(map(len, text.splitlines())) <= 100


def test_every_query_of_every_head_shows_its_own_numbers():
    queries, keys = [[2.0, 3.0], [5.0, 7.0]], [[11.0, 13.0], [17.0, 19.0], [23.0, 29.0]]
    query, key = torch.tensor(queries).view(2, 1, 2, 1), torch.tensor(keys).view(1, 3, 2, 1)
    found = explain(query, key, score="dot")
    blocks = str(found).split("\n\n")
    for b, h, i in product(range(2), range(3), range(2)):
        (block,) = (x for x in blocks if x.startswith(f"query {i + 1}, part ({b + 1}, {h + 1})"))
        assert f"q{'₁₂'[i]} = [{queries[b][i]:g}]" in block
        rows = [line.split() for line in block.splitlines() if line.startswith("k")]
        assert [row[1] for row in rows] == [f"{queries[b][i] * k:g}" for k in keys[h]]
    for b, h in product(range(2), range(3)):
        (block,) = (x for x in blocks if x.startswith(f"keys, part ({b + 1}, {h + 1})"))
        assert block.split()[-3::2] == [f"{k:g}" for k in keys[h]]


def test_long_vectors_lose_their_middle_in_text_but_not_on_the_page():
    found = explain(torch.ones(1, 20), torch.arange(40.0).reshape(2, 20))
    assert "0   1   2   3   4   5  …  19" in str(found)
    cells = Page(found.to_html()).cells
    assert {str(i) for i in range(40)} <= set(cells)


# --- rich -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_number_is_cut_off_however_narrow_the_terminal(width):
    found = explain(QUERY, KEYS, gradients=True, mask=torch.tensor([True, True, False, True]))
    page = printed(found, width)
    assert "…" not in page
    assert max(map(len, page.splitlines())) <= width
    plain = re.findall(r"[-\d.e∞]+", str(found))
    assert sorted(set(plain) - set(re.findall(r"[-\d.e∞]+", page))) == []


def test_a_wide_terminal_gets_one_table_and_a_narrow_one_several():
    found = first_example()
    assert printed(found, 100).count("───") < printed(found, 40).count("───") * 10
    assert sum("Σ" in line for line in printed(found, 100).splitlines()) < sum(
        "Σ" in line for line in printed(found, 60).splitlines()
    )


def test_precision_is_a_matter_of_the_reader():
    assert "0.2689414214" in printed(
        explain(
            QUERY[:1] * 0,
            KEYS[:2, :1] * 0.0 + torch.tensor([[0.0], [1.0]]).double(),
            score=scores.Euclidean(),
        ).table(precision=10),
        120,
    )


# --- page -----------------------------------------------------------------------------------------


def test_the_page_stands_alone():
    html = explain(QUERY.repeat(2, 1), KEYS, mask=masks.causal(2), gradients=True).to_html()
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert {"script", "link", "img", "iframe"}.isdisjoint(page.tags)
    assert {"src", "href", "onload", "onclick"}.isdisjoint(name for name, _ in page.attributes)
    assert "http" not in html
    assert "@import" not in html
    assert "url(" not in html
    assert "prefers-color-scheme: dark" in html


def test_the_page_shows_the_first_example():
    page = Page(first_example().to_html())
    first_row = [cell for cell in page.cells if cell][:8]
    assert first_row == ["0", "1", "1", "15", "2.9·10⁻²⁰", "0", "2.9·10⁻²⁰", "2.9·10⁻²⁰"]
    assert "s = q·k" in page.words
    assert "[5.0000, 6.9·10⁻¹¹, 1.0000]" in page.words


def test_the_colour_of_a_cell_follows_its_number():
    html = first_example().to_html()
    heats = re.findall(r'class="heat warm" style="--heat:([\d.]+)">(15|60|35)<', html)
    assert heats == [("0.250", "15"), ("1.000", "60"), ("0.250", "15"), ("0.583", "35")]
    negative = explain(-QUERY, KEYS, score="dot").to_html()
    assert 'class="heat cold" style="--heat:1.000">−60<' in negative


def test_closed_keys_are_faint_on_the_page():
    html = explain(QUERY, KEYS, mask=torch.tensor([True, False, True, False])).to_html()
    assert re.findall(r'<tr class="(\w*)"><th>(k.)</th>', html) == [
        ("", "k₁"),
        ("shut", "k₂"),
        ("", "k₃"),
        ("shut", "k₄"),
    ]


def test_several_queries_get_a_map_of_weights_per_head():
    one = explain(torch.randn(2, 3, 4), torch.randn(2, 5, 4)).to_html()
    assert Page(one).tags.count("figure") == 2
    assert "Who looks where" in one
    assert "Who looks where" not in first_example().to_html()


def test_names_are_escaped():
    class Odd(scores.Dot):
        name = "<b>&"

        def __repr__(self):
            return "<script>alert(1)</script>"

    html = explain(QUERY, KEYS, score=Odd()).to_html()
    assert "<script" not in html
    assert "s = &lt;b&gt;&amp;(q, k)" in html


def test_a_notebook_gets_a_part_of_a_page():
    part = first_example()._repr_html_()
    assert part.startswith('<div class="regard">')
    assert "<html" not in part
    assert "<body" not in part


# --- sizes ----------------------------------------------------------------------------------------


def test_sixty_four_squared_is_printed():
    found = explain(torch.randn(64, 64), torch.randn(64, 64), torch.randn(64, 2))
    assert str(found).count("query 64") == 1
    assert Page(found.to_html()).tags.count("table") == 66


def test_what_nobody_reads_is_not_printed_but_there():
    found = explain(torch.zeros(65, 2), torch.zeros(64, 2))
    sentence = "printed up to 4096 pairs of query and key"
    for view in (found.table, found.to_html):
        with pytest.raises(RangeError, match=f"{sentence}.*this one has 4160 pairs"):
            view()
    assert sentence in str(found)
    assert sentence in found._repr_html_()
    assert found.weights.shape == (65, 64)
    assert repr(found) == "Explanation(ScaledDot(scale=None), softmax, scores (65, 64))"
    assert found.to_json()


def test_wide_values_count_too():
    found = explain(torch.zeros(64, 2), torch.zeros(64, 2), torch.zeros(64, 65))
    with pytest.raises(RangeError, match="266240 numbers"):
        found.to_html()


@pytest.mark.parametrize("precision", [0, 16, -1])
def test_a_senseless_precision_is_refused(precision):
    for view in (first_example().table, first_example().to_html):
        with pytest.raises(
            RangeError, match=f"precision needs a number from 1 to 15, got {precision}"
        ):
            view(precision)
