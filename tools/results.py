"""Numbers in the README come from results that are kept here, never from a keyboard.

``python tools/results.py keep bench-results/kernels.json`` keeps a result of ``regard bench`` in
``benchmarks/results/``; ``python tools/results.py render`` writes what the README says of all that
is kept there between its marks ``<!-- result: NAME -->`` and ``<!-- end of result -->``.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "benchmarks" / "results"
README = ROOT / "README.md"
REGION = re.compile(r"(<!-- result: ([a-z-]+) -->\n)(.*?)(<!-- end of result -->)", flags=re.DOTALL)

Data = dict[str, Any]


class Row(NamedTuple):
    """One line of a table of races: what is raced, and against whom."""

    label: str
    mechanism: str
    shape: tuple[int, int, int, int]
    peer: str
    peer_label: str
    ours: str = "regard"
    mask: str = "plain"


ADDITIVE = ("additive", (1, 1, 1024, 64))
KERNELS = (
    Row("additive score", *ADDITIVE, "eager", "eager form", "regard, numba"),
    Row("", *ADDITIVE, "keras", "keras `AdditiveAttention`", "regard, numba"),
    Row("additive score, without numba", *ADDITIVE, "eager", "eager form", "regard, no numba"),
    Row("", *ADDITIVE, "keras", "keras `AdditiveAttention`", "regard, no numba"),
    Row("sparsemax", "sparsemax", (1, 8, 2048, 64), "entmax", "`entmax` package"),
    Row("1.5-entmax", "entmax15", (1, 8, 2048, 64), "entmax", "`entmax` package"),
    Row(
        "window of 128 back",
        *("window", (1, 8, 4096, 64), "local-attention", "`local-attention`"),
        mask="back",
    ),
    Row("", "window", (1, 8, 4096, 64), "sdpa", "torch SDPA with a band mask", mask="back"),
    Row(
        "window of 128 on both sides",
        *("window", (1, 8, 4096, 64), "local-attention", "`local-attention`"),
        mask="around",
    ),
    Row("", "window", (1, 8, 4096, 64), "sdpa", "torch SDPA with a band mask", mask="around"),
    Row(
        "ALiBi, causal",
        *("alibi", (1, 8, 2048, 64), "sdpa", "torch SDPA, lowered by hand"),
        mask="causal",
    ),
    Row(
        "padded batch, default",
        *("softmax", (1, 8, 4096, 64), "sdpa", "torch SDPA with the mask"),
        mask="padded",
    ),
)
LAYER = ((32, 8, 32, 64), (8, 8, 256, 64), (1, 8, 2048, 64))
MODULES = (
    *(
        Row("`MultiHeadAttention`", "layer", shape, peer, label, "regard.nn")
        for peer, label in (
            ("nn.MultiheadAttention", "`nn.MultiheadAttention`"),
            ("x-transformers", "x-transformers, flash"),
        )
        for shape in LAYER
    ),
    Row(
        "`BahdanauAttention`, all states at once",
        *("bahdanau", (4, 1, 512, 64), "keras", "keras, two linear maps", "regard.nn"),
    ),
    Row(
        "`BahdanauAttention`, 16 steps",
        *("bahdanau steps", (8, 1, 1000, 128), "tutorial", "as tutorials write it", "regard.nn"),
    ),
)


def speedup(data: Data, row: Row, *, backward: bool) -> float:
    """How many times faster ours was: the median of the ratios of the rounds."""
    for race in (race for suite in data["suites"] for race in suite["races"]):
        case = race["case"]
        asked = (row.mechanism, list(row.shape), row.mask, backward)
        if (case["mechanism"], case["shape"], case["mask"], case["backward"]) != asked:
            continue
        for found in race["comparisons"]:
            if found["ours"] == row.ours and row.peer in found["peers"]:
                value: float = found["value"]
                return value if found["measure"] == "speedup" else 1 / value
    raise SystemExit(f"no result of {row}; measure it again")


def times(ratio: float) -> str:
    """A ratio with two digits that count."""
    return (
        f"{ratio:.0f}×" if ratio >= 9.95 else f"{ratio:.1f}×" if ratio >= 1.95 else f"{ratio:.2f}×"
    )


def table(data: Data, rows: tuple[Row, ...]) -> Iterator[str]:
    """The lines of a table, larger is faster than the peer."""
    yield "| what | size (B, H, N, D) | peer | forward | forward + backward |"
    yield "|---|---|---|--:|--:|"
    for row in rows:
        passes = (times(speedup(data, row, backward=backward)) for backward in (False, True))
        yield f"| {row.label} | {row.shape} | {row.peer_label} | {' | '.join(passes)} |"


def measured(data: Data) -> str:
    """By which command, where and when."""
    machine = data["machine"]
    day = datetime.fromisoformat(machine["date"]).date()
    versions = machine["versions"]
    return (
        f"`{machine['command']}` at commit {machine['commit']}, {machine['cpu']}, "
        f"{machine['threads']} threads, torch {versions['torch']}, numba {versions['numba']}, load "
        f"{machine['load'][0]:.1f} at the start, {day}; {data['goals']['summary']}."
    )


def kernels(data: Data) -> str:
    """The table of functions."""
    return "\n".join([*table(data, KERNELS), "", measured(data)])


def modules(data: Data) -> str:
    """The table of modules."""
    return "\n".join([*table(data, MODULES), "", measured(data)])


def memory(data: Data) -> str:
    """What additive attention takes, and maps that are never built."""
    ours = curve(data, "additive", "regard, numba")
    eager = curve(data, "additive", "eager")
    rows, summary = (
        probe for suite in data["suites"] for probe in suite["probes"] if suite["name"] == "weigh"
    )
    first, last = (f"{megabytes(ours['values'][i])} at N = {ours['sizes'][i]:,}" for i in (0, -1))
    return (
        f"Peak memory of an additive forward and backward is {first} and {last} (the eager form: "
        f"{megabytes(eager['values'][-1])} at N = {eager['sizes'][-1]:,}), an exponent of "
        f"{ours['exponent']:.2f} in N. Eight rows of weights out of a map of 100,000 × 100,000 "
        f"take {megabytes(rows['peak']['bytes'])} and {1000 * rows['timed']['seconds']:.0f} ms; "
        f"the statistics of a 16,384-token causal map {megabytes(summary['peak']['bytes'])} and "
        f"{summary['timed']['seconds']:.1f} s."
    )


def curve(data: Data, mechanism: str, system: str) -> Data:
    """Peak memory over N, forward and backward."""
    for found in (found for suite in data["suites"] for found in suite["curves"]):
        case = found["case"]
        if (found["quantity"], found["system"], case["mechanism"], case["backward"]) == (
            *("memory", system, mechanism, True),
        ):
            return dict(found)
    raise SystemExit(f"no memory of {mechanism} by {system}; measure it again")


def megabytes(size: float) -> str:
    """Bytes as they are read."""
    return f"{size / 1e6:,.0f} MB"


def default(data: Data) -> str:
    """How far the default is from the better of torch's kernel and the unfused form."""
    found = [
        (comparison["value"], race["case"])
        for suite in data["suites"]
        if suite["name"] == "default"
        for race in suite["races"]
        for comparison in race["comparisons"]
        if race["case"]["mechanism"] == "softmax" and comparison["measure"] == "slowdown"
    ]
    within = sum(value <= 1.05 for value, _ in found)
    worst, case = max(found, key=lambda one: one[0])
    work = "forward and backward" if case["backward"] else "forward"
    return (
        f"`attend(q, k, v)` takes at most 1.05 times the better of torch's kernel and the unfused "
        f"form in {within} of {len(found)} cases, and at worst {worst:.2f} times "
        f"({work}, {case['mask']}, {tuple(case['shape'])})."
    )


RENDERED: dict[str, tuple[str, Callable[[Data], str]]] = {
    "kernels": ("kernels", kernels),
    "memory": ("kernels", memory),
    "default": ("kernels", default),
    "modules": ("modules", modules),
}
"""What a mark stands for: the result it is made of, and how."""


def rendered(text: str, kept: Path = KEPT) -> str:
    """``text`` with everything between its marks made again from what is kept."""

    def region(match: re.Match[str]) -> str:
        source, render = RENDERED[match[2]]
        data = json.loads((kept / f"{source}.json").read_text())
        return f"{match[1]}{render(data)}\n{match[4]}"

    return REGION.sub(region, text)


def compact(data: Data) -> Data:
    """A result without the single samples, which medians and ratios were made of."""
    for suite in data["suites"]:
        for race in suite["races"]:
            for found in race["times"].values():
                del found["seconds"]
    return data


def keep(path: Path) -> Path:
    """Put a result of ``regard bench`` where the README is made from."""
    data = compact(json.loads(path.read_text()))
    commit = data["machine"]["commit"]
    if commit is None or commit.endswith("+"):
        raise SystemExit(
            f"{path}: measured on sources that are not committed; commit, measure again"
        )
    kept = KEPT / path.name
    kept.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    return kept


def main(arguments: list[str]) -> None:
    """Keep results or render them."""
    match arguments:
        case ["keep", *files] if files:
            for file in files:
                print("kept", keep(Path(file)).relative_to(ROOT))
        case ["render"]:
            README.write_text(rendered(README.read_text()))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
