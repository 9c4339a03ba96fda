"""From a result of ``python -m benchmarks.lens`` to the Markdown of its regions."""

from typing import Any

from result_tables import markdown

Data = dict[str, Any]


def side_by_side(data: Data) -> str:
    """Every job by every tool: lines, seconds, memory, and what came of it."""
    rows, before = [], None
    for way in data["ways"]:
        job = f"{way['job']}, {way['tokens']:,} tokens"
        rows.append([job if job != before else "", way["tool"], str(way["lines"]), *_cost(way)])
        before = job
    return markdown(
        ("job", "tool", "what came", "lines", "seconds", "MB"),
        [[job, tool, came, lines, seconds, size] for job, tool, lines, seconds, size, came in rows],
        words=3,
    )


def _cost(way: Data) -> tuple[str, str, str]:
    """Seconds, megabytes, and what came; dashes where nothing did."""
    if "failed" in way:
        return "-", "-", f"nothing: {way['failed'].strip('.')}"
    return f"{way['seconds']:.2f}", f"{way['MB']:,.0f}", _came(way)


def _came(way: Data) -> str:
    if "error" in way:
        told = "as the eager run" if way["error"] == 0 else f"eager run ± {way['error']:.0e}"
    elif "number" in way:
        told = f"{way['number']:+.6f}"
    elif "megabytes" in way:
        told = f"{way['megabytes']:,.1f} MB of HTML"
    else:
        told = "a number for every token"
    return f"{told}; the model ran {'fused' if way['attention'] == 'sdpa' else 'eager'}"


def costs(data: Data) -> str:
    """What watching costs, beside the goals."""
    rows = [(_named(one), _told(one), "kept" if one["kept"] else "missed") for one in data["costs"]]
    return markdown(("what", "measured", "goal"), rows, words=3)


def _named(one: Data) -> str:
    return NAMES.get(one["job"], one["job"])


NAMES = {
    "watching": "a BERT of the base size on 8 × 512 tokens, watched ÷ plain; at most 1.05",
    "8 rows of 16k": "8 rows of 12 heads of a layer of 16,384 tokens; at most 50 ms",
    "gradient × attention": "gradient × attention of 4,096 tokens ÷ a backward pass; at most 2",
    "value norms of 512": "memory of the value norms of 512 tokens, BERT's size; at most 200 MB",
    "gradient × attention of 4k": "memory of gradient × attention of 4,096 tokens; at most 150 MB",
    "census": "a census of a small GPT-2 on 64 sentences; at most 60 s",
}
"""A job and its goal, in words."""


def _told(one: Data) -> str:
    if "failed" in one:
        return str(one["failed"])
    if "ratio" in one:
        return f"{one['ratio']:.3f}×"
    if "MB" in one:
        return f"{one['MB']:.0f} MB"
    seconds = one["seconds"]
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def published(data: Data) -> str:
    """A sentence for each of the published models."""
    found = {one["job"]: one for one in data["published"]}
    vectors, atoms = found["MiniLM"], found["RXNMapper"]
    best = "; ".join(
        f"head {one['head']} of `{one['module'].rpartition('.')[2]}`, {one['note']}"
        for one in atoms["best"]
    )
    told = (
        f"all-MiniLM-L6-v2, converted: the vectors of {vectors['texts']} texts differ from",
        f"those of sentence-transformers by {vectors['error']:.0e} at most.\n\n"
        f"RXNMapper's ALBERT on {atoms['reactions']} reactions made by templates, with",
        f"{atoms['atoms']} atoms in their products: of {atoms['heads']} heads a census names",
        f"{atoms['named']}. The best: {best}.",
    )
    return " ".join(told)
