"""Tab shows every public name: in a plain interpreter, and where completion reads the names."""

import importlib
import rlcompleter

import pytest

import tres_lib
from tres_lib.code_hash import LIBRARY

PACKAGES = sorted(folder.parent.name for folder in LIBRARY.glob("*/__init__.py"))


def test_the_library_shows_its_packages():
    assert (
        sorted(set(dir(tres_lib)) - {"__version__"})
        == PACKAGES
        == sorted(name for name in tres_lib.__all__ if name != "__version__")
    )
    for name in PACKAGES:
        assert getattr(tres_lib, name) is importlib.import_module(f"tres_lib.{name}")
    with pytest.raises(AttributeError, match="nothing"):
        _ = tres_lib.nothing


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_tab_shows_every_public_name(name):
    package = importlib.import_module(f"tres_lib.{name}")
    public = {found for found in package.__all__ if not found.startswith("_")}
    assert public == {found for found in dir(package) if not found.startswith("_")}
    for found in public:
        assert getattr(package, found) is not None
    completer = rlcompleter.Completer({name: package})
    shown = {found.split(".")[1].rstrip("()") for found in completer.attr_matches(f"{name}.")}
    assert public <= shown


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_jupyter_s_completion_shows_every_public_name(name):
    jedi = pytest.importorskip("jedi")
    package = importlib.import_module(f"tres_lib.{name}")
    shown = {c.name for c in jedi.Interpreter(f"{name}.", [{name: package}]).complete()}
    assert set(package.__all__) <= shown


def test_the_former_home_of_the_scrapy_adapter():
    pytest.importorskip("scrapy")
    from tres_lib.focused import scrapy_adapter
    from tres_lib.web.live.scrapy import with_scrapy

    assert scrapy_adapter.with_scrapy is with_scrapy
