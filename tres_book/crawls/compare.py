"""Crawls by any policies on any topics and webs, all with the same classifier and seeds."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from types import NoneType
from typing import Any

import pandas as pd

from tres_lib import topics as relevance
from tres_lib.focused.drivers import crawl
from tres_lib.focused.policy import POLICIES, policy_name
from tres_lib.focused.settings import DomainCap
from tres_webs import VitalWeb, as_web
from tres_webs.checks import count, is_count, members
from tres_webs.files import folder_name
from tres_webs.topic import Topic, get_topic

from .comparison import Comparison

OF_TOPIC = "classifier", "anchor_classifier", "keywords"  # settings that differ by topic


def compare(
    policies: Any,
    topics: Any,
    webs: Any,
    budget: int = 600,
    *,
    seeds: int | Iterable[str] | Callable = 1,
    limits: int | Iterable[int | tuple[int, int] | None] | None = None,
    rng: int = 0,
    checkpoint: str | Path | None = None,
    progress: bool = True,
    **settings: Any,
) -> Comparison:
    """Crawl each web for each topic by each policy, and return tables and figures.

    All policies get the same seeds, budget, limits and settings. Intervals are over webs, because
    crawls of one web are not independent: give three webs or more.

    Parameters
    ----------
    policies : str, class, callable, iterable of these, or mapping from names to these
        As `crawl` takes them. An object serves a single crawl, so give its class, or a function
        that takes a `Context` and returns a new one.
    webs : Web or int, or iterable of these
        An int is the seed of a `VitalWeb`.
    budget : int
        Fetches of each crawl. One that ends early has found nothing in what is left.
    seeds : int, iterable of str, or callable
        So many pages by ``web.seeds(topic, n, rng)``; URLs, the same for all webs; or what a
        function of web, topic and rng returns.
    limits : None, int, or iterable of None, int or (int, int)
        MAX, see `DomainCap`; each policy crawls at each of them.
    rng : int
        Added to the number of a web (its seed or its place), it seeds its seed pages and crawls.
    checkpoint : path, optional
        A folder of the crawls' journals, from which the same call goes on.
    **settings
        Further attributes of `CrawlSettings`. Of several topics, ``classifier``,
        ``anchor_classifier`` and ``keywords`` are mappings by the topic's name. A classifier's
        answer for a text must not depend on the other texts, for all crawls share it.

    Examples
    --------
    >>> from tres_webs import ReplayWeb
    >>> start = "http://a.example/"
    >>> hub = "<a href='/b'>chess</a> <a href='/c'>jazz</a>"
    >>> small = ReplayWeb.from_pages({start: hub, start + "b": "chess", start + "c": "jazz"})
    >>> options = {"seeds": [start], "classifier": lambda texts: ["jazz" in t for t in texts]}
    >>> jazz = Topic("jazz", ["jazz"])
    >>> both = compare(["bfs", "best-first"], jazz, small, budget=1, progress=False, **options)
    >>> both.ends.set_index("policy")["by the classifier"].to_dict()
    {'bfs': 0.0, 'best-first': 100.0}
    """
    from tqdm.auto import tqdm

    numbered = _numbered(webs)
    named = _listed("topics", topics, str, Topic)
    subjects = [get_topic(topic, *numbered.values()) for topic in named]
    _distinct("topics", [topic.name for topic in subjects])
    caps = {_limit_name(limit, budget): limit for limit in _listed("limits", limits, int, NoneType)}
    crawlers = _named(policies, len(subjects) * len(numbered) * len(caps))
    shared = [settings | _of_topic(topic, settings, len(subjects) > 1) for topic in subjects]
    logs = []
    total = len(subjects) * len(numbered) * len(caps) * len(crawlers)
    hidden = None if progress else True  # False would override TQDM_DISABLE
    with tqdm(total=total, unit="crawl", desc="compare", disable=hidden) as bar:
        for number, place in numbered.items():
            web = VitalWeb(place) if is_count(place) else place
            for topic, options in zip(subjects, shared, strict=True):
                starts = _starts(seeds, web, topic, count("rng", rng, 0) + number)
                for (name, policy), (limit, cap) in product(crawlers.items(), caps.items()):
                    run = {"topic": topic.name, "policy": name, "limit": limit, "web_seed": number}
                    own = {"policy": policy, "max_per_domain": cap, "rng": rng + number}
                    label = "-".join(folder_name(str(part)) for part in run.values())
                    journal = None if checkpoint is None else Path(checkpoint, f"{label}.jsonl")
                    own |= {"budget": budget, "checkpoint": journal}
                    result = crawl(web, starts, topic, progress=False, **own, **options)
                    logs.append(result.log.assign(**run, stopped=result.stopped))
                    bar.update()
    return Comparison(pd.concat(logs, ignore_index=True), budget)


def _named(policies: Any, runs: int) -> dict[str, Any]:
    """Return the policies by name; ValueError for an object that would serve several crawls."""
    if isinstance(policies, Mapping):
        named = dict(policies)
    else:
        listed = _listed("policies", policies, str, type)
        names = _distinct("policies", [policy_name(policy) for policy in listed])
        named = dict(zip(names, listed, strict=True))
    if not named:
        raise ValueError(f"policies={policies!r}: give at least one")
    for name, policy in named.items():
        served = policy in POLICIES if isinstance(policy, str) else callable(policy)
        if not (served or hasattr(policy, "choose")):
            raise ValueError(f"policies: {policy!r}; use some of {', '.join(POLICIES)}, or yours")
        if not isinstance(policy, str | type) and hasattr(policy, "choose") and runs > 1:
            remedy = "give its class, or a function that takes a Context and returns a new one"
            raise ValueError(f"policies: {name} is one object for {runs} crawls; {remedy}")
    return named


def _numbered(webs: Any) -> dict[int, Any]:
    """Return webs, or seeds of VitalWebs, by number: the seed, else the place in the list."""
    single = hasattr(webs, "fetch")  # a recording is iterable, but one web
    listed = [webs] if single else _listed("webs", webs, int)
    for web in listed:
        if not is_count(web):
            members("webs", web, "fetch(url)", "is_relevant(url, topic)")
    numbers = [int(web) if is_count(web) else place for place, web in enumerate(listed)]
    return dict(zip(_distinct("webs", numbers), listed, strict=True))


def _of_topic(topic: Topic, settings: Mapping[str, Any], several: bool) -> dict[str, Any]:
    """Return a topic's classifiers, which its crawls share with their scores, and keywords."""
    options = {}
    for name in OF_TOPIC:
        value = settings.get(name)
        if isinstance(value, Mapping):
            if topic.name not in value:
                raise ValueError(f"{name}: none for {topic.name!r}; it has {', '.join(value)}")
            value = value[topic.name]
        elif value is not None and several:
            raise ValueError(f"{name}: give a mapping with one for each topic, by its name")
        options[name] = value
    if options["classifier"] is None:
        options["classifier"] = relevance.classifier(topic)
    for name in ("classifier", "anchor_classifier"):
        if options[name] is not None:
            checked = relevance.as_classifier(options[name], name)
            shared = isinstance(checked, relevance.CachedScorer)
            options[name] = checked if shared else relevance.CachedScorer(checked)
    return options


def _starts(seeds: Any, web: Any, topic: Topic, rng: int) -> Iterable[str]:
    if not is_count(seeds):
        return seeds(web, topic, rng) if callable(seeds) else seeds
    return as_web(web).seeds(topic, count("seeds", seeds), rng)


def _limit_name(limit: Any, budget: int) -> str:
    DomainCap(limit, budget)
    if limit is None:
        return "none"
    return "_".join(map(str, limit if isinstance(limit, tuple | list) else [limit]))


def _listed(name: str, values: Any, *single: type) -> list[Any]:
    """Return several values, or a single one, as a list; ValueError without any."""
    if isinstance(values, single) or callable(values) or hasattr(values, "choose"):
        return [values]
    listed = list(values) if isinstance(values, Iterable) else []
    if not listed:
        raise ValueError(f"{name}={values!r}: give a list of at least one")
    return listed


def _distinct(name: str, labels: list[Any]) -> list[Any]:
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        remedy = "; a mapping gives policies names" if name == "policies" else ""
        raise ValueError(f"{name}: {twice} occur more than once; name each once{remedy}")
    return labels
