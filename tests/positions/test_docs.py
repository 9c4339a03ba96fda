"""What the page on positions shows runs as it stands."""

import re
from pathlib import Path

from regard import positions

PAGE = (Path(__file__).parents[2] / "docs" / "positions.md").read_text()


def test_the_python_of_the_page_runs_as_it_stands(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, "positions.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "without positions: the same vectors, in another order" in printed
    assert "with positions: other vectors" in printed
    assert "Learned needs positions from 0 to 511" in printed
    assert "a step with a cache is the last row of the whole" in printed


def test_the_page_names_every_position():
    modules = {name for name in positions.__all__ if name[0].isupper()} - {"InputPosition"}
    table = PAGE.split("## Which")[1].split("## With")[0]
    assert {name for name in modules if f"| `{name}(" in table} == modules
