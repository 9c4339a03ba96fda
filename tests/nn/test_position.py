"""What attention asks of positions."""

import pytest
import torch
from torch.testing import assert_close

from regard import scores
from regard.errors import DtypeError
from regard.nn.position import require_position, rotated, with_term


class Doubles:
    def rotate(self, x, start=0):
        return x * 2 + start


class Slopes:
    def term(self, start=0):
        return scores.Alibi(2).shifted(start)


class Neither:
    pass


def test_a_position_needs_one_of_the_two_methods():
    for position in (None, Doubles(), Slopes()):
        require_position("attention", position)
    with pytest.raises(DtypeError, match=r"attention needs a position with rotate.*got Neither"):
        require_position("attention", Neither())


def test_what_does_not_turn_leaves_vectors_alone():
    x = torch.randn(2, 3, 4)
    assert rotated(Slopes(), x, 5) is x
    assert rotated(None, x) is x
    assert_close(rotated(Doubles(), x, 5), x * 2 + 5)


def test_what_has_no_term_leaves_the_score_alone():
    score = scores.Dot()
    assert with_term(Doubles(), score, 3) is score
    query, key = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    slopes = scores.alibi_slopes(2).float().view(2, 1, 1)
    distance = (torch.arange(5) - (torch.arange(3) + 3).unsqueeze(-1)).abs()
    assert_close(with_term(Slopes(), score, 3)(query, key), query @ key.mT - slopes * distance)
