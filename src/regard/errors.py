"""The errors a user can meet, one tree.

::

    RegardError
    ├── ShapeError         (ValueError)   sizes or ranks do not fit together
    ├── DtypeError         (TypeError)    a tensor of the wrong kind
    ├── DeviceError        (ValueError)   a device that is not there, or tensors on several
    ├── RangeError         (ValueError)   a number outside the range it must lie in
    ├── ChoiceError        (ValueError)   an unknown name, or a choice that cannot be combined
    ├── UnverifiedError    (ValueError)   weights that are not those that ran
    ├── InputError         (ValueError)   text or a file that cannot be read as what it should be
    ├── NetworkError       (OSError)      something that could not be fetched
    ├── CheckError         (AssertionError)  a module that breaks a contract of attention
    ├── StorageError       (RuntimeError) files of a run that cannot be written or used again
    │   ├── DamagedError                  a file that is not what was written
    │   └── BusyError                     a folder that another process is writing to
    ├── DivergedError      (ArithmeticError)  a training step whose loss is no number
    └── MissingExtraError  (ImportError)  an optional dependency is not installed

Every message is one sentence: what was needed, what came, what to do.
"""


class RegardError(Exception):
    """Any mistake that regard can explain in one sentence."""


class ShapeError(RegardError, ValueError):
    """Sizes or ranks do not fit together."""


class DtypeError(RegardError, TypeError):
    """A tensor of the wrong kind."""


class DeviceError(RegardError, ValueError):
    """A device that this machine does not have, or tensors that must share one and do not."""


class RangeError(RegardError, ValueError):
    """A number outside the range it must lie in."""


class ChoiceError(RegardError, ValueError):
    """An unknown name, or a choice that cannot be combined with the others."""


class UnverifiedError(RegardError, ValueError):
    """Weights which, computed again, do not give the context that came out; see the lens."""


class InputError(RegardError, ValueError):
    """Text or a file that cannot be read as what it should be."""


class NetworkError(RegardError, OSError):
    """Something that could not be fetched."""


class CheckError(RegardError, AssertionError):
    """A module that breaks a contract of attention; see :mod:`regard.testing`."""


class StorageError(RegardError, RuntimeError):
    """Files of a run that cannot be written or used again."""


class DamagedError(StorageError):
    """A file that is missing, cut short, or not what was written."""


class BusyError(StorageError):
    """A folder that another process is writing to."""


class DivergedError(RegardError, ArithmeticError):
    """A training step whose loss or gradient is no number; it was not made."""


class MissingExtraError(RegardError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an extra that is not installed: pip install 'regard[{extra}]'"
        )
