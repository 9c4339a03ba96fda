"""The same batches, whatever the number of processes that share them."""

from collections.abc import Mapping
from typing import Any

from regard.data.batches import BatchConfig
from regard.errors import RangeError


def shared_out(config: BatchConfig, position: Mapping[str, Any], count: int) -> BatchConfig:
    """The batches of a run that is resumed, cut for another number of processes.

    All processes together keep their budget, so that the run goes on with the same batches.

    Args:
        config: of the run as it was saved.
        position: the ``state_dict`` of its batches.
        count: how many processes there are now.

    Raises:
        RangeError: the budget cannot be divided by them.
    """
    budgets = {
        "max_tokens": position.get("tokens_of_all_ranks"),
        "max_rows": position.get("rows_of_all_ranks"),
    }
    given = {name: budget for name, budget in budgets.items() if isinstance(budget, int)}
    for name, budget in given.items():
        if budget % count:
            raise RangeError(
                f"{count} processes need a batch that they can share evenly, and this run has "
                f"{name} {budget} for all of them; resume with a number that divides it"
            )
    shares = {name: budget // count for name, budget in given.items()}
    return config.model_copy(update=shares)
