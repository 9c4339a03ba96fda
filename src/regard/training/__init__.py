"""Training: runs of any task that are never lost.

>>> run = train("pairs.tsv", "transformer-small", steps=2000, rate=1e-3)
>>> run.scores["bleu"], run.log["loss"], run.predictor

The same in two steps, with settings to look at::

    settings, changes = recipe("bahdanau-small", GrammarData()).changed(steps=600)
    launch(settings, "bahdanau-small", "run", changes=changes)

Names are loaded when first used: settings, tasks and flags are read without torch.

Who holds what while a run goes::

    launch ─ RunFolder, Log, signals       the folder and its lock, lines, SIGINT and SIGTERM
      └ begin → Run                        all that a step changes: config, codec, progress and
          ├ Processes (Objective)          the model with its loss, in one process or in many
          ├ Updater                        optimiser, clipping, precision
          ├ Averaged, Batches, Validator
      └ train(Run, RunRecorder)            the loop; it logs, validates, saves, and tells the
                                           Observer: a progress display, TensorBoard, yours
"""

from typing import TYPE_CHECKING

HOMES = {
    "Budget": "settings",
    "Loss": "objective",
    "Measure": "task",
    "Objective": "objective",
    "Observer": "run",
    "Recipe": "settings",
    "RunConfig": "config",
    "Sample": "task",
    "Settings": "settings",
    "Task": "task",
    "TrainedRun": "trained",
    "Validation": "task",
    "launch": "launch",
    "load_origin": "launch",
    "relaunch": "launch",
    "train": "trained",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .config import RunConfig as RunConfig
    from .launch import launch as launch
    from .launch import load_origin as load_origin
    from .launch import relaunch as relaunch
    from .objective import Loss as Loss
    from .objective import Objective as Objective
    from .run import Observer as Observer
    from .settings import Budget as Budget
    from .settings import Recipe as Recipe
    from .settings import Settings as Settings
    from .task import Measure as Measure
    from .task import Sample as Sample
    from .task import Task as Task
    from .task import Validation as Validation
    from .trained import TrainedRun as TrainedRun
    from .trained import train as train
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
