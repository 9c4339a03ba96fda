"""Everything that makes a run, as one frozen value: what ``config.json`` holds."""

from regard.storage.stored_model import Ancestor, AnyModelConfig

from .settings import Budget as Budget
from .settings import Settings as Settings
from .settings import Spread as Spread


class RunConfig(Settings):
    """All that decides how a run goes."""

    model: AnyModelConfig
    """What is trained."""
    ancestor: Ancestor | None = None
    """The trained model that it began with; ``None`` for a new one."""
