"""The other end of the pipe, with a system that only counts."""

import io
import json

from benchmarks.decoding.decoders.protocol import Order, batch_by_batch, serve

SOURCES = [[number] for number in range(7)]


def served(*orders):
    asked = []

    def translate(sources, order):
        asked.append((sources, order.size, order.beam))
        return [[source[0]] * order.beam for source in sources]

    lines = io.StringIO("".join(json.dumps(order._asdict()) + "\n" for order in orders))
    answers, ticks = io.StringIO(), iter(range(100))
    serve(
        translate, SOURCES, {"versions": {"it": "1"}}, (lines, answers), clock=lambda: next(ticks)
    )
    return asked, [json.loads(line) for line in answers.getvalue().splitlines()]


def test_sources_come_in_the_order_and_the_number_that_was_asked_for():
    asked, _ = served(Order([4, 1, 6, 0, 2], size=2, beam=3))
    assert asked == [([[4], [1], [6], [0], [2]], 2, 3)]


def test_batches_are_of_like_length_and_answers_in_the_order_of_sources():
    batches = []

    def translated(batch):
        batches.append(batch)
        return [[len(source)] for source in batch]

    sources = [[7] * length for length in (5, 2, 3, 1, 4)]
    assert batch_by_batch(translated, sources, 2) == [[5], [2], [3], [1], [4]]
    assert [[len(source) for source in batch] for batch in batches] == [[1, 2], [3, 4], [5]]


def test_tokens_that_were_written_count_and_answers_are_told_only_if_asked_for():
    _, (about, first, second) = served(
        Order([5, 3], size=1, beam=2, told=True), Order([5], size=1, beam=4)
    )
    assert about == {"versions": {"it": "1"}}
    assert first["answers"] == [[5, 5], [3, 3]]
    assert (first["tokens"], first["sentences"], first["seconds"]) == (4, 2, 1)
    assert (second["tokens"], second["sentences"], "answers" in second) == (4, 1, False)
    assert second["peak_bytes"] > 10**6 and second["idle_cpu"] >= 0
