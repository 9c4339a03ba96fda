"""From what was asked for to cells, each a run of its own."""

from collections.abc import Sequence

from regard.errors import ChoiceError
from regard.models import Seq2SeqConfig
from regard.tasks.translation import TranslationTask, VocabularyConfig
from regard.tasks.translation.recipe import recipe
from regard.training import RunConfig
from regard.training.config import Budget
from regard.training.config import Settings as RunSettings
from regard.training.schedules import InverseSquareRoot

from ..settings import Settings
from .cell import Cell
from .contenders import MECHANISMS, Mechanism
from .sizes import sized
from .tasks import Task, file_task, grammar_task

MINUTES = {"grammar": 3.0, "files": 20.0}
WARMUP = {"grammar": 200, "files": 400}
VALIDATE_EVERY = {"grammar": 500, "files": 500}
QUICK_EVERY = 25
QUICK_VOCABULARY = 500


def chosen(settings: Settings) -> tuple[Mechanism, ...]:
    """The mechanisms asked for, in their usual order.

    Raises:
        ChoiceError: there is none of such a name, or text to train on without text to test on.
        RangeError: no thread, or no time.
    """
    wanted = settings.choose("mechanism", MECHANISMS)
    if bool(settings.data) != bool(settings.test):
        raise ChoiceError(
            "bench mechanisms needs both --data to train on and --test to measure on, or neither "
            "for our own grammar"
        )
    return wanted


def task_of(settings: Settings) -> Task:
    """What they are compared on."""
    if not settings.data:
        return grammar_task(quick=settings.quick)
    files, test = (
        [str(path.absolute()) for path in paths] for paths in (settings.data, settings.test)
    )
    return file_task(files, test, quick=settings.quick)


def vocabulary_of(task: Task, settings: Settings) -> VocabularyConfig:
    """The same for everybody."""
    usual = translation(_common(task)).vocabulary
    if settings.quick and task.name == "files":
        return usual.model_copy(update={"size": QUICK_VOCABULARY})
    return usual


def translation(settings: RunSettings) -> TranslationTask:
    """What is learned."""
    assert isinstance(settings.task, TranslationTask)
    return settings.task


def _common(task: Task) -> RunSettings:
    """What nobody has for himself is the first one's."""
    return recipe(next(iter(MECHANISMS.values())).preset, task.data).settings


def planned(mechanisms: Sequence[Mechanism], task: Task, settings: Settings) -> list[Cell]:
    """A cell per mechanism, all of one size.

    Raises:
        InputError: bad data, named by file and line.
        RangeError: a mechanism that cannot be made as large, or as small.
    """
    vocabulary = vocabulary_of(task, settings)
    both = vocabulary.learn(task.data)
    cells = []
    for mechanism in mechanisms:
        model = sized(
            mechanism,
            parameters=task.parameters,
            embedding_dim=task.embedding_dim,
            source_vocab=len(both.source),
            target_vocab=len(both.target),
            joint=vocabulary.sharing == "joint",
        )
        run = run_of(mechanism, model, task, settings)
        cells.append(
            Cell(
                mechanism=mechanism.name,
                preset=mechanism.preset,
                run=run,
                test=task.test,
                threads=settings.threads,
            )
        )
    return cells


def run_of(mechanism: Mechanism, model: Seq2SeqConfig, task: Task, settings: Settings) -> RunConfig:
    """How a mechanism is trained: its recipe, for a time instead of a number of steps.

    The rate falls without knowing the end, since nobody knows how many steps the time will hold;
    nobody's attention is guided, since not everybody has one.
    """
    usual, changes = recipe(mechanism.preset, task.data)
    learned = translation(usual)
    dropout = {"dropout": changes["dropout"]} if "dropout" in changes else {}
    every = QUICK_EVERY if settings.quick else VALIDATE_EVERY[task.name]
    schedule = InverseSquareRoot(warmup=QUICK_EVERY if settings.quick else WARMUP[task.name])
    return RunConfig(
        **dict(usual)
        | {
            "task": learned.model_copy(
                update={
                    "vocabulary": vocabulary_of(task, settings),
                    "loss": learned.loss.model_copy(update={"guided": 0.0}),
                }
            ),
            "batch": _common(task).batch,
            "optimisation": usual.optimisation.model_copy(update={"schedule": schedule}),
            "budget": Budget(minutes=settings.minutes or MINUTES[task.name]),
            "validate_every": every,
            "save_every": every,
            "measure": "bleu",
        },
        model=model.model_copy(update=dropout),
    )
