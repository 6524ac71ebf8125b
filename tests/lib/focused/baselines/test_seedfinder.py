"""SeedFinder: terms and queries by hand, results before links, what a query costs."""

from __future__ import annotations

import numpy as np
from fakes import CountingClassifier, came, context, page, step

from tres_lib.focused.baselines.seedfinder import QueryTerms, SeedFinder
from tres_webs import Link

X = np.zeros((99, 8), np.float32)


class FakeEngine:
    """Answers with names that it is given, two a page; notes what it was asked."""

    def __init__(self, answers: dict[tuple[str, ...], list[str]]):
        self.answers, self.asked = answers, []

    def query(self, terms, n=10, skip=0):
        self.asked.append((terms, skip))
        return self.answers.get(tuple(terms), [])[skip : skip + n]


class Driver:
    """Drives a SeedFinder as the crawl's loop does, each URL being one action."""

    def __init__(self, engine, budget=400, **settings):
        links = [Link(f"http://a.example/{i}", "") for i in range(len(X))]
        kind = type("Seeds", (SeedFinder,), {"page_size": 2, "first_come": True} | settings)
        self.policy = kind(context(X, links, budget), CountingClassifier(), search=engine)
        self.n, self.name_of = 0, {}

    def new(self, names) -> np.ndarray:
        ids = np.arange(self.n, self.n + len(names))
        self.name_of |= dict(zip(ids.tolist(), names, strict=True))
        self.n += len(names)
        return ids

    def fetched(self, action: int, text: str | None, links=()) -> None:
        got = None if text is None else page("http://a.example/", text=text)
        self.drop(action)
        came(self.policy, action, 0.0, X[: len(links)], self.new(links), got)

    def drop(self, *actions: int) -> None:
        self.policy.drop(list(actions))

    def seed(self, text: str, links=()) -> None:
        self.fetched(int(self.new(["seed"])[0]), text, links)

    def invite(self, refused=()) -> list[str]:
        names = self.policy.suggest(1)
        accepted = [name for name in names if name not in refused]
        if accepted:
            self.policy.add(self.new(accepted), X[: len(accepted)])
        return names

    def step(self, text: str | None, links=()) -> str:
        """Take an action whose page has that text; its name."""
        self.invite()
        action = step(self.policy)
        self.fetched(action, text, links)
        return self.name_of[action]

    @property
    def exhausted(self) -> bool:
        self.invite()
        return self.policy.choose(1) is None


# -- terms ----------------------------------------------------------------------------------


def test_terms_by_hand():
    terms = QueryTerms()
    terms.learn("apple apple tree the of 1984 ab", True)  # apple 2/3, tree 1/3
    terms.learn("tree stone stone stone", False)  # tree 1/3 - 1/4, stone -3/4
    assert terms.choose(1) == ("apple",)
    terms.learn("pear apple tree, cherry", True)  # apple 11/12, tree 1/3, pear and cherry 1/4
    assert terms.choose(2) == ("apple", "tree")
    terms.weigh(("apple",), 0.25)  # 11/48
    terms.weigh(("tree",), 0.5)  # 1/6
    assert terms.choose(2) == ("cherry", "pear")  # the best is new as well
    assert terms.choose(1) == ()  # stone is below zero, the others were used
    terms.learn("plum plum stone stone stone stone", True)  # plum 1/3, stone 2/3 - 3/4
    assert terms.choose(5) == ("plum", "cherry", "pear", "apple")  # after them nothing is new
    assert terms.choose(5) == ()


# -- policy ---------------------------------------------------------------------------------


def test_results_come_before_links():
    engine = FakeEngine({("apple",): ["r0", "r1", "r2", "r3", "r4"]})
    driver = Driver(engine, max_queries=50)  # at this budget: one query
    driver.seed("apple apple tree", ["s0", "s1"])
    assert driver.step("apple", ["a0"]) == "r0"
    assert np.isnan(driver.policy.q)
    assert driver.step("stone", ["b0"]) == "r1"  # half of the first page is relevant: go on
    assert driver.step("stone") == "r2"
    assert driver.step(None) == "r3"  # two pages at most
    assert driver.step("apple", ["c0"]) == "s0" and driver.policy.q == 1.0
    assert [driver.step("stone") for _ in range(3)] == ["s1", "a0", "c0"]  # b0: hard focus
    assert engine.asked == [(("apple",), 0), (("apple",), 2)]
    assert driver.policy.n_queries == 1
