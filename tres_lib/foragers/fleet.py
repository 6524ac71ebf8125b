"""Fleets of foragers on a news web, and the quantities of the paper's Table 1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tres_webs.checks import generator, instance, one_of

from .newsweb import NewsWeb
from .settings import DAY, HOUR, WINDOW, FleetSettings, rules_of

SCOPES = {"window": WINDOW, "day": DAY, "all": np.inf}


@dataclass(frozen=True, eq=False)
class FleetResult:
    """The quantities of Table 1 for one run."""

    newsweb: NewsWeb
    kind: str  # kinds joined by " and "
    scores: np.ndarray  # (f,) of the foragers, at the end
    found_at: np.ndarray  # (v,) seconds at which a version was found relevant; inf: it was not
    found_urls: int  # different URLs downloaded
    downloaded: int
    sent: int  # documents sent to the reinforcing agent
    relevant: int  # relevant documents found
    steps: np.ndarray  # (n,) visits of each URL as the step of a path; it downloads its links too
    #: One row for each 3 hours: the columns of `freshness_and_age`, ``downloaded``, ``sent``,
    #: ``relevant``, and at its end ``foragers`` and ``total_score``.
    windows: pd.DataFrame

    @property
    def download_efficiency(self) -> float:
        """Return relevant documents per download over the whole run (Table 2)."""
        return self.relevant / self.downloaded

    @property
    def sent_efficiency(self) -> float:
        """Return relevant documents per document sent; NaN if none was sent."""
        return self.relevant / self.sent if self.sent else float("nan")

    @property
    def relative_found_url(self) -> float:
        """Return different URLs per download."""
        return self.found_urls / self.downloaded

    @property
    def freshness(self) -> float:
        """Return the share of current ones in a window's finds at its end, mean over windows."""
        return float(self.windows["freshness"].mean())

    @property
    def age_hours(self) -> float:
        """Return the mean age of a window's finds at its end, current ones 0, mean over windows."""
        return float(self.windows["age_hours"].mean())

    @property
    def delay_hours(self) -> float:
        """Return the mean time from a document's appearance to its find; NaN without finds."""
        dated = np.isfinite(self.found_at) & np.isfinite(self.newsweb.born)
        delays = self.found_at[dated] - self.newsweb.born[dated]
        return float(delays.mean()) / HOUR if len(delays) else float("nan")


def run_fleet(
    newsweb: NewsWeb,
    kind: str | Sequence[str] = "WL",
    rng: np.random.Generator | int = 0,
    settings: FleetSettings | None = None,
) -> FleetResult:
    """Let a fleet forage for the web's days (Algorithms 1 to 12).

    A kind, of `settings.KINDS`: foragers select starting URLs by the weblog update (WL), learn the
    URL ordering by reinforcement (RL), both (WLRL), or neither, with fixed random weights (NONE).
    RANDOM draws the next URL: a control that the paper lacks. Several kinds share the founders
    (Section 4.1).

    Examples
    --------
    >>> web = NewsWeb.generate(0, days=0.25)
    >>> result = run_fleet(web, "WL", rng=0)
    >>> result.downloaded, result.sent, result.relevant
    (8371, 105, 76)
    """
    from .agent import ReinforcingAgent

    instance("newsweb", newsweb, NewsWeb)
    kinds = [kind] if isinstance(kind, str) else list(kind)
    if not kinds:
        raise ValueError("kind=[]: give at least one kind, such as 'WL'")
    rules = [rules_of(name, settings or FleetSettings()) for name in kinds]
    for_seeds, for_fleet = generator("rng", rng).spawn(2)  # fleets of one `rng` share the seeds
    agent = ReinforcingAgent(newsweb, rules)
    agent.add_founders(agent.seed_urls(for_seeds), for_fleet)
    agent.run(for_fleet)
    log = agent.log
    counts = {name: getattr(log, name) for name in ("downloaded", "sent", "relevant")}
    by_window = counts | {"foragers": agent.population, "total_score": agent.total_score}
    windows = freshness_and_age(newsweb, log.found_at).assign(**by_window)
    scores = np.array([forager.status["score"] for forager in agent.foragers])
    totals = {name: int(values.sum()) for name, values in counts.items()}
    found_urls = int(log.found_url.sum())
    names = " and ".join(kinds)
    return FleetResult(
        newsweb, names, scores, log.found_at, found_urls, **totals, steps=log.steps, windows=windows
    )


def freshness_and_age(
    newsweb: NewsWeb,
    found_at: np.ndarray,
    scope: str = "window",
    since: str = "last",
    obsolete_only: bool = False,
) -> pd.DataFrame:
    """Return freshness and age of the found documents at the end of each window of 3 hours.

    One row per window: ``hours`` (its end), ``documents``, ``freshness`` and ``age_hours``, NaN
    without a document. `found_at`, (v,), has the seconds at which each version was found; inf:
    never. The paper leaves open what the scope is (of finds: the "window", the last "day" or "all"
    so far), since which change age counts (the "last" of the URL, or the "first" after the
    document), and whether it is the mean of all, 0 for current ones, or of obsolete ones only.
    """
    one_of("scope", scope, [*SCOPES])
    one_of("since", since, ["last", "first"])
    if np.shape(found_at) != newsweb.url.shape:
        asked = f"{len(newsweb.url)} times, one per version, inf for what was not found"
        raise ValueError(f"found_at: shape {np.shape(found_at)}; give {asked}")
    born = newsweb.born
    finds = np.flatnonzero(np.isfinite(found_at))
    times = found_at[finds]
    replacement = _replacements(newsweb)
    current = np.zeros(len(newsweb), np.int64)  # the version that each URL shows
    rows = []
    for end in np.arange(WINDOW, newsweb.days * DAY + WINDOW - 1e-6, WINDOW):
        n = np.searchsorted(born, end, side="right")
        current[newsweb.url[:n]] = np.arange(n)  # of a URL's versions the last stays
        stored = finds[(times < end) & (times >= end - SCOPES[scope])]
        obsolete = replacement[stored] <= end
        changed = replacement[stored] if since == "first" else born[current[newsweb.url[stored]]]
        age = np.where(obsolete, end - changed, 0.0)
        aged = age[obsolete] if obsolete_only else age
        rows.append((end / HOUR, len(stored), _mean(~obsolete), _mean(aged) / HOUR))
    return pd.DataFrame(rows, columns=["hours", "documents", "freshness", "age_hours"])


def _replacements(newsweb: NewsWeb) -> np.ndarray:
    """Return the birth of the next version of each version's URL, (v,) seconds; inf without one."""
    order = np.argsort(newsweb.url, kind="stable")
    same = np.diff(newsweb.url[order]) == 0
    births = np.full(len(order), np.inf)
    births[order[:-1][same]] = newsweb.born[order[1:][same]]
    return births


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
