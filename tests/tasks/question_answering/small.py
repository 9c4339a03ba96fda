"""Two small runs of readers, on stories of ours."""

from regard.models.text import RecurrentEncoderConfig
from regard.tasks.question_answering import QuestionAnsweringTask, ToldStories
from regard.tasks.question_answering.recipe import recipe
from regard.training import Budget, launch

TINY = {"cell": "gru", "hidden_dim": 32, "num_layers": 1, "dropout": 0.0, "kind": "recurrent"}
STORY_READER = {
    "dim": 32,
    "dropout": 0.0,
    "hops": 2,
    "memory": {"kind": "encoded", "words": TINY, "context": None, "reach": 8},
}
SPAN_READER = {
    "embedding": {"dim": 24, "dropout": 0.0, "word_dropout": 0.0, "spelling": None},
    "encoder": TINY,
    "modelling": TINY,
    "dropout": 0.0,
}
MODELS = {"words": ("story-reader", STORY_READER), "spans": ("flow-reader", SPAN_READER)}
assert RecurrentEncoderConfig(**TINY)


def settings(name, steps, task=None):
    told = ToldStories(sentences=4, valid_size=60, vocabulary_stories=200)
    made = recipe(name, task or QuestionAnsweringTask(data=told), Budget(steps=steps))
    return made.settings.changed(
        rate=1e-2, batch_tokens=384, log_every=1, save_every=20, validate_every=steps
    )


def trained(kind, folder, steps):
    name, changes = MODELS[kind]
    launch(settings(name, steps), name, folder, changes=changes)
    return folder
