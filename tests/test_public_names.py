"""Tab shows every public name, where completion reads the names."""

import importlib
import os
import subprocess
import sys

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


@pytest.mark.slow
def test_types_stand_at_the_door(tmp_path):
    """The type checker knows each public name, and refuses one that is none."""
    ours = "[mypy-tres_webs.*,tres_lib.*,tres_live.*]\nfollow_imports = silent\n"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nfollow_imports = skip\n{ours}")
    imports = (
        "import tres_webs as web\nfrom tres_lib import topics\nfrom tres_live import LiveWeb\n"
    )
    (tmp_path / "use.py").write_text(f"{imports}web.Page\ntopics.Topic\nweb.NoSuchThing\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "use.py"]
    path = {"MYPYPATH": str(LIBRARY.parent)}
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | path, capture_output=True, text=True
    )
    assert done.stdout.count("use.py") == 1 and "NoSuchThing" in done.stdout, done.stdout
