"""Docstrings of the package as griffe hands them on."""

import pytest

griffe = pytest.importorskip("griffe")

from docs.docstrings import Docstrings  # noqa: E402


@pytest.fixture(scope="module")
def package(root):
    extensions = griffe.load_extensions(Docstrings())
    loader = griffe.GriffeLoader(search_paths=[root / "src"], extensions=extensions)
    return loader.load("regard")


def text(package, path):
    return package[path].docstring.value


def test_equations_stand_between_dollars(package):
    assert "$$\ne_{qk} = v^\\top" in text(package, "functional.scores.additive.Additive")


def test_names_are_links_from_wherever_they_are_meant(package):
    assert "[`regard.weigh`][regard.weigh]" in text(package, "functional.attend.attend")
    concat = text(package, "functional.scores.additive.Concat")
    assert "[`Additive`][regard.scores.Additive]" in concat


def test_names_without_a_page_are_code(package):
    assert "`regard.nn.position`" in text(package, "nn.multihead.MultiHeadAttention")


def test_defaults_of_weigh_are_said_in_every_form_of_it(package):
    weigh = package["functional.weigh.weigh"]
    forms = [*weigh.overloads, weigh]
    assert len(forms) == 3
    for form in forms:
        defaults = {p.name: str(p.default) for p in form.parameters if p.default is not None}
        assert defaults["score"] == "'scaled_dot'"
        assert "..." not in defaults.values()


def test_nothing_of_restructured_text_is_left_in_any_docstring(package):
    from docs.docstrings import _objects

    texts = [member.docstring.value for member in _objects(package) if member.docstring]
    assert len(texts) > 500
    assert [t for t in texts if ".. math::" in t or ":func:`" in t or ":math:`" in t] == []
