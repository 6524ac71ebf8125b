"""LiveWeb against a server on this machine: pages a second.

    OMP_NUM_THREADS=1 python benchmarks/live_web.py

The same pages of the laboratory web are served by `tres_live.serve` from another process, and
read and parsed by LiveWeb and, if it is installed, by Scrapy, one by one and with eight in flight,
under the same rules: robots.txt obeyed, no delay, one request a host at a time, the page parsed by
`parse_page`. A plain `requests` session keeps none of them.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec

import requests

import tres_live
import tres_webs as web
from tres_live.web.politeness import host_of

IN_FLIGHT = 8
WHO = ("tres-benchmark/1.0", "benchmark@example.org")


def sample(n_hosts: int, per_host: int) -> dict[str, bytes]:
    """HTML of up to `per_host` pages of each of `n_hosts` hosts of the laboratory web, by URL."""
    vital, pages = web.VitalWeb(0, 2_000), {}
    room: dict[str, int] = {}
    waiting = deque(vital.seeds("sports", 1, 0))
    met = set(waiting)
    while waiting and len(pages) < n_hosts * per_host:
        url = waiting.popleft()
        host = host_of(url)
        if room.get(host, n_hosts - len(room)) < 1:
            continue
        try:
            page = vital.fetch(url)
        except web.FetchError:
            continue
        if page.url == url:
            room[host] = room.get(host, per_host) - 1
            pages[url] = vital.html(url)
        new = [link.url for link in page.links if link.url not in met]
        waiting += new
        met.update(new)
    return pages


def serve(pages: dict[str, bytes], port, done) -> None:
    """Serve the pages from a process of their own until told to stop."""
    with tres_live.serve(web.ReplayWeb.from_pages(pages)) as server:
        port.put(server.port)
        done.wait()


def speed(name: str, n_pages: int, run: Callable[[], int]) -> None:
    """Print pages a second of wall time, and CPU time a page, of a run that counts its pages."""
    wall, cpu = time.perf_counter(), time.process_time()
    got = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"{name:<28}{got / wall:8.0f} pages/s{1e3 * cpu / got:8.2f} ms CPU/page  ({got}/{n_pages})"
    )


def bare(urls: list[str], proxies: dict[str, str]) -> int:
    """requests and parse_page alone."""
    with requests.Session() as session:
        session.trust_env = False
        for url in urls:
            web.parse_page(url, session.get(url, proxies=proxies, timeout=10).content)
    return len(urls)


def live(proxies: dict[str, str], **settings) -> tres_live.LiveWeb:
    """A crawler of the served pages."""
    return tres_live.LiveWeb(*WHO, proxies=proxies, **({"delay": 0} | settings))


def in_turn(urls: list[str], proxies: dict[str, str]) -> int:
    """LiveWeb.fetch."""
    crawler = live(proxies)
    return sum(crawler.fetch(url).status == 200 for url in urls)


def at_once(urls: list[str], proxies: dict[str, str]) -> int:
    """LiveWeb.fetch in several threads."""
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        return sum(page.status == 200 for page in pool.map(live(proxies).fetch, urls))


def scrapy_apart(name: str, urls: list[str], proxies: dict[str, str], in_flight: int) -> None:
    """Time Scrapy, in a process of its own: it runs once in each."""
    import scrapy.crawler  # noqa: F401

    speed(name, len(urls), partial(scrapy_pages, urls, proxies, in_flight))


def scrapy_pages(urls: list[str], proxies: dict[str, str], in_flight: int) -> int:
    """Scrapy under the same rules."""
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess

    got = []

    class Pages(Spider):
        name = "pages"

        async def start(self):
            for url in urls:
                yield Request(url, meta={"proxy": proxies["http"]})

        def parse(self, response):
            got.append(web.parse_page(response.url, response.body).url)

    process = CrawlerProcess(
        {
            "USER_AGENT": "{} (+{})".format(*WHO),
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": in_flight,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "DOWNLOAD_DELAY": 0,
            "COOKIES_ENABLED": False,
            "LOG_ENABLED": False,
            "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 5_000_000 if in_flight > 1 else 1,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Pages)
    process.start()
    return len(got)


def main() -> None:
    """Time all readers of the same pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=30, help="of each host")
    options = parser.parse_args()
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    pages = sample(options.hosts, options.pages)
    spawn = multiprocessing.get_context("spawn")
    port, done = spawn.Queue(), spawn.Event()
    server = spawn.Process(target=serve, args=(pages, port, done))
    server.start()
    address = f"http://127.0.0.1:{port.get()}"
    proxies, urls = {"http": address, "https": address}, list(pages)
    size = sum(map(len, pages.values())) / len(pages) / 1e3
    print(f"{len(urls)} pages of {len({host_of(url) for url in urls})} hosts, {size:.1f} kB each")
    readers = {"requests, no rules": bare, "LiveWeb.fetch": in_turn}
    readers[f"LiveWeb.fetch, {IN_FLIGHT} threads"] = at_once
    bare(urls[:50], proxies)  # warm-up
    for name, reader in readers.items():
        speed(name, len(urls), lambda reader=reader: reader(urls, proxies))
    for in_flight in (1, IN_FLIGHT) if find_spec("scrapy") else ():
        given = f"Scrapy, {in_flight} in flight", urls, proxies, in_flight
        apart = spawn.Process(target=scrapy_apart, args=given)
        apart.start()
        apart.join()
    done.set()
    server.join()


if __name__ == "__main__":
    main()
