"""What the README shows runs as it stands, and what it says is true."""

import re
import tomllib
from html import unescape
from pathlib import Path

from regard import __version__
from terminal_picture import PICTURE, terminal

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_python_of_the_readme_runs_as_it_stands(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "Plan(path=" in capsys.readouterr().out


def test_it_can_be_read_at_once():
    assert len(README.encode()) < 10_000
    assert "Measured\non CPU; no GPU run yet." in README


def test_its_first_line_installs_all_that_it_shows():
    first = README.split("```\n")[1]
    assert first.startswith("pip install 'regard[all]'\nregard translate ")


def test_every_extra_of_its_table_is_there_and_every_extra_for_users_is_in_it():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {*re.findall(r"'regard\[(\w+)\]'", README)}
    assert named == extras["optional-dependencies"].keys() - {"bench", "docs", "dev"}


def test_its_picture_is_the_terminal_after_the_command_that_stands_in_it():
    words = re.compile(r"<text [^>]*>([^<]*)</text>")
    drawn, kept = terminal(), PICTURE.read_text(encoding="utf-8")
    assert words.findall(drawn) == words.findall(kept)
    said = " ".join(unescape(" ".join(words.findall(kept))).split())
    assert README.split("```\n")[1].splitlines()[1] in said
    assert re.findall(r"https?://(?!www\.w3\.org/|www\.textualize\.io)\S+", kept) == []


def test_every_picture_and_page_the_readme_links_to_is_there():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_python_of_the_engine_page_runs_as_it_stands(capsys):
    page = (ROOT / "docs" / "engine.md").read_text()
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(compile(block, "engine.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("'")[1] for line in lines] == ["lower", "window", "stream"]


def test_the_version_to_be_cited_is_this_one():
    cited = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert cited == [__version__]
