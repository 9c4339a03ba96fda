"""reStructuredText of docstrings becomes Markdown."""

import re

import pytest

from docs.markup import to_markdown


def test_an_equation_in_one_line_stands_between_dollars():
    text = "First.\n\n.. math:: e = q \\cdot k\n\nMore."
    assert to_markdown(text) == "First.\n\n\n$$\ne = q \\cdot k\n$$\n\n\nMore."


def test_an_equation_keeps_all_its_lines_and_nothing_after_them():
    text = ".. math:: a = b, \\quad\n          c = d\n\nVaswani 2017."
    assert re.findall(r"\$\$\n(.*?)\n\$\$", to_markdown(text), re.DOTALL) == [
        "a = b, \\quad\nc = d"
    ]
    assert to_markdown(text).endswith("Vaswani 2017.")


def test_an_equation_may_begin_in_the_line_below():
    text = ".. math::\n    z &= 1 \\\\\n    r &= 2\n\nText."
    assert "$$\nz &= 1 \\\\\nr &= 2\n$$" in to_markdown(text)


def test_two_equations_stay_two():
    text = ".. math:: a = b\n\n.. math:: c = d\n"
    assert re.findall(r"\$\$\n(.*?)\n\$\$", to_markdown(text)) == ["a = b", "c = d"]


def test_math_in_a_line_stands_between_single_dollars():
    assert to_markdown(r"Drawn from :math:`U(-1/\sqrt n)`.") == r"Drawn from $U(-1/\sqrt n)$."


def test_roles_are_links_where_there_is_a_page_and_code_where_there_is_none():
    pages = {"regard.attend": "regard.attend", "Additive": "regard.scores.Additive"}
    text = "See :func:`regard.attend`, :class:`Additive` and :meth:`tile`."
    assert to_markdown(text, pages.get) == (
        "See [`regard.attend`][regard.attend], [`Additive`][regard.scores.Additive] and `tile`."
    )


def test_a_tilde_shows_the_last_name_only():
    text = ":class:`~regard.nn.BahdanauAttention`"
    assert to_markdown(text) == "`BahdanauAttention`"
    assert to_markdown(text, {"regard.nn.BahdanauAttention": "page"}.get) == (
        "[`BahdanauAttention`][page]"
    )


def test_a_simple_table_becomes_a_table_with_bars():
    text = (
        "======  =======\nname    formula\n======  =======\n"
        "``a``   |q − k| and more than its column\n``bc``  x\n======  =======\n\nText."
    )
    assert to_markdown(text) == (
        "| name | formula |\n| --- | --- |\n"
        "| ``a`` | \\|q − k\\| and more than its column |\n| ``bc`` | x |\n\nText."
    )


def test_lines_of_a_prompt_are_code():
    text = "So:\n\n>>> a = 1\n>>> with a:\n...     b()\n\nText."
    assert to_markdown(text) == (
        "So:\n\n```pycon\n>>> a = 1\n>>> with a:\n...     b()\n```\n\nText."
    )


def test_a_term_with_an_indented_text_is_a_definition():
    text = "``gumbel``\n    With noise,\n    straight through.\n"
    assert to_markdown(text).startswith("``gumbel``\n:   With noise,\n    straight through.\n")


def test_stars_of_axes_begin_no_emphasis_but_those_of_emphasis_do():
    assert to_markdown("(*B, K), or (*B,); *local-m*") == r"(\*B, K), or (\*B,); *local-m*"


@pytest.mark.parametrize("text", ["plain text", "Args:\n    query: what is looking.\n"])
def test_what_is_no_markup_stays_as_it_is(text):
    assert to_markdown(text) == text
