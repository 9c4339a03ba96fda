"""The lines of a training in a terminal."""

from io import StringIO

import pytest

from regard.cli.console import plain
from regard.tasks.translation.task import MEASURES
from regard.training import Validation
from regard.training.view import LineView, scores_line


@pytest.mark.parametrize("width", [80, 81, 85, 90])
def test_a_narrow_terminal_breaks_the_scores_between_words(width, tmp_path):
    scores = {"loss": 1.234, "bleu": 48.2, "chrf": 65.1, "exact": 0.123, "aer": 0.123}
    line = scores_line(12_000, MEASURES, Validation(scores), best=True)
    file = StringIO()
    console = plain(file=file, width=width, force_terminal=True, color_system=None)
    LineView(console, tmp_path)._print(line)
    printed = file.getvalue().splitlines()
    assert all(len(one) <= width for one in printed)
    assert [word for one in printed for word in one.split()] == line.split()
