"""Public names whose modules load when a name is used, so that importing a package is instant."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, str], *loaded: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's ``__getattr__``, ``__dir__`` and ``__all__``.

    `homes` has public names, with spaces between, by the submodule that defines them, such as
    ".page"; a submodule without names is itself public. `loaded` are names imported already.
    """
    home_of = {
        name: home for home, names in homes.items() for name in names.split() or [home.lstrip(".")]
    }
    public = sorted([*home_of, *loaded])

    def __getattr__(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home_of[name], package)
        value = getattr(module, name) if homes[home_of[name]] else module
        setattr(sys.modules[package], name, value)  # so that it is looked up once
        return value

    return __getattr__, lambda: public, public
