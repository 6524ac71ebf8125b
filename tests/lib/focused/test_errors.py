"""Errors that cost a step, and errors that are none, by logs worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fakes import DictWeb, crawl, page, web_of

from tres_book.crawls.comparison import at_the_end
from tres_book.crawls.variants import policy_of
from tres_lib.focused import Policy, Stop
from tres_webs import Failure, FetchError

A, B, C, D, E, F = (f"http://{name}.example/" for name in "abcdef")
SAYS_404 = page(B, F, text="Sorry. Error 404 NOT found: apple")


def orchard_with_errors() -> DictWeb:
    """A leads to an error page, a missing page, an apple and a stone, in this order."""
    return web_of(page(A, B, C, D, E, text="apple"), SAYS_404, page(D, text="apple"), page(E))


class Hears(Policy):
    """Takes the oldest link, and notes what it is asked and told."""

    def __init__(self, context):
        self.context = context
        self.asked, self.heard = [], []

    def choose(self, step):
        self.asked.append(step)
        return self.context.frontier.live()[0]

    def learn(self, transition):
        self.heard.append(transition.id)


@pytest.mark.parametrize(
    ("errors", "steps", "heard", "rate"),
    [("count", [0, 1, 2], [0, 1, 2], 0.5), ("skip", [0, 1, 1, 1, 2], [0, 3, 4], 0.5)],
)
def test_a_crawl_by_hand(errors, steps, heard, rate):
    result = crawl(orchard_with_errors(), [A], Hears, budget=2, errors=errors)
    log = result.log
    assert log["step"].tolist() == steps and log["url"].tolist() == [A, B, C, D, E][: len(steps)]
    assert log["error"].tolist() == [url in (B, C) for url in log["url"]]
    assert result.policy.heard == heard and result.policy.asked == steps[1:]
    assert result.harvest_rate == rate and result.stopped == "budget spent"
    assert result.summary()["fetched"] == len(steps) - 1


def test_a_skipped_error_page_is_logged_without_what_it_says():
    log = crawl(orchard_with_errors(), [A], budget=9, errors="skip").log.set_index("url")
    assert F not in log.index
    assert log.loc[[B, C], "failure"].tolist() == [Failure.ERROR_PAGE, Failure.OTHER]
    assert log.loc[[B, C], "reason"].tolist() == ["error page", "not found"]
    assert log.loc[[B, C], "reward"].tolist() == [0, 0] and log.loc[[B, C], "p"].isna().all()


@pytest.mark.parametrize(
    ("errors", "budget", "expected"),
    [
        ("count", 4, {"count": [4, 0.5, 0.25], "skip": [2, 0.5, 0.5]}),
        ("skip", 2, {"count": [4, 0.25, 0.25], "skip": [2, 0.5, 0.5]}),
    ],
)
def test_both_books_of_a_crawl(errors, budget, expected):
    """In strict books B, which names an apple after its "404 not found", has reward 1."""
    web = orchard_with_errors()
    web.truth = {A, D}
    result = crawl(web, [A], budget=budget, errors=errors)
    named = result.log.assign(topic="apples", policy="bfs", limit="none", web_seed=0, stopped="")
    for book, (pages, rate, true_rate) in expected.items():
        (end,) = at_the_end(named, errors=book).to_dict("records")
        row = end["pages"], end["by the classifier"], end["by the truth"]
        assert row == (pages, 100 * rate, 100 * true_rate)


@pytest.mark.parametrize(
    ("budget", "stop", "fetches"), [(3, Stop.ERRORS, 4), (6, Stop.EMPTY, 6), (5, Stop.ERRORS, 6)]
)
def test_a_web_of_errors_has_an_end(budget, stop, fetches):
    web = web_of(page(A, *(f"http://gone.example/{i}" for i in range(6))))
    result = crawl(web, [A], budget=budget, errors="skip")
    assert (result.ending.stop, len(result.log) - 1) == (stop, fetches)
    assert np.isnan(result.harvest_rate)


def test_an_error_is_learnt_by_no_domain_but_counts_for_its_limit():
    gone, here = "http://b.example/gone", "http://b.example/here"
    web = web_of(page(A, gone, here), page(here))
    result = crawl(web, [A], budget=9, errors="skip", max_per_domain=1)
    assert result.log["url"].tolist() == [A, gone] and result.ending.stop is Stop.AT_LIMIT
    free = crawl(web, [A], budget=9, errors="skip")
    assert free.frontier.features(np.array([1]))[0, 6:].tolist() == [0, 1]  # one page, not two


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (FetchError(B, "timeout"), True),
        (FetchError(B, "robots.txt", failure=Failure.ROBOTS), True),
        (FetchError(B, "copy of another page", failure=Failure.COPY), False),
        (page(B, text="x" * 87 + "Access denied"), True),
        (page(B, text="x" * 88 + "Access denied"), False),
        (page(A, text="apple"), False),  # a redirect to a page that was fetched
    ],
)
def test_what_an_error_is(outcome, error):
    class Answers(DictWeb):
        def fetch(self, url):
            if url == B and isinstance(outcome, Exception):
                raise outcome
            return outcome if url == B else super().fetch(url)

    web = Answers({A: page(A, B)})
    assert crawl(web, [A], budget=1).log["error"].tolist() == [False, error]


def test_tres_trains_once_a_step_whatever_the_errors():
    links = [f"http://site{i}.example/" for i in range(18)]
    web = web_of(page(A, *links), *map(page, links[6:]))
    policy = policy_of("tres-each-step")
    result = crawl(web, [A], policy, budget=9, errors="skip")
    assert result.log["error"].sum() > 0 and result.log["step"].max() == 9
    assert result.policy.agent.trained == 9
    assert result.policy.agent.settings.batch == 128


def test_a_checkpoint_serves_both_ways_to_count(tmp_path):
    first = crawl(orchard_with_errors(), [A], budget=2, errors="skip", checkpoint=tmp_path / "j")
    again = crawl(web_of(), [A], budget=2, errors="skip", checkpoint=tmp_path / "j")
    pd.testing.assert_frame_equal(again.log, first.log)
    costly = crawl(web_of(), [A], budget=2, errors="count", checkpoint=tmp_path / "j").log
    assert costly["url"].equals(first.log["url"][:3]) and costly["step"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="^errors='ignore'"):
        crawl(web_of(), [A], errors="ignore")
