"""Every task of the registry with little data and a tiny model, as ``check_task`` takes it."""

from itertools import islice

from PIL import Image

from regard.data.batches import BatchConfig
from regard.data.grammar import Grammar
from regard.data.scenes import Scenes
from regard.models.vision import DetectorConfig, UNetConfig
from regard.task_registry import task_class
from regard.tasks.captioning import SceneCaptions
from regard.tasks.captioning.task import CaptioningTask
from regard.tasks.image_classification import ImageClassificationTask, LabelledPictures
from regard.tasks.object_detection import ObjectDetectionTask
from regard.tasks.question_answering import QuestionAnsweringTask, QuestionFiles, ToldStories
from regard.tasks.regions.files import FileRegions
from regard.tasks.seeing.reading import PixelReading
from regard.tasks.segmentation import SegmentationTask
from regard.tasks.visual_question_answering import SceneQuestions
from regard.tasks.visual_question_answering.task import VisualQuestionAnsweringTask
from regard.training import Settings
from tasks.image_classification import small as pictures
from tasks.labelling import small as labelling
from tasks.question_answering import small as stories
from tasks.regions import blobs
from tasks.toy import predictor as toy  # noqa: F401, which makes its model known
from tasks.toy.task import SortingTask
from training import small as translation

ENCODER = {
    "embedding": {"dim": 8, "dropout": 0.0},
    "encoder": {"kind": "transformer", "model_dim": 8, "num_heads": 2, "num_layers": 1}
    | {"hidden_dim": 12, "position": "rotary"},
}
GPT = {"context": 16, "model_dim": 8, "hidden_dim": 16, "num_layers": 1, "num_heads": 2}
AUTOENCODER = {
    "latent": 6,
    "embedding": {"dim": 5},
    "encoder": {"hidden_dim": 8},
    "decoder": {"embedding_dim": 5, "hidden_dim": 7},
}
POOLS = (
    "tasks.captioning.data",
    "tasks.question_answering.task",
    "tasks.visual_question_answering.data",
)
"""Where endless examples come in pools, which are to be small."""
NOT_BY_PARTS = {
    "word-vectors": ("loss", "processes"),  # draws negatives anew for every batch of a process
    "object-detection": ("processes",),  # batch norm sees the batch of its own process
    "segmentation": ("processes",),
    "captioning": ("processes",),
    "visual-question-answering": ("processes",),
}
"""What a batch in two parts is not alike in, by task."""


def settings(task, tokens, **more):
    return Settings(task=task, batch={"max_tokens": tokens}, optimisation={"rate": 0.01}, **more)


def text(folder, count=80):
    """English sentences in one file, others in another, and an empty file."""
    sentences = [pair.source_text for pair in islice(Grammar(max_words=7), count)]
    (folder / "train.txt").write_text("\n".join(sentences[10:]) + "\n")
    (folder / "valid.txt").write_text("\n".join(sentences[:10]) + "\n")
    (folder / "other.txt").write_text("\n".join(sentences[:7]) + "\n")
    (folder / "blank.txt").write_text("\n \n")
    return {"train": folder / "train.txt", "valid": folder / "valid.txt"}


def of_text(kind, folder, **more):
    """A task of running text, the same with others held out, and one with nothing to read."""
    files, of = text(folder), task_class(kind)
    one = of(data=files, **more)
    other = of(data={**files, "valid": folder / "other.txt"}, **more)
    blank = of(data={"train": folder / "blank.txt"}, **more)
    missing = of(data={"train": folder / "missing.txt"}, **more)
    return one, {"other": other, "flawed": [blank, missing]}


def translating(folder):
    data = translation.corpus(folder)
    preset, changes = translation.MODELS["bahdanau"]
    base = translation.settings(data, measure="loss")
    (folder / "broken.tsv").write_text("bo da\tti\nno tab here\n")
    bad = data.model_copy(update={"train": (str(folder / "broken.tsv"),), "alignments": None})
    fewer = data.model_copy(update={"valid_size": 2})
    return {
        "settings": base,
        "model": preset,
        "changes": changes,
        "inputs": ["bo da", "ku la fe"],
        "flawed": [base.task.model_copy(update={"data": bad})],
        "other": base.task.model_copy(update={"data": fewer}),
    }


def labelled(kind, folder):
    task = labelling.files(folder, kind)
    preset, changes = labelling.MODELS[kind]
    (folder / "one.tsv").write_text("a\tb\n" if kind == "tagging" else "en\tThe only label.\n")
    bad = task.data.model_copy(update={"train": (str(folder / "one.tsv"),)})
    fewer = task.data.model_copy(update={"valid_size": 9})
    return {
        "settings": settings(task, 256),
        "model": preset,
        "changes": changes,
        "inputs": ["The cat sat.", "He eats an apple."],
        "flawed": [task.model_copy(update={"data": bad})],
        "other": task.model_copy(update={"data": fewer}),
    }


def generating(folder):
    task, more = of_text("text-generation", folder)
    inputs = ["The cat", "He"]
    return (
        more
        | {"settings": settings(task, 64), "model": "gpt-tiny", "changes": GPT}
        | {"inputs": inputs}
    )


def filling(folder):
    task, more = of_text("fill-mask", folder, vocabulary={"level": "words"})
    inputs = ["The cat ___ the mouse.", "He ___."]
    return (
        more
        | {"settings": settings(task, 128), "model": "bert-tiny", "changes": ENCODER}
        | {"inputs": inputs}
    )


def reconstructing(folder):
    noise = {"dropped": 0.2, "hidden": 0.1, "shuffled": 2}
    words = {"vocabulary": {"level": "words"}, "noise": noise}
    task, more = of_text("autoencoding", folder, **words)
    return more | {
        "settings": settings(task, 96),
        "model": "gru-autoencoder",
        "changes": AUTOENCODER,
        "inputs": ["The cat sat.", "", "A dog ran."],
    }


def embedding(folder):
    task, more = of_text("word-vectors", folder, min_count=1, sampling={"shared": 8})
    return more | {
        "settings": settings(task, 64),
        "model": "word-vectors",
        "changes": {"dim": 6},
        "inputs": ["the", "a"],
    }


def sorting(folder):
    return {
        "settings": settings(SortingTask(), 96),
        "model": "sorter-tiny",
        "inputs": ["3 1 2", "9 0 5"],
    }


def reading(folder):
    task = QuestionAnsweringTask(
        data=ToldStories(sentences=3, valid_size=20, vocabulary_stories=60)
    )
    missing = task.model_copy(update={"data": QuestionFiles(train=str(folder / "missing.tsv"))})
    fewer = task.data.model_copy(update={"valid_size": 9})
    preset, changes = stories.MODELS["words"]
    base = stories.settings(preset, 6, task)
    return {
        "settings": base.model_copy(update={"batch": BatchConfig(max_tokens=200)}),
        "model": preset,
        "changes": changes | {"dim": 8},
        "inputs": [("Anna walked to the garden.", "Where is Anna?"), ("Ben sat.", "Where is Ben?")],
        "flawed": [missing],
        "other": task.model_copy(update={"data": fewer}),
    }


SCENES = {"size": 16, "most": 2, "kinds": ("circle", "square"), "colours": ("red", "blue")}
GRID = {"kind": "conv", "size": 16, "channels": [4, 6, 8]}


def of_scenes(task, folder, model, changes, inputs):
    """A task about the scenes that we draw; ``flawed`` are files that are not there."""
    missing = {"kind": "files", "train": str(folder / "missing.tsv"), "pictures": str(folder)}
    fewer = task.data.model_copy(update={"valid_size": 3})
    return {
        "settings": settings(task, 90).model_copy(
            update={"batch": BatchConfig(max_tokens=90, max_rows=5), "average": 0.5}
        ),
        "model": model,
        "changes": changes,
        "inputs": inputs,
        "flawed": [type(task)(data=missing, reading=task.reading)],
        "other": task.model_copy(update={"data": fewer}),
    }


def pictures_of(config):
    return [Scenes(0, config=config)[one].picture for one in range(2)]


def captioning(folder):
    data = SceneCaptions(scenes=SCENES, valid_size=6, vocabulary_scenes=80)
    task = CaptioningTask(data=data, reading=PixelReading(size=16))
    sizes = {"annotation_dim": 8, "embedding_dim": 8, "hidden_dim": 8, "grid": GRID}
    changes = sizes | {"attention": {"kind": "soft", "attention_dim": 6}}
    return of_scenes(task, folder, "soft-captioner", changes, pictures_of(data.scenes))


def asking(folder):
    data = SceneQuestions(scenes=SCENES, valid_size=5, vocabulary_scenes=60)
    task = VisualQuestionAnsweringTask(data=data, reading=PixelReading(size=16))
    changes = {"model_dim": 8, "attention_dim": 6, "grid": GRID, "embedding_dim": 5}
    inputs = [
        {"question": "What colour is the circle?", "picture": picture}
        for picture in pictures_of(data.scenes)
    ]
    return of_scenes(task, folder, "stacked-attention", changes, inputs)


def classifying(folder):
    labelled = pictures.folder(folder / "train", 40), pictures.folder(folder / "valid", 10, 1)
    task = ImageClassificationTask(
        data=LabelledPictures(train=labelled[0], valid=labelled[1]), size=pictures.SIDE
    )
    fewer = LabelledPictures(train=labelled[0], valid=pictures.folder(folder / "other", 6, 2))
    missing = LabelledPictures(train=folder / "missing.tsv")
    encoder = {"patch_size": 2, "model_dim": 12, "num_layers": 1, "hidden_dim": 16}
    return {
        "settings": settings(task, 8),
        "model": "vit",
        "changes": {"encoder": encoder},
        "inputs": [Image.fromarray(one) for one in pictures.drawn(2, 4)[0]],
        "flawed": [task.model_copy(update={"data": missing})],
        "other": task.model_copy(update={"data": fewer}),
    }


def of_regions(task_class, config, folder):
    files = blobs.written(folder)
    data = FileRegions(train=(str(files / "boxes.tsv"),), kept_back=0.3)
    task = task_class(data=data, augmentation=None)
    missing = data.model_copy(update={"train": (str(folder / "missing.tsv"),)})
    more = data.model_copy(update={"kept_back": 0.6})
    picture = Image.new("RGB", (blobs.WIDTH, blobs.HEIGHT), (220, 30, 30))
    return {
        "settings": settings(task, 3),
        "model": config,
        "inputs": [picture, Image.new("RGB", (20, 30))],
        "flawed": [task.model_copy(update={"data": missing})],
        "other": task.model_copy(update={"data": more}),
    }


FRAME = {"classes": 2, "height": blobs.HEIGHT, "width": blobs.WIDTH}
PYRAMID = {"stem": 8, "channels": (12, 16), "blocks": (1, 1)}


def detecting(folder):
    config = DetectorConfig(**FRAME, pyramid=PYRAMID, dim=16, first=0)
    return of_regions(ObjectDetectionTask, config, folder)


def segmenting(folder):
    return of_regions(SegmentationTask, UNetConfig(**FRAME, channels=(4, 6)), folder)


CASES = {
    "translation": translating,
    "tagging": lambda folder: labelled("tagging", folder),
    "text-classification": lambda folder: labelled("text-classification", folder),
    "text-generation": generating,
    "fill-mask": filling,
    "word-vectors": embedding,
    "question-answering": reading,
    "captioning": captioning,
    "visual-question-answering": asking,
    "image-classification": classifying,
    "object-detection": detecting,
    "segmentation": segmenting,
    "autoencoding": reconstructing,
    "sorting": sorting,
}
"""By kind: what :func:`regard.testing.check_task` is called with, given a folder for data."""
