"""``regard caption`` and ``regard answer --picture``, with models that learned for a moment."""

import json

import pytest

from regard.cli.app import main
from regard.data.scenes import SceneConfig, Scenes
from regard.tasks.captioning import CaptioningTask, SceneCaptions
from regard.tasks.seeing.reading import PixelReading
from regard.tasks.visual_question_answering import SceneQuestions, VisualQuestionAnsweringTask
from regard.training import Budget, Settings, launch

SCENES = {
    "scenes": SceneConfig(size=16, most=2, kinds=("circle", "square"), colours=("red", "blue")),
    "valid_size": 3,
    "vocabulary_scenes": 40,
}
GRID = {"kind": "conv", "size": 16, "channels": [4, 6, 8]}
SMALL = {"grid": GRID, "embedding_dim": 5}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    reading = PixelReading(size=16)
    tasks = {
        "captioner": (
            CaptioningTask(data=SceneCaptions(**SCENES), reading=reading),
            "soft-captioner",
            {"annotation_dim": 6, "hidden_dim": 7, "attention.attention_dim": 3},
        ),
        "answerer": (
            VisualQuestionAnsweringTask(data=SceneQuestions(**SCENES), reading=reading),
            "vqa-transformer",
            {"model_dim": 8, "num_heads": 2, "layers": 1, "hidden_dim": 8},
        ),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in ("captioning", "visual_question_answering"):
            patch.setattr(f"regard.tasks.{name}.data.POOL", 8)
        for name, (task, model, sizes) in tasks.items():
            settings = Settings(
                task=task, budget=Budget(steps=1), batch={"max_tokens": 60, "max_rows": 4}
            )
            launch(settings, model, folder / name, changes={**SMALL, **sizes}, device="cpu")
    for number in range(2):
        Scenes(config=SCENES["scenes"])[number].picture.save(folder / f"{number}.png")
    return folder


def test_a_picture_is_a_line_and_several_have_their_names(place, capsys):
    model = ["--model", str(place / "captioner")]
    assert main(["caption", str(place / "0.png"), *model]) == 0
    (alone,) = capsys.readouterr().out.splitlines()
    assert "\t" not in alone
    both = [str(place / "0.png"), str(place / "1.png")]
    assert main(["caption", *both, *model, "--beam", "4"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{both[0]}\t{alone}"
    assert second.startswith(f"{both[1]}\t")


def test_captions_are_json_and_drawn(place, capsys, tmp_path):
    out = tmp_path / "words.html"
    words = ["caption", str(place / "0.png"), "--model", str(place / "captioner"), "--beam", "1"]
    assert main([*words, "--json", "--show", "--out", str(out)]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert len(found["weights"]) == len(found["words"])
    assert found["caption"].split() == said.err.split()[: len(found["caption"].split())]
    assert "<html" in out.read_text().lower()


@pytest.mark.parametrize(
    "words", [["caption", "--model", "captioner"], ["answer", "which?", "--model", "answerer"]]
)
def test_true_pixels_where_the_terminal_has_them(place, capsys, monkeypatch, words):
    monkeypatch.setattr("regard.lens.pictures.protocol_of", lambda: "sixel")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.chdir(place)
    picture = ["0.png"] if words[0] == "caption" else ["--picture", "0.png"]
    assert main([*words, *picture, "--show"]) == 0
    assert "\x1bP0;1;0q" in capsys.readouterr().err


def test_captions_of_several_pictures_are_drawn_into_one_file(place, tmp_path, capsys):
    out = tmp_path / "both.html"
    names = [str(place / f"{number}.png") for number in range(2)]
    model = ["--model", str(place / "captioner")]
    assert main(["caption", *names, *model, "--beam", "1", "--out", str(out)]) == 0
    captions = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()]
    page = out.read_text(encoding="utf-8")
    assert page.count("<section") == 2 and all(one in page for one in captions)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "caption needs a picture"),
        (["a.png", "--out", "x.gif"], "ends in .png, .svg or .html"),
        (["nowhere.png"], "nowhere.png"),
        (["0.png", "--beam", "0"], "--beam needs at least 1, got 0"),
    ],
)
def test_mistakes_are_one_line(place, capsys, monkeypatch, words, message):
    monkeypatch.chdir(place)
    assert main(["caption", *words, "--model", str(place / "captioner")]) == 2
    assert message in capsys.readouterr().err


def test_a_question_about_a_picture_is_answered(place, capsys, tmp_path):
    out = tmp_path / "look.svg"
    words = ["answer", "what color is the circle?", "--picture", str(place / "0.png")]
    assert main([*words, "--model", str(place / "answerer"), "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["question"] == words[1]
    assert len(found["by_word"]) == len(found["words"])
    assert out.read_text().startswith("<?xml")


def test_a_captioner_answers_nothing(place, capsys):
    words = ["answer", "what?", "--picture", str(place / "0.png")]
    assert main([*words, "--model", str(place / "captioner")]) == 2
    assert "was trained for captioning" in " ".join(capsys.readouterr().err.split())
