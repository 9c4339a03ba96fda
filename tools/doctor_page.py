"""Writes docs/doctor.md and a page for every cause, of its own texts and of planted cases.

Run as ``python tools/doctor_page.py``, ``tools/doctor_thresholds.py`` first if a threshold moved.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE, FOLDER = ROOT / "docs" / "doctor.md", ROOT / "docs" / "doctor"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

HEAD = """# How would you debug a Transformer whose attention is uniform?

Ask what is measured, not what it looks like. Uniform maps have many causes: a model that was not
trained yet, scores that are scaled twice, keys that are all the same, a query that cancels, a
gradient that never arrives; some heads are uniform and should be. `regard doctor` measures the
sign of each and tells the cause, its evidence, and one sentence what to do.

```
regard doctor run/                 # a run, with its log
regard doctor en-fr-transformer    # a trained model
regard doctor ./bert/              # a folder of transformers, its own tokeniser reads
```

```python
import torch

from regard.lens.doctor import doctor
from regard.models import build

model, batch = build("gpt-tiny", vocab=20, num_heads=2), torch.randint(20, (8, 24))
print(doctor(model, batch))  # any model
weights = torch.randn(3, 2, 7, 7).softmax(dim=-2)
print(doctor(weights, causal=False))  # weights of your own code
```
"""
UNIFORM = """## Six models, one picture

Each of these has maps in which every key has all but the same weight. Planted, and shown to the
doctor:
"""
HOW = """## How it is found

Hard facts come first, then structure, then training, then what looks odd and is harmless. One
cause per symptom: what an earlier cause explains is not looked for again. *broken* is certainly
wrong, *suspicious* perhaps, *normal* not at all.

**While a model learns**, `regard train` examines a few rows of the first batch every hundred
updates, for at most a hundredth of the time, writes `vitals.jsonl` into the run's folder (entropy,
largest score, how far an update moves what attention learns, causes), and says in a line when
something is wrong that was not before. `regard doctor run/` reads it.
"""
WHY = """## Where the thresholds come from

Every cause is planted in three strengths and five seeds: *planted* are the least and the largest
number that was measured then, and exactly that cause must be found, and its fix must clear it.
*Healthy* is the same number of models that are well: {models}, on sentences of our grammar that
were kept out of training, and for updates the beginning of a usual run. A threshold stands between
the two. It is no law: a model unlike all of these may cross one in good health, which is why the
evidence stands beside every finding. `tools/doctor_thresholds.py` measures this table anew.
"""
SAME = (
    ("at initialisation", 1),
    ("scaled twice", 0),
    ("keys alike", 0),
    ("keys alike", 1),
    ("queries and keys do not learn", 2),
    ("broad by design", 0),
)
"""Causes of uniform maps, and which planted case shows them."""
LABELS = {("keys alike", 0): "a norm shut", ("keys alike", 1): "oversmoothing"}


def pages() -> dict[str, str]:
    """All pages, by their names below docs."""
    from regard.lens.doctor import CAUSES

    measured = json.loads((ROOT / "docs" / "doctor-thresholds.json").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = measured["rows"]
    found = {"doctor.md": first(rows, measured["healthy"])}
    for cause in CAUSES:
        found[f"doctor/{slug(cause.name)}.md"] = page(cause, rows)
    return found


def first(rows: list[dict[str, Any]], healthy: list[str]) -> str:
    """The question, the answer, all causes, all thresholds."""
    from regard.lens.doctor import CAUSES

    uniform = []
    for name, strength in SAME:
        label = LABELS.get((name, strength))
        title = f"**[{titled(name)}](doctor/{slug(name)}.md)**" + (f", {label}" if label else "")
        uniform.append(f"{title}\n\n{fenced(said(name, strength))}")
    causes = ["| how bad | cause | its sign |", "|---|---|---|"]
    for cause in CAUSES:
        link = f"[{cause.name}](doctor/{slug(cause.name)}.md)"
        causes.append(f"| *{cause.severity}* | {link} | {barred(cause.sign)} |")
    why = WHY.format(models=", ".join(f"`{one}`" for one in healthy))
    return (
        "\n".join(
            [
                HEAD,
                UNIFORM,
                "\n\n".join(uniform),
                "",
                HOW,
                "## All causes\n",
                *causes,
                "",
                why,
                *table(rows),
            ]
        )
        + "\n"
    )


def page(cause: Any, rows: list[dict[str, Any]]) -> str:
    """One cause: its story, its sign, what the doctor says, before and after."""
    own = [row for row in rows if row["cause"] == cause.name]
    parts = [
        f"# {titled(cause.name)}",
        f"*{cause.severity}.* {cause.story}",
        f"**Its sign:** {cause.sign}.",
        f"**What to do:** {cause.fix}",
        f"On a planted case, `tests/lens/doctor/planted.py`, the doctor says:\n\n"
        f"{fenced(said(cause.name, 0))}",
        f"and after that:\n\n{fenced(said(cause.name, 0, cured=True))}",
    ]
    if own:
        parts.append("\n".join(["## Measured", "", *table(own)]))
    if cause.links:
        parts.append("See " + " ".join(f"<{link}>" for link in cause.links))
    parts.append("[All causes](../doctor.md)")
    return "\n\n".join(parts) + "\n"


def said(name: str, strength: int, *, cured: bool = False) -> str:
    """The doctor's own words about a planted case."""
    from lens.doctor.planted import CASES

    return str(CASES[name](strength, 0, cured))


def table(rows: list[dict[str, Any]]) -> list[str]:
    """What was measured."""
    head = ["| cause | number | counts | planted | healthy |", "|---|---|---|---|---|"]
    return head + [
        f"| {row['cause']} | {barred(row['what'])} | {row['sense']} {row['threshold']:g} | "
        f"{ends(row['planted'])} | {ends(row['healthy'])} |"
        for row in rows
    ]


def ends(both: list[float] | None) -> str:
    """From the least to the largest."""
    if both is None:
        return "–"
    low, high = (f"{value:.2g}" for value in both)
    return low if low == high else f"{low} to {high}"


def barred(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|")


def fenced(text: str) -> str:
    """As it is printed."""
    return f"```\n{text}\n```"


def titled(name: str) -> str:
    """With a capital."""
    return name[0].upper() + name[1:]


def slug(name: str) -> str:
    """A name for a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")
