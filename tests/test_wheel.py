"""The wheel has all that the library reads, and works where there is no repository."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tres_book.code_hash import PACKAGES
from tres_book.study import workspace

ROOT = workspace.root()
KINDS = (".py", ".pyi", ".j2")
SOURCES = (*PACKAGES, "data", "results", "pyproject.toml", "setup.py", "README.md", "LICENSE")
CRAWL = """
import sys
from pkgutil import resolve_name

EXTRAS = "torch gensim seaborn matplotlib IPython pypdf distributed scrapy".split()

class WithoutExtras:
    def find_spec(self, name, *_):
        if name in EXTRAS:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, WithoutExtras())
import tres_live
import tres_webs as web
from tres_lib import focused
from tres_webs import files
print(files.__file__)
print(files.build_dir())
lab = web.VitalWeb(sites=200)
seeds = lab.seeds("food", 1, rng=0)
own = tres_live.own_classifier(web.Topic("soup", ("soup", "bread"), rules=("soup", "bread")))
options = {"budget": 5, "progress": False}
print(focused.crawl(lab, seeds, "food", policy="prospector", classifier=own, **options).stopped)
for name in ("tres_lib.topics.classifiers.training:trained", "tres_live.plugins.scrapy:AddOn"):
    try:
        resolve_name(name)
    except ImportError as error:
        print(error)
sys.meta_path.pop(0)
print(focused.crawl(lab, seeds, "food", policy="best-first", **options).stopped)
from tres_book import study
print(len(study.Claims.load().table("05-crawler-comparison")) > 5)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel made of a copy of the checkout, so that nothing is written there."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder / "dist", folder], check=True)
    return next((folder / "dist").glob("tres_lib-*.whl"))


@pytest.mark.slow
@pytest.mark.network
def test_the_wheel_has_modules_data_and_stored_classifiers(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*")]
    modules = {f"{path.relative_to(ROOT)}" for path in files if path.suffix in KINDS}
    folders = [ROOT / "data", ROOT / "results"]
    files = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    shipped = {f"tres_webs/{path.relative_to(ROOT)}" for path in files}
    assert {"tres_webs/data/topics.yaml", "tres_webs/data/claims.yaml"} <= shipped
    assert any("results/classifiers/food" in name for name in shipped)
    assert modules | shipped | {f"{name}/py.typed" for name in PACKAGES} <= packed
    assert {name.split("/")[0].split("-")[0] for name in packed} == set(PACKAGES)


@pytest.mark.slow
@pytest.mark.network
def test_a_crawl_runs_from_the_wheel(wheel, tmp_path):
    """In an empty folder and without extras; what it keeps goes to the user's cache."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TRES_")}
    environment |= {"PYTHONPATH": str(site), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", CRAWL]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    home, build, *told = done.stdout.splitlines()
    assert Path(home) == site / "tres_webs" / "files.py"
    assert Path(build).parent.name == "tres" and not build.startswith(str(ROOT))
    missing = [
        "torch is not installed: pip install 'tres_lib[bilstm]'",
        "scrapy is not installed: pip install 'tres_lib[scrapy]'",
    ]
    assert told == ["budget spent", *missing, "budget spent", "True"]
    trained = [path.parent.name for path in (tmp_path / "cache").rglob("classifier.json")]
    assert [name.split("-")[0] for name in trained] == ["own"]  # the book's is stored
