"""Compiles attention without a graph break; run as a script by ``test_compile.py``.

A process of its own, because the shape checks of the test run are no part of what users compile.
Prints a JSON object: for each case "" or what went wrong.
"""

import json
import sys
import warnings

import torch
from torch.testing import assert_close

from regard import attend, masks, scores

MASKS = {
    "causal": masks.causal(),
    "padding": masks.padding([3, 6]),
    "causal and padding": masks.causal() & masks.padding([3, 6]),
    "tensor": torch.arange(35).reshape(5, 7) % 3 != 1,
}
SCORES = {
    "dot": scores.Dot(),
    "cosine": scores.Cosine(2.0),
    "general": scores.General(torch.eye(4)),
    "location": scores.Location(torch.eye(4).repeat(2, 1)),
    "euclidean": scores.Euclidean(),
}
CHOICES = {
    "plain": {},
    **{name: {"mask": mask} for name, mask in MASKS.items()},
    **{name: {"score": score} for name, score in SCORES.items()},
    "gaussian in proportion": {"score": scores.Gaussian(1.5), "normalise": "proportional"},
    "alibi": {"score": scores.ScaledDot() + scores.Alibi(3), "mask": masks.causal()},
}


def vectors():
    generator = torch.Generator().manual_seed(0)
    sizes = ((5, 4), (7, 4), (7, 6))
    made = (torch.randn(2, 3, *size, generator=generator) for size in sizes)
    return [x.requires_grad_() for x in made]


def fused(choices):
    return lambda query, key, value: attend(query, key, value, path="lower", **choices)


def mask_made_inside(query, key, value):
    lengths = torch.tensor([3, 6])
    mask = masks.causal() & masks.padding(lengths)
    return attend(query, key, value, mask=mask, path="lower")


def junk_behind_the_end(query, key, value):
    end = (torch.arange(7) < 6).unsqueeze(-1)
    key, value = (torch.where(end, x, torch.nan) for x in (key, value))
    return attend(query, key, value, mask=masks.padding([3, 6]), path="lower")


def junk_unlisted(query, key, value):
    listed = torch.arange(7) % 3 != 1
    key, value = (torch.where(listed.unsqueeze(-1), x, torch.inf) for x in (key, value))
    return attend(query, key, value, mask=listed.expand(5, 7), path="reference")


def far_distances(query, key, value):
    """More than one block, and a first key that costs float32 its digits."""
    key, value = key.repeat(1, 1, 120, 1), value.repeat(1, 1, 120, 1)
    far = torch.where((torch.arange(840) == 0).unsqueeze(-1), 1e4, key)
    return attend(query.repeat(1, 1, 120, 1), far, value, score="euclidean")


def far_distances_in_a_window(query, key, value):
    query, key, value = (x.repeat(1, 1, 120, 1) for x in (query, key, value))
    far = torch.where((torch.arange(840) == 0).unsqueeze(-1), 1e4, key)
    mask = masks.window(20, 0)
    return attend(query, far, value, score="euclidean", mask=mask, path="window")


def chosen_by_itself(query, key, value):
    return attend(query, key, value, mask="causal")


def failure(function):
    """What goes wrong when ``function`` is compiled whole, in value or gradient."""
    torch.compiler.reset()
    leaves = vectors()
    try:
        found = torch.compile(function, fullgraph=True, backend="aot_eager")(*leaves)
        expected = function(*leaves)
        assert_close(found, expected)
        assert found.isfinite().all()
        upstream = torch.linspace(-1, 1, expected.numel()).reshape(expected.shape)
        gradients = torch.autograd.grad(found, leaves, upstream, allow_unused=True)
        wanted = torch.autograd.grad(expected, leaves, upstream, allow_unused=True)
        for gradient, own in zip(gradients, wanted, strict=True):
            assert (gradient is None) == (own is None)
            if gradient is not None:
                largest = max(1.0, own.abs().max().item())  # sums over many positions
                assert_close(gradient, own, rtol=0, atol=1e-5 * largest)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:400]
    return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cases = {name: fused(choices) for name, choices in CHOICES.items()}
    cases |= {"mask made inside": mask_made_inside, "chosen by itself": chosen_by_itself}
    cases |= {"far distances": far_distances, "in a window": far_distances_in_a_window}
    cases |= {"junk behind the end": junk_behind_the_end, "junk unlisted": junk_unlisted}
    json.dump({name: failure(function) for name, function in cases.items()}, sys.stdout)
