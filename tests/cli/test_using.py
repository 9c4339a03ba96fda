"""Using a model imports nothing of training."""

import pytest

from regard.zoo import ZOO

CODE = """
import sys
from regard.cli.app import main

assert main({words}) == 0
print(sorted(name for name in sys.modules if name.startswith("regard.training")))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["translate", "The black cat ate the mouse.", "--show", "--json"],
        ["show", "The black cat ate the mouse.", "--head", "all"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.skipif(not ZOO.names, reason="no translator is bundled")
def test_a_command_that_uses_a_model_imports_no_training_code(forks, words):
    done = forks.run(CODE.format(words=[*words, "--threads", "1"]))
    assert done.output.splitlines()[-1:] == ["[]"], done.error
