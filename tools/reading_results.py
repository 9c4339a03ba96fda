"""What readers were measured to do, kept as tables for docs/reading.md.

``python tools/reading_results.py stories.json passages.json`` takes what ``regard evaluate MODEL
--data … --json`` printed of each, in this order, ``-`` for one that is not measured, and writes
``benchmarks/results/reading.json``; ``python tools/results.py render`` then renders the page.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.machine import here  # noqa: E402

KEPT = ROOT / "benchmarks" / "results" / "reading.json"
COMMANDS = {
    "reading-stories": "regard evaluate en-stories --data qa*.test.txt.gz",
    "reading-passages": "regard evaluate en-reader --data test.jsonl.gz",
}
Data = dict[str, Any]


def share(value: float | None) -> str:
    """In percent; a dash where there is nothing."""
    return "-" if value is None else f"{value:.1f}"


def stories(found: Data) -> Data:
    """Every task with its error and where the reader looked, and the mean error."""
    rows = [
        [
            group["name"],
            f"{group['questions']:,}",
            share(100 - group["exact"]),
            share(group["support"]),
            f"{group['supports']:.1f}",
        ]
        for group in found["groups"]
    ]
    scores = found["scores"]
    rows.append(["mean", "", share(scores["mean_error"]), share(scores.get("support")), ""])
    columns = ["task", "questions", "error %", "attention on supporting sentences %", "sentences"]
    return {"columns": columns, "rows": rows, "command": COMMANDS["reading-stories"]}


def passages(found: Data) -> Data:
    """Exact match and F1 with their intervals."""
    bounds = found["intervals"]
    cells = []
    for name in ("exact", "f1"):
        bound = bounds[name]
        told = f" [{bound['low']:.1f}, {bound['high']:.1f}]" if bound else ""
        cells.append(f"{found['scores'][name]:.1f}{told}")
    row = [f"`{found['model']}`", f"{found['test']['questions']:,}", *cells]
    columns = ["reader", "questions", "exact match", "F1"]
    return {"columns": columns, "rows": [row], "command": COMMANDS["reading-passages"]}


def main(files: list[str]) -> None:
    """Keep both."""
    if len(files) != 2:
        raise SystemExit(__doc__)
    regions = {
        name: table(json.loads(Path(file).read_text(encoding="utf-8")))
        for file, (name, table) in zip(
            files,
            {"reading-stories": stories, "reading-passages": passages}.items(),
            strict=True,
        )
        if file != "-"
    }
    machine = asdict(here(threads=2, command="regard evaluate"))
    data = {"machine": machine, "regions": regions, "headlines": {}}
    KEPT.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
