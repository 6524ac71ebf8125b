"""The main text of a page, its digest, and the difference of two versions."""

import difflib
import zlib
from hashlib import blake2b

from tres_lib.web.page import Page
from tres_lib.web.reader import fold, printable

WORDS = 6  # of a line of prose; shorter ones are menus and dates, unless the page has no other
MOST = 40_000  # characters of a text that are stored
SHOWN = 6  # lines of a difference
WIDTH = 200  # characters of such a line


def main_text(page: Page) -> str:
    """Return a page's lines of prose, folded; all of its lines if it has none.

    Examples
    --------
    >>> from tres_lib.web import parse_page
    >>> main_text(parse_page("http://a.example/", "<p>Menu<p>A line of six words or  more"))
    'A line of six words or more'
    """
    lines = [fold(line) for line in page.text.splitlines()]
    prose = [line for line in lines if len(line.split()) >= WORDS]
    return "\n".join(prose or lines)[:MOST]


def number_of(text: str) -> int:
    """Return a text's digest, as SQLite keeps whole numbers: in 64 bits, signed."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def packed(text: str) -> bytes:
    """Return a text compressed."""
    return zlib.compress(text.encode("utf-8", "replace"))


def unpacked(data: bytes | None) -> str:
    """Return a packed text; "" for None."""
    return "" if data is None else zlib.decompress(data).decode("utf-8", "replace")


def difference(old: str, new: str) -> str:
    r"""Return the first lines that went ("- ...") and came ("+ ...").

    Examples
    --------
    >>> difference("The king sleeps.\nAll is well.", "The king wakes.\nAll is well.")
    '- The king sleeps.\n+ The king wakes.'
    """
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    changes = [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]
    shown = [printable(f"{line[0]} {line[1:]}")[:WIDTH] for line in changes[:SHOWN]]
    left = len(changes) - len(shown)
    return "\n".join(shown + ([f"{left} more lines"] if left else []))
