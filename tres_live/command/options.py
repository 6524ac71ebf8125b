"""The options of a crawl or a watch, from flags and files, and the folder that keeps them."""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import partial
from importlib.metadata import version
from itertools import islice
from os.path import expandvars, isfile
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

import click
from filelock import Timeout

from tres_lib.focused.policy import POLICIES
from tres_lib.focused.result import Ending
from tres_lib.focused.settings import check_seeds
from tres_webs import Topic, canonical_url, checks, get_topic, load_topics
from tres_webs.files import MOST, file_lock, read_file, read_lines, remove, write_whole
from tres_webs.parsing import printable

from ..scope import Scope
from ..watching.clock import SLOWEST

if TYPE_CHECKING:
    from ..web.live import LiveWeb

LABORATORY = ("oracle", "seedfinder")  # policies
AGENT = f"tres-compendium/{version('tres_lib')}"
CONTACT = re.compile(r"\S@\S|https?://\S")
HEADER = re.compile(r"(\S+)\s+([^\s:]+):\s*([^$]*)\$(\w+)")  # origin, name, value and variable
SEPARATOR = re.compile("[,;，、\n\r]")
MARKS = {"crawl": "crawl.json", "watch": "watch.json", "export": ".tres-export"}  # of a folder
# What a kill leaves while a folder is marked.
BEGUN = re.compile(r"\.tres\.lock|\.(crawl\.json|watch\.json|\.tres-export)\.\d+-[0-9a-f]+\.part")
SPLIT = ("keywords", "seeds", "allow_domain", "deny_domain", "intranet")  # items hold no commas
CLUSTER = ["cluster", "cluster_plain"]  # where pages are fetched
BOUNDS = ["max_per_domain", "max_depth", "allow_domain", "deny_domain", "include", "exclude"]
LEFT = {  # options that folders of earlier versions store, and what it means to remove one
    "labels": "move its answers to labels.jsonl in the folder",
    "rules": "a classifier that was trained by them stays",
    "private_suffixes": "github.io is then one domain",
    "shards": "its pages cannot be told to a crawl of one frontier; git's tag archive-0.2 goes on",
    "requests": "all pages of a watch count alike",
}
Texts = tuple[str, ...]
FORMS: dict[Any, tuple[tuple[type, ...], str]] = {  # of fields: what may stand for them, in words
    str: ((str,), "a text"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    Texts: ((str, list, tuple), "a list of texts"),
}


def option(text: str, default: Any = MISSING, least: float | None = None) -> Any:
    """Return the field of an option with its help; `least` bounds a number."""
    if isinstance(default, int | float) and not isinstance(default, bool) and "[" not in text:
        text += f"  [{default:g}]"
    return field(default=default, metadata={"help": text, "least": least})


@dataclass(frozen=True)
class TopicOptions:
    """What to look for, where and how politely; a field's help says what it holds."""

    kind: ClassVar[str] = "crawl"
    changing: ClassVar[tuple[str, ...]] = ()  # those that one which goes on may change

    topic: str = option("Its name. One of the book's (sports, ...) needs no keywords.")
    seeds: Texts = option("URL to start from, or a file of URLs; may be repeated.")
    keywords: Texts = option("Words of the topic: 'jazz, ragtime', or a file.", ())
    contact: str = option("Your mail address or page, for the hosts that you visit.", "")
    examples: Texts = option("URL or text of a relevant page, or a file of them.  [seeds]", ())
    classifier: str = option("keywords, or module:object.  [keywords]", "keywords")
    delay: float = option("Seconds between requests to a host.", 1.0)
    allow_domain: Texts = option("Follow links only to this host and below.", ())
    deny_domain: Texts = option("Follow no links to this host and below.", ())
    include: Texts = option("Regular expression that a URL must match.", ())
    exclude: Texts = option("Regular expression that a URL must not match.", ())
    intranet: Texts = option("Host or network that is not public; hosts alone: stay on these.", ())
    proxy: str = option("Address of an HTTP proxy, such as that of `tres serve`.", "")
    cookies: str = option("File of cookies (Netscape's format), for the hosts in it.", "")
    header: Texts = option("'https://HOST NAME: $VARIABLE' for this host alone.", ())
    user_agent: str = option("Name and version of your crawler.", AGENT)
    pdf: bool = option("Read PDFs as well.", False)
    probe: bool = option("Ask a host once for what cannot exist, to know soft 404s.  [yes]", True)
    rng: int = option("Seed of the crawl's randomness.", 0, least=0)

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.type == Texts:
                object.__setattr__(self, each.name, tuple(getattr(self, each.name)))
            if (least := each.metadata["least"]) is not None:
                check = checks.count if each.type is int else checks.number
                check(each.name, getattr(self, each.name), least)
        name = self.topic.strip()
        if not name:
            raise ValueError("topic: give the topic a name, such as --topic jazz")
        if not self.keywords and name.casefold() in load_topics():
            object.__setattr__(self, "topic", name.casefold())
        elif len(self.keywords) < 2:
            remedy = f"describe {self.topic!r} by two words or more, with commas between"
            if not self.keywords:
                remedy += f", or name a topic of the book: {', '.join(load_topics())}"
            raise ValueError(f"keywords={self.keywords!r}: {remedy}")
        check_seeds(self.seeds)
        if ":" not in self.classifier:  # else it is of the person's own, as a policy may be
            checks.one_of("classifier", self.classifier, ("keywords", "module:object"))
        if not CONTACT.search(self.contact):
            remedy = "give a mail address or page, such as --contact me@site.org"
            raise ValueError(f"contact={self.contact!r}: {remedy}")
        if "@" in self.proxy:
            remedy = "put the address into a variable, and give its name: --proxy '$PROXY'"
            raise ValueError(f"proxy: its password would be stored; {remedy}")
        if not all(map(HEADER.fullmatch, self.header)):  # what is wrong may be a password
            remedy = "put it into a variable: --header 'https://HOST Authorization: $TOKEN'"
            raise ValueError(f"header: its value would be stored; {remedy}")
        for name in set(self.allow_domain) & set(self.deny_domain):
            raise ValueError(f"allow_domain, deny_domain: {name!r} stands in both")
        self.scope()
        self.base_topic()  # it checks the keywords

    @classmethod
    def read(cls, given: Mapping[str, Any], file: str | Path | None = None) -> Self:
        """Return the options of a TOML file or another folder's JSON, overruled by those given."""
        options: dict[str, Any] = {} if file is None else _read_file(Path(file))
        options |= {name: value for name, value in given.items() if value not in (None, (), [])}
        forms = {each.name: each.type for each in fields(cls)}
        for name, value in options.items():
            if name not in forms:
                near = difflib.get_close_matches(name, forms, 1)
                remedy = f"did you mean {near[0]!r}?" if near else f"use some of {', '.join(forms)}"
                raise ValueError(f"{name}: a {cls.kind} has no such option; {remedy}")
            taken, wanted = FORMS[forms[name]]
            if not isinstance(value, taken) or (isinstance(value, bool) and bool not in taken):
                raise ValueError(f"{name}={value!r}: give {wanted}")
            if forms[name] == Texts:
                options[name] = items(name, options[name])
        for name in ("topic", "seeds"):
            if name not in options:
                raise ValueError(f"{name}: missing; give --{name} or put it into the TOML file")
        if path := options.get("cookies"):
            if not isfile(path):
                raise ValueError(f"cookies: there is no file {path!r}")
            options["cookies"] = str(Path(path).resolve())  # for a resume from elsewhere
        checked = cls(**options)
        checked.open_web()  # asks for the addresses of an intranet's hosts
        return checked

    def scope(self) -> Scope | None:
        """Return which links to follow; None for all."""
        allow = self.allow_domain  # where only an intranet's hosts are named: these and the seeds'
        if self.intranet and not allow and not any("/" in name for name in self.intranet):
            named = (*(f"http://{name}/" for name in self.intranet), *self.seeds)
            hosts = (urlsplit(canonical_url(url) or "").hostname for url in named)
            allow = tuple(dict.fromkeys(filter(None, hosts)))
        depth = getattr(self, "max_depth", 0) or None
        limits = allow, self.deny_domain, self.include, self.exclude, depth
        return Scope(*limits) if any(limits) else None

    def open_web(self, feeds: bool = False, pauses: Path | None = None) -> "LiveWeb":
        """Return the live Web as these options reach it; for `feeds` and `pauses` see there."""
        from ..web.live import LiveWeb

        proxy = expandvars(self.proxy)
        web = LiveWeb(
            self.user_agent,
            self.contact,
            delay=self.delay,
            allow_private=self.intranet,
            proxies=dict.fromkeys(("http", "https"), proxy) if proxy else None,
            feeds=feeds,
            pdf=self.pdf,
            pauses=pauses,
            cookies=self.cookies or None,
            headers=self._headers(),
        )
        if scope := self.scope():
            web.ask_only(scope.requests((*self.seeds, *self.examples)))
        return web

    def _headers(self) -> dict[str, dict[str, str]]:
        """Return the headers by origin, with the values of their variables."""
        found: dict[str, dict[str, str]] = {}
        for origin, name, value, variable in (HEADER.findall(text)[0] for text in self.header):
            if variable not in os.environ:
                raise ValueError(f"header: for {origin}, no variable is named {variable!r}")
            found.setdefault(origin, {})[name] = value + os.environ[variable]
        return found

    def base_topic(self) -> Topic:
        """Return the topic without examples: the book's, unless keywords are given."""
        return Topic(self.topic, self.keywords) if self.keywords else get_topic(self.topic)


@dataclass(frozen=True)
class CrawlOptions(TopicOptions):
    """Options of ``tres crawl``; a TOML file may hold the same names."""

    changing: ClassVar[tuple[str, ...]] = ("budget", *BOUNDS, *CLUSTER)

    budget: int = option("Pages to fetch.", 1_000, least=1)
    policy: str = option("best-first, tres, ..., or module:Class.  [prospector]", "prospector")
    in_flight: int = option("Pages waited for at once.", 1, least=1)
    cluster: str = option("Address of a Dask scheduler, whose workers fetch: tls://HOST:PORT.", "")
    cluster_plain: bool = option("Reach it without TLS too, in a network that you trust.", False)
    max_depth: int = option("Links from a seed; 0: no limit.", 0, least=0)
    max_per_domain: int = option("Pages of a domain; 0: no limit.", 60, least=0)
    patience: int = option("Failures in a row after which it stops.", 50, least=1)
    sitemaps: bool = option("Take links of the seeds' sitemaps.", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        others = [policy for policy in POLICIES if policy not in LABORATORY]
        if self.policy in LABORATORY:
            raise ValueError(f"policy={self.policy!r}: not on the Web; use {', '.join(others)}")
        if ":" not in self.policy:
            checks.one_of("policy", self.policy, others)
        if self.cluster:
            from ..web.cluster import scheduler_of

            scheduler_of(self.cluster, self.cluster_plain)
            if self.cookies or self.header:
                remedy = "leave out --cluster, or --cookies and --header"
                raise ValueError(f"cluster: no login is sent to workers; {remedy}")


@dataclass(frozen=True)
class WatchOptions(TopicOptions):
    """Options of ``tres watch``; a TOML file may hold the same names."""

    kind: ClassVar[str] = "watch"

    bandwidth: float = option("Fetches a day.", 1_000.0, least=SLOWEST)
    max_per_domain: int = option("Known pages of a domain; 0: no limit.", 0, least=0)
    half_life: float = option("Days to half the interest in a new page.", 1.5)
    days: float = option("After which it ends; 0: never.", 0.0, least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.positive("half_life", self.half_life)


OPTIONS: dict[str, Any] = {kind.kind: kind for kind in (CrawlOptions, WatchOptions)}


class Folder:
    """What a crawl or a watch keeps: paths, a lock, and a file of its options and its ending."""

    def __init__(self, path: str | Path, kind: str = ""):
        self.path = Path(path)
        found = [name for name in OPTIONS if (self.path / MARKS[name]).exists()]
        self.kind = kind or next(iter(found[::-1]), "crawl")
        if self.kind not in found:
            if found:
                raise ValueError(f"{str(path)!r} holds a {found[0]}; this is for a {kind} alone")
            raise ValueError(f"{str(path)!r} holds no {self.kind}; `tres {self.kind}` begins one")
        file = partial(inside, self.path)
        self.settings = file(MARKS[self.kind])
        self.model = file("classifier", whole=True)
        self.next_model = file("classifier-next")  # of a review
        self.labels = file("labels.jsonl")  # answers that a person gave
        self.pauses = file("pauses.jsonl")  # that hosts asked for
        self.first = file("first.jsonl")  # pages of the first look
        self.journal = file("journal.jsonl")  # what a crawl was told
        self.rows = file("rows.jsonl")  # its log
        self.warc = file("pages.warc.gz")
        self.audit = file("audit.json")  # pages that were taken, in the order of a sample
        self.audited = file("audit.jsonl")  # answers about these
        self.store = file("watch.sqlite")
        self.digests = file("digest")
        self.log = file(f"{self.kind}.log")
        self.named: tuple[str | None, ...] = ()  # code that a person has named
        self._lock = file_lock(self.path / "tres")
        self._read()

    @classmethod
    def create(cls, path: str | Path, options: TopicOptions, ask: bool = False) -> Self:
        """Make the folder of a new one; ValueError if it holds more than a try without a page."""
        kind, path = options.kind, Path(path)
        held = f"{str(path)!r} holds a {kind}: `tres resume {path}` goes on with it; "
        try:
            lock = file_lock(open_folder(path, kind) / "tres").acquire(blocking=False)
        except Timeout:
            raise ValueError(f"{held}or name another --folder") from None
        with lock:
            settings = inside(open_folder(path, kind), MARKS[kind])  # another may have been quicker
            if settings.exists():
                former = cls(path, kind)
                if former.begun:
                    raise ValueError(f"{held}or name another --folder")
                former.forget()
                remove(former.model)  # trained by other options
                remove(former.first)
            write_whole(settings, _as_text(options, ask, None))
        return cls(path, kind)

    @property
    def begun(self) -> bool:
        """Whether a page was fetched, or there is a store."""
        return self.store.exists() or any("page" in visit for visit in lines(self.journal))

    @property
    def running(self) -> bool:
        """Whether a process, this one or another, holds it."""
        lock = file_lock(self.path / "tres")
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
        """Hold the lock of a process that runs it, with its state as it is now."""
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
        """Remove what a crawl without a page has left: its failures are tried again."""
        if any(row.get("final_url") for row in lines(self.rows)):
            problem = f"{str(self.journal)!r} is damaged: it lacks the pages that rows.jsonl names"
            raise ValueError(f"{problem}; restore a copy, or begin anew in another --folder")
        for each in (self.journal, self.rows, self.warc):
            remove(each)

    def keep(self, ending: Ending | None) -> None:
        """Store the options with this ending; None: it goes on."""
        if not self._lock.is_locked:
            raise RuntimeError(f"{self.settings}: another process may have changed it; lock it")
        self.ending = ending
        write_whole(self.settings, _as_text(self.options, self.ask, ending))

    def _lasting(self) -> dict[str, Any]:
        """Return the options that nothing changes once it has begun."""
        changing = self.options.changing
        return {n: value for n, value in asdict(self.options).items() if n not in changing}

    def _read(self) -> None:
        try:
            stored = json.loads(read_file(self.settings))
            options = OPTIONS[self.kind](**without_left(stored.pop("options")))
            if self.kind == "crawl":  # of version 0.2: what was added to the budget and the bounds
                changed = {"budget": options.budget + int(stored.get("extra", 0))}
                for _, bounds in stored.get("later", []):
                    changed |= bounds
                options = replace(options, **changed)
            self.options = options
            self.ask = bool(stored.get("ask"))  # whether to ask about pages before the crawl
            ending = stored.get("ending")
            self.ending = Ending.from_json(ending) if ending else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            problem = f"{str(self.settings)!r} is damaged, or of an earlier version"
            raise ValueError(f"{problem}: {error}") from None


def open_folder(path: Path, kind: str, name: str = "folder") -> Path:
    """Return a folder that is new, empty or of this kind, made if need be; ValueError of others."""
    given = f"{name}={str(path)!r}"
    remedy = f"name a new or an empty folder, --{name} {path}-2"
    if kind != "export":
        for above in path.resolve().parents:
            if others := [other for other in MARKS if _is_of(above, other)]:
                raise ValueError(f"{given} lies in {str(above)!r}, a {others[0]}'s; {remedy}")
    try:
        path.mkdir(parents=True, exist_ok=True)
        there = sorted(each.name for each in path.iterdir() if not BEGUN.fullmatch(each.name))
    except OSError as error:
        problem = f"no folder can be there ({error.strerror}); name another --{name}"
        raise ValueError(f"{given}: {problem}") from None
    if there and not _is_of(path, kind):
        such = next((mark for mark in MARKS.values() if mark in there), there[0])
        raise ValueError(f"{given} holds other files, such as {such!r}; {remedy}")
    return path


def inside(folder: Path, name: str, whole: bool = False) -> Path:
    """Return a path of ours; ValueError if a link, a device or, `whole`, a huge file is there."""
    path = folder / name  # a link could show another file, and a device never end
    below = (Path(at, each) for at, *names in os.walk(path) for each in (*names[0], *names[1]))
    for each in (path, *below):
        try:
            found = each.lstat()
        except FileNotFoundError:
            continue
        if not S_ISDIR(found.st_mode) and not S_ISREG(found.st_mode):
            remedy = "put what it stands for there, or take it away"
            raise ValueError(f"{str(each)!r} is a link or a device; {remedy}")
        if whole and found.st_size > MOST:
            raise ValueError(f"{str(each)!r} has more than {MOST:,} bytes; it is none of ours")
    return path


def lines(journal: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal after its header, but for what a kill has torn."""
    if journal.exists():
        for line in islice(read_lines(journal), 1, None):
            with suppress(ValueError):
                yield json.loads(line)


def _is_of(path: Path, kind: str) -> bool:
    """Return whether a folder has the mark of a kind; a copied crawl.json alone is none."""
    marked = (path / MARKS[kind]).exists()
    return marked and (kind == "export" or Path(file_lock(path / "tres").lock_file).exists())


def _as_text(options: TopicOptions, ask: bool, ending: Ending | None) -> str:
    facts = {"options": asdict(options), "ask": ask, "ending": ending and ending.as_json()}
    return json.dumps(facts, indent=1) + "\n"


def echo(text: object) -> None:
    """Print what may hold words of a page, or of a folder that somebody else made."""
    click.echo(printable(str(text)))


def items(name: str, values: str | Iterable[str]) -> list[str]:
    """Return the items of texts that may be files of lines, or have commas between."""
    listed: list[str] = []
    for value in [values] if isinstance(values, str) else values:
        if not isinstance(value, str):
            raise ValueError(f"{name}: {value!r} is no text")
        parts = [value]
        if isfile(value):
            parts = [line for line in _text(Path(value)).splitlines() if line[:1] != "#"]
        elif name == "seeds" and "://" not in value:
            raise ValueError(f"seeds: {value!r} is neither a URL, http://..., nor a file here")
        listed += SEPARATOR.split(",".join(parts)) if name in SPLIT else parts
    return [item.strip() for item in listed if item.strip()]


def without_left(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a file without those that have left; ValueError if one of these is set."""
    for name, then in LEFT.items():
        if stored.get(name):
            raise ValueError(f"{name}={stored[name]!r} is no option any more: remove it; {then}")
    return {name: value for name, value in stored.items() if name not in LEFT}


def _read_file(path: Path) -> dict[str, Any]:
    """Return the options that a TOML file holds, or the JSON file in the folder of a crawl."""
    try:
        if path.suffix == ".json":
            read = dict(json.loads(_text(path))["options"])
        else:
            read = tomllib.loads(_text(path))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no options: {error}") from None
    return without_left({name.replace("-", "_"): value for name, value in read.items()})


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8; save it as UTF-8") from None
