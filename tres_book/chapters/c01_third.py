"""Chapter 1: the third law of VitalWeb beside Debian's sites, and Random's row under it.

The law's outside links were set on Debian's manuals alone. Random's row of the paper's Table 3 is a
check of it, and no number of the law was changed by it.
"""

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import scipy  # its parts load when they are used
import yaml

from tres_webs import Web, domain
from tres_webs.files import DATA
from tres_webs.lab.sites import SPAM
from tres_webs.lab.vital import VitalWeb

from ..crawls.comparison import paper_table
from ..crawls.latest import latest
from ..study import results
from ..study.findings import Figure
from ..study.study import Study, grid
from .c01_webs import measures, page_of, real_webs

SITES = 3_000_000  # for memory: some 1.5 GB while a web's tables are drawn
SAMPLED = 1_000  # sites of each of Debian's classes
WEBS = range(500, 503)  # of the check, in which no crawler learns
RANDOM_WEBS = range(100, 160)
TOPICS = ("sports", "food", "computing")
STEPS = 20_000  # of a random crawl
FACTOR = 5.0  # by which a median's interval may lie beyond the paper's figure, at most
PER = {  # numerator and denominator of Debian's measures
    "sites": ("sites", None),
    "leave": ("leaving", "links"),
    "template": ("template pairs", "pairs"),
    "deep_own": ("own deep", "own"),
    "deep_template": ("template deep", "template"),
    "own_pairs": ("own pairs", "pages"),
    "own_by_link": ("own pairs", "links"),  # of the first class alone
    "with_own": ("with own", "pages"),
    "links": ("links", "pages"),
}


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
    web, found = ("web_seed",), ("random", "random_domains")
    return {
        "third-outside": Study("third-outside", outside_links, outside, web),
        "third-random": Study("third-random", random_row, drawn, web, found),
        "third-webs": Study("third-webs", measures, fitted, ("web", "seed"), tuple(real_webs())),
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
    rows = pd.DataFrame([counts_of(pages_of(web, int(site))) for site in np.sort(chosen)])
    return rows.sum().to_dict() | {"sites": rows["sites"].median(), "n": len(rows)}


def pages_of(web: VitalWeb, site: int) -> list[tuple[int, set[str]]]:
    """Return how many links each page of a site has, and the addresses of those that leave it."""
    entries, home = range(*web.table.indptr[site : site + 2]), f"http://{web.addresses.host(site)}/"
    refs = [web.ref(i, k) for i in entries for k in range(web.table.count[i])]
    pages = [web.fetch(web.addresses.url(ref)).links for ref in refs if web.writer.stands(ref)]
    away = [{link.url for link in links if not link.url.startswith(home)} for links in pages]
    return list(zip(map(len, pages), away, strict=True))


def counts_of(pages: Sequence[tuple[int, set[str]]]) -> dict[str, int]:
    """Return what data/outside_links.yaml asks of a site's pages, as counts."""
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
    return random_crawl(web, web.seeds(topic, 1, web_seed)[0], topic, STEPS, web_seed)


def random_crawl(web: Web, start: str, topic: str, steps: int, seed: int) -> dict[str, float]:
    """Fetch pages drawn uniformly from all known URLs, as the paper's Random does."""
    rng = np.random.default_rng(seed)
    frontier = [link.url for link in web.fetch(start).links]
    seen = {start, *frontier}
    relevant: list[str] = []
    done = 0
    while done < steps:
        place = int(rng.integers(len(frontier)))
        url, frontier[place] = frontier[place], frontier[-1]
        frontier.pop()
        if page := page_of(web, url):
            done += 1
            relevant += [domain(url)] if web.is_relevant(url, topic) else []
            new = [link.url for link in page.links if link.url not in seen]
            seen.update(new)
            frontier += new
    return {"random": len(relevant) / steps, "random_domains": len(set(relevant))}


@latest
def silent_web(seed: int, sites: int) -> VitalWeb:
    """Return a web of the third law whose pages have no text; their links are the same."""
    web = VitalWeb(seed, sites, law="third")
    silent: Any = web.writer.texts
    silent.text = lambda *page: ""
    return web


def figures() -> dict[str, SimpleNamespace]:
    """Return how the third law stands beside Debian's sites, and Random's median row by topic."""
    within = beside_debian(results.stored("third-outside"))["within"]
    row = random_medians(results.stored("third-random"))
    harvest = row[row["measure"] == "harvest rate %"].set_index("topic")
    medians = {str(t): Figure(r["median"], r["low"], r["high"]) for t, r in harvest.iterrows()}
    debian = SimpleNamespace(met=(within == "yes").sum(), missed=(within == "no").sum())
    return {"debian": debian, "random_row": SimpleNamespace(**medians, beyond=row["beyond"].sum())}


def beside_debian(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of `outside_links` beside Debian's, means over webs, and the verdict.

    Pooled ones weigh the classes by Debian's numbers of sites. ``ratio`` is ours over Debian's.
    """
    known = debian()
    counts = counts.assign(**{"own pairs": counts["pairs"] - counts["template pairs"]})
    classes = [counts[counts["least"] == low] for low, _ in known["classes"]]
    weights = [n / part["n"].sum() for n, part in zip(known["n"], classes, strict=True)]
    rows = []
    for name, entry in known["measures"].items():
        above, below = PER[name]
        heads, printed = [f"{low} to {high:,}" for low, high in known["classes"]], entry["debian"]
        here = [(part[above] / (part[below] if below else 1)).mean() for part in classes]
        if not isinstance(printed, list):
            printed = [printed]
            if name != "own_by_link":
                sums = [
                    part[[above, below]].sum() * w for part, w in zip(classes, weights, strict=True)
                ]
                heads, here = (
                    ["pooled"],
                    [sum(x[above] for x in sums) / sum(x[below] for x in sums)],
                )
        bound = entry.get("bound", np.nan)
        rows += [(entry["says"], *one, bound) for one in zip(heads, printed, here, strict=False)]
    table = pd.DataFrame(rows, columns=["measure", "pages", "Debian", "here", "bound"])
    table["ratio"] = table["here"] / table["Debian"]
    met = (table["ratio"] - 1).abs() <= table["bound"]
    table["within"] = np.where(table["bound"].isna(), "", np.where(met, "yes", "no"))
    return table


def random_medians(crawls: pd.DataFrame) -> pd.DataFrame:
    """Return medians over webs with 95 % intervals by ranks, beside the paper's means.

    ``beyond``: whether an interval lies wholly beyond a factor of `FACTOR` from the paper's figure.
    """
    heads = {"harvest rate %": 100 * crawls["random"], "domains": crawls["random_domains"]}
    ours = crawls[["topic"]].assign(**heads).melt("topic", var_name="measure")
    rows = []
    for names, values in ours.groupby(["topic", "measure"], sort=False)["value"]:
        ends = scipy.stats.quantile_test(values).confidence_interval()
        rows.append((*names, values.median(), *ends, len(values)))
    table = pd.DataFrame(rows, columns=["topic", "measure", "median", "low", "high", "webs"])
    printed = paper_table("table 3").query("policy == 'random' and limit == 'none'")
    table = table.merge(printed.melt("topic", [*heads], "measure", "paper"))
    far = (table["low"] > FACTOR * table["paper"]) | (table["high"] < table["paper"] / FACTOR)
    return table.assign(beyond=far)
