"""Scrapy fetches in our order, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import crawl, seed_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from hosts import SETTINGS, orchard_of_html  # noqa: E402

pytestmark = [pytest.mark.network, pytest.mark.slow]
pytest.importorskip("scrapy")


@pytest.fixture
def run(tmp_path):
    """A function that lets Scrapy crawl, and returns the URLs that it asked for, and the end."""

    def run(
        pages: int = 1_000, in_flight: int = 1, folder: str = ".", code: int = 0
    ) -> tuple[list[str], str]:
        paths = [HERE, HERE.parents[1], HERE.parents[2]]
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
        env |= {"PYTHONPATH": os.pathsep.join(map(str, paths))}
        place = (tmp_path / folder).resolve()
        place.mkdir(exist_ok=True)
        command = [sys.executable, HERE / "hosts.py", place, str(pages), str(in_flight)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=120
        )
        assert done.returncode == code, done.stderr[-3_000:]
        asked, ended = json.loads(done.stdout.splitlines()[-1])
        return [url for url in asked if not url.endswith("/robots.txt")], ended

    return run


def test_one_by_one_it_takes_the_course_of_our_own_crawl(run):
    """Best-first is best-first: no better link waits while another is fetched."""
    asked, ended = run()
    web = orchard_of_html()
    own = crawl(web, seed_of(web, 1), SETTINGS["policy"], SETTINGS["budget"])
    assert asked == own.log["url"].tolist()
    assert ended == own.stopped == "budget spent"


def test_a_killed_crawl_goes_on_by_the_journal(run):
    """Links of pages that were read are still known; what was in flight may be asked for again."""
    before, ended = run(pages=-15, in_flight=4, code=-signal.SIGKILL)
    after, ended = run(in_flight=4)
    assert ended == "budget spent"
    again = set(before) & set(after)
    # In flight are four in the downloader, and as many at the spider.
    assert len(again) <= 8 and len(after) == len(set(after))
    assert len(set(before) | set(after)) >= SETTINGS["budget"]


def test_a_callback_that_raises_costs_its_page_alone(run):
    """Scrapy's middleware shows the page without links, and the crawl goes on."""
    asked, ended = run(folder="raising")
    assert ended in ("budget spent", "frontier empty")
    raised = [url for url in asked if "//site4." in url]
    assert raised and len(asked) > len(raised) + 10 and len(asked) == len(set(asked))
