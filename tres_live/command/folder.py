"""The folder of a crawl or a watch: its options, its topic's examples, labels and classifier."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from pkgutil import resolve_name
from textwrap import shorten
from typing import Any, ClassVar, Self

from filelock import Timeout

from tres_lib import topics
from tres_lib.focused.visit import Visit
from tres_lib.journal import Journal
from tres_lib.store import save_whole
from tres_webs import Page, Revisit, Web, Wrapper, canonical_url, load_topics
from tres_webs.files import read_file, remove, write_whole

from ..topic.few import FewTexts
from ..topic.labels import Labels
from ..topic.own import NOTHING, OwnTopic
from ..topic.report import on_pages
from ..web.guard import Guard
from .files import MARKS, folder_lock, inside, open_folder
from .options import TopicOptions, without_left

WIDTH = 40  # characters of a column of titles or reasons

Tell = Callable[[str], object]  # is given each message


class TopicFolder:
    """A folder that another process may look at; ValueError if it holds none of its kind.

    `options` and the facts of the kind stand in ``crawl.json`` or ``watch.json``. Code that they
    name is run if a person has named it too: see `name_code`.
    """

    options_type: ClassVar[type[TopicOptions]]
    changing: ClassVar[tuple[str, ...]] = ()  # names of options that may change later

    def __init__(self, path: str | Path):
        kind, self.path = self.options_type.kind, Path(path)
        self._settings = self.file(MARKS[kind])
        if not self.holds_one(path):
            for other in ("crawl", "watch"):
                if Path(path, MARKS[other]).exists():
                    raise ValueError(f"{str(path)!r} holds a {other}; this is for a {kind} alone")
            raise ValueError(f"{str(path)!r} holds no {kind}; `tres {kind}` begins one")
        self.model = self.file("classifier", whole=True)
        self.pauses = self.file("pauses.jsonl")  # that hosts asked for
        self.log = self.file(f"{kind}.log")
        self._first = self.file("first.jsonl")  # pages of the first look
        self._answers: dict[str, bytes] = {}  # of hosts, to a guard
        self._named: tuple[str | None, ...] = ()
        self._lock = folder_lock(self.path)
        self._read()

    @classmethod
    def holds_one(cls, path: str | Path) -> bool:
        """Return whether a folder holds one of this kind."""
        return Path(path, MARKS[cls.options_type.kind]).exists()

    @classmethod
    def create(cls, path: str | Path, options: TopicOptions, **facts: Any) -> Self:
        """Make the folder of a new one; ValueError if it holds anything else.

        What one without a fetched page has left there is removed.
        """
        kind, path = cls.options_type.kind, Path(path)
        held = f"{str(path)!r} holds a {kind}: `tres resume {path}` goes on with it; "
        try:
            lock = folder_lock(open_folder(path, kind)).acquire(blocking=False)
        except Timeout:
            raise ValueError(f"{held}or name another --folder") from None
        with lock:
            settings = inside(open_folder(path, kind), MARKS[kind])  # another may have been quicker
            if settings.exists():
                former = cls(path)
                if former.begun:
                    raise ValueError(f"{held}or name another --folder")
                former.forget()
                remove(former.model)  # trained by other options
                remove(former._first)
            write_whole(settings, _as_text(options, facts))
        return cls(path)

    def file(self, name: str, whole: bool = False) -> Path:
        """Return the path of what the folder has by a name; see `inside`."""
        return inside(self.path, name, whole)

    @property
    def begun(self) -> bool:
        """Whether a page was fetched."""
        raise NotImplementedError

    @property
    def running(self) -> bool:
        """Whether a process, this one or another, runs it."""
        lock = folder_lock(self.path)
        if not Path(lock.lock_file).exists():
            return False
        try:
            with lock.acquire(blocking=False):
                return False
        except Timeout:
            return True
        except OSError:  # on read-only media
            return False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of a process that runs it, with its state as it is now.

        ValueError if another one does, or has begun it anew by other options.
        """
        name, before = str(self.path), self._lasting()
        try:
            lock = self._lock.acquire(blocking=False)
        except Timeout:
            problem = f"runs in another process: tres status {name}"
            raise ValueError(f"{name!r} {problem}") from None
        with lock:
            if self._lock.lock_counter == 1:  # else it was read when it was locked
                self._read()
            if self._lasting() != before:
                raise ValueError(f"{name!r} was begun anew in another process: tres status {name}")
            yield

    def forget(self) -> None:
        """Remove what a first try without a page has left."""

    def labels(self) -> Labels:
        """Return the answers that a person gave to questions about pages."""
        return Labels(self.file("labels.jsonl"))

    def example_urls(self) -> set[str]:
        """Return the canonical URLs of those examples that are pages."""
        return set(filter(None, map(canonical_url, self.options.examples)))

    def classifier(self) -> topics.RelevanceClassifier:
        """Return the classifier; ValueError if it was not trained yet, or nobody has named it."""
        if ":" in self.options.classifier:
            return topics.as_classifier(self.code("classifier"))
        if not self.model.exists():
            raise ValueError(f"{str(self.path)!r} has no classifier yet: `tres resume {self.path}`")
        return topics.load_classifier(self.model, FewTexts)

    def name_code(self, *named: str | None) -> None:
        """Take what a person names, as module:object: code that may run though a folder names it.

        ValueError if it is not what the folder names.
        """
        own = self.options.classifier, getattr(self.options, "policy", None)
        for name in filter(None, named):
            if name not in own:
                names = ", ".join(map(repr, filter(None, own)))
                raise ValueError(f"{name!r}: {str(self.path)!r} goes by {names}; leave it out")
        self._named = named

    def code(self, option: str) -> Any:
        """Return the object that an option of the folder names; ValueError unless a person did."""
        value = getattr(self.options, option)
        if value not in self._named:
            remedy = f"if you know it and trust it, add --{option} {value}"
            problem = f"{str(self.path)!r} names code, which may do all that you may"
            raise ValueError(f"{option}={value!r}: {problem}; {remedy}")
        return imported(option, value)

    def guarded(self, web: Web) -> Guard:
        """Return the web without its traps; of hosts that one has asked, the next asks none."""
        return Guard(web, probe=self.options.probe, answers=self._answers)

    def begin(self, web: Web, tell: Tell, ask: bool = False) -> tuple[Once, OwnTopic]:
        """Return the topic with its classifier, and the web on which no page is fetched again.

        On a new one the classifier judges the seeds and some pages that they link to. ValueError if
        it takes no seed for relevant, and no page there has a keyword.
        """
        if self.begun:
            remove(self._first)
        with Journal(self._first, {}) as journal:
            once = Once(web, journal)
            own = self.learn_topic(once, tell, ask)
            if not self.begun:
                table = own.first_look(once)
                for row in table.itertuples():
                    judged = row.p == row.p  # NaN: no page, and the verdict says why
                    columns = (row.verdict, f"{row.p:.2f}") if judged else ("no page", "-")
                    words = shorten(row.title if judged else row.verdict, WIDTH, placeholder=" …")
                    tell(f"{columns[0]:>12}  {columns[1]:>4}  {words or '-':{WIDTH}}  {row.url}")
                seen = [topics.page_text(page) for page in once.pages.values()]
                for advice in on_pages(self.options.keywords, seen):
                    tell(advice)
                no_seed = not (table["url"].isin(own.seeds) & (table["p"] >= 0.5)).any()
                if no_seed and own.learns_nothing(seen):
                    raise ValueError(f"no seed is judged relevant, and {NOTHING}")
        once.learning = False
        return once, own

    def learn_topic(self, web: Web, tell: Tell, ask: bool = False) -> OwnTopic:
        """Return the topic with its classifier, the stored one if there is one.

        `ask`: whether to ask in the terminal about doubtful pages; see `OwnTopic.teach`.
        """
        if ":" in self.options.classifier:
            own = OwnTopic(self.options.base_topic(), self.options.seeds, self.labels())
            own.use(self.classifier())
            return own
        if self.model.exists():
            return OwnTopic.load(self.model, self.labels())
        own = self._described(web, tell)
        tell("the classifier is made of")
        for source, row in own.report(titles=4).iterrows():
            which = f": {row['which']}" if row["which"] else ""
            if source != "pages around":
                tell(f"{row['relevant']:>7} relevant {source}{which}")
            elif row["irrelevant"]:
                tell(f"{row['irrelevant']:>7} {source} the seeds")
        if missing := own.unmatched_keywords():
            tell(f"keywords found in no training text: {', '.join(missing)}")
        if ask:
            tell("questions about pages follow; 10 to 20 answers are enough, and q ends them")
            own.teach(web)
        save_whole(own, self.model)
        return own

    def _described(self, web: Web, tell: Tell) -> OwnTopic:
        """Return the topic as the options describe it, with its examples' texts."""
        options = self.options
        topic = options.base_topic()
        if topic.name in load_topics():
            if not options.keywords and not options.examples:
                return OwnTopic(topic, options.seeds, self.labels())
            if options.keywords:
                tell(f"with your keywords the book's rules on {topic.name!r} do not count")
        examples = self.example_urls()
        idle = [url for url in options.seeds if canonical_url(url) not in examples]
        if options.examples and idle:
            more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
            tell(f"the classifier learns from your examples, and not from the seed {idle[0]}{more}")
        return OwnTopic.from_examples(
            self.guarded(web),  # an error page is no example
            topic,
            options.seeds,
            options.examples,
            folder=self.path,
        )

    def _lasting(self) -> dict[str, Any]:
        """Return the options that nothing changes once it has begun."""
        return {n: value for n, value in asdict(self.options).items() if n not in self.changing}

    def _take(self, stored: dict[str, Any]) -> None:
        """Take what the file holds beside the options."""

    def _read(self) -> None:
        try:
            stored = json.loads(read_file(self._settings))
            self.options = self.options_type(**without_left(stored.pop("options")))
            self._take(stored)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"{str(self._settings)!r} is damaged, or of an earlier version"
            raise ValueError(f"{problem}: {error}") from None

    def _store(self, **facts: Any) -> None:
        if not self._lock.is_locked:
            raise RuntimeError(f"{self._settings}: another process may have changed it; lock it")
        write_whole(self._settings, _as_text(self.options, facts))


def _as_text(options: TopicOptions, facts: Mapping[str, Any]) -> str:
    return json.dumps({"options": asdict(options), **facts}, indent=1) + "\n"


@contextmanager
def compiling_told(tell: Tell) -> Iterator[None]:
    """Tell, once, when a compiled function is not in numba's cache: the first page waits for it."""
    from numba.core import event

    class First(event.Listener):
        told = False

        def on_start(self, _: object) -> None:
            if not self.told:
                tell("compiling, which takes seconds; the next crawl or watch finds it done")
            self.told = True

        def on_end(self, _: object) -> None:
            pass

    with event.install_listener("numba:compile", First()):
        yield


class Once(Wrapper):
    """A web of which a page that was fetched while the topic was learnt is asked for once.

    `kept`: a journal of documents, so that a first look that was killed goes on.
    """

    def __init__(self, web: Web, kept: Journal):
        super().__init__(web)
        self.learning = True
        self.pages: dict[str, Page] = {}
        self._kept = kept
        while line := kept.read():
            if page := Visit.from_json(line).page:
                html = line["html"].encode("utf-8", "surrogateescape")
                self.pages[line["url"]] = replace(page, html=html)

    def fetch(self, url: str) -> Page:
        """Return the page as it was held, or else fetch it."""
        held = self.pages.pop(url, None)
        page = held or super().fetch(url)
        if self.learning:
            self.pages[url] = page
            if held is None and page.html is not None:
                html = page.html.decode("utf-8", "surrogateescape")
                self._kept.append(Visit(url, page, 0.0).as_json() | {"html": html})
        return page

    def look(self, url: str, conditions: Mapping[str, str]) -> Revisit:
        """Return the page as it was held, or else look at it."""
        held = self.pages.pop(url, None)
        return self._whole.look(url, conditions) if held is None else Revisit(held, {})


def imported(name: str, value: str) -> Any:
    """Return the object that "module:object" names; ValueError if there is none."""
    try:
        return resolve_name(value)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = "give module:object; Python looks for modules in PYTHONPATH"
        raise ValueError(f"{name}={value!r}: {error}; {remedy}") from None
