"""`tres fetch-web` where nothing can be had, and the laboratory that `tres serve` serves."""

import sqlite3
from contextlib import closing
from functools import partial

import pytest
import requests
from click.testing import CliRunner
from lxml import html

import tres_live
from tres_lib import web
from tres_lib.web import load_topics
from tres_lib.web.recorded.manifest import read_manifest
from tres_live.command.app import main
from tres_live.command.webs import Browsable


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


@pytest.mark.network
def test_a_browser_sees_the_laboratory_from_an_index_of_topics():
    lab = Browsable(web.VitalWeb(0, 2_000))
    with tres_live.serve(lab) as served:
        here = f"http://127.0.0.1:{served.port}"
        index = html.fromstring(requests.get(f"{here}/").content)
        (first, *_) = index.xpath("//h2[.='food']/following-sibling::ul[1]//a")
        shown = requests.get(here + first.get("href"))
        page = html.fromstring(shown.content)
        asked = lab.seeds("food", 5, rng=0)[0]
        through = html.fromstring(requests.get(asked, proxies=served.proxies).content)
        gone = requests.get(f"{here}/?url=http://nowhere.example/")
    assert shown.ok and page.findtext(".//title") == through.findtext(".//title")
    links = page.xpath("//a/@href")
    assert links and all(link.startswith("/?url=http") for link in links)
    assert index.xpath("//h2/text()") == list(load_topics()) and gone.status_code == 404
