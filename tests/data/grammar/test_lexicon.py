"""The tables of the lexicon: what every line must hold, whoever edits them."""

import pytest

from regard.data.grammar.lexicon.nouns import NOUNS
from regard.data.grammar.lexicon.table import groups, rows
from regard.data.grammar.lexicon.verbs import GIVING, INTRANSITIVE, STATIVE, TRANSITIVE

TABLES = ["addresses", "adjectives", "names", "nouns", "particles", "pronouns", "verbs"]


@pytest.mark.parametrize("name", TABLES)
def test_every_line_has_all_the_columns_and_no_stray_space(name):
    for row in rows(name):
        assert all(cell == cell.strip() for cell in row.values()), row
        assert row["english"]


def test_a_dash_is_an_empty_cell():
    bread = next(row for row in rows("nouns") if row["english"] == "bread")
    assert (bread["plural"], bread["french"]) == ("", "pain")


def test_groups_keep_the_order_of_the_file():
    assert [row["english"] for row in groups("names")["person"]][:2] == ["Mary", "Peter"]
    assert sum(map(len, groups("nouns").values())) == len(rows("nouns"))


def test_verbs_and_adjectives_speak_of_kinds_that_have_nouns():
    verbs = (*TRANSITIVE, *STATIVE, *INTRANSITIVE, *GIVING)
    named = {kind for verb in verbs for kind in (*verb.subjects, *verb.objects)}
    named |= {kind for row in rows("adjectives") for kind in row["kinds"].split()}
    assert named <= NOUNS.keys()


def test_every_irregular_present_has_six_persons():
    presents = [row["present"].split() for row in rows("verbs") if row["present"]]
    assert {len(present) for present in presents} == {6}
