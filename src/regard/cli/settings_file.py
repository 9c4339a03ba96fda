"""Settings in a file: JSON, TOML or YAML."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..storage.earlier import upgraded


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a file, e.g. the ``config.json`` of a run, whichever version wrote it.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    if path.suffix.lower() not in READERS:
        raise InputError(f"--config needs a name that ends in .json, .toml or .yaml, got '{path}'")
    try:
        found = READERS[path.suffix.lower()](path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(found, Mapping):
        raise InputError(f"{path}: settings need to be names with values, got {found!r:.40}")
    settings = dict(upgraded(found))
    settings.pop("ancestor", None)  # what a run began with; --init-from names it again
    return settings


def _yaml(text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise InputError(
            "reading .yaml needs PyYAML, which is not installed: pip install pyyaml, or write the "
            "settings as .toml or .json"
        ) from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"--config is no YAML: {error}") from None


READERS: dict[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": _yaml,
    ".yml": _yaml,
}
"""By the end of a file's name."""
