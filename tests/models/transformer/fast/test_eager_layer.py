"""A map laid out for decoding is the map."""

import pytest
import torch
from torch.testing import assert_close

from regard.models.transformer.fast.eager_layer import WORTH_TURNING, Map


@pytest.mark.parametrize("biased", [True, False])
def test_every_row_is_mapped_however_many_there_are(biased):
    generator = torch.Generator().manual_seed(3)
    weight = torch.randn(5, 7, generator=generator, dtype=torch.float64)
    bias = torch.randn(5, generator=generator, dtype=torch.float64)
    laid_out = Map(weight, bias if biased else None)
    for rows in (2, WORTH_TURNING[0], 2, WORTH_TURNING[-1] + 1):
        x = torch.randn(rows, 7, generator=generator, dtype=torch.float64)
        expected = [
            [
                sum(a * b for a, b in zip(row, weights, strict=True)) + (shift if biased else 0)
                for weights, shift in zip(weight.tolist(), bias.tolist(), strict=True)
            ]
            for row in x.tolist()
        ]
        assert_close(laid_out(x), torch.tensor(expected, dtype=torch.float64))


def test_the_matrix_that_was_given_is_left_alone():
    weight = torch.arange(6.0).view(2, 3)
    laid_out = Map(weight, None)
    laid_out(torch.ones(WORTH_TURNING[0], 3))
    assert weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weight.stride() == (3, 1)
