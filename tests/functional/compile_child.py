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
        upstream = torch.linspace(-1, 1, expected.numel()).reshape(expected.shape)
        gradients = torch.autograd.grad(found, leaves, upstream, allow_unused=True)
        wanted = torch.autograd.grad(expected, leaves, upstream, allow_unused=True)
        for gradient, own in zip(gradients, wanted, strict=True):
            assert (gradient is None) == (own is None)
            if gradient is not None:
                assert_close(gradient, own)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:400]
    return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cases = {name: fused(choices) for name, choices in CHOICES.items()}
    cases |= {"mask made inside": mask_made_inside, "chosen by itself": chosen_by_itself}
    json.dump({name: failure(function) for name, function in cases.items()}, sys.stdout)
