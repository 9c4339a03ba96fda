"""Names of a package that are loaded when first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import MissingExtraError
from .extras import extra_of


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose names come from its modules.

    A name may be that of its module too: ``recipe`` of ``recipe.py`` is always the function.

    Args:
        package: its name.
        homes: the module of each name, inside the package. One whose optional dependency is not
            installed raises a :class:`~regard.errors.MissingExtraError` that names the extra.
    """

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            # The import system binds every module that it loads to its name in the package.
            if not (name in homes and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = Package

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            home = import_module(f"{package}.{homes[name]}")
        except ModuleNotFoundError as error:
            if (extra := extra_of(error)) is None:
                raise
            raise MissingExtraError(f"{package}.{name}", extra) from None
        value = getattr(home, name)
        setattr(import_module(package), name, value)
        return value

    return attribute, lambda: sorted(homes)
