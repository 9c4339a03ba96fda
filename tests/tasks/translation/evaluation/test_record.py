"""Evaluations as JSON."""

import json
import math

from regard.measures import Perplexity
from regard.tasks.translation.evaluation import compare, evaluate, evaluate_texts, record
from regard.tasks.translation.evaluation.record import versus_record
from tasks.translation.evaluation.phrases import HELD_OUT, TEXTS, by_heart


def test_a_record_has_every_number_and_can_be_written():
    found = evaluate(by_heart(), HELD_OUT, name="phrases", heads="every", edges=(1,))
    made = json.loads(json.dumps(record(found), allow_nan=False))
    assert (made["model"], made["task"]) == ("phrases", "translation")
    assert made["scores"]["chrf"] == 100
    assert (made["scores"]["exact"], made["scores"]["aer"]) == (100 * found.exact, 100 * found.aer)
    assert made["sentences"] == 3
    assert made["chrf"]["value"] == 100
    assert made["chrf"]["interval"] == {"low": 100, "high": 100, "confidence": 0.95}
    assert made["bleu"]["signature"] == found.bleu.signature
    assert made["perplexity"]["per_token"] == found.perplexity.per_token
    assert made["speed"]["tokens"] == 9
    assert [row["sentences"] for row in made["by_length"]] == [1, 2]
    assert [(row["shift"], row["aer"]) for row in made["alignment"]] == [(0, 0), (1, 1)]
    assert [row["best"] for row in made["heads"]] == [True, False]
    assert made["heads"][1] == {
        "layer": 0,
        "head": 0,
        "shift": 1,
        "aer": 1,
        "precision": 0,
        "recall": 0,
        "links": 5,
        "sure": 5,
        "best": False,
    }


def test_what_was_not_measured_is_null():
    made = record(evaluate_texts(TEXTS, HELD_OUT, edges=(9,), resampling=None))
    assert made["perplexity"] is made["speed"] is made["bleu"]["interval"] is None
    assert made["by_length"][1]["bleu"] is None
    assert made["alignment"] == made["heads"] == []


def test_what_is_beyond_all_numbers_is_null():
    found = evaluate_texts(TEXTS, HELD_OUT)._replace(perplexity=Perplexity(math.inf, 3.0))
    assert record(found)["perplexity"] == {"per_token": None, "per_word": 3.0}


def test_a_comparison_is_written_with_both_names():
    systems = [evaluate_texts(TEXTS, HELD_OUT, name=name) for name in ("one", "other")]
    (versus,) = compare(systems, HELD_OUT)
    made = json.loads(json.dumps(versus_record(versus)))
    assert (made["first"], made["second"]) == ("one", "other")
    assert made["chrf"]["difference"] == 0
    assert made["bleu"]["p_value"] == 1
