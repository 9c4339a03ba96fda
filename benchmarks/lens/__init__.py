"""What looking costs: watching a run, rows of long maps, and the same jobs by other tools.

``python -m benchmarks.lens`` measures what watching and explaining cost, and whether goals were
kept; ``python -m benchmarks.lens peers`` does the same jobs by regard, bertviz, TransformerLens,
inseq and captum, as far as they are installed, or in ``.bench-lens``, which ``peers --set-up``
makes; ``published`` asks weights of MiniLM and RXNMapper. ``--quick`` takes smaller models and
fewer rounds, ``--out FILE`` writes a result to be kept.
"""
