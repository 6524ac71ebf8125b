"""What a watch learns from each look, and anew each day from all of them."""

import numpy as np

from tres_lib.watching.beliefs import AGES, RATES, boost, outlook, see_bit

from .records import BINS, SCORES
from .worth import chances, renew_common, see_change, see_hint

LATEST = 24.0  # links by which a page's links are known
PAGES = 500.0  # relevant pages over which their worth is averaged
OWNERS = 50.0  # and over which what their links bring
MOST_OWN = 5.0  # times its own worth that a page's links may bring
SPEED = 0.01  # of a price that follows the looks that win


def bin_of(score: float, relevant: bool) -> int:
    """Return the bin of a link's score on a page that is relevant or not."""
    return SCORES * relevant + min(int(score * SCORES), SCORES - 1)


class Memory:
    """Beliefs on all pages together, and how a look updates them and the page's record.

    Parameters
    ----------
    common : array (1,) of `COMMON`
        It is changed in place.
    """

    def __init__(self, common: np.ndarray):
        self.common = common
        self._tables: tuple[np.ndarray, ...] = ()
        self._tabulate()

    def renew(self, pages: np.ndarray, priors: np.ndarray, day: float) -> bool:
        """Learn from all pages together, once a day; return whether it was time to.

        `priors`: of hosts, see `Hosts`; they are renewed as well.
        """
        if int(day) <= self.common["day"][0]:
            return False
        self.common["day"] = int(day)
        renew_common(pages, self.common, priors)
        self._tabulate()
        return True

    def follow(self, worth: float) -> None:
        """Move the price towards the value of the marginal fetch."""
        common = self.common[0]
        common["winners"] += 1
        common["price"] += (worth - common["price"]) * max(SPEED, 1 / (1 + common["winners"]))

    def meet(
        self, page: np.ndarray, importance: float, day: float, changed: float, trust: float
    ) -> None:
        """Take in a page that was fetched for the first time; importance 0: it is not relevant.

        `changed`: the day on which its server says that it changed last, which is believed with
        the probability `trust`; NaN: it does not say.
        """
        common = self.common[0]
        if changed < day:
            see_hint(page["likelihood"][0], day - changed, trust)
        page["importance"] = importance
        self._take_interest(page, day)
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
        told: float = np.nan,
        trust: float = 0.0,
    ) -> None:
        """Take in another look at a page; `told` and `trust`: as `meet` has `changed` and `trust`.

        When the last change was counts only if it is seen, and said to be since the last look.
        """
        common = self.common[0]
        gap = day - float(page["look"][0])
        if changed and 0 < day - told < gap:
            see_change(page["likelihood"][0], gap, day - told, trust)
        else:
            see_bit(page["likelihood"][0], gap, changed)
        page["looks"] += 1
        page["watched"] += gap
        if page["importance"][0] > 0:
            common["exposure"] += gap
        page["look"] = day
        page["importance"] = importance
        self._take_interest(page, day)
        if importance > 0:
            self._settle(page, float(page["zeta"][0]))

    def see_links(self, page: np.ndarray, bins: list[int], new: bool) -> None:
        """Take in links that are new to the watch, on a page that may have been looked at before.

        `new`: since the last look.
        """
        common = self.common[0]
        found = np.bincount(bins, minlength=BINS)
        page["seen"] += found
        page["seen"] *= min(1.0, LATEST / max(page["seen"].sum(), 1e-9))
        common["links"] += found
        if new:
            page["arrivals"] += len(bins)
        elif page["importance"][0] > 0:
            worth = chances(self.common)[:, 0] * common["page"]
            gain = found * np.maximum(worth - common["price"], 0)
            own = min(float(gain.sum()), MOST_OWN * common["page"])
            common["own"] += (own - common["own"]) / min(common["relevant"], OWNERS)

    def see_link(self, bin: int, news: bool, relevant: bool) -> None:
        """Take in whether a link of a bin led to a new relevant page."""
        self.common["counts"][0, bin, int(news)] += 1
        self.common["hits"][0, bin, int(news)] += relevant

    def _take_interest(self, page: np.ndarray, day: float) -> None:
        common = self.common[0]
        born = float(page["born"][0])
        left = 0.0 if np.isnan(born) else np.exp(-common["fading"] * (day - born))
        page["zeta"] = page["importance"] * (common["lasting"] + (1 - common["lasting"]) * left)

    def _settle(self, page: np.ndarray, zeta: float) -> float:
        """Compute what a look is worth for what it teaches; return what the page is worth."""
        common = self.common[0]
        weights = common["prior"] * page["likelihood"][0]
        price, end = float(common["price"]), float(common["end"])
        factor, value = boost(weights / weights.sum(), zeta, price, end, *self._tables)
        page["factor"] = factor
        return float(value)

    def _tabulate(self) -> None:
        shape = len(AGES), len(RATES)
        self._tables = np.empty(shape), np.empty(shape), np.empty(len(AGES))
        outlook(float(self.common["end"][0]), *self._tables)
