import json
import re

import pytest

from regard.tasks.translation import GrammarData
from regard.training.task import Comparison
from regard.zoo.card import About, Form, card, megabytes
from regard.zoo.trained import trained

FORM = Form("int8", parameters=1234567, size=1300000)


@pytest.fixture(scope="module")
def found(run):
    return trained(run)


def learned_from(found, data):
    """The config of the run as if it had learned from other data."""
    task = found.config.task.model_copy(update={"data": data})
    return found.config.model_copy(update={"task": task})


def row(text, name):
    [cell] = re.findall(rf"^\| {name} \| (.*) \|$", text, re.MULTILINE)
    return cell


def test_it_says_what_the_run_knows(found):
    text = card("bo-ti", found, About(), FORM, None)
    assert text.startswith("# bo-ti\n")
    assert row(text, "model") == "bahdanau, 1,234,567 parameters"
    assert row(text, "vocabulary") == "words, separate, 11 and 11 tokens"
    assert row(text, "weights") == "int8, one scale per row; vectors float32; 1.3 MB"
    assert row(text, "trained on") == "train.tsv"
    assert row(text, "training").startswith(f"{found.progress.step} updates, ")
    assert row(text, "licence of the weights") == "not stated"
    assert row(text, "origin of the data") == "not stated"


def test_it_says_what_people_know(found):
    about = About(
        text="For *tests*.", licence="CC0", origin="made | up", command="regard train --data x"
    )
    text = card("bo-ti", found, about, FORM, None)
    assert "\nFor *tests*.\n" in text
    assert row(text, "licence of the weights") == "CC0"
    assert row(text, "origin of the data") == r"made \| up"
    assert "```sh\nregard train --data x\n```" in text


def test_its_settings_are_those_of_the_run_without_folders(found):
    text = card("bo-ti", found, About(), FORM, None)
    [block] = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    said = json.loads(block)
    assert said["task"]["data"]["train"] == ["train.tsv"]
    assert said["task"]["data"]["valid_alignments"] == "valid.links"
    real = json.loads(found.config.model_dump_json())
    said["task"]["data"] = real["task"]["data"]
    assert said == real


def test_its_scores_are_those_of_the_log(found):
    scores = {"loss": 1.25, "bleu": 31.26, "chrf": 52.0, "exact": 0.125, "aer": 0.0625}
    scores["perplexity"] = 3.4903
    text = card("bo-ti", found._replace(scores=scores), About(), FORM, None)
    assert "| 31.3 | 52.0 | 12.5 % | 1.250 | 3.49 | 6.2 % |" in text
    text = card("bo-ti", found._replace(scores=scores | {"aer": None}), About(), FORM, None)
    assert "AER" not in text


def test_it_says_what_the_precision_changed(found):
    comparison = Comparison(examples=200, changed=7, measure="BLEU", before=40.126, after=40.111)
    text = card("bo-ti", found, About(), FORM, comparison)
    assert "Stored as int8, 7 of 200 validation examples are answered differently" in text
    assert "40.11, and 40.13 with the weights as trained" in text


def test_a_grammar_needs_no_licence(found):
    config = learned_from(found, GrammarData(max_words=9, seed=5))
    text = card("bo-ti", found._replace(config=config), About(), FORM, None)
    assert "grammar, up to 9 words, seed 5" in row(text, "trained on")
    assert row(text, "origin of the data") == "generated; no licence needed"


def test_data_that_was_fetched_names_its_origin(found, tmp_path):
    record = {"origin": "tatoeba.org", "licence": "CC BY 2.0", "sha256": {}}
    (tmp_path / "ORIGIN.json").write_text(json.dumps(record))
    data = found.config.task.data.model_copy(update={"train": (str(tmp_path / "pairs.tsv"),)})
    config = learned_from(found, data)
    text = card("bo-ti", found._replace(config=config), About(), FORM, None)
    assert row(text, "origin of the data") == "tatoeba.org; licence CC BY 2.0"


def test_one_vocabulary_is_counted_once(found):
    both = found.codec.source
    joint = found.codec._replace(target=both)
    text = card("bo-ti", found._replace(codec=joint), About(), FORM, None)
    assert row(text, "vocabulary") == "words, joint, 11 tokens"


@pytest.mark.parametrize(
    ("size", "said"),
    [(999, "1.0 kB"), (12_345, "12.3 kB"), (123_456, "0.1 MB"), (8_160_000, "8.2 MB")],
)
def test_sizes_are_read_easily(size, said):
    assert megabytes(size) == said
