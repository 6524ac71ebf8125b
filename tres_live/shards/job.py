"""A crawl in rounds: the shards spend their budgets, then send each other links."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tres_lib.checks import count, members
from tres_lib.focused import CrawlResult, Ending, Stop
from tres_lib.focused.settings import CrawlArguments, CrawlSettings
from tres_lib.journal import Journal
from tres_lib.store import load_or_make
from tres_lib.topics import CachedScorer
from tres_lib.web import Topic, Web

from .cluster import place
from .rounds import play_all, round_sizes
from .worker import CODE, Job

if TYPE_CHECKING:
    import pandas as pd

    from tres_lib.focused.frontier import Frontier as Frontier  # which ShardedResult inherits
    from tres_lib.focused.policy import Policy as Policy

CLASSIFIERS = ("classifier", "anchor_classifier")


@dataclass(frozen=True, eq=False)
class ShardedResult(CrawlResult):
    """A finished crawl of many shards; `crawl_sharded` has an example.

    The log has the columns ``shard`` and ``round`` as well; its rows are in the order of rounds,
    and ``step`` counts them. ``q``, ``evaluations``, ``frontier``, ``inserted`` and ``seconds``
    are the shard's own.

    `rounds` has a row a round and shard: ``budget``, ``fetched``, ``relevant`` (by the classifier),
    ``links`` that the shard may choose from at the end, ``sent``, links to other shards, and
    ``bytes``, as JSON, of its message at the end: these links, and its lesson for the model of all.
    """

    rounds: pd.DataFrame = field(kw_only=True)


def crawl_sharded(
    web: Web | Callable[[], Web],
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    shards: int = 2,
    rounds: int = 20,
    client: Any = None,
    checkpoint: str | Path | None = None,
    archive: bool = False,
    wrap: Callable[[Web], Web] | None = None,
    progress: bool = True,
    on_row: Callable[[dict[str, Any]], object] | None = None,
    **settings: Unpack[CrawlArguments],
) -> ShardedResult:
    """Crawl with many shards, each with its own sites, frontier, journal and politeness.

    A registered domain, with all its hosts, belongs to one shard (`owner`), and no other asks for
    its pages, its robots.txt included. In each round a shard spends its part of the round's
    budget; then links to other shards' sites go to their owners. A shard that found more in the
    last round gets more of the next. What a policy learnt is shared after each round if it can be:
    "prospector" shares its examples, and goes on with weights that are fitted to those of all; the
    others learn alone. A policy plans with ``budget // shards`` fetches a shard.

    Without `client` all shards run in this process, one after the other; on a cluster each has a
    worker. Equal arguments give equal crawls, wherever they run.

    Parameters
    ----------
    web : Web or callable
        On a cluster a function or ``functools.partial`` that opens it on a worker, such as
        ``partial(tres_live.LiveWeb, "my-crawler/1.0", "me@example.org")``.
    shards, rounds : int
        There are more rounds than `rounds` where shards run out of links.
    client : distributed.Client or str, optional
        Of a Dask cluster, or its scheduler's address. Default: TRES_EXECUTOR, if it is set and
        there is a checkpoint.
    checkpoint : path, optional
        A folder that all workers see: journals, orders, and at the end ``log.parquet``. The same
        call goes on where a killed one ended. On a cluster it must be given, as the shards of a
        worker that dies are played again on another one; their pages come from the journals.
    archive : bool
        Whether to write a WARC file a shard into the checkpoint.
    wrap : callable, optional
        What to put around each shard's web, such as `Guard`; the archive holds also the pages
        that it turns down.
    seeds, topic, progress, on_row, **settings
        As in `crawl`, but the policy is "prospector" by default and no object, and there is no
        `extra`, `later` and `course`. The rows of a round come at its end. `in_flight` is of a
        shard. One whose fetches fail `patience` times in a row rests until other shards send it
        links, and they get its budget; the crawl stops if no shard can go on. A classifier of this
        library reaches workers by way of the checkpoint, any other as it is. Of the seed `rng`
        shards get independent streams.

    Raises
    ------
    RuntimeError
        If workers keep dying in one round.
    TimeoutError
        If the cluster has no workers for ten minutes; the same call goes on later.

    References
    ----------
    Heydon and Najork (1999), Mercator; Boldi, Codenotti, Santini and Vigna (2004), UbiCrawler:
    hosts are assigned by hashing, links are sent to their owners.

    Examples
    --------
    >>> from tres_lib.web import ReplayWeb
    >>> def says_jazz(texts):
    ...     return [0.9 if "jazz" in text else 0.1 for text in texts]
    >>> links = "".join(f"<a href='http://{x}.example/'>jazz</a>" for x in "abcdef")
    >>> pages = {f"http://{x}.example/": f"jazz {links}" for x in "abcdef"}
    >>> small, start = ReplayWeb.from_pages(pages), ["http://a.example/"]
    >>> options = {"classifier": says_jazz, "budget": 5, "rounds": 2, "progress": False}
    >>> result = crawl_sharded(small, start, Topic("jazz", ["jazz"]), shards=2, **options)
    >>> result.harvest_rate, result.stopped, result.domains
    (1.0, 'budget spent', 6)
    """
    settings.setdefault("policy", "prospector")
    asked = CrawlSettings.of(seeds, topic, **settings)
    count("shards", shards)
    count("rounds", rounds)
    _check(web, asked, client)
    if (client or archive) and checkpoint is None:
        raise ValueError("checkpoint: give a folder that all workers see")
    folder = None if checkpoint is None else Path(checkpoint).resolve()
    if folder is not None:
        client = client or os.environ.get("TRES_EXECUTOR") or None
        folder.mkdir(parents=True, exist_ok=True)
    sent = {name: getattr(asked, name) for name in CLASSIFIERS}
    if client is not None and folder is not None:
        sent = {name: _sendable(classifier, folder / name) for name, classifier in sent.items()}
    bare = replace(asked, classifier=None, anchor_classifier=None)
    job = Job(uuid.uuid4().hex, web, bare, sent, shards, folder, archive, wrap, CODE)
    about = asked.as_json() | {"shards": int(shards), "rounds": int(rounds)}
    # Of other arguments, or in use: the journal says so.
    held = nullcontext() if folder is None else Journal(folder / "crawl.journal", about)
    ending = Ending(Stop.SPENT)
    with held, place(client) as where:
        try:
            sizes = round_sizes(asked.budget, rounds)
            log, table, ending = play_all(job, where, sizes, progress, on_row)
        finally:
            where.leave(job, again=ending.stop is not Stop.SPENT)
    if ending.stop is Stop.EMPTY and (log["final_url"] == "").all():
        ending = Ending(Stop.NO_SEED)
    result = ShardedResult(log, about, ending, rounds=table)
    if folder is not None:
        result.to_parquet(folder / "log.parquet")
    return result


def _check(web: Any, settings: CrawlSettings, client: Any) -> None:
    """Raise ValueError for what one crawl may have, but not many shards, or only they have."""
    count("rng", settings.rng, 0)
    if not (isinstance(settings.policy, str) or callable(settings.policy)):
        remedy = "give a name, or what builds a policy for each shard"
        raise ValueError(f"policy={settings.policy!r}: {remedy}")
    for name in ("extra", "later", "course"):
        if value := getattr(settings, name):
            raise ValueError(f"{name}={value}: not with shards; leave it out")
    if not callable(web):
        members("web", web, "fetch(url)", "is_relevant(url, topic)")
    if client is not None and not isinstance(client, str):
        members("client", client, "submit(function)", "scheduler_info()")


def _sendable(classifier: Any, folder: Path) -> Any:
    """Return a classifier, or the folder in which workers find it; word vectors are large."""
    bare = classifier.classifier if isinstance(classifier, CachedScorer) else classifier
    if not hasattr(bare, "save"):
        return classifier
    load_or_make(folder, lambda saved: bare, lambda: bare)
    return folder
