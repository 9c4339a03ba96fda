"""What looking costs: watching a run, rows of long maps, and the same jobs by other tools.

Run as ``python -m benchmarks.lens``; ``--quick`` takes a smaller model and fewer rounds. Tools that
are not installed are named and left out: pip install bertviz captum inseq transformer-lens.
"""
