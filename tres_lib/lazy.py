"""Public names whose modules load when they are used, so that importing a package is instant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``, which finds each name in the submodule that is its home.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : mapping of str to str
        Submodule by public name; a name that is its own home is the submodule itself.
    """

    def __getattr__(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name]}")
        value = module if homes[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)  # so that it is not looked for again
        return value

    return __getattr__
