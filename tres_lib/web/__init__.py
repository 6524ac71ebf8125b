"""Where pages come from: a laboratory web, recorded webs, the live Web, and what they share."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".lab.articles": "Articles load_articles",
    ".lab.evolving": "EvolvingWeb",
    ".lab.evolving_law": "EvolvingLaw",
    ".lab.muted": "MutedWeb",
    ".lab.parameters": "ANCHOR_KINDS ANCHOR_SHARES SiteLaw WebLaw",
    ".lab.vital": "VitalWeb",
    ".live.guard": "Guard GuardSettings",
    ".live.live": "LiveWeb",
    ".live.politeness": "HostLog",
    ".live.server": "serve",
    ".live.site_links": "WithSiteLinks site_links",
    ".live.xml_links": "DatedLink SiteLink",
    ".page": "FetchError Link Page Revisit Web as_web",
    ".parsing": "parse_page",
    ".recorded.archive": "Archive",
    ".recorded.replay": "ReplayWeb",
    ".recorded.wikispeedia": "wikispeedia_folder",
    ".topic": "Topic get_topic load_topics",
    ".urls": "canonical_url domain url_words",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
