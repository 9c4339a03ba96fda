"""The table of ``regard list models``: each preset built once, so that listing them is quick.

Run as ``python tools/model_table.py`` when presets change; a test says so.
"""

import json
import re
from typing import Any

import torch

from regard.cli.list import TABLE, VOCABULARY
from regard.models import build, kinds, preset_config, presets
from regard.models.build import kind_of, preset_sizes


def rows() -> list[dict[str, Any]]:
    """Every preset of ours, built without memory for its weights."""
    return [row(name) for name in presets if preset_config_module(name).startswith("regard.")]


def preset_config_module(name: str) -> str:
    """Where a preset comes from; tests and users add others."""
    return str(getattr(presets[name], "__module__", ""))


def row(name: str) -> dict[str, Any]:
    """A preset, with vocabularies and labels of one size; where it may read this or that, text."""
    sizes = preset_sizes(name)
    needed = [size for size in sizes if sizes[size] or size == "vocab"]
    config = preset_config(name, **dict.fromkeys(needed, VOCABULARY))
    with torch.device("meta"):
        model = build(config)
    kind = kind_of(config)
    own = [field for field in type(config).model_fields if not field.endswith("_vocab")]
    return {
        "name": name,
        "kind": kind,
        "parameters": sum(one.numel() for one in model.parameters()),
        "paper": paper(f"{kinds[kind].model.__doc__}"),
        "fields": [field for field in own if field != "kind"],
    }


def paper(text: str) -> str:
    """The first paper that a docstring names."""
    found = re.search(r"([A-Z][^\n(]*)\s*\((https?://[^)\s]+)\)", text)
    return f"{found[1].strip().rstrip(',')} {found[2]}" if found else ""


def text(found: list[dict[str, Any]]) -> str:
    """The file: a line for each."""
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in found)
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    TABLE.write_text(text(rows()), encoding="utf-8")
