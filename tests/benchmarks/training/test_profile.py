from benchmarks.training.drivers.protocol import Job
from benchmarks.training.profile import profiled


def test_the_operators_of_our_training_are_named_with_the_rate(folder):
    text = profiled(Job("transformer", folder, threads=1, max_tokens=12), seconds=0.0)
    assert "aten::addmm" in text
    assert "1 updates" in text and "target tokens/s while profiled" in text
