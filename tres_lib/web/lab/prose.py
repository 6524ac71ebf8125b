"""What VitalWeb's pages say: sentences, anchors, boilerplate and untidy HTML.

Every function takes ``dice``, a stream of uniform numbers, so that a page is a
function of its seed alone.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from ..page import Link
from .parameters import ANCHOR_KINDS, ANCHOR_SHARES

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'])")
_ANCHOR_STEPS = tuple(np.cumsum(ANCHOR_SHARES))

GENERIC = (
    "read more", "more", "here", "click here", "this page", "continue", "full story", "details",
    "see also", "link", "source", "next", "learn more", "website", "view",
)  # fmt: skip
BOILERPLATE = (
    "We use cookies to improve your visit.",
    "Sign up for our newsletter and never miss a post.",
    "All rights reserved.",
    "Share this page with your friends.",
    "Please enable scripts to see all features of this page.",
    "Comments are closed.",
    "Log in or register to join the discussion.",
    "Terms of use and privacy policy apply.",
    "Posted by the editors in our daily collection.",
    "This site is supported by its readers.",
    "Subscribe today and get the first month for free.",
    "Advertise with us.",
    "Search this site or browse the archive by date.",
    "You may also be interested in the following pages.",
    "Was this page helpful? Tell us what you think.",
    "The opinions on this page are those of the author.",
)
STUFFING = (
    "best", "cheap", "free", "online", "buy", "top", "deal", "bonus", "offer", "discount", "now",
    "win", "shop", "sale", "guide", "review", "tips", "price",
)  # fmt: skip


class Dice:
    """A stream of uniform numbers in [0, 1), seeded by a tuple of integers."""

    def __init__(self, *key: int):
        # The stream of default_rng(key), which takes as long again to read a tuple.
        self._rng = np.random.default_rng(np.array(key, np.uint32) if max(key) < 2**32 else key)
        self._stock: list[float] = []

    def __call__(self) -> float:
        if not self._stock:
            self._stock = self._rng.random(256).tolist()
        return self._stock.pop()

    def below(self, n: int, skew: float = 1.0) -> int:
        """An integer below n; skew > 1 favours the small ones (rank^(1/skew - 1))."""
        return int(n * self() ** skew)

    def pick(self, choices: Sequence):
        return choices[self.below(len(choices))]


def sentences(extract: str) -> tuple[str, ...]:
    return tuple(s for s in SENTENCE_END.split(extract) if s)


def body(own: Sequence[str], mentioned: Sequence[str], noise: str | None, dice: Dice) -> str:
    """Most of the article's own sentences, with sentences of mentioned articles strewn in."""
    kept = [s for s in own if dice() < 0.7] or [own[dice.below(len(own))]]
    for sentence in mentioned:
        kept.insert(dice.below(len(kept) + 1), sentence)
    if noise:
        kept.append(noise)
    return " ".join(kept)


def stuffed(words: Sequence[str], dice: Dice) -> str:
    """A spam page: the words of a subject, over and over, among calls to buy."""
    return " ".join(
        dice.pick(words) if dice() < 0.6 else dice.pick(STUFFING)
        for _ in range(80 + dice.below(80))
    )


def anchor(name: str, lead: str, other_name: str, dice: Dice) -> str:
    """Anchor text of a link to what has that name, of one of ANCHOR_KINDS."""
    kind = (*ANCHOR_KINDS, "none")[bisect_right(_ANCHOR_STEPS, dice())]
    if kind == "title":
        return name
    if kind == "part":
        words = name.split()
        return dice.pick(words) if len(words) > 1 else name[: 3 + dice.below(max(len(name) - 2, 1))]
    if kind == "phrase":
        words = lead.split()
        start = dice.below(max(len(words) - 4, 1))
        return " ".join(words[start : start + 2 + dice.below(4)])
    if kind == "generic":
        return dice.pick(GENERIC)
    return other_name if kind == "misleading" else ""


def untidy_html(title: str, blocks: Sequence[tuple], dice: Dice) -> bytes:
    """HTML of a page as browsers forgive it: unclosed tags, scripts, mixed case.

    ``blocks`` are ("text", str) or ("links", heading, ((href, anchor), ...)).
    """
    out = [
        "<!DOCTYPE html>\n<HTML><head><meta charset=utf-8><title>", html.escape(title), "</title>",
        "<style>nav{float:left} .x>a{color:#036}</style>",
        "<script>if (1 < 2) { document.write('<a href=\"/not-a-link\">x</a>'); }</script>",
        "</head><body>",
    ]  # fmt: skip
    for block in blocks:
        if block[0] == "text":
            out.append(
                f"\n<P>{html.escape(block[1], quote=False)}" + ("</p>" if dice() < 0.7 else "<br>")
            )
            continue
        out.append(f"\n<div class=x><h3>{html.escape(block[1])}</h3><ul>")
        for href, text in block[2]:
            inner = html.escape(text, quote=False) or "<img src=/i.png>"
            out.append(
                f'<li><a href="{html.escape(href)}">{inner}</a>' + ("</li>" if dice() < 0.5 else "")
            )
        out.append("</ul></div>" if dice() < 0.9 else "</ul>")
    out.append("<!-- end --><noscript>Turn scripts on</noscript></body>")
    return "".join(out).encode()


def visible_text(blocks: Sequence[tuple]) -> str:
    """What a reader sees of a page's blocks, a line a piece."""
    pieces = []
    for kind, text, *links in blocks:
        pieces += [text, *(link.anchor for link in links[0])] if kind == "links" else [text]
    return "\n".join(piece for piece in pieces if piece)


def distinct_links(blocks: Sequence[tuple], own: str) -> tuple[Link, ...]:
    """Each target but the page itself once, under its first anchor that has words."""
    anchors: dict[str, str] = {}
    for block in blocks:
        if block[0] == "links":
            for link in block[2]:
                anchors[link.url] = anchors.get(link.url) or link.anchor
    anchors.pop(own, None)
    return tuple(Link(url, text) for url, text in anchors.items())
