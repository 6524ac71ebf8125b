"""PDFs as pages: pypdf reads them in a process of its own, which can be stopped.

That process runs this file as a script. It needs nothing of ours, so it starts at once.
"""

import json
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tres_webs.page import Page

MAX_PAGES = 100
MAX_TEXT = 1_000_000  # characters
MAX_LINKS = 5_000
MAX_NAME = 2_000  # characters of the title and of a link; a few bytes may unpack to millions
MAX_PRINTED = 10_000_000  # bytes that the process hands over; what has more cannot be read
MAX_SECONDS = 20  # until the process is killed
LAST_PAGE = 10  # seconds after which no further page is begun
MEMORY = 2**30  # bytes of address space; Windows and macOS do not keep to it
READING = BoundedSemaphore(2)  # so that many threads do not take that often as much


def check_pypdf() -> None:
    """Raise ValueError if pypdf is not installed."""
    if find_spec("pypdf") is None:
        raise ValueError("pdf=True: pypdf is missing; install it: pip install 'tres_lib[pdf]'")


def read_pdf(url: str, document: bytes) -> "Page":
    """Return a PDF's title, text and links as a page; FetchError if it cannot be read in time."""
    from tres_webs.page import FetchError, Page
    from tres_webs.parsing import MAX_ANCHOR, canonical_links, distinct_links, fold, printable

    command = [sys.executable, "-P", __file__]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        with READING:
            done = subprocess.run(command, input=document, timeout=MAX_SECONDS, **pipes)
        title, lines, targets, truncated = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise FetchError(url, f"PDF that takes over {MAX_SECONDS} s to read", 200) from error
    except (OSError, ValueError) as error:  # ValueError: it died, or wrote nothing
        raise FetchError(url, "PDF that cannot be read", 200) from error
    links = canonical_links(dict.fromkeys(targets, ("", "")), url, frozenset({"pdf"}))
    return Page(
        url=url,
        status=200,
        title=fold(printable(title))[:MAX_ANCHOR],
        text="\n".join(filter(None, (fold(printable(line)) for line in lines))),
        links=distinct_links(links, url),
        truncated=truncated,
    )


def _read(document: bytes) -> tuple[str, list[str], list[str], bool]:
    """Return title, lines of text, targets of links, and whether the rest was left out."""
    from pypdf import PdfReader

    until = time.monotonic() + LAST_PAGE
    reader = PdfReader(BytesIO(document))
    texts: list[str] = []
    links: list[str] = []
    for page in reader.pages[:MAX_PAGES]:
        if time.monotonic() > until or sum(map(len, texts)) > MAX_TEXT:
            break
        with suppress(Exception):  # pypdf raises all sorts for a damaged page; others may be sound
            texts.append(page.extract_text())
            notes = [note.get_object() for note in page.annotations or ()]
            actions = [note["/A"].get_object() for note in notes if "/A" in note]
            uris = [str(action["/URI"]) for action in actions if "/URI" in action]
            links += [uri for uri in uris if len(uri) <= MAX_NAME]
    if not texts:
        raise ValueError("no page can be read")
    title = reader.metadata and reader.metadata.title
    text = "\n".join(texts)
    cut = len(texts) < len(reader.pages) or len(text) > MAX_TEXT
    return str(title or "")[:MAX_NAME], text[:MAX_TEXT].splitlines(), links[:MAX_LINKS], cut


def _main() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        # It ends by itself too, should the crawl be killed.
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    result = json.dumps(_read(sys.stdin.buffer.read()), ensure_ascii=False)
    # Lone surrogates have no UTF-8.
    sys.stdout.buffer.write(result.encode("utf-8", "replace")[:MAX_PRINTED])


if __name__ == "__main__":
    _main()
