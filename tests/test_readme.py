"""What the README shows runs as it stands, and what it says of the tree is true."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_python_of_the_readme_runs_as_it_stands(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "Plan(path=" in capsys.readouterr().out


def test_every_path_in_the_map_of_the_tree_exists():
    tree = README.split("## The tree")[1].split("```")[1]
    paths, parents = [], []
    for line in tree.strip().splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name = line.split()[0]
        parents[depth:] = [name]
        paths.append("".join(parents))
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_folder_of_the_package_is_in_the_map_of_the_tree():
    tree = README.split("## The tree")[1].split("```")[1]
    folders = {p.parent.name for p in (ROOT / "src" / "regard").rglob("__init__.py")}
    assert len(folders) > 10
    assert [folder for folder in sorted(folders) if f"{folder}/" not in tree] == []


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
