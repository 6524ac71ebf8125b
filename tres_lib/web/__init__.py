"""Where pages come from: a laboratory web, recorded webs, the live Web, and what they share."""

from ..lazy import on_use
from .lab.articles import Articles, load_articles
from .page import FetchError, Link, Page, Web, as_web, parse_page
from .topic import Topic, get_topic, load_topics
from .urls import canonical_url, domain, url_words

# These load scipy, warcio, pooch or requests, so they load when they are used.
_ON_USE = {
    "VitalWeb": "lab.vital",
    "WebLaw": "lab.parameters",
    "SiteLaw": "lab.parameters",
    "ANCHOR_KINDS": "lab.parameters",
    "ANCHOR_SHARES": "lab.parameters",
    "ReplayWeb": "recorded.replay",
    "LiveWeb": "live.live",
    "HostLog": "live.politeness",
    "serve": "live.server",
    "Guard": "live.guard",
    "GuardSettings": "live.guard",
    "Archive": "recorded.archive",
    "MutedWeb": "lab.muted",
    "wikispeedia_folder": "recorded.wikispeedia",
}

__all__ = [
    "Articles",
    "FetchError",
    "Link",
    "Page",
    "Topic",
    "Web",
    "as_web",
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
