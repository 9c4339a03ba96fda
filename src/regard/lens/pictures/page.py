"""Pictures as one HTML page: nothing is fetched and nothing runs; pointing takes the heat away."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from io import BytesIO

from regard.errors import ShapeError

from ..words import printable
from .layers import FEW, PATH, RIGHT, colours, need_pillow, painted, resized
from .view import Panel, PictureView, Pixels

SIDE = 320
"""Pixels of the longer side of a panel."""
MOST_CELLS = 1024
"""A grid with more places has no table."""


def html(views: Sequence[PictureView]) -> str:
    """A page that stands alone: every panel over its picture, and its numbers in a table.

    Light or dark as the reader prefers. While a picture is pointed at, or reached with the
    keyboard, it is shown without heat and mask.

    Args:
        views: at least one.

    Raises:
        ShapeError: no view.
        MissingExtraError: Pillow is not installed.
    """
    if not views:
        raise ShapeError("a page of pictures needs at least one view, got none")
    need_pillow("the page of a picture")
    style = (files(__package__) / "page.css").read_text(encoding="utf-8")
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{allowed}'"
    title = escape(printable(views[0].title or views[0].model or "Pictures"))
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>{style}</style>\n</head>\n<body>\n<main>",
            *(_view(view) for view in views),
            "</main>\n</body>\n</html>\n",
        ]
    )


def iframe(views: Sequence[PictureView]) -> str:
    """The page in a frame of its own, for a notebook: neither can touch the other."""
    rows = sum(-(-len(view.panels) // 3) for view in views)
    return (
        f'<iframe sandbox title="Picture" width="100%" height="{min(1000, 90 + 400 * rows)}" '
        f'style="border:0" srcdoc="{escape(html(views))}"></iframe>'
    )


def _view(view: PictureView) -> str:
    heading = ": ".join(printable(part) for part in (view.model, view.title) if part)
    return "\n".join(
        [
            "<section>",
            f"<h1><bdi>{escape(heading)}</bdi></h1>" if heading else "",
            '<div class="panels">',
            *(_panel(view, panel) for panel in view.panels),
            "</div>\n</section>",
        ]
    )


def _panel(view: PictureView, panel: Panel) -> str:
    title = escape(printable(panel.title)) if panel.title else "picture"
    inside = _bars(panel) if panel.bars is not None else "\n".join(_layers(view, panel))
    caption = f"<figcaption><bdi>{title}</bdi></figcaption>"
    return "\n".join(["<figure>", caption, inside, *_table(panel), "</figure>"])


def _layers(view: PictureView, panel: Panel) -> Iterator[str]:
    """The picture, what is painted over it, and lines over both."""
    wide, high = view.proportions
    scale = SIDE / max(wide, high)
    size = max(1, round(wide * scale)), max(1, round(high * scale))
    title = escape(printable(panel.title or view.title or "picture"))
    across, down = size
    yield f'<svg tabindex="0" role="img" aria-label="{title}" width="{across}" height="{down}" '
    yield f'viewBox="0 0 {across} {down}">'
    yield _image(resized(view.pixels, size))
    if panel.heat is not None or panel.mask is not None:
        yield f'<g class="over">{_image(painted(view, panel, size))}</g>'
    for box, colour in zip(panel.boxes, colours(panel), strict=True):
        x, y = box.left * across, box.top * down
        line = "#{:02x}{:02x}{:02x}".format(*colour)
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{(box.right - box.left) * across:.1f}" '
            f'height="{(box.bottom - box.top) * down:.1f}" fill="none" stroke="{line}" '
            f'stroke-width="2"><title>{escape(printable(box.text or "box"))}</title></rect>'
        )
        if box.text:
            words = escape(printable(box.text))
            ends = box.left > RIGHT
            x = box.right * across - 3 if ends else x + 3
            anchor = ' text-anchor="end"' if ends else ""
            anchor += ' class="many"' if len(panel.boxes) > FEW else ""
            yield f'<text x="{x:.1f}" y="{y + 12:.1f}"{anchor} fill="{line}">{words}</text>'
    yield from _path(panel, across, down)
    yield "</svg>"


def _path(panel: Panel, across: int, down: int) -> Iterator[str]:
    line = "#{:02x}{:02x}{:02x}".format(*PATH)
    places = [(x * across, y * down) for x, y in panel.path]
    if places:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{points}" fill="none" stroke="{line}" stroke-width="2"/>'
    for number, (x, y) in enumerate(places, start=1):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{line}"/>'
        yield f'<text x="{x + 6:.1f}" y="{y - 4:.1f}" fill="{line}">{number}</text>'


def _bars(panel: Panel) -> str:
    assert panel.bars is not None
    numbers, most = panel.bars.tolist(), max(1.0, panel.largest)
    width, height = SIDE / len(numbers), SIDE / 2
    bars = "".join(
        f'<rect class="bar" x="{place * width:.2f}" y="{height * (1 - value / most):.2f}" '
        f'width="{max(0.5, width - 0.5):.2f}" height="{height * value / most:.2f}">'
        f"<title>{place}: {value:.3f}</title></rect>"
        for place, value in enumerate(numbers)
    )
    label = escape(printable(panel.title or "bars"))
    return (
        f'<svg role="img" aria-label="{label}" width="{SIDE}" height="{height:g}" '
        f'viewBox="0 0 {SIDE} {height:g}">{bars}</svg>'
    )


def _table(panel: Panel) -> Iterator[str]:
    """The numbers of heat, in per cent of their sum where they are weights."""
    if panel.heat is None or panel.heat.numel() > MOST_CELLS:
        return
    yield "<details><summary>numbers</summary><table>"
    for row in panel.heat.tolist():
        yield f"<tr>{''.join(f'<td>{value:.3g}</td>' for value in row)}</tr>"
    yield "</table></details>"


def _image(pixels: Pixels) -> str:
    from PIL import Image

    file = BytesIO()
    Image.fromarray(pixels).save(file, "png")
    height, width = pixels.shape[:2]
    data = b64encode(file.getvalue()).decode()
    return f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>'
