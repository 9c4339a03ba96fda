"""Twins of recurrent decoders that exist for speed alone.

``loops``
    Cells and attentions inside a loop over steps: what is known before the loop is projected once.
``deferred``
    Gradients of the matrices of such a loop, as one product behind its last step.
``gru_layer``
    GRUs compiled, single steps and whole sequences.

``plan``
    Whether a layer runs compiled, and why.

Each equals the cell of :mod:`regard.cells` or the attention of :mod:`regard.nn` that it runs;
``tests/models/rnn/fast/`` compares them.
"""

from .plan import Plan as Plan
from .plan import plan as plan
