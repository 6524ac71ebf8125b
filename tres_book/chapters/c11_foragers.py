"""Chapter 11: selection or reinforcement. Trials, settings of its sweeps, tables."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import yaml

from tres_lib import foragers
from tres_lib.foragers.fleet import SCOPES
from tres_lib.foragers.settings import KINDS_OF_PAGE
from tres_webs.files import DATA

from ..intervals import mean_interval, paired
from ..study import results
from ..study.findings import Figure
from ..study.study import Parts, Study, grid, studies_of

# Counts and means of a window, of which the run has its own.
IN_WINDOW = {"downloaded": "downloads", "sent": "sends", "relevant": "finds"}
IN_WINDOW |= {"freshness": "current", "age_hours": "age"}
PAPER = yaml.safe_load((DATA / "foragers_tables.yaml").read_text(encoding="utf-8"))
TABLE_2: dict[str, list[float]] = PAPER["table 2"]  # means and deviations of RL, then of WL
GRAPH: dict[str, list[float]] = PAPER["section 4.1"]  # before, after the rewiring
SAME_SCALE = 3.0  # factor of the paper's figure within which ours may be the same quantity
READINGS: dict[str, dict[str, Any]] = {  # of the paper's text: fields of FleetSettings
    "default": {},
    "16 founders": {"founders": 16},
    "page means URL": {"by_url": True},
    "hubs are dated": {"dated_hubs": True},
    "updates keep the date": {"redated": False},
    "weblog without penalties": {"penalties": False},
    "weblog after the URL": {"inclusive": False},
    "weblog discounts by 0.9": {"discount": 0.9},
    "TD only with reward": {"update_without_reward": False},
    "TD across restarts": {"update_across_restarts": True},
    "seed list is halved": {"split_fixed": True},
    "child knows what was sent": {"inherit_marked": True},
    "first weights of 50": {"weight_scale": 50.0},
}
ALGORITHM_12 = {"at each step": "default", "on reward only": "TD only with reward"}  # A and B
COMPARED = ("RL", "WL")
UPDATES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of an article, on the mean, tried on these webs
CALIBRATION_WEBS, TEST_WEBS = range(100, 103), range(200, 205)
# Updates by what links lead to and the scope of finds, of `calibrated`.
CALIBRATED = {("shown", "window"): 5.01, ("shown", "day"): 1.03}
CALIBRATED |= {("stored", "window"): 1.7, ("stored", "day"): 0.67}
NEWS_SIGNALS = (0.0, 0.05, 0.2)  # of `NewsSite`: text says nothing of news, a little, plainly
ORDERS = ("WLRL, WL", "WL, WLRL")
RUN = ["kind", "web_seed", "seed", "days", "rewiring", "reading", "news_signal"]
WEBS, DAYS, READING_DAYS = range(10), 18.0, 6.0


def studies() -> dict[str, Study]:
    """Return the sweeps of the chapter: ``windows`` of fleets that forage, and webs' ``graphs``."""
    rewirings = ["none", *foragers.REWIRINGS]
    plan = [
        *fleets(foragers.KINDS, WEBS, DAYS, seed=range(3)),
        *fleets(COMPARED, WEBS, DAYS, rewiring=rewirings, reading=("default", "16 founders")),
        *fleets(COMPARED, WEBS, DAYS, rewiring=rewirings[:2], reading=["TD only with reward"]),
        *fleets(COMPARED, WEBS, READING_DAYS, reading=READINGS),
        *fleets(COMPARED, WEBS, READING_DAYS, news_signal=NEWS_SIGNALS),
        *fleets(ORDERS, WEBS, DAYS, reading=["16 founders"]),
    ]
    graphs = grid(web_seed=WEBS, days=[DAYS], rewiring=rewirings)
    once = {repr(setting): setting for setting in plan}.values()
    plan = sorted(once, key=lambda setting: setting["web_seed"])
    updates = grid(web_seed=CALIBRATION_WEBS, updates=UPDATES, links=["shown", "stored"])
    tried = [setting | {"kind": kind} for setting in updates for kind in COMPARED]
    parts: Parts = {
        "windows": (trial, plan),
        "graphs": (graph_trial, graphs),
        "updates": (age_trial, tried),
        "ages": (age_trial, ages()),
    }
    return studies_of("foragers", parts, ("web_seed",))


def ages() -> list[dict[str, Any]]:
    """Return the fleets whose ages are tested: as usual, as calibrated, as the numbers exclude."""
    usual: dict[str, Any] = {"links": "shown", "updates": 0.5, "slower": 1.0, "fewer": 1.0}
    changed = [usual, usual | {"slower": 30.0}, usual | {"fewer": 30.0}]
    changed += [usual | {"links": e[0], "updates": u} for e, u in CALIBRATED.items()]
    fleets = [("RL", "default"), ("WL", "default"), ("RL", "TD only with reward")]
    return [
        {"web_seed": web} | how | {"kind": kind, "reading": reading}
        for web in TEST_WEBS
        for how in changed
        for kind, reading in fleets
    ]


def fleets(
    kinds: Iterable[str], web_seeds: Iterable[int], days: float, **changed: Iterable[Any]
) -> list[dict[str, Any]]:
    """Return the settings of `trial` for each combination, web by web; `changed` is not usual."""
    usual = {"rewiring": "none", "reading": "default", "news_signal": 0.0}
    axes = {name: [value] for name, value in {"seed": 0, "days": days, **usual}.items()}
    settings = grid(web_seed=web_seeds, **axes | changed, kind=kinds)
    return [s | {"definitions": s["kind"] in COMPARED and s == s | usual} for s in settings]


def trial(
    kind: str,
    web_seed: int,
    seed: int,
    days: float = 18.0,
    rewiring: str = "none",
    reading: str = "default",
    news_signal: float = 0.0,
    definitions: bool = False,
) -> pd.DataFrame:
    """Run one fleet on one web; the kind "WLRL, WL" stands for two kinds in one fleet.

    Each row of `FleetResult.windows`, named by `IN_WINDOW`, has the whole run's measures: those of
    Table 2, ``net_gain`` (score earned), steps' shares such as ``on leaf``, and by `definitions`
    freshness and age under all of them, such as "age, day, last, obsolete".
    """
    web = _web(web_seed, days, rewiring, news_signal=news_signal)
    settings = foragers.FleetSettings(**READINGS[reading])
    result = foragers.run_fleet(web, kind.split(", "), seed, settings)
    whole = {name: getattr(result, name) for name in [*TABLE_2, "delay_hours"]}
    whole["net_gain"] = settings.gain * result.relevant - settings.send_cost * result.sent
    whole |= _definitions(web, result.found_at) if definitions else {}
    steps = np.bincount(web.kind, result.steps, len(KINDS_OF_PAGE))
    whole["steps"] = steps.sum()
    whole |= {f"on {k}": n / steps.sum() for k, n in zip(KINDS_OF_PAGE, steps, strict=True)}
    return result.windows.rename(columns=IN_WINDOW).assign(**whole)


def graph_trial(web_seed: int, days: float = 18.0, rewiring: str = "none") -> dict[str, float]:
    """Return the statistics of one web's graph: `GraphStatistics`, sizes, distances of the fits."""
    web = _web(web_seed, days, rewiring)
    found = foragers.graph_statistics(web, web_seed, n_sources=100)
    fits = {f"in_{name}": getattr(found.in_degree, name) for name in ("exponent", "xmin", "ks")}
    fits |= {f"out_{name}": getattr(found.out_degree, name) for name in ("exponent", "ks")}
    sizes = {"urls": len(web), "links": len(web.destination)}
    return sizes | fits | {name: getattr(found, name) for name in ("clustering", "mean_distance")}


def age_trial(
    kind: str,
    web_seed: int,
    updates: float,
    links: str,
    reading: str = "default",
    slower: float = 1.0,
    fewer: float = 1.0,
    days: float = DAYS,
) -> dict[str, float]:
    """Return counts, freshness and age of a fleet where articles change so often.

    Links lead to what is "shown" or "stored"; updates come `slower`, downloads are `fewer` times
    as many.
    """
    delay = slower * foragers.NewsSite.update_delay
    web = _web(web_seed, days, "none", updates=updates, update_delay=delay)
    pace = fewer * foragers.FleetSettings.seconds_a_download
    how = READINGS[reading] | {"stored_links": links == "stored", "seconds_a_download": pace}
    result = foragers.run_fleet(web, kind, 0, foragers.FleetSettings(**how))
    counts = {name: getattr(result, name) for name in ("downloaded", "found_urls", "relevant")}
    return counts | _definitions(web, result.found_at)


@lru_cache(maxsize=4)
def _web(seed: int, days: float, rewiring: str, **site: Any) -> foragers.NewsWeb:
    if rewiring == "none":
        return foragers.NewsWeb.generate(seed, days, foragers.NewsSite(**site))
    return _web(seed, days, "none", **site).rewired(seed, rewiring)


def _definitions(web: foragers.NewsWeb, found_at: np.ndarray) -> dict[str, float]:
    """Return means over windows of freshness and age, under every definition."""
    means = {}
    for scope in SCOPES:
        for since, of in product(("last", "first"), ("all", "obsolete")):
            table = foragers.freshness_and_age(web, found_at, scope, since, of == "obsolete")
            means[f"age, {scope}, {since}, {of}"] = table["age_hours"].mean()
        means[f"freshness, {scope}"] = table["freshness"].mean()
    return means


def beside_paper(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2: means and standard deviations of the paper, 95 % intervals of ours.

    Runs of one web are not independent: they are averaged first, intervals are over webs.
    """
    webs = runs.groupby(["kind", "web_seed"], sort=False)[list(TABLE_2)].mean()
    paper = [(_number(*given[:2]), _number(*given[2:])) for given in TABLE_2.values()]
    table = pd.DataFrame(paper, index=list(TABLE_2), columns=["RL, paper", "WL, paper"])
    for kind in runs["kind"].unique():
        means = [mean_interval(webs.loc[kind, name]) for name in TABLE_2]
        table[kind] = [_number(mean, high - mean) for mean, _, high in means]
    return table


def _number(mean: float, spread: float) -> str:
    digits = 0 if abs(mean) >= 100 else 2 if abs(mean) >= 1 else 4 if abs(mean) < 0.01 else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}"


def whole_runs(windows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run, with its measures; ``foragers`` is the number at the end.

    Of download efficiency there are ``variation``, the windows' coefficient, and
    ``late_over_early``, its mean in the last third of the time over that in the first.
    """
    table = windows.groupby(RUN, sort=False).last()
    efficiency = (windows["finds"] / windows["downloads"]).groupby([windows[n] for n in RUN])
    share = windows["hours"] / (24 * windows["days"])
    late, early = (
        windows[chosen].groupby(RUN)[["finds", "downloads"]].sum()
        for chosen in (share > 2 / 3, share <= 1 / 3)
    )
    grown = (late["finds"] / late["downloads"]) / (early["finds"] / early["downloads"])
    variation = efficiency.std() / efficiency.mean()
    return table.assign(variation=variation, late_over_early=grown).reset_index()


def by_reading(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the long runs on webs as they are, by reading of Algorithm 12."""
    plain = (runs["rewiring"] == "none") & (runs["news_signal"] == 0) & (runs["days"] == DAYS)
    return {name: runs[plain & (runs["reading"] == how)] for name, how in ALGORITHM_12.items()}


def log_ratios(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL", by: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the logarithm of a measure's ratio, first over second, on each web, mean over seeds.

    Runs of the two kinds that agree in web, seed and `by` are paired.
    """
    keys = [*by, "web_seed", "seed"]
    both = runs[runs["kind"].isin([first, second])]
    pairs = paired(both, measure, keys, {"kind": second})
    pairs["log_ratio"] = np.log(pairs[measure] / pairs["reference"])
    return pairs.groupby(keys[:-1], sort=False)["log_ratio"].mean().reset_index()


def after_rewiring(runs: pd.DataFrame) -> dict[tuple[str, str], pd.Series]:
    """Return by claim and reading the logarithms of ratios that tell who wins on which web."""
    before, after = (runs[runs["rewiring"] == name] for name in ("none", "edge"))
    sixteen = before[before["reading"] == "16 founders"]
    found = {("as-efficient-16", ""): log_ratios(sixteen, "relevant")["log_ratio"]}
    for name, reading in ALGORITHM_12.items():
        plain, edge = (part[part["reading"] == reading] for part in (before, after))
        on_plain, on_edge = (log_ratios(p, "relevant")["log_ratio"] for p in (plain, edge))
        found["rewired-flips", name] = -on_edge
        found["rewired-flips-sent", name] = -log_ratios(edge, "sent_efficiency")["log_ratio"]
        found["small-world-favours-selection", name] = on_plain - on_edge
    return found


def ratio(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> tuple[float, float, float]:
    """Return a measure's ratio, first over second: geometric mean over webs, 95 % interval."""
    mean, low, high = np.exp(mean_interval(log_ratios(runs, measure, first, second)["log_ratio"]))
    return mean, low, high


def paper_over_here(runs: pd.DataFrame, measure: str) -> float:
    """Return the paper's age over ours, mean of RL and WL; of freshness, the obsolete share's."""
    fresh = measure.startswith("freshness")
    rl, _, wl, _ = TABLE_2["freshness" if fresh else "age_hours"]
    paper, here = (rl + wl) / 2, runs.groupby("kind")[measure].mean()[["RL", "WL"]].mean()
    return (1 - paper) / (1 - here) if fresh else paper / here


def obsolete_age(runs: pd.DataFrame, scope: str) -> pd.Series:
    """Return by web the mean hours since obsolete finds changed, mean of RL and WL."""
    runs = runs[runs["kind"].isin(COMPARED)]
    age = runs[f"age, {scope}, last, all"] / (1 - runs[f"freshness, {scope}"])
    return age.groupby([runs["web_seed"], runs["kind"]]).mean().groupby("web_seed").mean()


def differences(runs: pd.DataFrame, measure: str) -> np.ndarray:
    """Return a measure's difference, WL less RL, on each web, mean over seeds: (webs,)."""
    means = runs.groupby(["kind", "web_seed"])[measure].mean()
    return (means["WL"] - means["RL"]).to_numpy()


def figures() -> dict[str, Any]:
    """Return what sentences name: ratios of two kinds, pages found by web and kind, readings."""
    runs = whole_runs(results.rows(studies()["windows"]))
    usual = by_reading(runs)["at each step"]
    pairs = [("sent", "WL", "RL"), ("sent", "NONE", "RL"), ("sent", "WL", "NONE")]
    pairs += [("found", "WL", "RL"), ("found", "RANDOM", "RL"), ("found", "RANDOM", "WL")]
    measures = {"sent": "sent_efficiency", "found": "relevant"}
    ratios = {
        f"{name}_{first}_over_{second}": Figure(*ratio(usual, measures[name], first, second))
        for name, first, second in pairs
    }
    two = runs[(runs["days"] == DAYS) & (runs["reading"] == "default") & (runs["seed"] == 0)]
    two = two[(two["news_signal"] == 0) & two["kind"].isin(COMPARED)]
    pages = {
        f"{rewiring}_{kind}": Figure(*mean_interval(part["relevant"]), len(part))
        for (rewiring, kind), part in two.groupby(["rewiring", "kind"])
    }
    left, full = (sum(pages[f"{w}_{kind}"].value for kind in COMPARED) for w in ("edge", "none"))
    short = runs[(runs["days"] == READING_DAYS) & (runs["news_signal"] == 0)]
    behind = [ratio(part, "relevant")[2] < 1 for _, part in short.groupby("reading")]
    return ratios | {
        "pages": SimpleNamespace(**pages, left=Figure(left / full)),
        "readings": SimpleNamespace(n=len(behind), behind=sum(behind)),
    }
