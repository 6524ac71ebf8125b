"""docs/asked.md keeps its word: its commands and snippets run, one after another."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tres_live
import tres_webs as web
from tres_book.study import workspace
from tres_lib.focused import CrawlResult
from tres_live.command.app import main

pytestmark = [pytest.mark.network, pytest.mark.slow]
PAGE = (workspace.root() / "docs" / "asked.md").read_text(encoding="utf-8")
((SETTINGS,), SNIPPETS) = (
    re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for kind in ("toml", "python")
)
COMMANDS = re.findall(r"`(tres [^`]+)`", PAGE)
ENTRY = (
    r"^- \[([\w.-]+/[\w.-]+)#(\d+)\]\(https://github.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)\)"
)


def jazz_web() -> web.ReplayWeb:
    """Three sites of fourteen pages each, half of them on jazz; the start links to half."""
    start, often, links = "http://a.example/", "http://c.example/jazz-6", {}
    for site in "abc":
        for i in range(7):
            on, off = f"http://{site}.example/jazz-{i}", f"http://{site}.example/2015/tax-{i}"
            links |= {on: [f"{on[:-1]}{(i + 1) % 7}", off, often], off: [start]}
    links[start] = [url for url in links if "jazz" in url]
    return web.ReplayWeb.from_pages({url: html(url, found) for url, found in links.items()})


def html(url: str, links: list[str]) -> str:
    """A page on its subject, whose other words no other page has in that order."""
    letters = np.random.default_rng(list(url.encode())).choice(list("bdfglmnprt"), (40, 3))
    about = "Taxes" if "tax" in url else "Jazz, by trumpet, and ragtime, as jazz players play it"
    words = " ".join(f"{a}a{b}o{c}" for a, b, c in letters)
    anchors = " ".join(f'<a href="{link}">{link[17:]}</a>' for link in links)
    return f"<title>{about[:5]} {words[:11]}</title><p>{about}: {words}</p>{anchors}"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder in which all commands ran, and what each of them printed."""
    folder, outputs = tmp_path_factory.mktemp("asked"), {}
    (folder / "orders.py").write_text(SNIPPETS[0], encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, tres_live.serve(jazz_web()) as served:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        patch.setenv("TQDM_DISABLE", "1")
        clock = tres_live.VirtualClock(1_700_000_000)  # days pass at once
        patch.setattr("tres_live.watching.watch.WallClock", lambda: clock)
        here = f'proxy = "{served.proxies["http"]}"\ndelay = 0.001\n'
        (folder / "jazz.toml").write_text(SETTINGS + here, encoding="utf-8")
        for command in COMMANDS:
            result = CliRunner().invoke(main, shlex.split(command)[1:])
            assert result.exit_code == 0, (command, result.output)
            outputs[command] = result.output
    return folder, outputs


def log_of(ran, name: str) -> pd.DataFrame:
    return CrawlResult.from_parquet(ran[0] / name / "log.parquet").log


def test_the_page_has_25_threads_each_named_as_it_is_linked():
    entries = re.findall(ENTRY, PAGE, re.MULTILINE)
    assert len(entries) == PAGE.count("\n- [") == len(set(entries)) == 25
    assert all(entry[:2] == entry[2:] for entry in entries)


def test_what_the_commands_promise_about_order(ran):
    near, linked = log_of(ran, "near"), log_of(ran, "linked")
    assert near["depth"].max() <= 2 and near["depth"].is_monotonic_increasing
    assert linked["url"][3] == "http://c.example/jazz-6"  # by then three pages link to it
    assert len(log_of(ran, "twelve")) == 1 + 12


def test_what_the_commands_promise_about_bounds(ran):
    assert log_of(ran, "only")["url"].str.contains("jazz").iloc[1:].all()
    assert not log_of(ran, "without")["domain"].eq("b.example").any()
    assert not log_of(ran, "dated")["url"].str.contains("/2015/").any()
    few = log_of(ran, "few")
    assert few["domain"].value_counts().max() > 4  # after `tres extend`
    assert "at their limit (3 pages)" in ran[1]["tres status few"]


def test_what_the_commands_promise_about_pages(ran):
    log = pd.read_csv(ran[0] / "best/log.csv")
    assert log["p"].between(0, 1).all() and log["q"].notna().any()
    (judged,) = (told for command, told in ran[1].items() if command.startswith("tres judge"))
    assert judged.startswith("relevant") and "jazz" in judged
    assert log_of(ran, "best")["url"].is_unique and len(log_of(ran, "best")) == 1 + 12 + 6
    assert pd.read_csv(ran[0] / "watched/pages.csv")["url"].is_unique


def test_a_loop_of_ones_own_stops_after_five_misses():
    fields = {
        f"http://a.example/{i}": f"<p>field {i}<a href='/{i + 1}'>next</a>" for i in range(50)
    }
    site = web.ReplayWeb.from_pages(fields | {"http://a.example/": "<p>jazz<a href='/0'>a</a>"})
    names: dict = {"site": site}
    exec(compile(SNIPPETS[1], "docs/asked.md", "exec"), names)
    assert names["misses"] == 5 and len(names["order"].result().log) in (5, 6)
