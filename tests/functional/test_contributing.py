"""The worked example of CONTRIBUTING.md adds the score it says it adds."""

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from functional.cases import call
from functional.cases.masks import MASK
from functional.cases.normalisers import NORMALISERS
from functional.cases.scores import SCORE, ScoreCase
from regard import attend, catalogue, explain, nn, scores
from regard.models.transformer.choices import read_score

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Worked example")[1]
BLOCKS = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))
NAME = "inverse_multiquadric"
SCORES = "src/regard/functional/scores/"


def run(file, module, **more):
    """What the block of a file defines, in the names of that file."""
    names = {**vars(import_module(module)), **more}
    code = BLOCKS[file]
    exec(compile(code if "def " in code else f"found = {code}", file, "exec"), names)
    return names


@pytest.fixture
def added(monkeypatch):
    """The score, registered for one test, and its case."""
    kernel = run(SCORES + "kernels.py", "regard.functional.scores.kernels")["InverseMultiquadric"]
    for table in ("_values", "_calls", "classes"):
        monkeypatch.setattr(scores.named, table, dict(getattr(scores.named, table)))
    scores.register(kernel)
    loop = run("tests/reference/scores.py", "reference.scores")[NAME]
    case = run(
        "tests/functional/cases/scores.py",
        "functional.cases.scores",
        scores=SimpleNamespace(InverseMultiquadric=kernel),
        ref_scores=SimpleNamespace(inverse_multiquadric=loop),
    )["found"]
    assert isinstance(case, ScoreCase)
    monkeypatch.setitem(SCORE, NAME, case)
    return kernel, case


def test_the_line_of_the_package_is_one_of_those_that_are_there():
    line = BLOCKS[SCORES + "__init__.py"].strip()
    there = (ROOT / SCORES / "__init__.py").read_text("utf-8")
    assert line.replace("InverseMultiquadric", "Gaussian") in there


def test_the_score_has_its_name_everywhere(added):
    kernel, _ = added
    query, key = torch.randn(3, 5), torch.randn(7, 5)
    expected = 1 / (1 + torch.cdist(query, key) ** 2).sqrt()
    weights = expected / expected.sum(-1, keepdim=True)
    found = attend(query, key, key, score=NAME, normalise="proportional")
    assert_close(found, weights @ key)
    assert read_score(NAME) == NAME
    assert read_score({"name": NAME, "width": 2.0}).width == 2.0
    assert_close(nn.NadarayaWatson(NAME)(query, key, key), weights @ key)
    assert kernel.content_only


def test_the_catalogue_and_explain_know_it(added):
    rows = {row.name: row for row in catalogue.CATALOGUE["scores"]}
    row = rows["inverse multiquadric kernel"]
    assert row.equation == "e = 1 / √(1 + ‖q − k‖² / w²)"
    assert (row.paper, row.cost) == ("Hardy 1971", "O(Q K D), streamed")
    explained = explain(torch.randn(3, 5), torch.randn(7, 5), score=NAME)
    assert explained["scores"].equation == "s = 1 / √(1 + ‖q − k‖² / w²)"
    assert "distances" in [step.name for step in explained]


@pytest.mark.parametrize("mask", ["none", "causal&padding", "window(2,1)"])
@pytest.mark.parametrize("path", ["reference", "stream"])
@pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
def test_the_product_holds_for_it(added, normaliser, path, mask, small_blocks):
    _, case = added
    query, key, value, parameters = call.inputs.__wrapped__(case)
    context = attend(
        query,
        key,
        value,
        score=case.make(**parameters),
        mask=MASK[mask].make(),
        normalise=normaliser.value,
        path=path,
    )
    found = call.reference_scores.__wrapped__(NAME)
    allowed, values = call.reference_allowed(mask), call.value_list()
    for b, h in ((0, 0), (1, 2)):
        weights = call.attention.weights(found[b][h], allowed[b][h], normaliser.row)
        pooled = call.attention.pool(weights, values[b][h], call.VALUE_DIM)
        assert_close(context[b, h], torch.tensor(pooled, dtype=context.dtype))


def test_the_score_is_gone_after_its_test():
    assert NAME not in scores.named
    assert NAME not in {row.name for row in catalogue.CATALOGUE["scores"]}
