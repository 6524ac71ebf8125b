"""Where pages come from: a laboratory web, recorded webs, the live Web, and what they share."""

from ..lazy import on_use
from .articles import Articles, load_articles
from .page import FetchError, Link, Page, Web, parse_page
from .topic import Topic, get_topic, load_topics
from .urls import canonical_url, domain, url_words

# The webs load scipy, warcio, pooch and requests, so they load when they are used.
_ON_USE = {
    "VitalWeb": "vital",
    "WebLaw": "law",
    "SiteLaw": "law",
    "ANCHOR_KINDS": "law",
    "ANCHOR_SHARES": "law",
    "ReplayWeb": "replay",
    "LiveWeb": "live",
    "HostLog": "politeness",
    "serve": "server",
    "Guard": "guard",
    "GuardSettings": "guard",
    "Archive": "archive",
    "TailFit": "measure",
    "power_law_fit": "measure",
    "survival": "measure",
    "links_of": "measure",
    "same_group_share": "measure",
    "reach": "measure",
    "random_harvest": "measure",
    "MutedWeb": "muted",
    "wikispeedia_folder": "wikispeedia",
}

__all__ = [
    "Articles",
    "FetchError",
    "Link",
    "Page",
    "Topic",
    "Web",
    "canonical_url",
    "domain",
    "get_topic",
    "load_articles",
    "load_topics",
    "parse_page",
    "url_words",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
