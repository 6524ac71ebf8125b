"""docs/extend.md keeps its word: by its recipes crawl4ai and crawlee fetch in our order."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from fakes import crawl, seed_of

sys.path.insert(0, str(Path(__file__).parent))
from hosts import APPLES, SETTINGS, orchard_of_html  # noqa: E402

import tres_live  # noqa: E402
from tres_book.study import workspace  # noqa: E402

PAGE = (workspace.root() / "docs" / "extend.md").read_text(encoding="utf-8")
SKETCHES = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
RECIPES = {
    name: code for name in ("crawl4ai", "crawlee") for code in SKETCHES if f"from {name}" in code
}


def options_of(name: str, proxy: str) -> dict:
    """What a crawler needs here to fetch through the server, without a wait or a browser."""
    if name == "crawlee":
        from crawlee.proxy_configuration import ProxyConfiguration

        proxies = ProxyConfiguration(proxy_urls=[proxy])
        return {"proxy_configuration": proxies, "max_request_retries": 0}
    from crawl4ai import CacheMode, ProxyConfig
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

    config = {"cache_mode": CacheMode.BYPASS, "proxy_config": ProxyConfig(server=proxy)}
    return config | {"strategy": AsyncHTTPCrawlerStrategy(), "verbose": False}


async def no_wait(limiter, url):
    from crawl4ai.models import DomainState

    limiter.domains.setdefault(limiter.get_domain(url), DomainState())


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("name", ["crawl4ai", "crawlee"])
def test_a_recipe_takes_the_course_of_our_own_crawl_and_goes_on(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CRAWL4AI_NO_CLOUD_NOTICE", "1")
    monkeypatch.chdir(tmp_path)
    pytest.importorskip(name)
    if name == "crawl4ai":
        monkeypatch.setattr("crawl4ai.async_dispatcher.RateLimiter.wait_if_needed", no_wait)
    names: dict = {}
    exec(RECIPES[name].partition("\nasyncio.run(")[0], names)
    web = orchard_of_html()
    (seed,) = seed_of(web, 1)
    own = crawl(web, [seed], SETTINGS["policy"], SETTINGS["budget"])
    for at_once in (1, 4):
        web.fetched.clear()
        journal = tmp_path / f"{at_once}.jsonl"
        with tres_live.serve(web) as server:
            for _ in range(2):  # the second has nothing left to fetch
                order = tres_live.Order(**SETTINGS, classifier=APPLES, journal=journal)
                options = options_of(name, server.proxies["http"])
                asyncio.run(names["collect"](order, seed, at_once, **options))
                order.close()
                assert str(order.ending) == "budget spent"
        asked = [url for url in web.fetched if not url.endswith("/robots.txt")]
        assert len(asked) == len(set(asked)) == 1 + SETTINGS["budget"]
        assert at_once > 1 or asked == own.log["url"].tolist()
