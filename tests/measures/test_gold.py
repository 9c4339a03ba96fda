"""Links as they are written in files."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import InputError
from regard.measures import Gold, pharaoh, read_gold, read_links

NUMBERS = st.tuples(st.integers(0, 70), st.integers(0, 70))


@pytest.fixture
def written(tmp_path):
    def write(*lines: str):
        path = tmp_path / "gold.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


def test_sure_and_possible_links_are_told_apart(written):
    first, second = read_gold(written("0-0 1?2 2-1", "3p5 4-0"))
    assert first == Gold(frozenset({(0, 0), (2, 1)}), frozenset({(1, 2)}))
    assert second == Gold(frozenset({(4, 0)}), frozenset({(3, 5)}))


def test_words_may_be_counted_from_1(written):
    (gold,) = read_gold(written("1-2 3p1"), counted_from=1)
    assert gold == Gold(frozenset({(0, 1)}), frozenset({(2, 0)}))


def test_a_blank_line_has_no_gold(written):
    assert read_gold(written("0-0", " ", "1?1"))[1] is None


def test_a_line_of_possible_links_is_gold(written):
    assert read_gold(written("1?1")) == [Gold(frozenset(), frozenset({(1, 1)}))]


def test_a_link_that_is_sure_and_possible_is_sure(written):
    assert read_gold(written("0?0 0-0 0?0")) == [Gold(frozenset({(0, 0)}))]


def test_gold_may_be_compressed(tmp_path):
    path = tmp_path / "gold.gz"
    path.write_bytes(gzip.compress(b"0-1\r\n"))
    assert read_gold(path) == [Gold(frozenset({(0, 1)}))]


@pytest.mark.parametrize("word", ["0", "0-", "a-b", "0--1", "-1-0", "0-1-2", "0s1", "1-٣", "0P1"])
def test_what_is_no_link_is_named_by_file_and_line(written, word):
    path = written("0-0", f"0-0 {word}")
    with pytest.raises(InputError) as caught:
        read_gold(path)
    assert str(caught.value) == (
        f"{path}, line 2: needs links such as 0-0 1?2 (source-target, '-' sure, '?' or 'p' "
        f"possible), got {word!r}"
    )


def test_word_0_of_words_counted_from_1_is_refused(written):
    with pytest.raises(InputError, match="line 1: needs words counted from 1, got '2-0'"):
        read_gold(written("2-0"), counted_from=1)


@pytest.mark.parametrize(
    ("link", "side", "count", "number"), [("3-1", "source", 3, 3), ("1?5", "target", 5, 5)]
)
def test_a_link_beyond_the_words_is_refused(written, link, side, count, number):
    with pytest.raises(InputError) as caught:
        read_gold(written("2-4", link), sizes=[(3, 5), (3, 5)])
    assert str(caught.value).endswith(
        f"line 2: a link needs one of {count} {side} words, got number {number} counted from 0; "
        "if the file counts from 1, say so with counted_from=1"
    )


def test_links_counted_from_1_reach_the_last_word_and_not_beyond(written):
    read_gold(written("3-5"), counted_from=1, sizes=[(3, 5)])
    with pytest.raises(InputError, match=r"got number 4 counted from 1$"):
        read_gold(written("4-5"), counted_from=1, sizes=[(3, 5)])


def test_too_few_lines_are_refused(written):
    with pytest.raises(InputError, match=r"line 3: needs a line for each of 4 .* after line 2"):
        read_gold(written("0-0", ""), sizes=[(1, 1)] * 4)


def test_too_many_lines_are_refused(written):
    with pytest.raises(InputError, match="line 2: needs a line for each of 1 sentences, got more"):
        read_gold(written("0-0", "0-0"), sizes=[(1, 1)])


def test_a_blank_line_of_predictions_has_no_link(written):
    path = written("0-0 1-2", "", "2-1")
    assert read_links(path) == [frozenset({(0, 0), (1, 2)}), frozenset(), frozenset({(2, 1)})]
    with pytest.raises(InputError, match="line 1: a link needs one of 2 target words"):
        read_links(path, sizes=[(2, 2), (1, 1), (3, 2)])


def test_links_are_written_in_order():
    ordered = [(i, j) for i in (2, 7, 10, 31) for j in (1, 9, 10, 23, 200)]
    assert pharaoh(frozenset(ordered)) == " ".join(f"{i}-{j}" for i, j in ordered)
    assert pharaoh(frozenset()) == ""


@settings(max_examples=20)
@given(st.frozensets(NUMBERS, min_size=1), st.frozensets(NUMBERS))
def test_what_is_written_is_read_again(tmp_path_factory, sure, possible):
    path = tmp_path_factory.mktemp("gold") / "one.txt"
    path.write_text(pharaoh(sure, possible=possible) + "\n")
    assert read_gold(path) == [Gold(sure, possible - sure)]
