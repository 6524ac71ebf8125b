"""What a crawl from the command line is told, checked before anything slow begins."""

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tres_lib import checks
from tres_lib.focused.policy import POLICIES
from tres_lib.focused.scope import Scope, check_seeds
from tres_lib.web.topic import Topic, get_topic, load_topics

from .values import CONTACT, items, networks, read_toml, typed

if TYPE_CHECKING:
    from ..web.live import LiveWeb

LISTS = (
    *("keywords", "seeds", "examples", "rules", "allow_domain", "deny_domain"),
    *("include", "exclude", "intranet"),
)
CLASSIFIERS = ("svm", "kwbilstm")
LABORATORY = {  # its policies, and why they cannot crawl the Web
    "oracle": "it asks which pages are relevant before it fetches them",
    "seedfinder": "it asks a search engine over the web, and the Web has none for crawlers",
}


@dataclass(frozen=True)
class CrawlOptions:
    """Options of ``tres crawl``; a TOML file may hold the same names.

    Attributes
    ----------
    topic : str
        Its name; one of the book's ("sports", ...) needs no keywords.
    keywords, seeds, examples, rules : tuple of str
        Words that describe it; URLs to start from, or files of URLs; URLs or texts of relevant
        pages, or files of such lines; regular expressions for titles of relevant articles.
    contact, user_agent : str
        Who crawls, for those whose hosts are visited.
    budget : int
        Fetches.
    policy, classifier : str
        A name of `focused.POLICIES`; "svm" or "kwbilstm".
    labels : str
        File of pages that a person has labelled.
    in_flight, patience : int
        Pages waited for at once; failed fetches in a row after which the crawl stops.
    delay : float
        Seconds between two requests to a host, at least.
    max_per_domain : int
        0: no limit.
    max_depth : int
        Links from a seed; 0: no limit.
    allow_domain, deny_domain, include, exclude : tuple of str
        Bounds, see `focused.Scope`.
    intranet : tuple of str
        Hosts, by name or address, and networks that may be crawled though they are not public. A
        name's addresses are asked for once, when the crawl begins.
    proxy : str
        Address of an HTTP proxy, such as the one of ``tres serve``.
    probe : bool
        Whether to ask each site for a page that cannot exist, see `tres_live.Guard`.
    pdf : bool
        Whether PDFs are pages too, see `tres_live.LiveWeb`; needs ``pip install 'tres_lib[pdf]'``.
    sitemaps : bool
        Whether links in the feeds and sitemaps of the seeds' sites count, see `WithSiteLinks`;
        not with shards.
    shards : int
        Parts of the crawl, each with its own sites, see `tres_live.crawl_sharded`; 1: no parts; 0:
        as many as the cluster has workers when the crawl begins, without a cluster no parts.
    cluster : str
        Address of a Dask scheduler whose workers crawl, such as "tcp://host:8786"; they must see
        the folder.
    private_suffixes : bool
        Whether each site of github.io and the like is a domain of its own.
    rng : int
        Seed of the crawl's randomness.

    Examples
    --------
    >>> start = ["http://a.example/"]
    >>> options = CrawlOptions("jazz", start, ["jazz", "ragtime"], contact="me@a.example")
    >>> options.budget, options.policy
    (1000, 'prospector')
    """

    topic: str
    seeds: tuple[str, ...]
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    contact: str = ""
    user_agent: str = f"tres-compendium/{version('tres_lib')}"
    budget: int = 1_000
    policy: str = "prospector"
    classifier: str = "svm"
    labels: str = ""
    in_flight: int = 1
    patience: int = 50
    delay: float = 1.0
    max_per_domain: int = 60
    max_depth: int = 0
    allow_domain: tuple[str, ...] = ()
    deny_domain: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    intranet: tuple[str, ...] = ()
    proxy: str = ""
    private_suffixes: bool = False
    probe: bool = False
    pdf: bool = False
    sitemaps: bool = False
    shards: int = 0
    cluster: str = ""
    rng: int = 0

    def __post_init__(self) -> None:
        for name in LISTS:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.topic.strip():
            raise ValueError("topic: give the topic a name, such as --topic jazz")
        if not self.keywords and self.topic.strip().casefold() in load_topics():
            object.__setattr__(self, "topic", self.topic.strip().casefold())
        if len(self.keywords) < 2 and (self.keywords or self.topic not in load_topics()):
            remedy = f"describe {self.topic!r} by two words or more, with commas between"
            if not self.keywords:
                remedy += f", or name a topic of the book: {', '.join(load_topics())}"
            raise ValueError(f"keywords={self.keywords!r}: {remedy}")
        check_seeds(self.seeds)
        checks.count("budget", self.budget)
        checks.count("in_flight", self.in_flight)
        checks.count("patience", self.patience)
        checks.count("shards", self.shards, 0)
        if self.cluster and "://" not in self.cluster:
            told = "give a scheduler's address, such as tcp://host:8786"
            raise ValueError(f"cluster={self.cluster!r}: {told}")
        if self.sitemaps and self.sharded:
            raise ValueError("sitemaps: not with shards; leave it out")
        checks.count("rng", self.rng, 0)
        checks.count("max_per_domain", self.max_per_domain, 0)
        checks.count("max_depth", self.max_depth, 0)
        others = [policy for policy in POLICIES if policy not in LABORATORY]
        if why := LABORATORY.get(self.policy):
            raise ValueError(f"policy={self.policy!r}: {why}; give one of {', '.join(others)}")
        checks.one_of("policy", self.policy, others)
        checks.one_of("classifier", self.classifier, CLASSIFIERS)
        if not CONTACT.search(self.contact):
            told = "give a mail address or page, such as --contact me@site.org"
            raise ValueError(f"contact={self.contact!r}: {told}")
        if self.proxy and not self.proxy.lower().startswith(("http://", "https://")):
            raise ValueError(f"proxy={self.proxy!r}: give an HTTP proxy, --proxy http://host:port")
        for name in set(self.allow_domain) & set(self.deny_domain):
            raise ValueError(f"allow_domain, deny_domain: {name!r} stands in both")
        self.scope()
        self._live(networks(self.intranet, resolve=False))
        self.base_topic()  # it checks the rules

    @property
    def sharded(self) -> bool:
        """Whether the crawl is shared out."""
        return self.shards > 1 or bool(self.cluster)

    @classmethod
    def read(cls, given: Mapping[str, Any], file: str | Path | None = None) -> Self:
        """Return the options of a TOML file, overruled by those given; ValueError if one is bad.

        Parameters
        ----------
        given : mapping
            Options by name; None and empty lists count as not given. Lists may name files.
        file : path, optional
        """
        found = {} if file is None else read_toml(Path(file))
        options = {name.replace("-", "_"): value for name, value in found.items()}
        names = [field.name for field in fields(cls)]
        for name in options.keys() - set(names):
            near = difflib.get_close_matches(name, names, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(names)}"
            raise ValueError(f"{file}: no option is called {name!r}; {meant}")
        options |= {name: value for name, value in given.items() if value not in (None, (), [])}
        for field in fields(cls):
            if field.name in options:
                typed(field.name, options[field.name], field.type)
        for name in ("topic", "seeds"):
            if name not in options:
                raise ValueError(f"{name}: missing; give --{name} or put it into the TOML file")
        if labels := options.get("labels"):
            if not Path(labels).is_file():
                raise ValueError(f"labels: there is no file {labels!r}")
            options["labels"] = str(Path(labels).resolve())  # for a resume from elsewhere
        for name in LISTS:
            options[name] = items(name, options.get(name, ()))
        checked = cls(**options)
        checked.open_web()  # asks for the addresses of an intranet's hosts
        return checked

    def words(self) -> list[str]:
        """Return the words after ``tres crawl`` that give these options, without defaults.

        Examples
        --------
        >>> start = ["http://a.example/"]
        >>> options = CrawlOptions("jazz", start, ["jazz", "ragtime"], contact="me@a.example")
        >>> options.words()[:4]
        ['--topic', 'jazz', '--seeds', 'http://a.example/']
        """
        words: list[str] = []
        for field in fields(self):
            value, name = getattr(self, field.name), "--" + field.name.replace("_", "-")
            if field.default is not MISSING and value == field.default:
                continue
            if field.name == "keywords":
                value = (", ".join(value),)
            elif value is True:
                words.append(name)
                continue
            for item in value if isinstance(value, tuple) else (value,):
                words += [name, str(item)]
        return words

    def scope(self) -> Scope | None:
        """Return which links to follow; None for all."""
        hosts = self.allow_domain, self.deny_domain
        scope = Scope(*hosts, self.include, self.exclude, self.max_depth or None)
        return None if scope == Scope() else scope

    def open_web(self, feeds: bool = False) -> "LiveWeb":
        """Return the live Web as these options reach it.

        Parameters
        ----------
        feeds : bool
            Whether feeds are pages as well.

        Returns
        -------
        LiveWeb
        """
        return self._live(networks(self.intranet, resolve=not self.proxy), feeds)

    def _live(self, private: list[str], feeds: bool = False) -> "LiveWeb":
        from ..web.live import LiveWeb

        proxies = dict.fromkeys(("http", "https"), self.proxy) if self.proxy else None
        return LiveWeb(
            self.user_agent,
            self.contact,
            delay=self.delay,
            allow_private=private,
            proxies=proxies,
            feeds=feeds,
            pdf=self.pdf,
        )

    def base_topic(self) -> Topic:
        """Return the topic without examples: the book's, unless keywords are given; plus rules."""
        own = self.keywords and Topic(self.topic, self.keywords)
        base = own or get_topic(self.topic)
        return replace(base, rules=(*base.rules, *self.rules))
