"""What a watch learns from each visit, and anew each day from all of them."""

import numpy as np

from .beliefs import AGES, RATES, outlook, see_age
from .engine import end_rate, renew_prior, see_look, settle
from .records import BINS, SCORES
from .values import chances, renew_paces

LATEST = 24.0  # links by which those of a page are judged
PAGES = 500.0  # relevant pages over which their value is averaged
OWNERS = 50.0  # and over which what their links bring
MOST_OWN = 5.0  # times its own value that a page's links may bring
SPEED = 0.01  # of a price that follows the looks that win


def bin_of(score: float, relevant: bool) -> int:
    """Return the bin of a link's score on a page that is relevant or not."""
    return SCORES * relevant + min(int(score * SCORES), SCORES - 1)


class Memory:
    """Beliefs on all pages together, (1,) of `COMMON`, which visits change in place."""

    def __init__(self, common: np.ndarray):
        self.common = common
        self._record = common[0]  # the same memory
        shape = len(AGES), len(RATES)
        self._outlook = np.empty(shape), np.empty(shape), np.empty(len(AGES))
        outlook(float(self._record["end"]), *self._outlook)

    def renew(self, pages: np.ndarray, hosts: np.ndarray, day: float) -> bool:
        """Learn from all pages together, once a day; return whether it was time to.

        The change rates and ends are those of relevant pages: hubs stand for ever, and their main
        text may.
        """
        common = self._record
        if int(day) <= common["day"]:
            return False
        common["day"] = int(day)
        renew_prior(pages, hosts, common["prior"])
        hosts["prior"] /= common["prior"]
        renew_paces(pages, self.common)
        common["end"] = end_rate(common["ends"], common["exposure"])
        outlook(float(common["end"]), *self._outlook)
        return True

    def follow(self, value: float) -> None:
        """Move the price towards the value of the marginal fetch."""
        common = self._record
        common["winners"] += 1
        common["price"] += (value - common["price"]) * max(SPEED, 1 / (1 + common["winners"]))

    def meet(
        self, page: np.ndarray, importance: float, day: float, changed: float, trust: float
    ) -> None:
        """Take in a page that was fetched for the first time; importance 0: it is not relevant.

        `changed`: the day on which its server says that it changed last, which is believed with
        the probability `trust`; NaN: it does not say.
        """
        common = self._record
        if changed < day:
            see_age(page["likelihood"][0], day - changed, trust)
        self._take_interest(page, importance, day)
        if importance > 0:
            common["importance"] += importance
            common["relevant"] += 1
            value = self._settle(page, importance * common["lasting"])
            common["page"] += (value - common["page"]) / min(1 + common["relevant"], PAGES)

    def see(
        self,
        page: np.ndarray,
        importance: float,
        changed: bool,
        day: float,
        said: float = np.nan,
        trust: float = 0.0,
    ) -> None:
        """Take in another visit; `said` and `trust`: as `meet` has `changed` and `trust`."""
        gap = day - float(page["look"][0])
        see_look(page[0], gap, changed, day - said, trust)
        page["watched"] += gap
        if page["importance"][0] > 0:
            self._record["exposure"] += gap
        page["look"] = day
        self._take_interest(page, importance, day)
        if importance > 0:
            self._settle(page, float(page["zeta"][0]))

    def see_links(self, page: np.ndarray, bins: list[int], new: bool) -> None:
        """Take in links that the watch did not have, on a page; `new`: since the last visit."""
        common, counts = self._record, np.bincount(bins, minlength=BINS)
        page["seen"] += counts
        page["seen"] *= min(1.0, LATEST / max(page["seen"].sum(), 1e-9))
        common["links"] += counts
        if new:
            page["arrivals"] += len(bins)
        elif page["importance"][0] > 0:
            value = chances(self.common)[:, 0] * common["page"]
            gain = counts * np.maximum(value - common["price"], 0)
            own = min(float(gain.sum()), MOST_OWN * common["page"])
            common["own"] += (own - common["own"]) / min(common["relevant"], OWNERS)

    def see_link(self, bin: int, news: bool, relevant: bool) -> float:
        """Take in whether a link of a bin led to a new relevant page; return its chance before."""
        chance = float(chances(self.common)[bin, int(news)])
        self._record["counts"][bin, int(news)] += 1
        self._record["hits"][bin, int(news)] += relevant
        return chance

    def _take_interest(self, page: np.ndarray, importance: float, day: float) -> None:
        fading, lasting = self._record["fading"], self._record["lasting"]
        born = float(page["born"][0])
        left = 0.0 if np.isnan(born) else np.exp(-fading * (day - born))
        page["importance"] = importance
        page["zeta"] = importance * (lasting + (1 - lasting) * left)

    def _settle(self, page: np.ndarray, zeta: float) -> float:
        """Set the factor of a look for what it teaches; return the page's value."""
        common = self._record
        weights = common["prior"] * page["likelihood"][0]
        price, end = float(common["price"]), float(common["end"])
        return float(settle(page[0], weights / weights.sum(), zeta, price, end, *self._outlook))
