"""Relative vectors of the keys, where the product over all scores does not look."""

import torch
from torch.testing import assert_close

from regard import explain, masks, plan, scores, weigh

HEADS, QUERIES, KEYS, DIM, REACH = 3, 5, 7, 4, 2


def vectors():
    query = torch.randn(2, HEADS, QUERIES, DIM, dtype=torch.float64)
    key = torch.randn(2, HEADS, KEYS, DIM, dtype=torch.float64)
    return query, key, torch.randn(2 * REACH + 1, DIM, dtype=torch.float64)


def test_alone_it_is_the_product_of_query_and_vector():
    query, key, table = vectors()
    found = scores.RelativeKeys(table, scale=0.3)(query, key)
    assert found.shape == (2, HEADS, QUERIES, KEYS)
    assert_close(found[1, 2, 4, 0], 0.3 * query[1, 2, 4] @ table[0])
    assert_close(found[1, 2, 3, 2], 0.3 * query[1, 2, 3] @ table[1])
    assert_close(found[0, 1, 0, 6], 0.3 * query[0, 1, 0] @ table[4])


def test_one_query_for_many_keys_is_repeated_for_them():
    query, key, table = vectors()
    score = scores.ScaledDot() + scores.RelativeKeys(table)
    few = score(query[:1], key)
    assert_close(few[1], score(query[0], key[1]))


def test_some_heads_and_rows_of_the_weights_are_those_of_the_whole():
    query, key, table = vectors()
    score = scores.ScaledDot() + scores.RelativeKeys(table).shifted(2)
    whole = weigh(query, key, score=score, mask=masks.causal(2))
    some = weigh(query, key, score=score, mask=masks.causal(2), rows=[3, 1], heads=[2, 0])
    assert_close(some, whole[:, [2, 0]][:, :, [3, 1]])


def test_the_plan_says_why_it_is_not_fused():
    query, key, table = vectors()
    found = plan(query, key, key, score=scores.ScaledDot() + scores.RelativeKeys(table))
    assert "is no inner product" in found.why


def test_an_explanation_shows_the_term_beside_the_content():
    query, key, table = vectors()
    found = explain(query, key, score=scores.ScaledDot() + scores.RelativeKeys(table))
    assert_close(found["relative_keys"].tensor, scores.RelativeKeys(table)(query, key))
    assert found["relative_keys"].equation == "b = scale · q·a[j − i]"
