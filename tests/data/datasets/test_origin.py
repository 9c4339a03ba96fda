import json

import pytest

from regard.data.datasets.catalogue import Dataset
from regard.data.datasets.get import _record, origin_of


def test_what_fetching_wrote_down_is_read(tmp_path):
    dataset = Dataset("few", "some pairs", "CC BY 4.0", "example.org", ())
    _record(tmp_path, dataset, {})
    found = origin_of(tmp_path / "pairs.tsv")
    assert found == ("example.org", "CC BY 4.0")
    assert str(found) == "example.org; licence CC BY 4.0"


@pytest.mark.parametrize("content", [None, "no JSON", "[]", json.dumps({"origin": "only"})])
def test_where_nothing_is_written_down_nothing_is_known(tmp_path, content):
    if content is not None:
        (tmp_path / "ORIGIN.json").write_text(content)
    assert origin_of(tmp_path / "pairs.tsv") is None
