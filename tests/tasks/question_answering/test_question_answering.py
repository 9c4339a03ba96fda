"""Question answering as a task: learned, used, measured, packed; bad data is told."""

import json

import pytest
import torch
from torch.testing import assert_close

import regard
from regard.cli.app import main
from regard.data.running import TextCodec
from regard.data.vocabulary import learn
from regard.errors import ChoiceError, InputError
from regard.models import build, preset_config
from regard.storage.stored_model import StoredModel
from regard.tasks.question_answering import QuestionAnsweringTask, QuestionFiles, ToldStories
from regard.tasks.question_answering.evaluation import AnsweringEvaluation
from regard.tasks.question_answering.recipe import recipe
from regard.tasks.word_vectors.codec import WordCodec
from regard.training import log as logs
from regard.zoo.packing import pack
from tasks.question_answering.small import MODELS, settings, trained

STEPS = {"words": 60, "spans": 60}
STORY = "Anna walked to the garden.\nBen found the lamp.\nClara walked to the attic."


@pytest.fixture(scope="module", params=list(MODELS))
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return trained(request.param, folder / "run", STEPS[request.param])


def kind_of(run):
    return run.parent.name.rstrip("0123456789")


def squad(folder, rows):
    path = folder / "own.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def test_it_learns(run):
    last = [line for line in logs.read(run / "log.jsonl") if line.get("kind") == "valid"][-1]
    assert last["exact"] > 0.4  # a place by chance: an eighth
    assert last["f1"] >= last["exact"]
    assert last["loss"] < 2.5


def test_one_question_gives_a_sample_and_several_a_list_of_them(run):
    reader = regard.load(run)
    one = reader(passage=STORY, question="Where is Clara?")
    assert one.answer == one.ranked[0].text and 0 < one.probability <= 1
    assert one.to_json()["question"] == "Where is Clara?"
    assert "<t" in one._repr_html_() and "<table>" in reader._repr_html_()
    two = reader(passage=STORY.splitlines(), question=["Where is Clara?", ""])
    assert two[0].answer == one.answer
    assert (two[1].answer, two[1].probability, two[1].views()) == ("", 0.0, ())
    (view,) = one.views()
    assert view.rows
    if kind_of(run) == "words":
        assert_close(one.look.hops.sum(dim=-1), torch.ones(2))
        assert view.target == tuple(STORY.splitlines())
        assert sum(one.look.mass((place,)) for place in range(3)) == pytest.approx(1, abs=1e-5)
    else:
        assert STORY[slice(*one.span)] == one.answer
        assert_close(one.look.weights.sum(dim=-1), torch.ones(4))


def test_an_answer_does_not_depend_on_its_neighbours(run):
    reader = regard.load(run)
    asked = ["Where is Anna?", "Where is the lamp of Ben?", "???"]
    alone = [reader(passage=STORY, question=one) for one in asked]
    together = reader(passage=STORY, question=asked)
    assert [one.answer for one in together] == [one.answer for one in alone]


def test_a_passage_of_any_length_is_answered_and_nothing_is_lost_in_silence(run):
    reader = regard.load(run)
    long = "\n".join(["Anna walked to the garden."] * 300 + ["Clara walked to the attic."])
    one = reader(passage=long, question="Where is Clara?")
    if kind_of(run) == "words":
        assert one.cut == 301 - reader.model.config.sentences
        assert len(one.look.sentences) == reader.model.config.sentences
    else:
        assert len(one.look.passage) == 301 * 6
        assert_close(one.look.weights.sum(dim=-1), torch.ones(4))
        assert sum(part.probability for part in one.ranked) <= 1


def test_packed_it_answers_as_before(run, tmp_path):
    made = pack(run, tmp_path / "packed", sentences=20)
    assert made.comparison.examples == 20
    assert made.comparison.changed <= 4
    question = "Where is Clara?"
    before, after = (regard.load(place)(STORY, question) for place in (run, made.folder))
    assert before.answer == after.answer
    assert "| trained on | regard's own stories" in (made.folder / "CARD.md").read_text()


def test_the_verb_prints_a_line_for_a_question_and_json(run, capsys, tmp_path):
    model = ["--model", str(run)]
    assert main(["answer", "Where is Clara?", "", "--passage", STORY, *model]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert "needs a question" in captured.err
    text = tmp_path / "story.txt"
    text.write_text(STORY)
    words = ["answer", "Where is Clara?", "--passage", str(text), *model]
    assert main([*words, "--json", "--show"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["look"]
    assert "garden" in captured.err
    page = tmp_path / "look.html"
    assert main([*words, "--out", str(page)]) == 0
    assert "attic" in page.read_text()


def test_the_verb_asks_for_what_the_model_reads(run, capsys):
    assert main(["answer", "Where?", "--model", str(run)]) == 2
    assert "needs --passage" in " ".join(capsys.readouterr().err.split())
    assert main(["answer", "Where?", "--picture", "a.png", "--model", str(run)]) == 2
    assert "needs --passage, got --picture" in " ".join(capsys.readouterr().err.split())
    assert main(["answer", "Where?", "--passage", "missing.txt", "--model", str(run)]) == 2
    assert "a file that is there" in " ".join(capsys.readouterr().err.split())


def test_evaluate_tells_of_every_group_with_intervals(run, tmp_path, capsys):
    reader = regard.load(run)
    report = AnsweringEvaluation(sentences=40, samples=20).measured({"a": reader, "b": reader})
    found = report.to_json()
    first = found["models"][0]
    assert {group["name"] for group in first["groups"]} == {"one sentence", "two sentences"}
    assert sum(group["questions"] for group in first["groups"]) == 40
    shares = [group["exact"] for group in first["groups"]]
    assert first["scores"]["mean_error"] == pytest.approx(100 - sum(shares) / 2)
    low, value = first["intervals"]["exact"]["low"], first["scores"]["exact"]
    assert low <= value <= first["intervals"]["exact"]["high"]
    assert found["versus"][0]["exact"]["difference"] == 0
    if kind_of(run) == "words":
        assert 0 < first["scores"]["support"] <= 100
    data = squad(tmp_path, [(STORY.replace("\n", " "), "Where is Clara?", "attic")])
    assert main(["evaluate", str(run), "--data", str(data), "--samples", "0"]) == 0
    assert "exact match" in capsys.readouterr().out


def test_answers_that_do_not_stand_in_their_passages_are_no_spans(tmp_path):
    data = QuestionFiles(train=squad(tmp_path, [("Anna came.", "Who came?", "Ben")]))
    with pytest.raises(InputError, match=r"own.tsv, line 1: needs an answer that stands"):
        QuestionAnsweringTask(data=data, answers="spans").learn()


def test_the_model_says_of_which_form_answers_are():
    assert recipe("memory-network").settings.task.answers == "words"
    assert recipe("cross-reader").settings.task.answers == "spans"
    with pytest.raises(ChoiceError, match="answers with words, and --answers says spans"):
        recipe("story-reader", QuestionAnsweringTask(answers="spans"))


def test_what_is_kept_back_are_whole_passages(tmp_path):
    rows = [(f"Passage {n // 3}.", f"What {n}?", "Passage") for n in range(60)]
    data = QuestionFiles(train=squad(tmp_path, rows), kept_back=0.3)
    learned, held = ({one.passage for one in some} for some in (data.examples(), data.held_out()))
    assert learned and held and not learned & held


def test_of_too_many_questions_some_of_all_files_are_validated_on(tmp_path):
    rows = [(f"Passage {n}.", "What?", "Passage") for n in range(20)]
    path = squad(tmp_path, rows)
    data = QuestionFiles(train=path, valid=path, valid_size=5)
    assert [one.passage for one in data.held_out()] == [f"Passage {n}." for n in (0, 4, 8, 12, 16)]


def test_stories_are_the_usual_data():
    assert isinstance(QuestionAnsweringTask().data, ToldStories)
    assert settings("story-reader", 5).task.guided > 0


def test_a_reader_begins_with_word_vectors_or_with_the_encoder_of_another_model():
    told = ToldStories(sentences=4, vocabulary_stories=50)
    task = QuestionAnsweringTask(data=told, answers="spans")
    words = WordCodec({"the": 9, "anna": 5, "unheard": 2})
    weights = {"words.weight": torch.arange(21.0).view(3, 7), "contexts.weight": torch.zeros(3, 7)}
    vectors = StoredModel(
        {"kind": "word-vectors"}, preset_config("word-vectors", vocab=3), weights, words
    )
    vectors = vectors._replace(config=vectors.config.model_copy(update={"dim": 7}))
    made = task.adopted(vectors)
    assert made.config.embedding.dim == 7
    table = made.weights["text.embedding.table.weight"]
    anna = made.codec.tokens.encode("Anna")[0]
    vector = weights["words.weight"][1]
    assert_close(table[anna] / table[anna].norm(), vector / vector.norm())
    build(made.config).load_state_dict(made.weights, strict=False)

    pieces = learn("bpe", [one.passage for one in told.examples()], size=330)
    bert = preset_config("bert-tiny", vocab=len(pieces))
    stored = {f"text.{n}": w for n, w in build(bert).text.state_dict().items()}
    made = task.adopted(StoredModel({"kind": "fill-mask"}, bert, stored, TextCodec(pieces)))
    assert made.config.kind == "span-reader" and made.config.encoder == bert.encoder
    missing, unexpected = build(made.config).load_state_dict(made.weights, strict=False)
    assert unexpected == [] and not any(name.startswith("text.") for name in missing)
