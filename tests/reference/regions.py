"""Boxes, masks, heat and glimpses as loops over lists."""

import math
from itertools import permutations
from typing import Any

Box = tuple[float, float, float, float]


def area(box: Box) -> float:
    """Return width times height, 0 where edges are the wrong way round."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def generalised_iou(a: Box, b: Box) -> float:
    """Rezatofighi et al. 2019, algorithm 1."""
    common = area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    union = area(a) + area(b) - common
    hull = area((min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])))
    iou = common / union if union else 0.0
    return iou - ((hull - union) / hull if hull else 0.0)


def gaussian_heat(
    boxes: list[Box], labels: list[int], *, classes: int, height: int, width: int, stride: int
) -> list[list[list[float]]]:
    """Zhou et al. 2019, section 3: the largest of all bells at every place of every class."""
    heat = [[[0.0] * width for _ in range(height)] for _ in range(classes)]
    for box, label in zip(boxes, labels, strict=True):
        if not 0 <= label < classes:
            continue
        cx = min(width - 1, max(0, math.floor((box[0] + box[2]) / 2 / stride)))
        cy = min(height - 1, max(0, math.floor((box[1] + box[3]) / 2 / stride)))
        sx = max(1e-3, (box[2] - box[0]) / stride * 0.54 / 6)
        sy = max(1e-3, (box[3] - box[1]) / stride * 0.54 / 6)
        for y in range(height):
            for x in range(width):
                bell = math.exp(-((x - cx) ** 2) / (2 * sx**2) - (y - cy) ** 2 / (2 * sy**2))
                heat[label][y][x] = max(heat[label][y][x], bell)
    return heat


def focal_loss(logits: Any, heat: Any) -> float:
    """Zhou et al. 2019, Eq. 1, as a sum; alpha 2, beta 4."""
    total = 0.0
    for plane, wanted in zip(logits, heat, strict=True):
        for row, targets in zip(plane, wanted, strict=True):
            for z, t in zip(row, targets, strict=True):
                p = 1 / (1 + math.exp(-z))
                if t == 1:
                    total -= (1 - p) ** 2 * math.log(p)
                else:
                    total -= (1 - t) ** 4 * p**2 * math.log(1 - p)
    return total


def cheapest(cost: list[list[float]]) -> float:
    """Return the least sum of costs when every column has a row of its own."""
    rows, columns = len(cost), len(cost[0]) if cost else 0
    return min(
        sum(cost[row][column] for column, row in enumerate(chosen))
        for chosen in permutations(range(rows), columns)
    )


def dice_loss(shares: Any, mask: Any, ignored: int = 255) -> float:
    """One minus the mean Dice of all classes of one picture, with a pixel on both sides."""
    scores = []
    for number, plane in enumerate(shares):
        common = total = 0.0
        for row, wanted in zip(plane, mask, strict=True):
            for share, label in zip(row, wanted, strict=True):
                if label == ignored:
                    continue
                common += share * (label == number)
                total += share + (label == number)
        scores.append((2 * common + 1) / (total + 1))
    return 1 - sum(scores) / len(scores)


def attention_gate(p: Any, features: Any, signal: Any) -> list[list[float]]:
    """Oktay et al. 2018, Eq. 1 and 2, of maps [channel][row][column] on one grid."""
    height, width = len(signal[0]), len(signal[0][0])
    gate = []
    for y in range(height):
        row = []
        for x in range(width):
            hidden = []
            for a, bias in enumerate(p["signal_proj.bias"]):
                total = bias
                for c, plane in enumerate(features):
                    total += p["feature_proj.weight"][a][c][0][0] * plane[y][x]
                for g, plane in enumerate(signal):
                    total += p["signal_proj.weight"][a][g][0][0] * plane[y][x]
                hidden.append(max(0.0, total))
            weights = p["score_proj.weight"][0]
            score = p["score_proj.bias"][0]
            score += sum(weights[a][0][0] * h for a, h in enumerate(hidden))
            row.append(1 / (1 + math.exp(-score)))
        gate.append(row)
    return gate


def patch(picture: list[list[float]], centre: tuple[float, float], size: int) -> list[list[float]]:
    """Return size by size points around a place in pixels, linearly between pixels, 0 outside."""
    height, width = len(picture), len(picture[0])

    def value(y: int, x: int) -> float:
        return picture[y][x] if 0 <= y < height and 0 <= x < width else 0.0

    found = []
    for i in range(size):
        row = []
        for j in range(size):
            x = centre[0] + j - (size - 1) / 2 - 0.5
            y = centre[1] + i - (size - 1) / 2 - 0.5
            left, top = math.floor(x), math.floor(y)
            dx, dy = x - left, y - top
            row.append(
                value(top, left) * (1 - dx) * (1 - dy)
                + value(top, left + 1) * dx * (1 - dy)
                + value(top + 1, left) * (1 - dx) * dy
                + value(top + 1, left + 1) * dx * dy
            )
        found.append(row)
    return found


def log_normal(x: tuple[float, float], mean: tuple[float, float], deviation: float) -> float:
    """Return the logarithm of the density of two independent normal numbers."""
    return sum(
        -((a - m) ** 2) / (2 * deviation**2) - math.log(deviation * math.sqrt(2 * math.pi))
        for a, m in zip(x, mean, strict=True)
    )


def run_lengths(mask: list[list[bool]]) -> list[int]:
    """Return lengths of runs down the columns, the first of pixels without."""
    flat = [mask[y][x] for x in range(len(mask[0])) for y in range(len(mask))]
    counts, value = [0], False
    for pixel in flat:
        if pixel != value:
            counts.append(0)
            value = pixel
        counts[-1] += 1
    return counts
