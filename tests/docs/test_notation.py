"""Equations of the catalogue as HTML."""

import pytest

from docs.notation import notation
from regard.catalogue import CATALOGUE


@pytest.mark.parametrize(
    ("equation", "html"),
    [
        ("W_q q", "W<sub>q</sub> q"),
        ("v_pᵀ", "v<sub>p</sub>ᵀ"),
        ("q_self·k", "q<sub>self</sub>·k"),
        ("a_{clip(k − q)}", "a<sub>clip(k − q)</sub>"),
        ("x^{1/2} + W^O", "x<sup>1/2</sup> + W<sup>O</sup>"),
        ("W_h̃ h", "W<sub>h̃</sub> h"),
        ("a < b", "a &lt; b"),
    ],
)
def test_indices_are_lowered_and_exponents_raised(equation, html):
    assert notation(equation) == html


def test_no_mark_is_left_in_the_catalogue():
    shown = [notation(row.equation) for rows in CATALOGUE.values() for row in rows]
    assert [html for html in shown if set("_^{}") & set(html)] == []
