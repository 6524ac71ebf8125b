"""Harvest and speed of other crawlers in their own order and in ours, and of `tres crawl`.

    OMP_NUM_THREADS=1 python benchmarks/plugins.py

Each crawls the same laboratory webs, served on this machine, from the same seed and for the same
number of requests, robots.txt not counted. Our order knows the topic's keywords alone. Crawlers
that are not installed are left out. Webs 301 and on served no development.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from itertools import cycle
from urllib.parse import urlsplit

import pandas as pd
import psutil

import tres_live
from tres_lib import web
from tres_lib.intervals import mean_interval

TOPICS = ("sports", "food", "computing")
FIRST_WEB = 301
SECONDS = 300  # after which a crawl is given up
OURS = ("best-first", "prospector")
ARMS = [  # crawler, order, pages in flight; an own order stands first
    ("scrapy", "own (depth-first)", 8),
    ("scrapy", "breadth-first", 8),
    ("scrapy", "keywords in anchors", 8),
    ("scrapy", "best-first", 8),
    ("scrapy", "prospector", 8),
    ("scrapy", "own (depth-first)", 1),
    ("crawl4ai", "own (breadth-first)", 8),
    ("crawl4ai", "prospector", 8),
    ("crawlee", "own (breadth-first)", 8),
    ("crawlee", "prospector", 8),
    ("tres", "prospector", 8),
    ("tres", "prospector", 1),
]


class Noted(web.Wrapper):
    """A web that notes the pages asked of it, with the time and a client's CPU seconds."""

    def watch(self, client: psutil.Process) -> None:
        self.client, self.asked = client, []

    def fetch(self, url: str) -> web.Page:
        if urlsplit(url).path != "/robots.txt":
            cpu = self.client.cpu_times()
            self.asked.append((url, time.perf_counter(), cpu.user + cpu.system))
        return super().fetch(url)

    def html(self, url: str) -> bytes | None:
        return self.web.html(url)


def measure(noted: Noted, proxy: str, arm: tuple, start: str, topic: str, fetches: int) -> dict:
    """Let a crawler run in a process of its own until it has made so many requests."""
    name, order, in_flight = arm
    facts = {"start": start, "topic": topic, "order": order, "in_flight": in_flight}
    command = [sys.executable, __file__, "--client", name, json.dumps(facts | {"budget": fetches})]
    env = os.environ | {"http_proxy": proxy, "CRAWL4AI_NO_CLOUD_NOTICE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        env |= {"CRAWL4_AI_BASE_DIRECTORY": folder, "CRAWLEE_STORAGE_DIR": folder}
        client = psutil.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL)
        noted.watch(client)
        end = time.perf_counter() + SECONDS
        while client.poll() is None and len(noted.asked) < fetches and time.perf_counter() < end:
            time.sleep(0.02)
        with suppress(psutil.NoSuchProcess):
            client.kill()
        client.wait()
    asked = noted.asked[:fetches]
    steady = asked[len(asked) // 4 :]  # start and compilation are over
    (_, began, cpu), (_, ended, spent) = steady[0], steady[-1]
    relevant = sum(bool(noted.is_relevant(url, topic)) for url, _, _ in asked)
    return {
        "crawler": name,
        "order": order,
        "in flight": in_flight,
        "requests": len(asked),
        "harvest": 100 * relevant / fetches,
        "pages/s": (len(steady) - 1) / (ended - began),
        "ms": 1e3 * (spent - cpu) / (len(steady) - 1),
    }


def by_scrapy(start: str, topic: str, order: str, in_flight: int, budget: int) -> None:
    from scrapy import Spider
    from scrapy.crawler import CrawlerProcess

    words = keywords(topic)

    class Pages(Spider):
        name = "pages"
        start_urls = [start]

        def parse(self, response):
            for link in response.css("a[href]"):
                text = "".join(link.css("::text").getall()).lower()
                said = order == "keywords in anchors" and sum(word in text for word in words)
                yield response.follow(link, priority=int(said))

    settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": in_flight,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    if in_flight == 1:
        settings["SCRAPER_SLOT_MAX_ACTIVE_SIZE"] = 1
    if order == "breadth-first":
        settings["DEPTH_PRIORITY"] = 1
        settings["SCHEDULER_MEMORY_QUEUE"] = "scrapy.squeues.FifoMemoryQueue"
    if order in OURS:
        settings["ADDONS"] = {"tres_live.plugins.scrapy.AddOn": 0}
        settings["TRES"] = {"topic": words, "policy": order, "budget": budget}
    process = CrawlerProcess(settings)
    process.crawl(Pages)
    process.start()


def by_crawl4ai(start: str, topic: str, order: str, in_flight: int, budget: int) -> None:
    from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, ProxyConfig
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
    from crawl4ai.async_dispatcher import RateLimiter
    from crawl4ai.deep_crawling import BFSDeepCrawlStrategy
    from crawl4ai.models import DomainState

    from tres_live.plugins.crawl4ai import OrderedStrategy

    async def no_wait(limiter, url):  # its least is a second a page
        limiter.domains.setdefault(limiter.get_domain(url), DomainState())

    async def run():
        if order in OURS:
            ours = tres_live.Order(keywords(topic), policy=order, budget=budget)
            strategy = OrderedStrategy(ours, in_flight, include_external=True)
        else:
            strategy = BFSDeepCrawlStrategy(max_depth=99, include_external=True, max_pages=budget)
        config = CrawlerRunConfig(
            deep_crawl_strategy=strategy,
            cache_mode=CacheMode.BYPASS,
            proxy_config=ProxyConfig(server=os.environ["http_proxy"]),
            stream=True,
            verbose=False,
        )
        async with AsyncWebCrawler(AsyncHTTPCrawlerStrategy()) as crawler:
            async for _ in await crawler.arun(start, config=config):
                pass

    RateLimiter.wait_if_needed = no_wait
    asyncio.run(run())


def by_crawlee(start: str, topic: str, order: str, in_flight: int, budget: int) -> None:
    from crawlee import ConcurrencySettings
    from crawlee.crawlers import ParselCrawler
    from crawlee.proxy_configuration import ProxyConfiguration
    from crawlee.storage_clients import MemoryStorageClient

    from tres_live.plugins.crawlee import OrderedRequests

    async def run():
        requests = None
        if order in OURS:
            ours = tres_live.Order(keywords(topic), policy=order, budget=budget)
            requests = OrderedRequests(ours)
        crawler = ParselCrawler(
            request_manager=requests,
            storage_client=MemoryStorageClient(),
            proxy_configuration=ProxyConfiguration(proxy_urls=[os.environ["http_proxy"]]),
            concurrency_settings=ConcurrencySettings(
                min_concurrency=in_flight, max_concurrency=in_flight, desired_concurrency=in_flight
            ),
            configure_logging=False,
        )
        if requests:
            crawler.post_navigation_hook(requests.see)

        @crawler.router.default_handler
        async def follow(context):
            await context.enqueue_links(strategy="all")

        await crawler.run([start])

    asyncio.run(run())


def by_tres(start: str, topic: str, order: str, in_flight: int, budget: int) -> None:
    from tres_live.command.app import main

    given = {"topic": "own", "keywords": ",".join(keywords(topic)), "seeds": start}
    given |= {"contact": "benchmark@example.org", "proxy": os.environ["http_proxy"], "delay": 0}
    given |= {"policy": order, "in-flight": in_flight, "budget": budget}
    arguments = [text for name, value in given.items() for text in (f"--{name}", str(value))]
    main(["crawl", *arguments, "--no-probe"])


def keywords(topic: str) -> list[str]:
    """The book's words for a topic; that it has rules and articles stays unknown."""
    return list(web.load_topics()[topic].keywords)


def interval(values: Iterable[float], digits: int = 0) -> str:
    """The mean and its 95 % interval, by Student's t: of few webs it may leave 0 to 100."""
    mean, low, high = mean_interval(values)
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def table(rows: pd.DataFrame) -> str:
    """A line an arm: means over webs, and the gain over the crawler's own order, web by web."""
    lines = ["| Crawler | Order | In flight | n | Harvest, % | Gain | CPU ms a page | Pages a s |"]
    lines.append("|---|---|---:|---:|---|---|---|---|")
    own = rows[rows["order"].str.startswith("own") & (rows["in flight"] == 8)]
    own = own.set_index(["crawler", "web"])["harvest"]
    for (name, order, in_flight), arm in rows.groupby(
        ["crawler", "order", "in flight"], sort=False
    ):
        gain = ""
        if name in own and not order.startswith("own"):
            gain = interval(arm.set_index("web")["harvest"] - own[name])
        cells = [name, order, in_flight, len(arm), interval(arm["harvest"]), gain]
        cells += [interval(arm["ms"], 1), interval(arm["pages/s"])]
        lines.append("| {} |".format(" | ".join(map(str, cells))))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--webs", type=int, default=5)
    parser.add_argument("--fetches", type=int, default=300)
    parser.add_argument("--only", nargs="+", default=["scrapy", "crawl4ai", "crawlee", "tres"])
    parser.add_argument("--client", nargs=2, help=argparse.SUPPRESS)  # a crawler, and its facts
    options = parser.parse_args()
    if options.client:
        name, facts = options.client
        crawl = {"scrapy": by_scrapy, "crawl4ai": by_crawl4ai, "crawlee": by_crawlee}
        (crawl | {"tres": by_tres})[name](**json.loads(facts))
        return
    there = {name for name in options.only if name == "tres" or find_spec(name)}
    arms = [arm for arm in ARMS if arm[0] in there]
    rows = []
    for number, topic in zip(range(options.webs), cycle(TOPICS), strict=False):
        vital = web.VitalWeb(FIRST_WEB + number)
        noted, start = Noted(vital), vital.seeds(topic, 1, rng=0)[0]
        with tres_live.serve(noted) as server:
            for arm in arms:
                row = measure(noted, server.proxies["http"], arm, start, topic, options.fetches)
                rows.append({"web": number, "topic": topic} | row)
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(table(pd.DataFrame(rows)))


if __name__ == "__main__":
    main()
