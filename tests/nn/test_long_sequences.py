"""What the page on long sequences shows runs as it stands, and what it says is true."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "long_sequences.md").read_text()
LINES, SEEN, DECODING = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def printed(block, capsys):
    exec(compile(block, "long_sequences.md", "exec"), {})
    return capsys.readouterr().out.splitlines()


def test_every_line_of_code_runs(capsys):
    found = printed(LINES, capsys)
    assert found == ["(1, 512, 32)"] * 6 + ["1024 (1, 64, 32)"]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("exact", [71, 71, 71]),
        ("sliding window", [8 + 1, 2 * 8 + 1, 3 * 8 + 1]),
        ("strided", [8 + 1 + len(range(6, 62, 8)), 71, 71]),
        ("global tokens", [2 * 8 + 1 + 2, 96, 96]),
        ("chunked", [70 - 64 + 1] * 3),
    ],
)
def test_a_query_sees_what_the_table_says(name, counts, capsys):
    rows = [line.split() for line in printed(SEEN, capsys)]
    found = {" ".join(row[:-3]): [int(count) for count in row[-3:]] for row in rows}
    assert found[name] == counts


def test_decoding_under_a_window_keeps_only_the_window(capsys):
    assert printed(DECODING, capsys) == ["True (1, 1, 16, 8)"]


def test_every_pattern_of_the_table_is_in_the_code():
    table = [line for line in PAGE.splitlines() if line.startswith("|")][2:]
    assert len(table) == 7
    for row in table:
        for name in re.findall(r"masks\.(\w+)|(ChunkedAttention)", row.split(" | ")[-1]):
            assert "".join(name) in LINES
