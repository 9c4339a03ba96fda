"""The pages of the doctor are made of its causes' own texts, and of what was measured."""

import json
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from regard.lens.doctor import CAUSES


def tool(root, name):
    spec = spec_from_file_location(name, root / "tools" / f"{name}.py")
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def measured(root):
    return json.loads((root / "docs" / "doctor-thresholds.json").read_text(encoding="utf-8"))


def test_every_cause_has_a_page_with_its_sign_and_what_to_do(root):
    maker = tool(root, "doctor_page")
    first = (root / "docs" / "doctor.md").read_text(encoding="utf-8")
    nav = (root / "mkdocs.yml").read_text(encoding="utf-8")
    for cause in CAUSES:
        name = f"doctor/{maker.slug(cause.name)}.md"
        page = (root / "docs" / name).read_text(encoding="utf-8")
        assert page.startswith(f"# {cause.name[0].upper()}{cause.name[1:]}\n")
        for text in (cause.sign, cause.fix, cause.story, f": {cause.name} "):
            assert text in page
        assert f"({name})" in first
        assert cause.sign.replace("|", "\\|") in first
        assert f": {name}\n" in nav
    assert len(list((root / "docs" / "doctor").glob("*.md"))) == len(CAUSES)


def test_thresholds_are_those_that_were_measured(root, measured):
    rows = [(row["cause"], row["what"], row["threshold"]) for row in measured["rows"]]
    known = tool(root, "doctor_thresholds").MEASURES
    assert rows == [(one.cause, one.evidence, one.threshold) for one in known]


def test_a_threshold_stands_between_what_was_planted_and_what_is_healthy(measured):
    for row in measured["rows"]:
        (low, high), (least, most) = row["planted"], row["healthy"]
        if row["sense"] == "above":
            assert most < row["threshold"] <= low, row
        else:
            assert high <= row["threshold"] < least, row
