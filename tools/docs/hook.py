"""What mkdocs calls while it builds: the pages of the catalogue are made, equations converted."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from regard import __version__
from regard.catalogue import CATALOGUE
from regard.lens.plots import save

from .bars import with_bars
from .commands import PAGE, commands_page
from .examples import EXAMPLES
from .home import PICTURE, home_picture
from .homes import FUNCTIONS, REFERENCE, identifier
from .mathml import with_mathml
from .pages import (
    FOLDER,
    address,
    mechanism_page,
    overview,
    package_page,
    picture,
    reference_page,
)

Nav = list[dict[str, Any]]
CHANGELOG = "changelog.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation, with a section per family, and the version at the foot of every page."""
    families: Nav = [
        {family.capitalize(): [{row.name: address(family, row)} for row in rows]}
        for family, rows in CATALOGUE.items()
    ]
    config.nav = [
        *(config.nav or []),
        {"Mechanisms": [f"{FOLDER}/index.md", *families]},
        {"Reference": ["reference.md", *({name: f"reference/{name}.md"} for name in REFERENCE)]},
        {"Commands": PAGE},
        {"Changelog": CHANGELOG},
    ]
    config.copyright = f"regard {__version__}"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages and pictures of the catalogue beside those written by hand."""
    made: dict[str, str | bytes] = {f"{FOLDER}/index.md": overview()}
    made["reference.md"] = reference_page()
    made |= {f"reference/{name}.md": package_page(name) for name in REFERENCE}
    made[PAGE] = commands_page()
    made[CHANGELOG] = (Path(config.config_file_path).parent / "CHANGELOG.md").read_text("utf-8")
    made[PICTURE] = home_picture()
    shown = set(FUNCTIONS)
    for family, rows in CATALOGUE.items():
        for row in rows:
            home = identifier(row)
            made[address(family, row)] = mechanism_page(row, primary=home not in shown)
            made[picture(family, row)] = drawn(row.name)
            shown.add(home)
    for uri, content in made.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_content(html: str, **around: Any) -> str:
    """Equations as MathML, bars as bars."""
    return with_bars(with_mathml(html))


def drawn(name: str) -> bytes:
    """The picture of a mechanism as SVG."""
    with TemporaryFile() as file:
        save(EXAMPLES[name].figure(), file, "svg")
        file.seek(0)
        return file.read()
