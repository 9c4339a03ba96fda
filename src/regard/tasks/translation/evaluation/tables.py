"""All that ``regard evaluate`` found of translators, as tables."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from regard.listing import Listing
from regard.measures import AlignmentScore, Bucket, Comparison, Head, Score
from regard.tasks.translation.task import TASK

from .evaluate import Evaluation, PairedComparison
from .report import Report

ABSENT = "-"
STEP = "by the step that"
STEPS = {0: "predicts a word", 1: "reads it"}
"""Where links are taken from."""


def tables(report: Report) -> Iterator[RenderableType]:
    """Everything, the most important first."""
    if report.systems:
        yield _scores(report)
        yield from _signatures(report.systems[0])
    if report.versus:
        yield _versus(report.versus)
    if report.systems:
        yield _lengths(report.systems)
    if report.links or any(one.alignment for one in report.systems):
        yield _alignment(report)
    for one in report.systems:
        if one.heads:
            yield _heads(one)


def _numbers(*headings: str) -> Listing:
    """Names on the left, numbers on the right."""
    return Listing(headings, numbers=True)


def _titled(title: str, table: Listing) -> Group:
    """A title that may be wider than its table."""
    return Group(Text(title, style="bold"), table)


def _scores(report: Report) -> Group:
    exam = report.exam
    assert exam is not None
    skipped = f", {exam.skipped:,} lines skipped" if exam.skipped else ""
    title = f"{len(exam.held_out):,} sentences, {exam.references:,} references{skipped}"
    more = [TASK.measure(name) for name in report.systems[0].more]
    made = _numbers(
        "system",
        *(measure.title for measure in more),
        "BLEU",
        "chrF",
        "exact",
        "perplexity, token",
        "perplexity, word",
        "AER",
        "tokens/s",
    )
    for one in report.systems:
        perplexity = one.perplexity
        made.add(
            Text(one.name),
            *(measure.shown(one.more[measure.name]) for measure in more),
            _score(one.bleu),
            _score(one.chrf),
            _percent(one.exact),
            ABSENT if perplexity is None else f"{perplexity.per_token:.4g}",
            ABSENT if perplexity is None else f"{perplexity.per_word:.4g}",
            ABSENT if one.aer is None else _percent(one.aer),
            ABSENT if one.speed is None else f"{one.speed.per_second:,.0f}",
        )
    return _titled(title, made)


def _signatures(one: Evaluation) -> Iterator[Text]:
    for score in (one.bleu, one.chrf):
        yield Text(f"{score.name}: {score.signature}", style="dim")


def _versus(every: Sequence[PairedComparison]) -> Group:
    made = _numbers("system", "BLEU", "p", "chrF", "p")
    for one in every:
        made.add(Text(one.second), *_difference(one.bleu), *_difference(one.chrf))
    table = _titled(f"Compared with {every[0].first}, on the same sentences", made)
    cautions = [(one.second, one.chrf.caution) for one in every if one.chrf.caution]
    return Group(table, *[Text(f"{name}: {caution}.") for name, caution in cautions])


def _lengths(systems: Sequence[Evaluation]) -> Group:
    """Buckets as rows: there are always a few of them, and seldom many systems."""
    made = _numbers("source", "sentences", *[one.name for one in systems])
    for row in zip(*[one.lengths for one in systems], strict=True):
        if row[0].sentences:
            made.add(f"{row[0].label} words", f"{row[0].sentences:,}", *map(_bleu, row))
    return _titled("BLEU by length of the source", made)


def _alignment(report: Report) -> Group:
    pairs = "" if report.exam is None else f" of {len(report.exam.linked):,} pairs"
    made = _numbers("system", STEP, "AER", "precision", "recall", "links")
    for one in report.systems:
        for shift, score in one.alignment.items():
            made.add(Text(one.name), STEPS.get(shift, str(shift)), *_rates(score))
    for name, score in report.links:
        made.add(Text(name), ABSENT, *_rates(score))
    return _titled(f"Alignment{pairs}", made)


def _heads(one: Evaluation) -> Group:
    """Layers as rows, heads as columns, the best one marked."""
    count = 1 + max(head.head for head in one.heads)
    made = _numbers("", STEP, *[f"head {number}" for number in range(count)])
    for layer, shift in sorted({(head.layer, head.shift) for head in one.heads}):
        cells = [_head(one, Head(layer, number, shift)) for number in range(count)]
        made.add(f"layer {layer}", STEPS.get(shift, str(shift)), *cells)
    return _titled(f"AER of every head of {one.name}; * is the best", made)


def _head(one: Evaluation, head: Head) -> Text:
    rate = _percent(one.heads[head].aer)
    return Text(f"* {rate}", style="bold") if head == one.best_head else Text(rate)


def _rates(score: AlignmentScore) -> Iterable[str]:
    rates = (score.aer, score.precision, score.recall)
    return (*map(_percent, rates), f"{score.predicted:,}")


def _difference(comparison: Comparison) -> tuple[str, str]:
    low, high, _ = map(_signed, comparison.interval)
    return f"{_signed(comparison.difference)} [{low}, {high}]", f"{comparison.p_value:.3f}"


def _signed(value: float) -> str:
    """With its sign; nothing is less than nothing."""
    return f"{round(value, 1) + 0.0:+.1f}"


def _score(score: Score) -> Text:
    if score.interval is None:
        return Text(f"{score.value:.1f}")
    return Text(f"{score.value:.1f} [{score.interval.low:.1f}, {score.interval.high:.1f}]")


def _bleu(bucket: Bucket) -> str:
    return ABSENT if bucket.bleu is None else f"{bucket.bleu.value:.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
