"""Recurrent cells."""

from .mechanism import Mechanism

JOZEFOWICZ = ("Jozefowicz 2015", "https://proceedings.mlr.press/v37/jozefowicz15.html")

CELLS = (
    Mechanism(
        "RNN",
        "h = tanh(b + W h + U x)",
        "O(D²) a step",
        "Elman 1990",
        "https://doi.org/10.1207/s15516709cog1402_1",
        "regard.cells.RNN",
    ),
    Mechanism(
        "LSTM",
        "c = f⊙c + i⊙g,  h = o⊙tanh c",
        "O(D²) a step",
        "Hochreiter 1997",
        "https://doi.org/10.1162/neco.1997.9.8.1735",
        "regard.cells.LSTM",
    ),
    Mechanism(
        "GRU",
        "h = z⊙h + (1 − z)⊙h̃",
        "O(D²) a step",
        "Cho 2014",
        "https://arxiv.org/abs/1406.1078",
        "regard.cells.GRU",
    ),
    Mechanism(
        "MUT1",
        "h = tanh(W(r⊙h) + tanh x + b)⊙z + h⊙(1−z),  z = σ(W x + b)",
        "O(D²) a step",
        *JOZEFOWICZ,
        "regard.cells.MUT1",
    ),
    Mechanism(
        "MUT2",
        "h = tanh(W(r⊙h) + W x + b)⊙z + h⊙(1−z),  r = σ(x + W h + b)",
        "O(D²) a step",
        *JOZEFOWICZ,
        "regard.cells.MUT2",
    ),
    Mechanism(
        "MUT3",
        "as MUT2, z = σ(W x + W tanh h + b)",
        "O(D²) a step",
        *JOZEFOWICZ,
        "regard.cells.MUT3",
    ),
)
