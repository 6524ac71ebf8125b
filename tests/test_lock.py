"""The lock, pyproject.toml, environment.yml and the scripts agree with one another."""

import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tres_book.study import workspace

ROOT = workspace.root()
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LINES = LOCK.replace(" \\\n", "").splitlines()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
TARGETS = "setup reproduce smoke test quick lint lab report docs verify fuzz bench lock clean"
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
WANTED = [*PROJECT["dependencies"], *(name for group in EXTRAS.values() for name in group)]


def locked() -> dict[str, str]:
    pins = (line.split()[0].split("==") for line in LINES)
    return {canonicalize_name(name): version for name, version in pins}


def test_every_line_pins_one_version_by_hashes_and_names_no_place():
    for line in LINES:
        pin = r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+( +--hash=sha256:[0-9a-f]{64})+"
        assert re.fullmatch(pin, line), line
    assert len(locked()) == len(LINES)


@pytest.mark.parametrize("text", [text for text in WANTED if text != "torch==2.13.0"])
def test_the_lock_satisfies_every_dependency(text):
    wanted = Requirement(text)
    version = locked()[canonicalize_name(wanted.name)]
    assert wanted.specifier.contains(version)


def test_the_tool_needs_no_extra():
    names = {Requirement(text).name for text in PROJECT["dependencies"]}
    assert len(names) <= 25
    assert not names & {"torch", "gensim", "jupyterlab", "matplotlib", "dask"}


def test_conda_brings_python_make_and_pip():
    python, *tools, _ = CONDA["dependencies"]
    assert CONDA["name"] == "tres" and tools == ["make", "pip"]
    assert PROJECT["requires-python"] == f">={python.split('=')[1]}"


def test_conda_s_pip_takes_the_locked_versions_and_the_book_with_all_extras():
    *pins, book = CONDA["dependencies"][-1]["pip"]
    card = "gensim jupyterlab lxml pandas papermill requests seaborn"
    locked_pins = [f"{name}=={locked()[name]}" for name in card.split()]
    (torch,) = (text for text in EXTRAS["bilstm"] if text.startswith("torch=="))
    assert pins == [*locked_pins, torch]
    assert book == f"-e .[{','.join(sorted(EXTRAS))}]"


def test_binder_and_containers_take_the_same_lock():
    steps = (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
    assert "--require-hashes -r requirements.lock" in steps
    extras = re.search(r"\.\[([\w,]+)\]", steps)[1].split(",")
    assert {"bilstm", "book"} <= set(extras) <= set(EXTRAS)
    version = CONDA["dependencies"][0].split("=")[1]
    assert (ROOT / "binder" / "runtime.txt").read_text() == f"python-{version}\n"
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f"FROM python:{version}-slim" in image and "RUN make setup" in image


def test_actions_are_pinned_by_commit():
    text = (ROOT / ".github" / "workflows" / "reports.yml").read_text(encoding="utf-8")
    for used in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", used)


def run_make(*arguments: str, folder=ROOT, **conda: str) -> subprocess.CompletedProcess:
    """Run make where conda has set these variables, and no others."""
    others = {name: text for name, text in os.environ.items() if not name.startswith("CONDA_")}
    # Under `make test` the inner make would announce its folder.
    command = ["make", "--no-print-directory", *arguments]
    options = {"cwd": folder, "env": others | conda, "capture_output": True, "text": True}
    return subprocess.run(command, **options)


def make(*arguments: str, **conda: str) -> str:
    done = run_make("-n", *arguments, **conda)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["reproduce", "test", "lint", "lab"])
def test_conda_s_active_environment_is_used(target):
    commands = make(target, "-B", CONDA_DEFAULT_ENV="tres", CONDA_PREFIX="/conda/envs/tres")
    assert "/conda/envs/tres/bin/python -m " in commands and ".venv" not in commands
    assert "touch /conda/envs/tres/.installed" in commands


@pytest.mark.parametrize("name", ["", "base", "other"])
def test_another_environment_of_conda_is_not(name):
    commands = make("test", "-B", CONDA_DEFAULT_ENV=name, CONDA_PREFIX="/conda")
    assert "/conda" not in commands and ".venv/bin/python -m pytest" in commands


def test_without_its_folder_conda_s_environment_is_refused():
    done = run_make("setup", "-n", CONDA_DEFAULT_ENV="tres", CONDA_PREFIX="")
    assert done.returncode and "CONDA_PREFIX is empty" in done.stderr


def fake_python(file, script):
    """Write a Python that runs code, and does nothing else but a line of the shell."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'#!/bin/sh\ntest "$1" = -c && exit; {script}; exit 1\n')
    file.chmod(0o755)


@pytest.fixture
def clone(tmp_path):
    """Make a folder whose Python begins an environment and fails."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    fake_python(tmp_path / "python", "mkdir -p .venv; touch .venv/half")
    return tmp_path


@pytest.mark.parametrize("conda", [{}, {"CONDA_DEFAULT_ENV": "tres"}], ids=["venv", "conda"])
def test_an_environment_of_others_is_neither_removed_nor_cleared(clone, conda):
    own = clone / ("env" if conda else ".venv")
    fake_python(own / "bin" / "python", "true")  # it has no pip
    extra = conda and conda | {"CONDA_PREFIX": str(own)}
    done = run_make("setup", f"PYTHON={clone / 'python'}", folder=clone, **extra)
    assert done.returncode and f"{own.name} has no working pip" in done.stdout
    assert [path.name for path in own.rglob("*")] == ["bin", "python"]


def test_an_environment_that_could_not_be_made_is_removed(clone):
    done = run_make("setup", f"PYTHON={clone / 'python'}", folder=clone)
    assert done.returncode and "apt-get install python3-venv" in done.stdout
    assert not (clone / ".venv").exists()


def test_help_is_the_default_target_and_lists_all():
    done = run_make()
    for target in TARGETS.split():
        assert re.search(rf"^  make {target} +\S", done.stdout, re.MULTILINE), target


@pytest.mark.parametrize("target", ["test", "quick", "reproduce"])
def test_a_fresh_clone_sets_itself_up(target):
    commands = make(target, "VENV=build/no-such-environment")
    order = [commands.index(text) for text in ("-m venv", "--upgrade pip", "-r requirements.lock")]
    assert order == sorted(order)
    assert commands.rstrip(" \\\n").endswith(
        ("-m pytest -n logical --dist loadfile", '"not slow and not network"', "--scale default")
    )


@pytest.mark.parametrize("file", sorted(ROOT.glob("params/*.yaml")), ids=lambda file: file.stem)
def test_the_blocks_of_a_scale_are_notebooks_in_order(file):
    assert file.stem in workspace.SCALES
    blocks = list(yaml.safe_load(file.read_text(encoding="utf-8")))
    assert blocks == sorted(blocks)
    assert set(blocks) <= {path.stem for path in ROOT.glob("notebooks/*.ipynb")}
