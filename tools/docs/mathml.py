"""Equations of a page as MathML, which browsers show by themselves."""

import re
from html import unescape

from latex2mathml.converter import convert

FUNCTIONS = "tanh|exp|log|ln|sin|cos|max|min|arg|mod"
OPENING = "&#x00028;"


def with_mathml(html: str) -> str:
    r"""The page with each ``\(…\)`` and ``\[…\]`` that the Markdown marked as an equation."""
    html = re.sub(
        r'<span class="arithmatex">\\\((.*?)\\\)</span>',
        lambda found: mathml(unescape(found[1])),
        html,
        flags=re.DOTALL,
    )
    return re.sub(
        r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>',
        lambda found: f'<div class="equation">{mathml(unescape(found[1]), block=True)}</div>',
        html,
        flags=re.DOTALL,
    )


def mathml(tex: str, *, block: bool = False) -> str:
    """One equation.

    Raises:
        ValueError: something in it is not understood, so it would be shown as it was written.
    """
    made = _polished(convert(_prepared(tex), display="block" if block else "inline"))
    left = re.search(r"<m[io]>(\\[^<]*|&)</m[io]>", made)
    if left:
        raise ValueError(f"the equation {tex!r} holds {left[1]!r}, which cannot be shown")
    return made


def _prepared(tex: str) -> str:
    """In words that the converter knows."""
    tex = re.sub(r"\\(?:mathrm|operatorname)\{", r"\\text{", tex.strip())
    tex = tex.replace(r"\textstyle", "").replace(r"\arg", r"\text{arg}\,")
    tex = re.sub(r"\\text\{[^}]*\}", lambda words: words[0].replace(r"\_", "_"), tex)
    if r"\\" in tex and not re.match(r"\\begin\{(?:cases|array)", tex):
        columns = "rl" if "&" in re.sub(r"\\begin.*?\\end", "", tex, flags=re.DOTALL) else "l"
        return rf"\begin{{array}}{{{columns}}} {tex} \end{{array}}"
    return tex


def _polished(made: str) -> str:
    """With the spaces of printed mathematics, and alignment where browsers look for it."""
    made = made.replace("<mi>&#x0007E;</mi>", "<mo>&#x223C;</mo>")
    made = re.sub(r'columnalign="(\w+)"', r'style="text-align: \1"', made)
    made = made.replace("<mtable", '<mtable displaystyle="true"')
    name = rf"(<mi>(?:{FUNCTIONS})</mi>)(?!<mo stretchy=\"false\">{OPENING}|</m|<mo)"
    return re.sub(name, r'\1<mspace width="0.17em"/>', made)
