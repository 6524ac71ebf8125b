"""What a person is asked and says of pages: examples, questions, and answers in a file."""

import json
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.settings import check_seeds
from tres_lib.topics import (
    KeywordMatcher,
    RelevanceClassifier,
    anchor_text,
    as_classifier,
    page_text,
)
from tres_lib.topics.vectors import UNSPACED, WORD, fold
from tres_webs import checks
from tres_webs.checks import count, generator, instance, members
from tres_webs.files import StorageError, open_file, read_file, write_whole
from tres_webs.page import FetchError, Page, Web
from tres_webs.parsing import printable
from tres_webs.urls import domain

LONGEST_TEXT = 50_000  # characters of a page that are stored
FORMAT = '{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}'
START = b'{"url": "'  # of a line that `Labels.add` writes
SHORTEST = 5  # words of an example; shorter texts are mostly a longer one cut at its commas
NO_EXAMPLE = "it is no example (if it is relevant, name it under examples)"
STEM = 5  # letters; a seed mentions a keyword if it has its beginning
FETCHES = 150  # pages around the seeds, of which the doubtful ones are chosen
PER_DOMAIN = 2  # pages of a registered domain, unless there are too few others
PROMISING = 0.5  # share of the links that the classifier likes best; the others are drawn
REPEATED = 3  # pages of a site from which on a line of theirs is a menu or footer
COLUMNS = ["url", "title", "p", "snippet", "text"]
NEEDED = {"url", "title", "snippet", "text"}  # columns of a table to label
ANSWERS: dict[str, bool | None] = {"y": True, "n": False, "s": None}
PROMPT = "relevant? [y]es, [n]o, [s]kip, [u]ndo, [q]uit: "
SNIPPET = 300  # characters
BEFORE = 15  # words of it before the first keyword

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Label:
    """One answer: None for a skipped page; the time as ISO 8601 in UTC.

    `text` is that by which the page is classified.
    """

    url: str
    text: str
    relevant: bool | None
    time: str


class Labels:
    """Answers by URL, in a file of JSON lines that only grows; the last one on a URL counts.

    A line is ``{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}``, or
    null for a skipped page; a damaged one is skipped, with a warning. Without a path answers stay
    in memory. ValueError if a file has no answer.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "labels.jsonl")
    >>> Labels(path).add("http://a.example/", "A band plays jazz.", True)
    >>> [(label.url, label.relevant) for label in Labels(path)]
    [('http://a.example/', True)]
    """

    def __init__(self, path: str | Path | None = None):
        if not isinstance(path, str | os.PathLike | None):
            raise ValueError(f"path={path!r}: give the path of a file of labels")
        self.path = None if path is None else Path(path)
        self._by_url: dict[str, Label] = {}
        if self.path is not None and self.path.is_file():
            self._read(self.path)

    def __len__(self) -> int:
        """Return the number of answers, skipped pages included."""
        return len(self._by_url)

    def __iter__(self) -> Iterator[Label]:
        """Yield the answers, one a URL, in the order of the first answers."""
        return iter(list(self._by_url.values()))

    def __contains__(self, url: object) -> bool:
        """Return whether this URL has an answer, so that nobody is asked twice."""
        return url in self._by_url

    def answers(self) -> list[Label]:
        """Return the answers that are yes or no."""
        return [label for label in self if label.relevant is not None]

    def add(self, url: str, text: str, relevant: bool | None) -> None:
        """Store an answer about a page, given the text by which it is classified, at once."""
        answer = bool(relevant) if isinstance(relevant, np.bool_) else relevant
        if not isinstance(answer, bool | None):
            raise ValueError(f"relevant={relevant!r}: give True, False, or None to skip the page")
        time = datetime.now(UTC).isoformat(timespec="seconds")
        label = Label(url, text[:LONGEST_TEXT], answer, time)
        if self.path is not None:
            _append(self.path, json.dumps(asdict(label)))
        self._by_url[url] = label

    def _read(self, path: Path) -> None:
        content, wrong = read_file(path), []
        for number, line in enumerate(content.splitlines(), 1):
            if label := _label(line):
                self._by_url[label.url] = label
            elif line.strip():
                wrong.append(f"{path}: line {number} is no answer")
        torn = content.startswith(START[: len(content)]) and b"\n" not in content
        if wrong and not self._by_url and not torn:
            problem = f"{wrong[0]}, nor is another"
            raise ValueError(f"labels: {problem}; each is a line such as {FORMAT}")
        if wrong:
            more = f", nor are {len(wrong) - 1} more" if len(wrong) > 1 else ""
            logger.warning("%s%s; skipped", wrong[0], more)


def as_labels(labels: Labels | str | Path, old: bool = False) -> Labels:
    """Return labels as they are, or those of a path, which must exist if they are `old`."""
    if isinstance(labels, Labels):
        return labels
    if not isinstance(labels, str | os.PathLike):
        raise ValueError(f"labels={labels!r}: give Labels, or the path of their file")
    if old and not Path(labels).is_file():
        raise ValueError(f"labels={str(labels)!r}: there is no such file")
    return Labels(labels)


def as_list(value: str | Iterable[str], name: str = "value") -> list[str]:
    """Return the items of a list, or of a text split at its line ends, or else at its commas."""
    if isinstance(value, str):
        value = re.split("\n" if "\n" in value.strip() else "[,，、]", value)
    return [item.strip() for item in checks.texts(name, value) if item.strip()]


def example_texts(
    web: Web, keywords: Sequence[str], seeds: Sequence[str], examples: Sequence[str], file: Path
) -> tuple[str, ...]:
    """Return the texts of examples; without any, those of the seeds that mention a keyword.

    The file keeps the texts by URL, so that a resumed crawl learns from the same ones. ValueError
    if an example is neither a URL nor a text of five words, or none has a text.
    """
    for text in examples:
        if not _is_url(text) and len(text.split()) + len(UNSPACED.findall(text)) < SHORTEST:
            raise ValueError(
                f"examples: {text!r} is neither a URL nor a text of {SHORTEST} words; "
                "texts with commas go on lines of their own, or into a list"
            )
    items = examples or seeds
    texts, why = _fetched(web, list(filter(_is_url, items)), file, seeds)
    chosen = [texts.get(item, "") if _is_url(item) else item for item in items]
    if not any(map(str.strip, chosen)):
        private = "private address" in why
        remedy = "allow it by --intranet (allow_private=)" if private else "give others, or texts"
        name = "examples" if examples else "seeds"
        raise ValueError(f"{name}: none has a text ({why}); {remedy}")
    if not examples:
        for url, text in zip(seeds, chosen, strict=True):
            if text.strip() and not mentions(text, keywords):
                logger.warning("seed %s mentions no keyword: %s", url, NO_EXAMPLE)
        chosen = [text for text in chosen if mentions(text, keywords)]
    return tuple(filter(str.strip, chosen))


def _label(line: bytes) -> Label | None:
    """Return the answer of a line; None if it is none."""
    try:
        label = Label(**dict(json.loads(line)))
    except (ValueError, TypeError, RecursionError):
        return None
    sound = isinstance(label.url, str) and isinstance(label.text, str)
    return label if sound and isinstance(label.relevant, bool | None) else None


def _append(path: Path, line: str) -> None:
    """Write a line at the end of a file, apart from a last line that is torn."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_file(path, "a+b") as file:
            file.seek(max(0, file.tell() - 1))
            torn = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * torn + line.encode("ascii") + b"\n")
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror}") from error


def _fetched(
    web: Web, urls: Sequence[str], file: Path, seeds: Sequence[str]
) -> tuple[dict[str, str], str]:
    """Return texts by URL, fetched or from the file, which is made; and why the last one failed."""
    texts = json.loads(read_file(file)) if file.exists() else {}
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
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(texts, indent=1))
    return texts, why


def mentions(text: str, keywords: Iterable[str]) -> bool:
    """Return whether a text has a keyword or its beginning."""
    folded = fold(text)
    return any(fold(word)[:STEM] in folded for word in keywords)


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def least_sure(
    web: Web,
    seeds: Iterable[str],
    classifier: Any,
    labels: Labels | str | Path | None = None,
    n: int = 20,
    *,
    taken: int = 0,
    fetches: int = FETCHES,
    rng: np.random.Generator | int = 0,
    keywords: Iterable[str] = (),
) -> pd.DataFrame:
    """Fetch pages around the seeds; return those about which the classifier is least sure.

    Columns are ``url``, ``title``, ``p``, ``snippet`` (around the first of the `keywords`, without
    lines that its site repeats) and the ``text`` judged. Of a domain two pages are shown, unless
    there are too few others; of those with a label none.

    Parameters
    ----------
    n, fetches : int
        Pages to return, if there are so many; fetches at most, seeds and failed ones included.
    taken : int
        How many of the n are, by turns with the doubtful ones, those of the highest probability
        instead, of 0.5 or more. Seeds are then shown as well.
    """
    members("web", web, "fetch(url)")
    seeds, rng, classifier = check_seeds(seeds), generator("rng", rng), as_classifier(classifier)
    answered = Labels() if labels is None else as_labels(labels)
    count("n", n)
    count("taken", taken, 0)
    looked_at = around(web, seeds, classifier, count("fetches", fetches), rng)
    pages = list({page.url: page for page in looked_at}.values())
    p = classifier.proba(list(map(page_text, pages)))
    table = question_table(pages, p, keywords).drop_duplicates("text")
    hidden = {label.url for label in answered}.union(() if taken else seeds)
    table = table[~table["url"].isin(hidden)]
    doubtful = _spread(table.iloc[np.argsort(np.abs(table["p"] - 0.5), kind="stable")])
    sure = table[table["p"] >= 0.5].sort_values("p", ascending=False, kind="stable")
    return by_turns(_spread(sure)[:taken], doubtful)[:n]


def question_table(pages: Sequence[Page], p: np.ndarray, keywords: Iterable[str]) -> pd.DataFrame:
    """Return the table of `least_sure` for pages with probabilities p (n,)."""
    matcher = KeywordMatcher(keywords)
    rows = [
        (page.url, printable(page.title), one, snippet(own or page.text, matcher), page_text(page))
        for page, own, one in zip(pages, own_texts(pages), p, strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"p": float})


def by_turns(*tables: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each table, then the second ones, each URL once."""
    each = pd.concat([table.reset_index(drop=True) for table in tables])
    return each.sort_index(kind="stable").drop_duplicates("url").reset_index(drop=True)


def _spread(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with those last that are too many of their registered domain."""
    excess = table.groupby(table["url"].map(domain)).cumcount() >= PER_DOMAIN
    return table.iloc[np.argsort(excess, kind="stable")]


def label_in_terminal(
    table: pd.DataFrame,
    labels: Labels | str | Path,
    ask: Callable[[str], str] = input,
    show: Callable[[str], object] = print,
) -> bool:
    """Ask about each page of `least_sure` that has no answer yet; return False after "quit".

    "undo" asks once more about the page before, which until then counts as skipped.
    """
    labels = as_labels(labels)
    instance("table", table, pd.DataFrame)
    if missing := NEEDED - set(table.columns):
        raise ValueError(f"table: has no {', '.join(missing)}; give what least_sure returns")
    waiting, i = table[~table["url"].isin([label.url for label in labels])].to_dict("records"), 0
    while i < len(waiting):
        row = waiting[i]
        show(f"\n{i + 1} of {len(waiting)}  {row['title']}\n{row['url']}\n{row['snippet']}")
        answer = _answer(ask)
        if answer == "q":
            return False
        if answer == "u":
            i = max(i - 1, 0)
            labels.add(waiting[i]["url"], waiting[i]["text"], None)
        else:
            labels.add(row["url"], row["text"], ANSWERS[answer])
            i += 1
    return True


def own_texts(pages: Sequence[Page]) -> list[str]:
    """Return each page's text without the lines that its site repeats, as menus and footers."""
    lines = [(domain(page.url), dict.fromkeys(page.text.split("\n"))) for page in pages]
    met = Counter((site, line) for site, of in lines for line in of)
    return ["\n".join(x for x in of if met[site, x] < REPEATED) for site, of in lines]


def around(
    web: Web,
    seeds: Sequence[str],
    classifier: RelevanceClassifier,
    fetches: int,
    rng: np.random.Generator,
) -> Iterator[Page]:
    """Yield the seeds' pages, and pages reached from them by promising and by random links."""
    score: dict[str, float] = {}  # of open links, by URL
    seen, waiting = set(seeds), list(seeds)
    for _ in range(fetches):
        if not waiting and not score:
            return
        if waiting:
            url = waiting.pop(0)
        elif rng.random() < PROMISING:
            url = max(score, key=score.__getitem__)
        else:
            url = list(score)[rng.integers(len(score))]
        score.pop(url, None)
        try:
            page = web.fetch(url)
        except FetchError:
            continue
        new = {link.url: anchor_text(link) for link in page.links if link.url not in seen}
        seen.update(new, [page.url])
        score.update(zip(new, classifier.proba([*new.values()]).tolist(), strict=True))
        yield page


def _answer(ask: Callable[[str], str]) -> str:
    """Return "y", "n", "s", "u" or "q"; the end of the input is "q"."""
    try:
        while (answer := ask(PROMPT).strip().lower()[:1]) not in (*ANSWERS, "u", "q"):
            pass
    except EOFError:
        return "q"
    return answer


def snippet(text: str, keywords: KeywordMatcher) -> str:
    """Return some of the text, from shortly before its first keyword, or else its beginning."""
    words = list(WORD.finditer(text.lower()))
    places = keywords.starts([word[0] for word in words])
    first = max(0, places[0] - BEFORE) if places else 0
    start = words[first].start() if first else 0
    return printable(("… " if start else "") + text[start : start + SNIPPET])
