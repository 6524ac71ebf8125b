"""A crawl in a folder: what it learns from, how it runs, and what it has found so far."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from tres_lib import focused, topics
from tres_lib.focused.drivers import History, past_of
from tres_lib.focused.policy import builds
from tres_lib.focused.result import Ending, Stop, make_log
from tres_lib.store import Journal, save_whole
from tres_webs import Link, Topic, Web, canonical_url, domain, load_topics
from tres_webs.extras import optional
from tres_webs.files import read_file, remove

from ..reporting import Crawled
from ..topic.few import FewTexts, prose_of
from ..topic.labels import Labels
from ..topic.own import NOTHING, Once, OwnTopic, on_pages, unmatched
from ..web.archive import Archive
from ..web.guard import BEGINNING, Guard, near_copies
from ..web.site_links import WithSiteLinks
from .extracts import OnRow, export, growing_log, listed, pages, write_rows
from .options import CrawlOptions, Folder, lines

NEEDS = dict.fromkeys(("tres", "tres-pretrained", "tres-async", "sync"), "torch")  # of policies
NEEDS["ache"] = "gensim"
LINKED = 4  # pages that each seed links to, which a person is shown
WIDTH = 40  # characters of a column of titles or reasons

Tell = Callable[[str], object]  # is given each message
logger = logging.getLogger(__name__)


def opened(path: str | Path, kind: str = "") -> Folder:
    """Return a folder, of either kind by default; a review that was killed is ended."""
    folder = Folder(path, kind)
    if folder.next_model.exists() and not folder.running:
        with folder.alone():
            finish_review(folder)
    return folder


def name_code(folder: Folder, *named: str | None) -> None:
    """Take what a person names, as module:object; ValueError if the folder names other code."""
    own = folder.options.classifier, getattr(folder.options, "policy", None)
    for name in filter(None, named):
        if name not in own:
            names = ", ".join(map(repr, filter(None, own)))
            raise ValueError(f"{name!r}: {str(folder.path)!r} goes by {names}; leave it out")
    folder.named = named


def code(folder: Folder, option: str) -> Any:
    """Return the object that an option of the folder names; ValueError unless a person did."""
    value = getattr(folder.options, option)
    if value not in folder.named:
        remedy = f"if you know it and trust it, add --{option} {value}"
        problem = f"{str(folder.path)!r} names code, which may do all that you may"
        raise ValueError(f"{option}={value!r}: {problem}; {remedy}")
    try:
        return resolve_name(value)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = "give module:object; Python looks for modules in PYTHONPATH"
        raise ValueError(f"{option}={value!r}: {error}; {remedy}") from None


def classifier(folder: Folder) -> topics.RelevanceClassifier:
    """Return the classifier; ValueError if it was not trained yet, or nobody has named it."""
    if ":" in folder.options.classifier:
        return topics.as_classifier(code(folder, "classifier"))
    if not folder.model.exists():
        raise ValueError(f"{str(folder.path)!r} has no classifier yet: `tres resume {folder.path}`")
    return topics.load_classifier(folder.model, FewTexts)


def example_urls(folder: Folder) -> set[str]:
    """Return the canonical URLs of those examples that are pages."""
    return set(filter(None, map(canonical_url, folder.options.examples)))


def learn(
    folder: Folder, web: Web, tell: Tell, answers: dict[str, bytes] | None = None
) -> tuple[Once, OwnTopic]:
    """Return the topic with its classifier, and the web on which no page is fetched again."""
    if folder.begun:
        remove(folder.first)
    with Journal(folder.first, {}) as journal:
        once = Once(web).keep(journal)
        most = folder.options.max_per_domain or sys.maxsize
        once.ask_only(_may_look(folder, once, max(most - LINKED, 1)))
        # An error page is no example; of hosts that one guard has asked, the next asks none.
        own = _topic(folder, once, Guard(once, None, folder.options.probe, answers), tell)
        if not folder.begun:
            once.ask_only(_may_look(folder, once, most))
            table = own.first_look(once, LINKED)
            for row in table.itertuples():
                judged = row.p == row.p  # NaN: no page, and the verdict says why
                columns = (row.verdict, f"{row.p:.2f}") if judged else ("no page", "-")
                words = shorten(row.title if judged else row.verdict, WIDTH, placeholder=" …")
                tell(f"{columns[0]:>12}  {columns[1]:>4}  {words or '-':{WIDTH}}  {row.url}")
            seen = [topics.page_text(page) for page in once.pages.values()]
            for line in on_pages(folder.options.keywords, seen):
                tell(line)
            no_seed = not (table["url"].isin(own.seeds) & (table["p"] >= 0.5)).any()
            said = own.topic.examples or any(label.relevant for label in own.labels)
            any_of = own.topic.keywords
            if no_seed and not said and seen and len(unmatched(any_of, seen)) == len(any_of):
                raise ValueError(f"no seed is judged relevant, and {NOTHING}")
    once.journal = None
    return once, own


def _may_look(folder: Folder, once: Once, most: int) -> Callable[[str], bool]:
    """Return what a first look may ask for: what is named or in scope, so many pages a domain."""
    named = example_urls(folder) | set(filter(None, map(canonical_url, folder.options.seeds)))
    scope = folder.options.scope()
    in_scope = scope.requests(named) if scope else lambda url: True

    def may(url: str) -> bool:
        if url in named or urlsplit(url).path == "/robots.txt":
            return in_scope(url)
        taken = sum(domain(page.url) == domain(url) for page in list(once.pages.values()))
        return taken < most and in_scope(url)

    return may


def _topic(folder: Folder, web: Web, guarded: Web, tell: Tell) -> OwnTopic:
    """Return the topic with its classifier, the stored one if there is one."""
    options, labels = folder.options, Labels(folder.labels)
    if ":" in options.classifier:
        own = OwnTopic(options.base_topic(), options.seeds, labels)
        own.use(classifier(folder))
        return own
    if folder.model.exists():
        return OwnTopic.load(folder.model, labels)
    own = _described(folder, guarded, tell)
    tell("the classifier is made of")
    for source, row in own.report(titles=4).iterrows():
        which = f": {row['which']}" if row["which"] else ""
        if source != "pages around":
            tell(f"{row['relevant']:>7} relevant {source}{which}")
        elif row["irrelevant"]:
            tell(f"{row['irrelevant']:>7} {source} the seeds")
    if missing := own.unmatched_keywords():
        tell(f"keywords found in no training text: {', '.join(missing)}")
    if folder.ask:
        tell("questions about pages follow; 10 to 20 answers are enough, and q ends them")
        own.ask_person(web)
    save_whole(own, folder.model)
    return own


def _described(folder: Folder, web: Web, tell: Tell) -> OwnTopic:
    """Return the topic as the options describe it, with its examples' texts."""
    options, topic = folder.options, folder.options.base_topic()
    if topic.name in load_topics():
        if not options.keywords and not options.examples:
            return OwnTopic(topic, options.seeds, Labels(folder.labels))
        if options.keywords:
            tell(f"with your keywords the book's rules on {topic.name!r} do not count")
    examples = example_urls(folder)
    idle = [url for url in options.seeds if canonical_url(url) not in examples]
    if options.examples and idle:
        more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
        tell(f"the classifier learns from your examples, and not from the seed {idle[0]}{more}")
    return OwnTopic.from_examples(web, topic, options.seeds, options.examples, folder=folder.path)


def plan(options: CrawlOptions, topic: Topic, policy: Any, judge: Any) -> dict[str, Any]:
    """Return the settings of a crawl beyond its seeds and topic."""
    return {
        "policy": policy,
        "budget": options.budget,
        "max_per_domain": options.max_per_domain or None,
        "follow": options.scope(),
        "classifier": judge,
        "keywords": topics.topic_keywords(topic).keywords,
        "in_flight": options.in_flight,
        "rng": options.rng,
    }


def run(
    folder: Folder,
    tell: Tell = logger.info,
    *,
    web: Web | None = None,
    more: int = 0,
    **bounds: Any,
) -> Crawled:
    """Crawl on to the end of the budget, `more` pages more, and export what was found.

    That and changed bounds count once a page is asked for. `web` takes the place of the live one.
    """
    with folder.alone():
        if not folder.begun:
            folder.forget()
        before, sizes = (folder.options, folder.ending), _sizes(folder)
        if more or bounds:
            changed = asdict(folder.options) | bounds | {"budget": folder.options.budget + more}
            folder.options = type(folder.options).read(changed)
        else:
            folder.keep(None)
        logger.info("begins, or goes on: %s", folder.settings)
        try:
            with saying_compiled(tell), growing_log(folder.rows) as on_row:
                result, judge = _crawl(folder, tell, on_row, web)
        except BaseException as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            stop = Stop.INTERRUPTED if interrupted else Stop.ERROR
            ending: Ending | None = Ending(stop, cause=str(error))
            if (more or bounds) and _sizes(folder) == sizes:  # nothing was fetched by them
                folder.options, ending = before
            folder.keep(ending)
            logger.info("ended: %s", ending)
            raise
        folder.keep(result.ending)
        logger.info("ended: %s, harvest rate %.3f", folder.ending, result.harvest_rate)
    tabulate(now := so_far(folder, judge))
    return now


def _crawl(
    folder: Folder, tell: Tell, on_row: OnRow, web: Web | None = None
) -> tuple[focused.CrawlResult, topics.RelevanceClassifier]:
    options, answers = folder.options, dict[str, bytes]()
    source = sources(options, folder.pauses, web)
    policy: Any = options.policy
    if ":" in policy:
        builds(policy := code(folder, "policy"))  # a bad one ends it before the first fetch
    elif policy in NEEDS:  # what is missing does, too
        with optional("bilstm"):
            resolve_name(NEEDS[policy])
    limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
    tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
    if options.probe:
        tell("a host is asked once for a page that cannot exist, unless --no-probe is given")
    once, own = learn(folder, source, tell, answers)
    settings = plan(options, own.topic, policy, judge := own.classifier())
    folder.keep(None)  # with what was added to it, now that it can go on
    with _asked(folder, once, settings, answers) as where:
        result = focused.crawl(
            where,
            options.seeds,
            own.topic,
            checkpoint=folder.journal,
            patience=options.patience,
            progress=sys.stderr.isatty(),  # in a file a bar is noise
            on_row=on_row,
            **settings,
        )
    return result, judge


@contextmanager
def _asked(
    folder: Folder, once: Once, settings: dict[str, Any], answers: dict[str, bytes]
) -> Iterator[Web]:
    """Give the web of the crawl: asked here, or by the workers of a cluster."""
    options = folder.options
    if not options.cluster:
        yield Guard(Archive(once, folder.warc), None, options.probe, answers)
        return
    from ..web.cluster import ClusterWeb

    with ClusterWeb(
        options.cluster,
        partial(worker_web, options, answers),
        settings["classifier"],
        settings["keywords"],
        around=lambda came: Guard(Archive(came, folder.warc)),
        held=once.pages,
        pauses=folder.pauses,
        plain=options.cluster_plain,
    ) as web:
        yield web


def sources(options: CrawlOptions, pauses: Path | None = None, web: Web | None = None) -> Web:
    """Return the live Web of a crawl, or another, with the links of sitemaps if asked for."""
    asked: Any = web or options.open_web(pauses=pauses)
    return WithSiteLinks(asked, options.seeds) if options.sitemaps else asked


def worker_web(options: CrawlOptions, answers: dict[str, bytes]) -> Guard:
    """Return the Web as a worker asks it; `answers` of hosts are those of the first look."""
    return Guard(sources(options), None, options.probe, answers)


def finish_review(folder: Folder) -> None:
    """Take over a review's classifier: it is told the pages so far, and its rows are written."""
    if not folder.next_model.exists():
        return
    own, policy = OwnTopic.load(folder.next_model, Labels(folder.labels)), folder.options.policy
    # Code that nobody has named does not run.
    how = plan(
        folder.options, own.topic, "best-first" if ":" in policy else policy, own.classifier()
    )
    crawl = focused.Crawl(folder.options.seeds, own.topic, past=past_of(folder.journal), **how)
    about = crawl.settings.as_json()
    same = {name: about[name] for name in ("topic", "seeds", "rng")}
    with Journal(folder.journal, same) as journal:
        write_rows(folder.rows, (row for _, row in History(journal).replay(crawl)))
    remove(folder.model)
    folder.next_model.rename(folder.model)


def so_far(folder: Folder, judge: topics.RelevanceClassifier | None = None) -> Crawled:
    """Return the crawl as far as it has come, by its growing log and its journal.

    What a person has said of a page counts, and not the classifier. A seed that is turned down has
    reward 0 here, and so has a near-copy of a page that was taken before, its ``copy_of``.
    """
    options, own = folder.options, folder.options.classifier
    said: dict[str, bool | None] = dict.fromkeys(example_urls(folder), True)
    said |= {label.url: label.relevant for label in Labels(folder.labels).answers()}
    log = make_log(list(lines(folder.rows)))
    answers = log["final_url"].map(said).astype(float)
    answered = answers.notna() & log["p"].notna()
    log["p"] = answers.where(answered, log["p"])
    log["reward"] = (log["p"] >= 0.5).astype(float)
    texts = dict.fromkeys(log.loc[log["reward"] > 0, "final_url"], ("", ""))
    for visit in lines(folder.journal):  # page by page: their whole texts would fill the memory
        if "page" in visit and visit["page"][0] in texts:
            url, _, title, text = visit["page"]
            texts[url] = title, prose_of(text)[:BEGINNING]
    copies = near_copies([(url, *both) for url, both in texts.items()])
    log["copy_of"] = [copies.get(url, "") for url in log["final_url"].where(~answered)]
    log.loc[log["copy_of"] != "", "reward"] = 0.0
    about = {"topic": options.topic, "policy": options.policy}
    return Crawled(
        focused.CrawlResult(log, about, folder.ending),
        partial(_links, folder, log),
        options,
        folder.path,
        folder.running,
        _state(folder),
        said,
        json.loads(read_file(folder.audit))["order"] if folder.audit.exists() else [],
        {label.url: label.relevant for label in Labels(folder.audited)},
        partial(pages, folder.journal),
        lambda: None if ":" in own and own not in folder.named else classifier(folder),
        judge,
    )


def tabulate(crawled: Crawled) -> None:
    """Write the log and the list of relevant pages into the folder."""
    export(crawled.result, crawled.folder, pages=listed(crawled)[0])


def _state(folder: Folder) -> str:
    """Return whether the crawl runs, or why it does not, in words."""
    if folder.running:
        ready = folder.model.exists() or ":" in folder.options.classifier
        return "running" if ready else "training"
    if folder.ending is not None:
        return str(folder.ending)
    return "killed" if folder.rows.exists() else "not begun"


def _links(folder: Folder, log: pd.DataFrame) -> dict[str, list[Link]]:
    """Return the links in scope on each page so far, by the URL that was asked for."""
    scope, depths = folder.options.scope(), log.set_index("url")["depth"].to_dict()
    refused = set(log.loc[log["failure"] != "", "url"])  # as copies: their links do not count
    links: dict[str, list[Link]] = {}
    for visit in lines(folder.journal):
        if (page := visit.get("url", "")) not in refused:
            depth = depths.get(page, -1) + 1
            there = (Link(url, anchor) for url, anchor, *_ in visit.get("links", ()))
            links[page] = [x for x in there if scope is None or scope(x.url, depth)]
    return links


def _sizes(folder: Folder) -> list[int]:
    return [file.stat().st_size for file in (folder.rows, folder.journal) if file.exists()]


@contextmanager
def saying_compiled(tell: Tell) -> Iterator[None]:
    """Tell, once, when a compiled function is not in numba's cache: the first page waits for it."""
    from numba.core import event

    class First(event.Listener):
        begun = False

        def on_start(self, _: object) -> None:
            if not self.begun:
                tell("compiling, which takes seconds; the next crawl or watch finds it done")
            self.begun = True

        def on_end(self, _: object) -> None:
            pass

    with event.install_listener("numba:compile", First()):
        yield
