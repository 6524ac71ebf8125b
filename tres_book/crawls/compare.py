"""Crawls by any policies on any topics and webs, all with the same classifier and seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tres_lib import topics as relevance
from tres_lib.focused.drivers import crawl
from tres_lib.focused.policy import POLICIES, policy_name
from tres_lib.focused.settings import DomainCap
from tres_webs import VitalWeb, as_web
from tres_webs.checks import count, is_count, members, one_of
from tres_webs.files import folder_name
from tres_webs.topic import Topic, get_topic

from ..intervals import PER_CENT, interval_table
from .comparison import JUDGE, RATES, RUN, TRUTH, ahead, at_the_end

if TYPE_CHECKING:
    import seaborn as sns

MEASURES = (*RATES, "domains", "true domains")
OF_TOPIC = "classifier", "anchor_classifier", "keywords"  # settings that differ by topic


@dataclass(frozen=True, eq=False)
class Comparison:
    """Crawls by several policies, as `compare` returns them.

    `logs` has the rows of all `CrawlResult.log`, with the columns ``topic``, ``policy``, ``limit``,
    ``web_seed`` and ``stopped``; `budget` is the fetches that each crawl might make.
    """

    logs: pd.DataFrame
    budget: int

    @cached_property
    def ends(self) -> pd.DataFrame:
        """What each crawl found, a row a crawl, see `at_the_end`."""
        return at_the_end(self.logs, budget=self.budget)

    @property
    def measures(self) -> list[str]:
        """The columns of `ends` that have a value for each crawl."""
        return [name for name in MEASURES if self.ends[name].notna().all()]

    def table(self) -> pd.DataFrame:
        """Return the mean of each measure over webs, with its 95 % interval, a row a crawler."""
        long = self.ends.melt(["topic", "crawler", "web_seed"], self.measures, "measure")
        within = dict.fromkeys(RATES, PER_CENT)
        return interval_table(long, "crawler", ["topic", "measure"], "value", within=within)

    def differences(self, reference: str, measure: str | None = None) -> pd.DataFrame:
        """Return how much more each policy found than the one called `reference`, paired by web.

        Cells are "mean [low, high]" of the 95 % interval over webs, a row a policy. `measure` is a
        column of `ends`. The default is the harvest rate in percentage points: by the truth where
        that is known, else by the classifier.
        """
        one_of("reference", reference, self._policies)
        measure = one_of("measure", measure or self._rate, self.measures)
        pairs = ahead(self.ends, measure, policy=reference)
        if pairs.empty:
            raise ValueError(f"reference={reference!r} was the only policy; compare two or more")
        pairs["more"] = -pairs["lead"]
        return interval_table(pairs, "policy", ["topic", "limit"], "more")

    def plot_over_time(self, measure: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate over time, a panel a topic and limit, bands of 95 % over webs.

        `measure` is "harvest rate" (by the classifier) or "true harvest rate"; the default is as of
        `differences`.
        """
        from ..plots import over_time

        column = {"harvest rate": "reward", "true harvest rate": "relevant_true"}
        usual = list(column)[self._rate == TRUTH]
        name = one_of("measure", measure or usual, list(column))
        steps = self.logs[self.logs["step"] > 0].astype({column[name]: float})
        steps[name] = steps.groupby(RUN)[column[name]].cumsum() / steps["step"]
        some = steps[steps["step"] % max(self.budget // 40, 1) == 0]
        return over_time(some.drop_duplicates([*RUN, "step"], keep="last"), name)

    def plot_pareto(self, front: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate by the classifier against domains, a panel a topic.

        A staircase bounds what the policy `front`, by default the first, dominates.
        """
        from ..plots import pareto_panels

        front = one_of("front", front or self._policies[0], self._policies)
        return pareto_panels(self.ends, JUDGE, "domains", front)

    @property
    def _policies(self) -> list[str]:
        return list(self.ends["policy"].unique())

    @property
    def _rate(self) -> str:
        return TRUTH if TRUTH in self.measures else JUDGE


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
    named = [get_topic(t, *numbered.values()) for t in _listed("topics", topics, str, Topic)]
    subjects = _distinct("topics", [(topic.name, topic) for topic in named])
    caps = {_limit_name(limit, budget): limit for limit in _listed("limits", limits, int, NoneType)}
    crawlers = _named(policies, len(subjects) * len(numbered) * len(caps))
    shared = {n: settings | _of_topic(t, settings, subjects) for n, t in subjects.items()}
    logs, vital = [], lru_cache(maxsize=1)(VitalWeb)  # one at a time
    starts: dict[tuple[Any, str], Any] = {}  # the same for all policies
    plan = list(product(numbered, subjects, crawlers, caps))
    # False would override TQDM_DISABLE.
    for number, name, policy, limit in tqdm(plan, "compare", disable=None if progress else True):
        place, topic, seed = numbered[number], subjects[name], count("rng", rng, 0) + number
        web = vital(place) if is_count(place) else place
        run = {"topic": name, "policy": policy, "limit": limit, "web_seed": number}
        label = "-".join(folder_name(str(part)) for part in run.values())
        if (number, name) not in starts:
            starts[number, name] = _starts(seeds, web, topic, seed)
        result = crawl(
            web,
            starts[number, name],
            topic,
            policy=crawlers[policy],
            budget=budget,
            max_per_domain=caps[limit],
            rng=seed,
            checkpoint=checkpoint and Path(checkpoint, f"{label}.jsonl"),
            progress=False,
            **shared[name],
        )
        logs.append(result.log.assign(**run, stopped=result.stopped))
    return Comparison(pd.concat(logs, ignore_index=True), budget)


def _named(policies: Any, runs: int) -> dict[str, Any]:
    """Return the policies by name; ValueError for an object that would serve several crawls."""
    if not isinstance(policies, Mapping):
        listed = _listed("policies", policies, str, type)
        policies = _distinct("policies", [(policy_name(policy), policy) for policy in listed])
    if not policies:
        raise ValueError(f"policies={policies!r}: give at least one")
    for name, policy in policies.items():
        single = hasattr(policy, "choose") and not isinstance(policy, type)
        if not (policy in POLICIES if isinstance(policy, str) else callable(policy) or single):
            raise ValueError(f"policies: {policy!r}; use some of {', '.join(POLICIES)}, or yours")
        if single and runs > 1:
            remedy = "give its class, or a function that takes a Context and returns a new one"
            raise ValueError(f"policies: {name} is one object for {runs} crawls; {remedy}")
    return dict(policies)


def _numbered(webs: Any) -> dict[int, Any]:
    """Return webs, or seeds of VitalWebs, by number: the seed, else the place in the list."""
    # A recording is iterable, but one web.
    listed = [webs] if hasattr(webs, "fetch") else _listed("webs", webs, int)
    for web in listed:
        if not is_count(web):
            members("webs", web, "fetch(url)", "is_relevant(url, topic)")
    return _distinct("webs", [(int(w) if is_count(w) else i, w) for i, w in enumerate(listed)])


def _of_topic(topic: Topic, settings: Mapping[str, Any], every: Mapping) -> dict[str, Any]:
    """Return a topic's classifiers, which its crawls share with their scores, and keywords."""
    options = {name: settings.get(name) for name in OF_TOPIC}
    for name, value in options.items():
        if isinstance(value, Mapping):
            if topic.name not in value:
                raise ValueError(f"{name}: none for {topic.name!r}; it has {', '.join(value)}")
            options[name] = value[topic.name]
        elif value is not None and len(every) > 1:
            raise ValueError(f"{name}: give a mapping with one for each topic, by its name")
    if options["classifier"] is None:
        options["classifier"] = relevance.classifier(topic)
    for name in OF_TOPIC[:2]:
        if options[name] is not None:
            scorer = relevance.as_classifier(options[name], name)
            shared = isinstance(scorer, relevance.CachedScorer)
            options[name] = scorer if shared else relevance.CachedScorer(scorer)
    return options


def _starts(seeds: Any, web: Any, topic: Topic, rng: int) -> Iterable[str]:
    if not is_count(seeds):
        return seeds(web, topic, rng) if callable(seeds) else seeds
    return as_web(web).seeds(topic, count("seeds", seeds), rng)


def _limit_name(limit: Any, budget: int) -> str:
    DomainCap(limit, budget)
    return "none" if limit is None else "_".join(map(str, np.ravel(limit)))


def _listed(name: str, values: Any, *single: type) -> list[Any]:
    """Return several values, or a single one, as a list; ValueError without any."""
    if isinstance(values, single) or callable(values) or hasattr(values, "choose"):
        return [values]
    listed = list(values) if isinstance(values, Iterable) else []
    if not listed:
        raise ValueError(f"{name}={values!r}: give a list of at least one")
    return listed


def _distinct(name: str, pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return what is named; ValueError if two have one name."""
    if len(named := dict(pairs)) < len(pairs):
        raise ValueError(f"{name}: {list(named)} name {len(pairs)}; a name each, or each once")
    return named
