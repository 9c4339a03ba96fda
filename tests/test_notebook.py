"""Values in a notebook: a short line, and a page in which every text is only text."""

import ast
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import regard
from cli.translating import by_heart, untrained
from regard.functional.events import Attended, StoredWeights
from regard.lens import Record
from regard.lens.alignments import AlignmentView
from regard.models import presets
from regard.notebook import heat, table
from regard.registry import Registry
from regard.tasks.translation.sample import Translation
from regard.testing.report import Report, Result
from regard.zoo import Zoo

HOSTILE = "<img src=x onerror=alert(1)>\"'&"


def hostile_record() -> Record:
    record = Record()
    record.add(HOSTILE, StoredWeights(torch.eye(2)))
    record.add(HOSTILE, StoredWeights(torch.eye(2)[:1]))
    record.add("", Attended(torch.ones(2, 3, 5, 7), torch.ones(2, 3, 11, 7)))
    return record


def translation() -> Translation:
    words = (HOSTILE, "b")
    return Translation(
        source=HOSTILE,
        text=HOSTILE,
        score=-0.5,
        log_prob=-1.0,
        finished=True,
        cut=0,
        source_words=words,
        target_words=words,
        weights=torch.tensor([[0.25, 0.5], [0.0, 1.0]]),
        links=frozenset(),
        end=torch.tensor([0.25, 0.0]),
    )


def registry() -> Registry[int]:
    made: Registry[int] = Registry("thing")
    made.add(HOSTILE, 1)
    made.add("b", 2)
    return made


def zoo(folder) -> Zoo:
    for name in ("<b>", "en-fr"):
        (folder / name).mkdir()
        (folder / name / "manifest.json").write_text("{}")
    return Zoo(folder)


SHOWN = {
    "record": lambda _: hostile_record(),
    "entry": lambda _: hostile_record()[HOSTILE],
    "own entry": lambda _: hostile_record()[""],
    "translation": lambda _: translation(),
    "unaligned translation": lambda _: translation()._replace(weights=None),
    "view": lambda _: AlignmentView((HOSTILE,), (HOSTILE,), [[1.0]], HOSTILE, model=HOSTILE),
    "registry": lambda _: registry(),
    "presets": lambda _: presets,
    "zoo": zoo,
    "report": lambda _: Report(HOSTILE, (Result(HOSTILE, "failed", HOSTILE),)),
    "statistics": lambda _: regard.statistics(torch.ones(2, 3, 5), torch.ones(2, 7, 5)),
    "translator": lambda _: untrained(),
    "scripted translator": lambda _: by_heart(),
}


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", SHOWN)
def test_a_value_is_a_short_line_and_a_page_of_nothing_but_text(name, tmp_path):
    value = SHOWN[name](tmp_path)
    line = repr(value)
    assert " at 0x" not in line
    assert "\n" not in line
    assert len(line) < 1000
    found = Tags(value._repr_html_())
    assert found.tags
    assert set(found.tags) <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "iframe"}


def test_lines_say_what_there_is():
    record = hostile_record()
    assert repr(record[""]) == "Entry('', once (2, 3, 5, 11))"
    assert repr(record).endswith(": 2 times (1, 2), '': once (2, 3, 5, 11))")
    assert repr(Record()) == "Record()"
    assert repr(registry()) == f"Registry('thing': {HOSTILE}, b)"
    assert "score -0.5, weights (2, 2))" in repr(translation())
    assert "bahdanau-small" in repr(presets)
    assert re.search(r"parameters [\d,]+, tokens \d+ → \d+, device cpu", repr(untrained()))


def test_a_translation_shows_all_of_its_weight():
    text = Tags(translation()._repr_html_()).text
    assert text.startswith(f"{HOSTILE} → {HOSTILE}{HOSTILE}b(end){HOSTILE}255025b")


def test_a_long_translation_is_a_line():
    many = tuple(str(i) for i in range(100))
    long = translation()._replace(
        source_words=many, target_words=many, weights=torch.eye(100), end=torch.zeros(100)
    )
    assert len(long._repr_html_()) < 2000


def test_only_a_corner_of_a_large_map_is_computed_and_shown():
    asked = []

    def weigh(rows=None, heads=None):
        asked.append(rows)
        return torch.full((2, 3, 24, 1000), 0.001)

    record = Record()
    record.add("large", SimpleNamespace(weigh=weigh))
    assert Tags(record["large"]._repr_html_()).tags.count("td") == 24 * 24 + 1
    assert asked == [slice(0, 24)]


def test_an_empty_map_has_no_numbers():
    found = regard.statistics(torch.ones(0, 5), torch.ones(3, 5))
    assert "nan" in repr(found)
    assert "<table" in found._repr_html_()


def test_cells_are_texts_and_shades_are_shares_of_the_largest():
    text = table(("a<",), [(1,), (None,)], title="<t>")
    assert Tags(text).text == "<t>a<1None"
    shades = re.findall(
        r"131,([\d.]+)\)", heat([[0.0, 0.5], [1.0, 2.0]], queries=[0, 1], keys="ab")
    )
    assert shades == ["0.00", "0.17", "0.35", "0.70"]
    odd = heat([[float("nan"), -2.0]], queries=[0], keys="ab")
    assert re.findall(r"131,([\d.]+)\)", odd) == ["0.00", "0.70"]
    assert "-200" in Tags(odd).text


def test_every_cell_of_the_tour_runs_and_what_it_ends_with_shows_itself():
    tour = json.loads((Path(__file__).parent.parent / "docs" / "tour.ipynb").read_text())
    names, shown = {}, 0
    for cell in tour["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            shown += runs("".join(cell["source"]), names)
    assert shown >= 7


def runs(source, names) -> bool:
    """Whether the cell ends with a value, which then must show itself."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "tour.ipynb", "exec"), names)
    if last is None:
        return False
    value = eval(compile(ast.Expression(last.value), "tour.ipynb", "eval"), names)
    faces = [getattr(value, face, None) for face in ("_repr_html_", "_repr_png_")]
    assert any(face and face() for face in faces), source
    return True
