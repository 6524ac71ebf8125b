"""The options of a crawl and of a watch: their flags, their TOML file, checked before it begins."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib.metadata import version
from os import environ
from os.path import expandvars, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

from tres_lib.focused.policy import POLICIES
from tres_lib.focused.settings import check_seeds
from tres_webs import Topic, canonical_url, checks, get_topic, load_topics

from ..scope import Scope
from ..watching.clock import SLOWEST

if TYPE_CHECKING:
    from ..web.live import LiveWeb

LABORATORY = ("oracle", "seedfinder")  # policies
AGENT = f"tres-compendium/{version('tres_lib')}"
CONTACT = re.compile(r"\S@\S|https?://\S")
HEADER = re.compile(r"(\S+)\s+([^\s:]+):\s*([^$]*)\$(\w+)")  # origin, name, value and variable
SEPARATOR = re.compile("[,;，、\n\r]")
SPLIT = ("keywords", "seeds", "allow_domain", "deny_domain", "intranet")  # items hold no commas
# Those that a crawl which goes on may change; and where its pages are fetched.
CLUSTER = ["cluster", "cluster_plain"]
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
    """What to look for, where and how politely: the options that crawls and watches share.

    The help of a field says what it holds. Lists may be files of lines.
    """

    kind: ClassVar[str] = "crawl"

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
        """Return the options of a file, overruled by those given; ValueError if one is bad.

        The file is TOML, or the JSON in the folder of another crawl or watch. Of those given, None
        and empty lists count as not given.
        """
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
        for name in ("requests", "cookies"):
            if path := options.get(name):
                if not isfile(path):
                    raise ValueError(f"{name}: there is no file {path!r}")
                options[name] = str(Path(path).resolve())  # for a resume from elsewhere
        checked = cls(**options)
        checked.open_web()  # asks for the addresses of an intranet's hosts
        return checked

    def scope(self) -> Scope | None:
        """Return which links to follow; None for all.

        Where only hosts of an intranet are named, these and the seeds' hosts are allowed.
        """
        allow = self.allow_domain
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
            if variable not in environ:
                raise ValueError(f"header: for {origin}, no variable is named {variable!r}")
            found.setdefault(origin, {})[name] = value + environ[variable]
        return found

    def base_topic(self) -> Topic:
        """Return the topic without examples: the book's, unless keywords are given."""
        return Topic(self.topic, self.keywords) if self.keywords else get_topic(self.topic)


@dataclass(frozen=True)
class CrawlOptions(TopicOptions):
    """Options of ``tres crawl``; a TOML file may hold the same names."""

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
