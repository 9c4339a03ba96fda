"""Training: checkpoints that are never lost, run folders, logs, learning rates over time."""

from .checkpoint import Checkpoint as Checkpoint
from .checkpoint import Resumption as Resumption
from .run_folder import RunFolder as RunFolder
from .run_folder import load_model as load_model
