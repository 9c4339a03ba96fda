"""The output layer: logits and probabilities."""

import torch
from torch.testing import assert_close

from reference.cells import plus, times
from regard.cells import Output


def test_logits_and_probabilities_are_those_of_the_equations():
    head = Output(3, 5).double()
    hidden = torch.randn(2, 3, dtype=torch.double)
    for row in range(2):
        logits = plus(
            head.proj.bias.tolist(), times(head.proj.weight.tolist(), hidden[row].tolist())
        )
        expected = torch.tensor(logits, dtype=torch.double)
        assert_close(head(hidden)[row], expected)
        assert_close(head.predict(hidden)[row], expected.exp() / expected.exp().sum())


def test_probabilities_of_half_precision_are_summed_in_single():
    head = Output(3, 500).half()
    probabilities = head.predict(torch.randn(2, 3).half())
    assert probabilities.dtype == torch.half
    assert_close(probabilities.float().sum(dim=-1), torch.ones(2), atol=2e-3, rtol=0)
