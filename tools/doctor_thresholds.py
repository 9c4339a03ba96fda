"""Writes docs/doctor-thresholds.json: what each threshold tells apart, measured.

Run as ``python tools/doctor_thresholds.py``, with regard-zoo at hand: some minutes. What was
planted is in ``tests/lens/doctor/planted.py``, three strengths and five seeds of each cause; what
is healthy are the trained models of regard-zoo that attend, on sentences of our grammar that were
kept out of training, and the beginning of a usual run.
"""

# ruff: noqa: E402, I001
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "doctor-thresholds.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from lens.doctor.planted import CASES

from regard.lens.doctor import Chart, Patient, patient_of
from regard.lens.doctor.causes import (
    broad,
    causal_leak,
    dropout_on,
    head_unused,
    ignores_source,
    keys_alike,
    mask_inverted,
    padding_leaks,
    positions_missing,
    rate_too_high,
    saturated,
    scale,
    separable,
    vocabulary,
    wrong_axis,
)
from regard.lens.doctor.chart import residual_ratio

HEALTHY = ("en-fr-transformer", "en-fr-bahdanau", "en-sentiment")
STRENGTHS, SEEDS = range(3), range(5)


class Measure(NamedTuple):
    """One number that a cause goes by."""

    cause: str
    evidence: str
    """Its name in a finding."""
    above: bool
    """Whether more of it is worse."""
    threshold: float
    healthy: Callable[[Patient], Iterable[float | None]]
    """The same number of a model that is well, in all of its modules."""


def of_charts(measure: Callable[[Chart], float | None]) -> Callable[[Patient], list[float | None]]:
    """In every module that looks at a sequence."""
    return lambda patient: [measure(one) for one in patient.charts if one.weights.shape[-1] > 2]


def once(measure: Callable[[Patient], float | None]) -> Callable[[Patient], list[float | None]]:
    """Of the whole model."""
    return lambda patient: [measure(patient)]


def rows_off(chart: Chart) -> float:
    """How far rows are from summing to one."""
    sums = chart.weights.double().sum(dim=-1)
    return float((sums - 1).abs()[chart.rows].amax())


def on_padding(chart: Chart) -> float | None:
    """Weight of real queries on padding."""
    return mask_inverted.mass_on(chart, chart.padding.expand(chart.weights.shape))


def key_share(chart: Chart) -> float | None:
    """What the key alone explains, in the head where that is least."""
    if chart.shares is None or chart.kind in ("pool", "gate") or chart.weights.shape[-2] < 3:
        return None
    return float((chart.shares.key + chart.shares.either).min())


def scaled(chart: Chart, power: float = 0.5) -> float | None:
    """By how much a score grows with q · k, times a power of the width."""
    if chart.slope is None or chart.query is None:
        return None
    return float(chart.slope * chart.query.shape[-1] ** power)


def heads_shares(patient: Patient) -> list[float]:
    """Of every head."""
    return [x for chart in patient.charts for x in head_unused.shares(chart, patient)]


def by_chance(chart: Chart) -> float | None:
    """The spread of scores that vectors of these sizes have by chance."""
    if chart.slope is None or chart.query is None or chart.key is None:
        return None
    sizes = [float(x.double().square().mean().sqrt()) for x in (chart.query, chart.key)]
    return chart.slope * chart.query.shape[-1] ** 0.5 * sizes[0] * sizes[1]


def sure(chart: Chart) -> float:
    """Rows on one key."""
    return float(chart.certain.nan_to_num().mean())


def keys_apart(chart: Chart) -> float | None:
    """How far keys are from being all the same."""
    return None if chart.key is None else residual_ratio(chart.key, chart.keys.real)


def share_of(patient: Patient, *, unknown: bool) -> float | None:
    """The share of what is not known, or of the most frequent token."""
    if patient.scene is None:
        return None
    found = []
    for side in patient.scene.sides.values():
        ids = side.ids[side.real]
        one = patient.scene.unknown if unknown else int(ids.mode().values)
        found.append(0.0 if one is None else float((ids == one).double().mean()))
    return max(found)


def positions(patient: Patient) -> float | None:
    """How far scores of equal tokens are apart."""
    found = positions_missing.measured(patient)
    return None if found is None else found[1]


def updates(patient: Patient) -> list[float | None]:
    """How far updates moved what attention learns, in parts of its size: the median."""
    found = sorted(line["update_ratio"] for line in patient.history)
    return [found[len(found) // 2]] if found else []


MEASURES = (
    Measure(
        "softmax over the wrong axis", "rows off by", True, wrong_axis.ROWS, of_charts(rows_off)
    ),
    Measure(
        "dropout left on", "two passes differ by", True, dropout_on.SAME, once(lambda p: p.differs)
    ),
    Measure("mask inverted", "on padding", True, mask_inverted.ALL, of_charts(on_padding)),
    Measure(
        "vocabulary of another model",
        "<unk>",
        True,
        vocabulary.UNKNOWN,
        once(lambda p: share_of(p, unknown=True)),
    ),
    Measure(
        "vocabulary of another model",
        "most frequent token",
        True,
        vocabulary.ONE,
        once(lambda p: share_of(p, unknown=False)),
    ),
    Measure("padding leaks", "on padding", True, padding_leaks.MASS, of_charts(on_padding)),
    Measure(
        "padding leaks", "outputs move by", True, padding_leaks.MOVE, once(padding_leaks.moved)
    ),
    Measure(
        "causal leak", "earlier logits move by", True, causal_leak.MOVE, once(causal_leak.moved)
    ),
    Measure(
        "decoder ignores the source",
        "ln p moves by",
        False,
        ignores_source.LEAST,
        once(ignores_source.moved),
    ),
    Measure("keys alike", "keys differ by", False, keys_alike.ALIKE, of_charts(keys_apart)),
    Measure("rate too high", "update / weight", True, rate_too_high.UPDATE, updates),
    Measure("query does not matter", "key share", True, separable.ALL, of_charts(key_share)),
    Measure("scaled twice", "slope · D", False, scale.SMALL, of_charts(lambda c: scaled(c, 1.0))),
    Measure("scale missing", "slope · √D", True, scale.LARGE, of_charts(scaled)),
    Measure("scale missing", "σ by chance", True, scale.LARGE, of_charts(by_chance)),
    Measure("scale missing", "rows on one key", True, scale.SURE, of_charts(sure)),
    Measure(
        "positions missing",
        "scores of equal tokens differ by",
        False,
        positions_missing.SAME,
        once(positions),
    ),
    Measure(
        "saturated", "1 − Σα²", False, saturated.OPEN, of_charts(lambda c: float(c.openness.amax()))
    ),
    Measure("head unused", "share", False, head_unused.SHARE, heads_shares),
    Measure(
        "broad by design",
        "U",
        True,
        broad.UNIFORM,
        of_charts(lambda c: float(c.entropies.nan_to_num().amax())),
    ),
)


def patients() -> Iterable[Patient]:
    """Models that are well, on a batch of our grammar each."""
    from regard.cli.examining import examined

    for name in HEALTHY:
        found = examined(name, None)
        scene = max(found.scenes, key=lambda one: one.size)
        yield patient_of(found.model, scene, learns=False)
    yield Patient(history=usual_run())


def usual_run() -> list[dict[str, Any]]:
    """Vitals of the first minutes of the command that everybody begins with."""
    import regard
    from regard.tasks.translation import GrammarData
    from regard.training.vitals import Vitals, history_of

    with TemporaryDirectory() as folder:
        watch = Vitals(folder, every=20, share=1.0)
        small = {"batch.max_tokens": 200}
        data, run = GrammarData(max_words=7), Path(folder) / "run"
        more: dict[str, Any] = {"steps": 160, "validate_every": 160}
        regard.train(
            data, "bahdanau-small", run, progress=False, observer=watch, changes=small, **more
        )
        return history_of(folder)


def planted() -> dict[tuple[str, str], list[float]]:
    """All evidence of the planted cause, by its name and that of the number."""
    kept: dict[tuple[str, str], list[float]] = {}
    for cause, case in CASES.items():
        for strength in STRENGTHS:
            for seed in SEEDS:
                for one in case(strength, seed, False):
                    if one.cause == cause:
                        for name, value in numbers(one.evidence):
                            kept.setdefault((cause, name), []).append(value)
    return kept


def numbers(evidence: Any) -> Iterable[tuple[str, float]]:
    """Its numbers, and the slope times powers of the width."""
    yield from ((name, float(x)) for name, x in evidence.items() if not isinstance(x, str))
    if "1/√D" in evidence:
        yield "slope · √D", evidence["slope"] / evidence["1/√D"]
        yield "slope · D", evidence["slope"] / evidence["1/√D"] ** 2


def ends(values: Iterable[float | None]) -> list[float] | None:
    """The least and the largest."""
    known = [value for value in values if value is not None]
    return [min(known), max(known)] if known else None


def main() -> None:
    """Measure, and write."""
    ill, well = planted(), list(patients())
    rows = []
    for one in MEASURES:
        values = [value for patient in well for value in one.healthy(patient)]
        rows.append(
            {
                "cause": one.cause,
                "what": one.evidence,
                "sense": "above" if one.above else "below",
                "threshold": one.threshold,
                "planted": ends(ill.get((one.cause, one.evidence), [])),
                "healthy": ends(values),
            }
        )
    text = json.dumps({"healthy": HEALTHY, "rows": rows}, ensure_ascii=False, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
