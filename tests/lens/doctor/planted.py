"""Models with one thing wrong, in three strengths, and the same after what the doctor says."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import torch
from torch import nn

from regard.functional import masks
from regard.functional.scores import ScaledDot, Score
from regard.lens.doctor import Chart, Diagnosis, Patient, doctor, examine, patient_of
from regard.lens.maps import Tokens
from regard.lens.scene import Scene
from regard.nn import MultiHeadAttention

BATCH, LENGTH, WORDS, WIDTH, HEADS = 5, 9, 13, 16, 2
PAD = 0


class Layer(nn.Module):
    """Norm, attention, residual path."""

    def __init__(self, width: int, score: Score | str, *, cross: bool = False) -> None:
        super().__init__()
        heads = HEADS if width == WIDTH else 1
        self.norm = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, heads, score=score)
        self.cross = MultiHeadAttention(width, heads, score=score) if cross else None


class Tiny(nn.Module):
    """A Transformer of two layers that can be made ill."""

    def __init__(
        self,
        *,
        score: Score | str = "scaled_dot",
        causal: bool = False,
        positions: bool = True,
        layers: int = 2,
        residual: bool = True,
        cross: bool = False,
        dropout: float = 0.0,
        masked: str = "right",
        width: int = WIDTH,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.places = nn.Parameter(torch.randn(LENGTH, width) * float(positions))
        self.layers = nn.ModuleList(Layer(width, score) for _ in range(layers))
        self.decoder = Layer(width, score, cross=True) if cross else None
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, WORDS)
        self.causal, self.residual, self.masked = causal, residual, masked
        self.detached = nullcontext
        with torch.no_grad():
            for norm in self.modules():
                if isinstance(norm, nn.LayerNorm):
                    norm.weight.add_(0.2 * torch.randn(width))
                    norm.bias.add_(0.2 * torch.randn(width))

    def mask(self, lengths: torch.Tensor) -> masks.Mask | None:
        padding = masks.padding(lengths)
        ahead = masks.causal()
        if self.masked == "none":
            return ahead if self.causal else None
        if self.masked == "open":  # nobody minds the future
            return padding
        if self.masked == "inverted":
            if not self.causal:
                return ~padding
            return ~ahead & padding
        return padding & ahead if self.causal else padding

    def read(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids) + self.places[: ids.shape[1]]
        for layer in self.layers:
            mask = self.mask(lengths)
            mask = mask if mask is None else _with_heads(mask)
            found = layer.attention(layer.norm(x), mask=mask)
            x = x + self.dropout(found) if self.residual else found
        return x

    def forward(
        self, ids: torch.Tensor, lengths: torch.Tensor, target: torch.Tensor | None = None
    ) -> torch.Tensor:
        x = self.read(ids, lengths)
        if self.decoder is not None and target is not None:
            memory, x = x, self.embedding(target) + self.places[: target.shape[1]]
            x = x + self.decoder.attention(self.decoder.norm(x), mask=masks.causal())
            assert self.decoder.cross is not None
            x = x + self.decoder.cross(x, memory, mask=_with_heads(masks.padding(lengths)))
        return self.output(x)


def _with_heads(mask: masks.Mask) -> masks.Mask:
    return mask


def drawn(seed: int, *, full: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.tensor([LENGTH, LENGTH - 1, LENGTH - 2, LENGTH - 3, LENGTH - 5])
    if full:
        lengths = torch.full((BATCH,), LENGTH)
    ids = torch.randint(2, WORDS, (BATCH, LENGTH), generator=generator)
    ids = ids.masked_fill(torch.arange(LENGTH) >= lengths[:, None], PAD)
    return ids, lengths


def scene(model: Tiny, seed: int, *, full: bool = False, told: bool = True) -> Scene:
    ids, lengths = drawn(seed, full=full)
    known = Tokens(ids, lengths if told else None)
    wanted = torch.where(ids == PAD, -100, ids.roll(-1, 1))
    if model.decoder is None:
        return Scene(
            {"input": known},
            lambda given: model(given["input"], lengths),
            wanted=wanted,
            causal=model.causal,
            unknown=1,
        )
    target = drawn(seed + 50, full=True)[0]
    return Scene(
        {"input": known, "target": Tokens(target)},
        lambda given: model(given["input"], lengths, given["target"]),
        wanted=target.roll(-1, 1),
        causal=True,
        unknown=1,
    )


def tiny(seed: int, **choices) -> Tiny:
    torch.manual_seed(seed)
    return Tiny(**choices).eval()


def seen(model: Tiny, seed: int, **more) -> Diagnosis:
    own = {name: more.pop(name) for name in ("full", "told") if name in more}
    return examine(patient_of(model, scene(model, seed, **own), **more))


def charted(model: Tiny, seed: int) -> Patient:
    return patient_of(model, scene(model, seed))


def weights(seed: int, size: float = 1.0, *, heads: int = 2) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return size * torch.randn(3, heads, 7, 7, generator=generator)


Case = Callable[[int, int, bool], Diagnosis]
"""From strength, seed and whether it is cured."""


def not_a_number(strength: int, seed: int, cured: bool) -> Diagnosis:
    scores = weights(seed)
    if not cured:
        scores[0, 0, 1, 2] = (float("inf"), float("nan"), 7e4)[strength]
    if strength == 2:
        half = scores.half() if cured else scores.clamp(max=65504).half()
        if not cured:
            half[0, 0, 1, 2] = 65000
        return examine(Patient((Chart(half.float().softmax(-1), scores=half),)))
    return doctor(scores.softmax(-1))


def wrong_axis(strength: int, seed: int, cured: bool) -> Diagnosis:
    scores = weights(seed, (0.5, 2.0, 4.0)[strength])
    return doctor(scores.softmax(-1 if cured else -2))


def dropout_on(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, dropout=(0.1, 0.3, 0.6)[strength])
    return seen(model if cured else model.train(), seed)


def mask_inverted(strength: int, seed: int, cured: bool) -> Diagnosis:
    how = "right" if cured else "inverted"
    if strength == 2:
        allowed = torch.ones(7, 7, dtype=torch.bool).tril()
        used = allowed if cured else ~allowed
        scores = weights(seed).masked_fill(~used, -1e9)
        return doctor(
            scores.softmax(-1)[..., : 7 if cured else 6, :], mask=allowed[: 7 if cured else 6]
        )
    return seen(tiny(seed, masked=how, causal=bool(strength)), seed)


def float_mask(strength: int, seed: int, cured: bool) -> Diagnosis:
    allowed = torch.ones(7, 7).tril(strength)
    bias = torch.zeros(7, 7).masked_fill(allowed == 0, -torch.inf) if cured else allowed
    return doctor((weights(seed) + bias).softmax(-1), mask=bias)


def wrong_pad(strength: int, seed: int, cured: bool) -> Diagnosis:
    if strength == 2:
        model = tiny(seed)
        ids, lengths = drawn(seed)
        told = Tokens(ids, lengths if cured else None)
        own = lengths if cured else torch.full((BATCH,), LENGTH)
        found = Scene({"input": told}, lambda given: model(given["input"], own))
        return examine(patient_of(model, found))
    ids, lengths = drawn(seed)
    real = torch.arange(LENGTH) < lengths[:, None]
    wrong = int(ids[0, 3 + strength])
    allowed = real if cured else real & (ids != wrong)
    scores = weights(seed)[:1].new_zeros(BATCH, 2, LENGTH, LENGTH).normal_()
    scores = scores.masked_fill(~allowed[:, None, None], -torch.inf)
    side = Tokens(ids, lengths)
    chart = Chart(
        scores.softmax(-1),
        allowed=allowed[:, None, None].expand_as(scores),
        query_side=side,
        key_side=side,
    )
    return examine(Patient((chart,)))


def vocabulary(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed)
    good = scene(model, seed, full=True)
    if cured:
        return examine(patient_of(model, good))
    ids = good.sides["input"].ids.clone()
    generator = torch.Generator().manual_seed(seed)
    if strength == 2:
        ids[:] = torch.where(torch.rand(ids.shape, generator=generator) < 0.95, 5, ids)
    else:
        share = (0.7, 0.9)[strength]
        ids[:] = torch.where(torch.rand(ids.shape, generator=generator) < share, 1, ids)
    return examine(patient_of(model, replace(good, sides={"input": Tokens(ids)})))


def padding_leaks(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, masked="right" if cured else "none", layers=strength + 1)
    return seen(model, seed)


def causal_leak(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, causal=True, masked="right" if cured else "open", layers=strength + 1)
    return seen(model, seed)


def at_initialisation(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed)
    if strength == 0:
        return seen(model, seed, steps=1000 if cured else 0)
    if strength == 1:
        if not cured:
            for module in model.modules():
                if isinstance(module, nn.LayerNorm):
                    module.reset_parameters()
        return seen(model, seed)
    later = [{"step": 1, "entropy": 0.9}, {"step": 500, "entropy": 0.6 if cured else 0.895}]
    return seen(model, seed, history=later)


def ignores_source(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, cross=True)
    assert model.decoder is not None
    assert model.decoder.cross is not None
    if not cured:
        with torch.no_grad():
            model.decoder.cross.output_proj.weight.mul_((0.0, 1e-7, 1e-6)[strength])
    return seen(model, seed, full=True)


def dead_gradient(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, layers=1)
    attention = model.layers[0].attention
    rows = slice(0, 2 * WIDTH)
    if not cured:
        if strength == 2:
            with torch.no_grad():
                attention.in_proj.weight[rows] = 0
        else:
            own = attention.in_proj
            whole = type(own).all

            def cut(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
                query, key, value = whole(own, x)
                return query.detach(), key.detach(), value

            own.all = cut
            if strength == 1:
                own.weight.register_hook(
                    lambda g: torch.cat([torch.zeros_like(g[rows]), g[2 * WIDTH :]])
                )
    return seen(model, seed)


def separable(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed, layers=1)
    attention = model.layers[0].attention
    if cured:
        return seen(model, seed)
    with torch.no_grad():
        if strength == 0:  # W_q = 0 with a bias: one query for all
            attention.in_proj.weight[:WIDTH] = 0
            attention.in_proj.bias[:WIDTH] = 3 * torch.randn(WIDTH)
        elif strength == 1:  # a query that is all but constant
            attention.in_proj.weight[:WIDTH] *= 1e-3
            attention.in_proj.bias[:WIDTH] = 3 * torch.randn(WIDTH)
    if strength == 2:  # a sum of a part of the query and a part of the key
        one = patient_of(model, scene(model, seed)).charts[0]
        assert one.query is not None
        assert one.key is not None
        scores = one.query.sum(-1, keepdim=True) + one.key.sum(-1).unsqueeze(-2)
        held = scores.masked_fill(~one.seen, -1e9)
        chart = replace(one, scores=scores, weights=held.softmax(-1))
        return examine(Patient((chart,)))
    return seen(model, seed)


def scaled_twice(strength: int, seed: int, cured: bool) -> Diagnosis:
    width = WIDTH // HEADS
    scale = (1.0, 0.5, 0.2)[strength] / width
    model = tiny(seed, score=ScaledDot() if cured else ScaledDot(scale))
    return seen(model, seed)


def scale_missing(strength: int, seed: int, cured: bool) -> Diagnosis:
    slope = (1.0, 2.0, 4.0)[strength]
    model = tiny(seed, layers=1, width=256, score=ScaledDot() if cured else ScaledDot(slope))
    return seen(model, seed)


def keys_alike(strength: int, seed: int, cured: bool) -> Diagnosis:
    if strength == 0:
        model = tiny(seed, layers=1)
        if not cured:
            with torch.no_grad():
                model.layers[0].norm.weight.zero_()
        return seen(model, seed)
    if strength == 1:
        model = tiny(seed, layers=2 if cured else 12, residual=cured)
        if not cured:
            for layer in model.layers:
                layer.norm = nn.Identity()
        return seen(model, seed, full=True)
    model = tiny(seed, layers=1, positions=cured)
    if not cured:
        with torch.no_grad():
            model.embedding.weight[:] = model.embedding.weight[:1]
    return seen(model, seed)


def positions_missing(strength: int, seed: int, cured: bool) -> Diagnosis:
    return seen(tiny(seed, positions=cured, layers=strength + 1), seed)


def saturated(strength: int, seed: int, cured: bool) -> Diagnosis:
    if strength == 2:
        late = 0.8 if cured else 0.3
        lines = [
            {"step": 0, "entropy": 0.9, "largest_score": 3.0 + seed},
            {"step": 400, "entropy": late, "largest_score": 30.0 + seed * 5},
        ]
        return examine(Patient(history=lines))
    model = tiny(seed, layers=1)
    if not cured:
        with torch.no_grad():
            model.layers[0].attention.in_proj.weight[: 2 * WIDTH].mul_((30.0, 60.0)[strength])
    return seen(model, seed)


def rate_too_high(strength: int, seed: int, cured: bool) -> Diagnosis:
    rate = 1e-3 if cured else (4e-2, 8e-2, 2e-1)[strength]
    lines = [{"step": n, "update_ratio": rate * (1 + 0.1 * (seed + n % 3))} for n in range(20)]
    return examine(Patient(history=lines))


def too_little_data(strength: int, seed: int, cured: bool) -> Diagnosis:
    gap = 0.3 if cured else (1.2, 2.0, 4.0)[strength]
    lines = [{"step": n, "loss": 3.0 / (n + 1) + 0.01 * seed} for n in range(10)]
    return examine(Patient(history=[*lines, {"step": 10, "valid_loss": lines[-1]["loss"] + gap}]))


def head_unused(strength: int, seed: int, cured: bool) -> Diagnosis:
    model = tiny(seed)
    if not cured:
        with torch.no_grad():
            columns = model.layers[1].attention.output_proj.weight[:, : WIDTH // HEADS]
            columns.mul_((0.0, 1e-3, 4e-3)[strength])
    return seen(model, seed)


def sink(strength: int, seed: int, cured: bool) -> Diagnosis:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(3, 2, 9, 9, generator=generator)
    if not cured:
        scores[..., 0] += (3.0, 4.0, 6.0)[strength]
    value = torch.randn(3, 2, 9, 4, generator=generator)
    value[:, :, 0] *= 0.05
    return examine(Patient((Chart(scores.softmax(-1), scores=scores, value=value),)))


def broad(strength: int, seed: int, cured: bool) -> Diagnosis:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(3, 2, 9, 9, generator=generator) * 1.5
    if not cured:
        scores[:, 0] *= (0.0, 0.1, 0.2)[strength]
    return examine(Patient((Chart(scores.softmax(-1), scores=scores),)))


CASES: dict[str, Case] = {
    "not a number": not_a_number,
    "softmax over the wrong axis": wrong_axis,
    "dropout left on": dropout_on,
    "mask inverted": mask_inverted,
    "0/1 mask added to scores": float_mask,
    "wrong padding id": wrong_pad,
    "vocabulary of another model": vocabulary,
    "padding leaks": padding_leaks,
    "causal leak": causal_leak,
    "at initialisation": at_initialisation,
    "decoder ignores the source": ignores_source,
    "queries and keys do not learn": dead_gradient,
    "query does not matter": separable,
    "scaled twice": scaled_twice,
    "scale missing": scale_missing,
    "keys alike": keys_alike,
    "positions missing": positions_missing,
    "rate too high": rate_too_high,
    "saturated": saturated,
    "too little data": too_little_data,
    "head unused": head_unused,
    "sink": sink,
    "broad by design": broad,
}
