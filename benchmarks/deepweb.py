"""How fast is a crawl? CPU seconds for 300 queries to a site of 10,000 documents, by policy.

    OMP_NUM_THREADS=1 python benchmarks/deepweb.py

The first line builds the database. A policy's time holds the site's own work for terms that no
policy before it has asked for, so the first pays most; the order is that of the list. The goal is
20 CPU seconds; the best of some crawls, the first of which has the site's work in it.
"""

from __future__ import annotations

import argparse
import time

from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib import deepweb


def main() -> None:
    """Build a site, then crawl it once by each policy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["rl", "rl-printed", "random", "frequency", "harvest", "tfidf", "oracle"]
    parser.add_argument("--policies", nargs="+", default=names)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--mode", choices=["fulltext", "fields"], default="fulltext")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    documents = sample_documents("en-us", options.documents, rng=0)
    start = time.process_time()
    site = deepweb.SearchSite(documents, options.mode)
    print(f"database of {len(site)} documents: {time.process_time() - start:.2f} s")
    for name in options.policies:
        seconds = []
        for _ in range(options.repeats):
            start = time.process_time()
            result = deepweb.surface(site, name, options.queries, rng=0, first_term="river")
            seconds.append(time.process_time() - start)
        spent = f"first {seconds[0]:6.2f} s, best {min(seconds):6.2f} s; goal for 300: 20 s"
        print(f"{name:12} {spent}; coverage {result.coverage(options.queries):.3f}", flush=True)


if __name__ == "__main__":
    main()
