"""Training: runs of any task that are never lost.

>>> settings, changes = recipe("bahdanau-small", GrammarData())
>>> launch(settings, "bahdanau-small", "run", changes=changes)
>>> regard.load("run").translate(["The black cat ate the mouse."])

Who holds what while a run goes::

    launch ─ RunFolder, Log, signals       the folder and its lock, lines, SIGINT and SIGTERM
      └ begin → Run                        all that a step changes: config, codec, progress and
          ├ Processes (Objective)          the model with its loss, in one process or in many
          ├ Updater                        optimiser, clipping, precision
          ├ Averaged, Batches, Validator
      └ train(Run, Keeper)                 the loop; Keeper logs, validates, saves, and tells the
                                           Observer: a progress display, TensorBoard, yours
"""

from . import log as log
from .config import Budget as Budget
from .config import RunConfig as RunConfig
from .config import Settings as Settings
from .launch import launch as launch
from .launch import load_origin as load_origin
from .launch import relaunch as relaunch
from .observer import Observer as Observer
from .task import Loss as Loss
from .task import Measure as Measure
from .task import Objective as Objective
from .task import Sample as Sample
from .task import Task as Task
from .task import Validation as Validation
