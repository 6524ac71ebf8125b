"""How fast VitalWeb starts, how much memory it takes, and what a page costs.

python benchmarks/vitalweb_speed.py [sites]     # 22,000 sites are a million pages
"""

import resource
import sys
import time

import numpy as np

import tres_webs as web

PAGES = 2_000


def cpu_ms(function, urls) -> float:
    start = time.process_time()
    for url in urls:
        function(url)
    return 1_000 * (time.process_time() - start) / len(urls)


def main(sites: int) -> None:
    start = time.perf_counter()
    vital = web.VitalWeb(seed=0, sites=sites)
    seconds = time.perf_counter() - start
    unit = 1024**2 if sys.platform == "darwin" else 1024  # bytes there, KiB on Linux
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    print(f"{sites:,} sites, {vital.table.sizes.sum():,} article pages")
    print(f"start      {seconds:6.2f} s, peak memory {memory:.0f} MB")
    urls = vital.random_article_pages(PAGES, np.random.default_rng(0))
    print(f"fetch      {cpu_ms(vital.fetch, urls):6.3f} ms CPU a page")
    print(f"html       {cpu_ms(vital.html, urls):6.3f} ms CPU a page")
    pages = [(url, vital.html(url)) for url in urls[:500]]
    print(f"parse_page {cpu_ms(lambda p: web.parse_page(*p), pages):6.3f} ms CPU a page")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 22_000)
