"""Topics in other languages than English: a classifier and crawls that find its pages."""

import numpy as np
import pytest

import tres_live
from tres_lib import focused, topics
from tres_webs import ReplayWeb, Topic, load_articles

CHINESE = (  # on jazz, and not
    ("爵士乐", "音乐", "萨克斯", "即兴演奏", "乐队", "小号", "钢琴", "节奏", "蓝调", "摇摆乐"),
    ("河流", "山脉", "经济", "政府", "法律", "汽车", "机器", "医院", "学校", "森林"),
)


def chinese(rng, relevant):
    """Sentences of a subject's words and of common ones."""
    common = ("我们", "他们", "认为", "因为", "所以", "可以", "这个", "时候", "没有", "一个")
    own = rng.choice(CHINESE[not relevant], 12)
    return "，".join(
        f"{a}{b}的{c}"
        for a, b, c in zip(rng.choice(common, 12), own, rng.permutation(own), strict=True)
    )


def french(relevant, n):
    """Leads of real French articles, on music or not, by their descriptions."""
    articles = load_articles("fr-fr")
    words = ("musi", "chanteur", "chanteuse", "compositeur", "opéra")
    on = [any(word in about.lower() for word in words) for about in articles.descriptions]
    rows = [i for i, found in enumerate(on) if found == relevant]
    return [f"{articles.titles[i]}. {articles.extracts[i]}" for i in rows[:: len(rows) // n][:n]]


def linked(texts, relevant, rng):
    """A web of these pages, half of whose links lead to pages of the same kind."""
    urls = [f"http://site{i % 40}.example/{i}" for i in range(len(texts))]
    html = {}
    for i, text in enumerate(texts):
        alike = np.flatnonzero(relevant == relevant[i])
        targets = [*rng.choice(alike, 5), *rng.integers(len(texts), size=5)]
        links = "".join(f"<a href='{urls[j]}'>{texts[j][:20]}</a> " for j in targets)
        html[urls[i]] = f"<meta charset=utf-8><p>{text}</p>{links}"
    labels = {url: "x" for url, on in zip(urls, relevant, strict=True) if on}
    return ReplayWeb.from_pages(html, labels=labels), urls


def pages_of(language, rng):
    """Return 100 relevant texts and 500 others."""
    if language == "French":
        return [*french(True, 100), *french(False, 500)]
    return [chinese(rng, i < 100) for i in range(600)]


KEYWORDS = {
    "French": ("MUSIQUE", "chanteur", "opéra", "orchestre", "compositeur"),
    "Chinese": ("爵士乐", "音乐", "乐队"),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", KEYWORDS)
def test_a_crawl_in_another_language_harvests_well(language, tmp_path, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    rng = np.random.default_rng(3)
    texts = pages_of(language, rng)
    relevant = np.arange(len(texts)) < 100
    web, urls = linked(texts, relevant, rng)
    topic = Topic("x", KEYWORDS[language], examples=tuple(texts[:5]))
    labels = tres_live.Labels(tmp_path / "labels.jsonl")
    for i in [*range(5, 10), *range(100, 115)]:
        labels.add(urls[i], texts[i], bool(relevant[i]))
    classifier = tres_live.own_classifier(topic, labels=labels)
    keywords = topics.topic_keywords(topic).keywords
    result = focused.crawl(
        web, urls[:5], topic, policy="prospector", budget=80, classifier=classifier,
        keywords=keywords, progress=False,
    )  # fmt: skip
    truly = result.log[result.log["step"] > 0]["url"].map(dict(zip(urls, relevant, strict=True)))
    assert truly.mean() > 0.5  # a sixth of the pages are relevant
