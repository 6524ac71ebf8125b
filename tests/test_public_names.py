"""Tab shows every public name, where completion reads the names."""

import importlib

import pytest

import tres_lib
from tres_lib.store import LIBRARY

ROOMS = sorted(folder.parent.name for folder in LIBRARY.glob("*/__init__.py"))
BOOK = ["tres_book", *(f"tres_book.{name}" for name in ("study", "refresh", "world"))]
PACKAGES = ["tres_webs", *(f"tres_lib.{name}" for name in ROOMS), "tres_live", *BOOK]


def test_the_library_shows_its_packages():
    assert sorted(tres_lib.__all__) == ROOMS
    for name in ROOMS:
        assert getattr(tres_lib, name) is importlib.import_module(f"tres_lib.{name}")
    with pytest.raises(AttributeError, match="nothing"):
        _ = tres_lib.nothing


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_jupyter_s_completion_shows_every_public_name(name):
    jedi = pytest.importorskip("jedi")
    package = importlib.import_module(name)
    shown = {c.name for c in jedi.Interpreter("package.", [{"package": package}]).complete()}
    assert set(package.__all__) <= shown
    assert all(getattr(package, found) is not None for found in package.__all__)
