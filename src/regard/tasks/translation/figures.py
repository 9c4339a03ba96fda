"""BLEU by the length of the source: what a model without attention loses in long sentences."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from regard.errors import InputError
from regard.lens.plots.fonts import families
from regard.lens.plots.style import CLAY, FAINT, GOLD, INK, LEAF, PLUM, SEA, SKY, SOFT, style
from regard.measures import Bucket

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (SEA, CLAY, GOLD, PLUM, LEAF, SKY)
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
"""Lines whose colours have all been used are dashed, then dotted."""
FEW = 20
"""A score of fewer sentences is drawn hollow: chance moves it a lot."""
APART = 0.045
"""How far apart the names beside the curves stand, as a share of the height."""

WIDEST = 32
"""Letters of a name that are shown, the last ones: paths differ there."""


class Point(NamedTuple):
    """One bucket of one curve."""

    place: int
    bleu: float
    sentences: int


def length_curves(
    systems: Mapping[str, Sequence[Bucket]], *, title: str = "BLEU by length of the source"
) -> "Figure":
    """A curve for every system over the buckets of source length.

    Cho et al. 2014 (https://arxiv.org/abs/1409.1259), figure 4, and Bahdanau et al. 2015, figure 2.

    Args:
        systems: for every name what :func:`regard.measures.by_length` found, with the same
            buckets. Those without a sentence are not drawn.
        title: above the picture.

    Raises:
        InputError: no system, or different buckets.
        MissingExtraError: matplotlib is not installed.
    """
    buckets = _shared(systems)
    with style("the figure of BLEU by length"):
        from regard.lens.plots.style import notebook_figure

        figure = notebook_figure()(figsize=(9, 5), dpi=200, layout="constrained")
        axes = figure.subplots()
        curves = {name: _points(found) for name, found in systems.items()}
        for number, points in enumerate(curves.values()):
            _draw(axes, points, number)
        _scale(axes, buckets, curves)
        _name(axes, curves)
        figure.suptitle(title, x=0.01, ha="left", fontsize=15, fontweight="bold")
        return figure


def _shared(systems: Mapping[str, Sequence[Bucket]]) -> list[Bucket]:
    """The buckets that have sentences, and that all systems have."""
    every = list(systems.values())
    if not every:
        raise InputError("a figure needs at least one system, got none")
    bounds = [[bucket[:3] for bucket in buckets] for buckets in every]
    if any(other != bounds[0] for other in bounds):
        raise InputError("systems in one figure need the same buckets of the same sentences")
    return [bucket for bucket in every[0] if bucket.sentences]


def _points(buckets: Sequence[Bucket]) -> list[Point]:
    filled = [bucket for bucket in buckets if bucket.bleu is not None]
    return [
        Point(place, bucket.bleu.value, bucket.sentences)
        for place, bucket in enumerate(filled)
        if bucket.bleu is not None
    ]


def _draw(axes: "Axes", points: list[Point], number: int) -> None:
    colour, dashes = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
    places, scores = [point.place for point in points], [point.bleu for point in points]
    axes.plot(places, scores, color=colour, linewidth=2.2, linestyle=dashes, zorder=2)
    for point in points:
        inside = axes.get_facecolor() if point.sentences < FEW else colour
        axes.plot(
            point.place,
            point.bleu,
            "o",
            markersize=6,
            markerfacecolor=inside,
            markeredgecolor=colour,
            markeredgewidth=1.6,
            zorder=3,
        )


def _scale(axes: "Axes", buckets: list[Bucket], curves: Mapping[str, list[Point]]) -> None:
    labels = [f"{bucket.label}\n{bucket.sentences:,}" for bucket in buckets]
    axes.set_xticks(range(len(buckets)), labels)
    most = max((point.bleu for points in curves.values() for point in points), default=0.0)
    axes.set(xlim=(-0.2, len(buckets) - 0.8), ylim=(0, max(1.0, 1.08 * most)))
    axes.set_xlabel("words of the source, and how many sentences have them")
    axes.set_ylabel("BLEU")
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    axes.tick_params(length=0)
    few = any(bucket.sentences < FEW for bucket in buckets)
    if few:
        axes.set_title(f"Hollow: fewer than {FEW} sentences", loc="right", fontsize=9.5, color=SOFT)


def _name(axes: "Axes", curves: Mapping[str, list[Point]]) -> None:
    """Names at the ends of the curves, moved apart where they would meet."""
    low, high = axes.get_ylim()
    ends = [(points[-1].bleu, number, name) for number, (name, points) in enumerate(curves.items())]
    fonts, height = families(curves), low
    for score, number, name in sorted(ends):
        height = max(score, height)
        axes.annotate(
            name if len(name) <= WIDEST else f"…{name[1 - WIDEST :]}",
            (1.01, (height - low) / (high - low)),
            xycoords="axes fraction",
            color=COLOURS[number % len(COLOURS)] if len(curves) > 1 else INK,
            va="center",
            fontfamily=fonts,
            parse_math=False,
        )
        height += APART * (high - low)
