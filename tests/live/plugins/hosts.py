"""Crawl an orchard by Scrapy with our order: python hosts.py FOLDER PAGES IN_FLIGHT.

What it says last is JSON: the URLs asked of the server, and why the order ended. A run stops after
so many pages; with the same folder the next one goes on. With PAGES below 0 it is killed after so
many, as by kill -9. In the folder "raising" Scrapy's callbacks fail on every page of site 4.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from fakes import TOPIC, CountingClassifier, DictWeb, orchard, seed_of

import tres_live
from tres_webs import Page

APPLES = CountingClassifier()
SETTINGS = {"topic": TOPIC, "policy": "best-first", "budget": 40}


def html(page):
    links = "".join(f'<li><a href="{link.url}">{link.anchor}</a>' for link in page.links)
    return f"<html><body><p>{page.text} on the hill</p><ul>{links}</ul></body></html>".encode()


def orchard_of_html() -> DictWeb:
    """The orchard as documents, whose links a crawler must find."""
    web = orchard()
    web.pages = {url: replace(page, html=html(page)) for url, page in web.pages.items()}
    return web


def by_scrapy(seeds: list[str], folder: Path, pages: int, in_flight: int, proxy: str) -> str:
    from scrapy import Spider
    from scrapy.crawler import CrawlerProcess

    class Apples(Spider):
        name = "apples"
        start_urls = seeds

        def parse(self, response):
            if folder.name == "raising" and "//site4." in response.url:
                raise ValueError("a callback of the spider failed")
            yield {"url": response.url}
            for link in response.css("a"):
                yield response.follow(link, callback=self.parse_more)

        async def parse_more(self, response):
            for one in self.parse(response):
                yield one

    os.environ["http_proxy"] = proxy
    process = CrawlerProcess(
        {
            "ADDONS": {"tres_live.plugins.scrapy.AddOn": 0},
            "TRES": SETTINGS | {"classifier": "hosts.APPLES"},
            "JOBDIR": str(folder),
            "CLOSESPIDER_PAGECOUNT": pages,
            "CONCURRENT_REQUESTS": in_flight,
            "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1 if in_flight == 1 else 5_000_000,
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
        }
    )
    crawler = process.create_crawler(Apples)
    process.crawl(crawler)
    process.start()
    return crawler.stats.get_value("tres/stopped")


def die_after(web: DictWeb, pages: int, fetch: Callable[[str], Page], url: str) -> Page:
    """Answer, or once so many were asked for say which, and be killed."""
    if len(web.fetched) >= pages:
        print(json.dumps([web.fetched, "killed"]), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return fetch(url)


def main(folder: str, pages: str, in_flight: str) -> None:
    web, limit = orchard_of_html(), int(pages)
    if limit < 0:
        web.fetch = partial(die_after, web, -limit, web.fetch)
        limit = 1_000
    with tres_live.serve(web) as server:
        proxy = server.proxies["http"]
        ended = by_scrapy(seed_of(web, 1), Path(folder), limit, int(in_flight), proxy)
    print(json.dumps([web.fetched, ended]))


if __name__ == "__main__":
    main(*sys.argv[1:])
