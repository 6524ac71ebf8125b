"""Examples of a topic as a person names them, by URL or as texts, and the texts to learn from."""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tres_lib import checks
from tres_lib.store import whole_file
from tres_lib.topics import page_text
from tres_lib.topics.vectors import UNSPACED, fold
from tres_lib.web.page import FetchError, Web
from tres_lib.web.reader import printable

SHORTEST = 5  # words; shorter texts are mostly a longer one cut at its commas
STEM = 5  # letters; a seed mentions a keyword if it has its beginning

logger = logging.getLogger(__name__)


def as_list(value: str | Iterable[str], name: str = "value") -> list[str]:
    """Return the items of a list, or of a text split at its line ends, or else at its commas.

    ValueError, with the argument's name, if it is neither.

    Examples
    --------
    >>> as_list("jazz, New Orleans ,trumpet,")
    ['jazz', 'New Orleans', 'trumpet']
    """
    if isinstance(value, str):
        value = re.split("\n" if "\n" in value.strip() else "[,，、]", value)
    return [item.strip() for item in checks.texts(name, value) if item.strip()]


def check_examples(examples: Sequence[str]) -> None:
    """Raise ValueError unless each is a URL or a text of five words or more."""
    for text in examples:
        n_words = len(text.split()) + len(UNSPACED.findall(text))
        if not _is_url(text) and n_words < SHORTEST:
            raise ValueError(
                f"examples: {text!r} is neither a URL nor a text of {SHORTEST} words; "
                "texts with commas go on lines of their own, or into a list"
            )


def example_texts(
    web: Web,
    keywords: Sequence[str],
    seeds: Sequence[str],
    examples: Sequence[str],
    stored_in: Path,
) -> tuple[str, ...]:
    """Return the texts of examples; without any, those of the seeds that mention a keyword.

    The JSON file `stored_in` keeps the texts by URL. Only what it lacks is fetched, so that a
    resumed crawl learns from the same texts. ValueError if no example has a text.
    """
    items = examples or seeds
    texts, why = _fetched(web, list(filter(_is_url, items)), stored_in, seeds)
    chosen = [texts.get(item, "") if _is_url(item) else item for item in items]
    if not any(map(str.strip, chosen)):
        private = "private address" in why
        remedy = "allow it by --intranet (allow_private=)" if private else "give others, or texts"
        raise ValueError(
            f"{'examples' if examples else 'seeds'}: none has a text ({why}); {remedy}"
        )
    if not examples:
        pairs = zip(seeds, chosen, strict=True)
        chosen = [text for url, text in pairs if _mentions(url, text, keywords)]
    return tuple(filter(str.strip, chosen))


def _fetched(
    web: Web, urls: Sequence[str], stored_in: Path, seeds: Sequence[str]
) -> tuple[dict[str, str], str]:
    """Return texts by URL, fetched or from the file, which is made; and why the last one failed."""
    texts = json.loads(stored_in.read_text(encoding="utf-8")) if stored_in.exists() else {}
    why = "empty pages"
    for url in urls:
        if url in texts:
            continue
        try:
            texts[url] = page_text(web.fetch(url))
        except FetchError as error:
            why = printable(str(error.reason))
            kind = "seed" if url in seeds else "example"
            logger.warning("%s %s is left out of the examples: %s", kind, url, why)
    stored_in.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(stored_in) as draft:
        draft.write_text(json.dumps(texts, indent=1), encoding="utf-8")
    return texts, why


def _mentions(url: str, text: str, keywords: Iterable[str]) -> bool:
    """Return whether a seed's text has a keyword or its beginning; if it is not empty, warn."""
    folded = fold(text)
    mentioned = any(fold(word)[:STEM] in folded for word in keywords)
    if text.strip() and not mentioned:
        remedy = "it is no example (if it is relevant, name it under examples)"
        logger.warning("seed %s mentions no keyword: %s", url, remedy)
    return mentioned


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
