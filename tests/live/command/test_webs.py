"""`tres fetch-web` where nothing can be had."""

import sqlite3
from contextlib import closing
from functools import partial

from click.testing import CliRunner

from tres_live.command.app import main
from tres_webs.recorded.manifest import read_manifest


def test_fetch_web_ends_with_1_if_a_site_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # no apt-get
    run = partial(CliRunner().invoke, main)
    command = ["fetch-web", "real-topics", "--folder", str(tmp_path)]
    nothing = run(command)
    assert nothing.exit_code == 1 and "0 pages of 0 sites; 6 faults" in nothing.output
    assert "6 sites are missing" in nothing.output and "--mirror" in nothing.output
    too_many = run([*command, "--cut", "999999"])
    assert too_many.exit_code == 1 and "cut=999999" in too_many.output
    assert "faults" not in too_many.output
    with closing(sqlite3.connect(tmp_path / "real-topics.sqlite")) as base, base:
        there = [(site.package, site.sha256) for site in read_manifest("real-topics")]
        base.executemany("INSERT INTO site (package, sha256) VALUES (?, ?)", there)
    assert run(command).exit_code == 0
