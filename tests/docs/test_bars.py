"""Bars in the code of a table."""

from docs.bars import with_bars


def test_code_loses_the_backslash_before_a_bar_and_other_text_keeps_it():
    html = r"<td><code>a \| b</code> \| <code>c</code></td>"
    assert with_bars(html) == r"<td><code>a | b</code> \| <code>c</code></td>"
