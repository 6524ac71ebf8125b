"""Chapter 1: the third law of VitalWeb beside Debian's sites, and Random's row under it.

The law's outside links were set on Debian's manuals alone. Random's row of the paper's Table 3 is a
check of it, and no number of the law was changed by it.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import yaml

from tres_webs.files import DATA
from tres_webs.lab.addresses import Ref
from tres_webs.lab.sites import SPAM
from tres_webs.lab.vital import VitalWeb

from ..crawls.latest import latest
from ..study.study import Study, grid
from .c01_webs import STEPS, measures, random_crawl

SITES = 3_000_000  # for memory: some 1.5 GB while a web's tables are drawn
SAMPLED = 1_000  # sites of each of Debian's classes
WEBS = range(500, 503)  # of the check, in which no crawler learns
RANDOM_WEBS = range(100, 160)
TOPICS = ("sports", "food", "computing")


def debian() -> dict[str, Any]:
    """Return Debian's classes of sites, and what the law is to show beside them."""
    return yaml.safe_load((DATA / "outside_links.yaml").read_text(encoding="utf-8"))


def studies() -> dict[str, Study]:
    """Return the check on Debian's sites, Random's row, and what the second law was fitted on."""
    classes = [{"least": low, "most": high} for low, high in debian()["classes"]]
    outside = [
        {"web_seed": seed, "sites": SITES, "n": SAMPLED} | part for seed in WEBS for part in classes
    ]
    drawn = grid(web_seed=RANDOM_WEBS, topic=TOPICS, sites=[SITES])
    fitted = grid(web=["third"], seed=WEBS, topic=TOPICS, sites=[SITES])
    web = ("web_seed",)
    return {
        "third-outside": Study("third-outside", outside_links, outside, web),
        "third-random": Study("third-random", random_row, drawn, web),
        "third-webs": Study("third-webs", measures, fitted, ("web", "seed")),
    }


def outside_links(web_seed: int, sites: int, least: int, most: int, n: int) -> dict[str, Any]:
    """Return what n sites of so many pages link to outside: sums, and the median of ``sites``.

    All article pages of a site count. See data/outside_links.yaml for what is of the template.
    """
    web = silent_web(web_seed, sites)
    table = web.table
    fit = (table.sizes >= least) & (table.sizes <= most) & (table.role != SPAM)
    there = np.flatnonzero(fit)
    chosen = np.random.default_rng([web_seed, least]).choice(there, min(n, len(there)), False)
    rows = pd.DataFrame([links_of_site(web, int(site)) for site in np.sort(chosen)])
    return rows.sum().to_dict() | {"sites": rows["sites"].median(), "n": len(rows)}


def links_of_site(web: VitalWeb, site: int) -> dict[str, int]:
    """Return counts of a site's links, by whether they leave it and are of its template."""
    entries = range(*web.table.indptr[site : site + 2])
    refs = [web.ref(i, k) for i in entries for k in range(web.table.count[i])]
    there = [ref for ref in refs if web.writer.stands(ref)]
    return counts_of([outward(web, ref) for ref in there])


def outward(web: VitalWeb, ref: Ref) -> tuple[int, set[str]]:
    """Return how many links a page has, and the addresses of those that leave its site."""
    home = f"http://{web.addresses.host(ref.site)}/"
    links = web.fetch(web.addresses.url(ref)).links
    return len(links), {link.url for link in links if not link.url.startswith(home)}


def counts_of(pages: Sequence[tuple[int, set[str]]]) -> dict[str, int]:
    """Return what data/outside_links.yaml asks of a site's pages, as counts.

    Examples
    --------
    >>> found = counts_of([(3, {"http://a/", "http://b/x"}), (3, {"http://a/"}), (3, set())])
    >>> [found[name] for name in ("sites", "leaving", "pairs", "template pairs", "own", "own deep")]
    [2, 3, 3, 2, 1, 1]
    """
    hosts = [{urlsplit(url).netloc for url in urls} for _, urls in pages]
    times = Counter(host for page in hosts for host in page)
    template = {host for host, n in times.items() if 2 * n >= len(pages)}
    addresses = {url for _, urls in pages for url in urls}
    of_template = {url for url in addresses if urlsplit(url).netloc in template}
    own = addresses - of_template
    return {
        "sites": len(times),
        "pages": len(pages),
        "links": sum(n for n, _ in pages),
        "leaving": sum(len(urls) for _, urls in pages),
        "pairs": times.total(),
        "template pairs": sum(times[host] for host in template),
        "with own": sum(bool(page - template) for page in hosts),
        "own": len(own),
        "own deep": sum(_deep(url) for url in own),
        "template": len(of_template),
        "template deep": sum(_deep(url) for url in of_template),
    }


def _deep(url: str) -> bool:
    return urlsplit(url).path not in ("", "/")


def random_row(web_seed: int, topic: str, sites: int) -> dict[str, float]:
    """Return what a random crawl finds by the truth; errors are no steps, as in the authors' code.

    Pages have no text, which changes no link, and nothing is judged.
    """
    web = silent_web(web_seed, sites)
    start = web.seeds(topic, 1, web_seed)[0]
    return random_crawl(web, start, topic, STEPS, web_seed, skip_errors=True)


@latest
def silent_web(seed: int, sites: int) -> VitalWeb:
    """Return a web of the third law whose pages have no text; their links are the same."""
    web = VitalWeb(seed, sites, law="third")
    silent: Any = web.writer.texts
    silent.text = lambda *page: ""
    return web
