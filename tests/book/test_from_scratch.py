"""The files that rebuild a paper without the library give the library's figures."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from tres_book import orbits
from tres_lib import deepweb, ephemeral, focused, foragers, power_law, refresh, topics
from tres_lib.focused.tres.ddqn import DDQN
from tres_lib.focused.tres.tree_frontier import TreeFrontier, variance_reduction
from tres_lib.foragers import graphs
from tres_lib.foragers.settings import ARTICLE, LEAF

FOLDER = Path(__file__).parents[2] / "notebooks" / "from-scratch"
FILES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
SMALLER = {  # what a file's comparisons run here, that takes a fraction of the time
    "QUERIES, SITES = 120, 3": "QUERIES, SITES = 40, 2",
    "WEBS, T_QUANTILE = 5, 2.776": "WEBS, T_QUANTILE = 2, 12.706",
    "T, RUNS = 10_000.0, 10": "T, RUNS = 10_000.0, 2",
    "BUDGET, WEBS, T_QUANTILE = 200, 4, 3.182": "BUDGET, WEBS, T_QUANTILE = 100, 2, 12.706",
    "simulate(policy, M, 4_000)": "simulate(policy, M, 300)",
}


def sources(name: str) -> list[str]:
    """Return the code cells of a file."""
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def ran():
    """Return the names that a file defines, once it has run from top to bottom."""
    import matplotlib

    done = {}

    def run(name: str) -> dict:
        if name not in done:
            with matplotlib.rc_context({"backend": "Agg"}):
                done[name] = {}
                for source in sources(name):
                    for old, new in SMALLER.items():
                        source = source.replace(old, new)
                    exec(source, done[name])
        return done[name]

    return run


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_short_and_needs_nothing_of_ours(name):
    whole = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert sum("".join(cell["source"]).count("\n") + 1 for cell in whole) < 300
    code = "\n".join(sources(name))
    assert any(old in code for old in SMALLER)
    imports = {line for line in code.splitlines() if line.startswith(("import ", "from "))}
    torch = {"import torch"} if name == "tres" else set()
    assert imports == {"import matplotlib.pyplot as plt", "import numpy as np"} | torch


def test_whittle_index(ran):
    mine = ran("whittle-index")
    alpha, u = mine["alpha"], mine["u"]
    x = np.linspace(0.01, 1.1, 200)[:, None] * u / (1 - alpha)
    theirs = ephemeral.whittle_index(x, alpha, u)
    np.testing.assert_allclose(mine["whittle_index"](x, alpha, u), theirs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(mine["searched"], orbits.orbit_index(mine["n"], alpha[0], u[0]))


@pytest.mark.parametrize("crawls", [1, 2, 3])
def test_whittle_policy_and_bound(ran, crawls):
    mine = ran("whittle-index")
    sources = ephemeral.Sources(mine["alpha"], mine["u"])
    for name, policy in mine["policies"].items():
        run = ephemeral.simulate(sources, crawls, 300, name.replace(" ", "-"))
        rewards, crawled = mine["simulate"](policy, crawls, 300)
        np.testing.assert_allclose(rewards, run.reward)
        assert (crawled == run.crawled).all()
    bound = ephemeral.lagrangian_bound(sources, crawls)
    assert bound * (1 - 1e-12) <= mine["bound"](crawls) <= bound * (1 + 1e-4)


def test_learning_to_crawl_optimum_and_estimates(ran):
    mine = ran("learning-to-crawl")
    xi, w = mine["xi"], mine["w"]
    theirs = refresh.optimal_rates(xi, w, mine["R"])
    np.testing.assert_allclose(mine["best"], theirs, atol=1e-9)
    assert mine["freshness"](mine["best"], xi, w) == pytest.approx(0.37797368)
    bits, gaps = mine["bits"], mine["gaps"]
    assert mine["likeliest"](bits, gaps) == pytest.approx(refresh.estimate_change_rate(bits, gaps))
    by_moments = refresh.estimate_change_rate(bits, gaps, method="moments")
    assert mine["moments"](bits, gaps) == pytest.approx(by_moments)


def test_learning_to_crawl_regret(ran):
    mine = ran("learning-to-crawl")
    xi, w, committed = mine["xi"], mine["w"], np.array([0.5, 0.5, 0.5, 0.3, 0.2])

    def policy(view):
        return (view.uniform_rates, 30.0) if view.time == 0 else (committed, np.inf)

    theirs = refresh.simulate(policy, xi, w, mine["R"], 200.0, rng=0).regret()
    assert mine["regret"](xi, w, mine["R"], 30.0, 200.0, committed) == pytest.approx(theirs)


def test_deep_web_formulas(ran):
    mine = ran("deep-web")
    rng = np.random.default_rng(0)
    tf = rng.integers(1, 50, 30)
    df = np.minimum(rng.integers(1, 20, 30), tf)
    np.testing.assert_allclose(mine["ridf"](tf, df, 40), deepweb.ridf(tf, df, 40))
    x, y = rng.random((30, 3)), rng.random((7, 3))
    kernel = mine["similarity"](x, y)
    np.testing.assert_allclose(kernel, deepweb.gaussian_kernel(x, y, sigma=0.5))
    observed = rng.integers(0, 50, 7)
    theirs = deepweb.estimate_sizes(kernel, observed)
    np.testing.assert_allclose(mine["sizes"](kernel, observed), theirs, rtol=1e-9)
    rewards = 50 * rng.random(30)
    theirs = deepweb.q_values(rewards, df, 100)
    np.testing.assert_allclose(mine["q_values"](rewards, df.astype(float), 100), theirs)


def test_deep_web_crawl(ran):
    share = ran("deep-web")["share"]
    assert all((np.diff(runs) >= 0).all() and runs.max() <= 1 for runs in share.values())
    assert (share["reinforcement"][:, -1] > share["frequency"][:, -1]).all()


@pytest.fixture(scope="module")
def news_web(ran):
    """Return the library's form of the file's first web: each version shows slots of its own."""
    mine = ran("foragers")["Web"](np.random.default_rng(0))
    sizes = np.array([len(ends) for ends in mine.links])
    order = np.argsort(mine.url, kind="stable")  # slots lie by URL, then by version
    listed_to = np.empty(len(sizes), int)
    listed_to[order] = np.cumsum(sizes[order])
    listed_from = listed_to - sizes
    of_url = np.bincount(mine.url, sizes, mine.n).astype(int)
    first_slot = np.concatenate([[0], np.cumsum(of_url)])
    kind = np.full(mine.n, LEAF, np.int8)
    kind[mine.url[np.isfinite(mine.date)]] = ARTICLE
    return foragers.NewsWeb(
        kind=kind,
        published=np.full(mine.n, -np.inf),
        url=mine.url.astype(np.int32),
        born=mine.born,
        state=mine.state.astype(np.float32),
        listed_from=listed_from,
        listed_to=listed_to,
        first_slot=first_slot,
        standing_to=first_slot[:-1],
        destination=np.concatenate([mine.links[v] for v in order]).astype(np.int32),
        appears=np.zeros(sizes.sum()),
        days=float(ran("foragers")["DAYS"]),
    )


@pytest.mark.parametrize("kind", ["WL", "RL", "RANDOM"])
def test_foragers_find_what_the_librarys_find(ran, news_web, kind):
    # The file computes in float64 and the library in float32: no choice is close enough to differ.
    mine = ran("foragers")
    found, sent, visited = mine["fleet"](mine["Web"](np.random.default_rng(0)), kind, 3)
    theirs = foragers.run_fleet(news_web, kind, 3)
    assert (len(found), sent, len(visited)) == (theirs.relevant, theirs.sent, theirs.found_urls)
    np.testing.assert_allclose(found, np.sort(theirs.found_at[np.isfinite(theirs.found_at)]))


def test_foragers_graph(ran, news_web):
    mine = ran("foragers")
    sources, ends = mine["edges"](mine["Web"](np.random.default_rng(0)))
    graph = graphs.adjacency(news_web)
    n = len(news_web)
    assert mine["clustering"](sources, ends, n) == pytest.approx(graphs.clustering(graph))
    inward = np.bincount(ends)
    exact = power_law.fit_power_law(inward[inward >= 5], xmin=5).exponent
    assert mine["exponent"](sources, ends) == pytest.approx(exact, abs=0.03)


def test_tres_keywords(ran):
    from gensim.models import KeyedVectors

    mine = ran("tres")
    names = np.array([f"word{i}" for i in range(len(mine["vectors"]))])
    vectors = KeyedVectors(mine["DIM"])
    vectors.add_vectors(names.tolist(), mine["vectors"])
    candidates = names[mine["relevant_words"]].tolist()
    theirs = topics.expand_keywords(names[mine["given"]].tolist(), candidates, vectors)
    assert mine["b"] == pytest.approx(theirs.threshold)
    assert set(names[mine["keywords"]]) == set(theirs.keywords) and theirs.discovered


def test_tres_features(ran):
    mine, rng = ran("tres"), np.random.default_rng(0)
    for _ in range(50):
        rewards, path = rng.integers(2, size=rng.integers(1, 9)).tolist(), focused.Path()
        for reward in rewards:
            path = path.extend(reward)
        assert mine["path_features"](rewards) == pytest.approx(path.features())
    crawl = mine["Crawl"](mine["web"])
    for page in range(30):
        new = crawl.fetch(page)[1]
    x = crawl.x(new)
    site = np.array([crawl.to[action] for action in new]) // mine["PAGES"]
    np.testing.assert_allclose(
        x[:, 6:], focused.domain_features(crawl.good[site], crawl.visits[site])
    )
    assert 0 < (x[:, 7] == 1).mean() < 1  # some sites are known, some are not


def test_tres_tree(ran):
    mine, rng = ran("tres"), np.random.default_rng(0)
    x = np.round(rng.random((300, 8)), 1).astype(np.float32)  # with many equal values
    rewards = (rng.random(300) < x[:, 2]).astype(int)
    assert mine["variance_reduction"](rewards, x[:, 0] < 0.5) == pytest.approx(
        variance_reduction(rewards, x[:, 0] < 0.5)
    )
    tree, theirs = mine["Tree"](), TreeFrontier(8, min_split=5)
    for i in range(300):
        tree.add(i, x[i])
        theirs.add([i], x[[i]])
        tree.learn(x[i], rewards[i])
        theirs.add_experience(x[i], rewards[i])
    rules = theirs.nodes().query("~leaf")
    assert len(rules) == len(tree.rule) > 20
    for node, (f, c, left, right) in tree.rule.items():
        row = rules.loc[node]
        assert (row["feature"], row["threshold"], row["left"], row["right"]) == (f, c, left, right)
    drawn = tree.sample(lambda action: action < 150, rng)  # those are gone
    held = {theirs.leaves_of(np.array([action]))[0] for action in range(150, 300)}
    assert sorted(theirs.leaves_of(np.array([action for action, _ in drawn]))) == sorted(held)


def test_tres_target_and_training_step(ran):
    import torch

    mine, rng = ran("tres"), np.random.default_rng(0)
    online, target = mine["q_network"](), mine["q_network"]()
    agent = DDQN(8, gamma=mine["GAMMA"], hidden=(32, 16), learning_rate=2e-3, batch=16)

    def weights(network):
        return np.concatenate([part.detach().numpy().ravel() for part in network.parameters()])

    agent.online.weights[:], agent.target.weights[:] = weights(online), weights(target)
    x, next_x = rng.random((16, 8), np.float32), rng.random((16, 7, 8), np.float32)
    reward = rng.integers(2, size=16).astype(np.float32)
    y = agent.targets(reward, next_x, np.full(16, 7))
    batch = list(zip(x, reward, next_x, strict=True))
    own = [mine["double_q_target"](online, target, r, after) for _, r, after in batch]
    np.testing.assert_allclose(own, y, rtol=1e-5)
    mine["train"](online, target, torch.optim.Adam(online.parameters(), lr=2e-3), batch)
    agent.online.gradient(x, y)
    agent.online.descend(2e-3, clip=1.0)
    np.testing.assert_allclose(weights(online), agent.online.weights, atol=2e-5)


def test_tres_crawl(ran):
    mine = ran("tres")
    assert min(mine["precision"], mine["recall"]) > 0.9
    ends = {name: runs[:, -1] for name, runs in mine["found"].items()}
    assert (ends["TRES"] > ends["random"]).all()
    assert ends["TRES"].mean() > ends["tree alone"].mean() > ends["random"].mean()
    started = time.process_time()
    rewards, pages = mine["tres"](mine["web"], 0, 60, np.random.default_rng(0))
    assert time.process_time() - started < 20
    assert len(rewards) == len(set(pages)) == 60
    found = mine["web"].links[pages]  # each page is linked from one fetched before
    assert all(page in found[:i] for i, page in enumerate(pages) if i)
