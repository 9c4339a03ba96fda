"""Equations become MathML, or the build says which one does not."""

import re

import pytest

pytest.importorskip("latex2mathml")

from docs.mathml import mathml, with_mathml


def words(made: str) -> str:
    """What is left to be read."""
    return re.sub(r"<[^>]*>", "", made)


def test_marked_equations_of_a_page_are_replaced_and_nothing_else():
    page = (
        r'<p>a <span class="arithmatex">\(k &lt; n\)</span> b</p>'
        '\n<div class="arithmatex">\n\\[\na_1\n\\]\n</div>'
    )
    made = with_mathml(page)
    assert made.startswith("<p>a <math")
    assert made.count("<math") == 2
    assert '<div class="equation"><math' in made
    assert 'display="block"' in made
    assert "&#x0003C;" in made
    assert "arithmatex" not in made


def test_subscripts_and_fractions_are_elements():
    made = mathml(r"\frac{a_1}{2}")
    assert "<mfrac><mrow><msub><mi>a</mi><mn>1</mn></msub></mrow>" in made


def test_names_stay_one_word():
    assert "<mtext>softmax</mtext>" in mathml(r"\mathrm{softmax}(e)")
    assert "<mtext>straight_through</mtext>" in mathml(r"\text{straight\_through}")


def test_lines_become_rows_aligned_at_their_marks():
    made = mathml(r"z &= a \\ r &= b")
    assert made.count("<mtr>") == 2
    assert made.count("text-align: right") == made.count("text-align: left") == 2
    assert "&</" not in made


def test_lines_without_marks_are_one_column():
    assert mathml(r"a \\ b").count("<mtd") == 2


def test_cases_inside_an_equation_stay_cases():
    made = mathml(r"f = \begin{cases} a & x < 1 \\ b & x \ge 1 \end{cases}, \quad g")
    assert "&</" not in made
    assert "{" in words(made).replace("&#x0007B;", "{")


def test_a_function_keeps_its_distance_from_a_letter_but_not_from_a_bracket():
    assert "<mi>tanh</mi><mspace" in mathml(r"\tanh c")
    assert "<mi>tanh</mi><mo" in mathml(r"\tanh(c)")


def test_an_equation_that_is_not_understood_is_refused():
    with pytest.raises(ValueError, match=r"holds '\\\\nonsense', which cannot be shown"):
        mathml(r"a + \nonsense")
