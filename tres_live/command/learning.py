"""The topic of a crawl or watch, learnt at its first run: what is said meanwhile, and asked."""

from collections.abc import Callable

import numpy as np

from tres_lib.web.page import Web
from tres_lib.web.topic import load_topics
from tres_lib.web.urls import canonical_url

from ..topic.own import NOTHING, OwnTopic
from ..web.guard import Guard
from .folder import TopicFolder
from .settings import TopicOptions

Tell = Callable[[str], object]


def learn_topic(folder: TopicFolder, web: Web, tell: Tell, ask: bool = False) -> OwnTopic:
    """Return the folder's topic with its classifier: a resumed crawl needs the same."""
    if folder.model.exists():
        return OwnTopic.load(folder.model, folder.labels())
    own = _described(folder, web, tell)
    tell("training the classifier, which may take a minute, from")
    for source, row in own.report(titles=4).iterrows():
        which = f": {row['which']}" if row["which"] else ""
        tell(f"{row['relevant']:>7} relevant {source}{which}")
    if missing := own.unmatched_keywords():
        tell(f"keywords found in no training text: {', '.join(missing)}")
    if ask:
        tell("questions about pages follow; 10 to 20 answers are enough, and q ends them")
        own.teach(web)
    draft = folder.path / "classifier.part"
    own.save(draft)
    draft.rename(folder.model)
    return own


def show_first_look(own: OwnTopic, web: Web, tell: Tell) -> None:
    """Tell what the classifier makes of the seeds and some pages that they link to.

    ValueError if it takes no seed for relevant and has nothing to learn from.
    """
    table = own.first_look(web)
    for row in table.itertuples():
        p = "   -" if np.isnan(row.p) else f"{row.p:4.2f}"
        tell(f"{row.verdict[:40]:>12}  {p}  {row.title[:50] or '-'}  {row.url}")
    no_seed = not (table["url"].isin(own.seeds) & (table["p"] >= 0.5)).any()
    if no_seed and own.learns_nothing():
        raise ValueError(f"no seed is judged relevant, and {NOTHING}")


def _described(folder: TopicFolder, web: Web, tell: Tell) -> OwnTopic:
    """Return the topic as the options describe it, with its examples' texts."""
    options, labels = folder.options, folder.labels()
    topic = options.base_topic()
    in_book = topic.name in load_topics()
    if in_book and not options.keywords and not options.examples:
        return OwnTopic(topic, options.seeds, labels, kind=options.classifier)
    if in_book and options.keywords:
        tell(f"with your keywords the book's rules on {topic.name!r} do not count")
    _name_idle_seeds(options, tell)
    return OwnTopic.from_examples(
        Guard(web, probe=True),  # an error page is no example
        topic,
        options.seeds,
        options.examples,
        folder=folder.path,
        labels=labels,
        kind=options.classifier,
    )


def _name_idle_seeds(options: TopicOptions, tell: Tell) -> None:
    """Say which seeds the classifier does not learn from, because there are examples."""
    examples = set(map(canonical_url, options.examples))
    idle = [url for url in options.seeds if canonical_url(url) not in examples]
    if examples and idle:
        more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
        tell(f"the classifier learns from your examples, and not from the seed {idle[0]}{more}")
