"""Training: runs that are never lost, and what they have learned, ready to be used.

>>> settings, changes = recipe("bahdanau-small", GrammarData())
>>> launch(settings, "bahdanau-small", Path("run"), changes=changes)
>>> load_translator(Path("run")).translate(["The black cat ate the mouse."])
"""

from regard.storage.checkpoint import Checkpoint as Checkpoint
from regard.storage.checkpoint import Resumption as Resumption
from regard.storage.run_folder import RunFolder as RunFolder
from regard.storage.run_folder import load_model as load_model
from regard.tasks.translation.loading import load_translator as load_translator
from regard.tasks.translation.objective import Objective as Objective
from regard.tasks.translation.recipe import recipe as recipe

from .config import RunConfig as RunConfig
from .config import Settings as Settings
from .launch import launch as launch
from .launch import relaunch as relaunch
from .observer import Observer as Observer
