"""What VitalWeb's pages say: sentences, anchors, boilerplate and untidy HTML.

Functions draw from `Dice`, a stream of uniform numbers, so that a page is a function of its seed.
A page's blocks are (text, None) or (heading, links), in the order in which a reader sees them.
"""

import html
import re
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeVar

import numpy as np

from ..page import Link, Page
from ..parsing import distinct_links

Block = tuple[str, Sequence[Link] | None]
T = TypeVar("T")
DEPTHS = 4  # templates differ in how many more elements are around a list of links: 0 to 3
OF_TITLE = ("title", "part")  # kinds of anchor made of the name of their target
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'])")

GENERIC = (
    "read more", "more", "here", "click here", "this page", "continue", "full story", "details",
    "see also", "link", "source", "next", "learn more", "website", "view",
)  # fmt: skip
BOILERPLATE = (
    "We use cookies to improve your visit.", "Sign up for our newsletter and never miss a post.",
    "All rights reserved.", "Share this page with your friends.",
    "Please enable scripts to see all features of this page.", "Comments are closed.",
    "Log in or register to join the discussion.", "Terms of use and privacy policy apply.",
    "Posted by the editors in our daily collection.", "This site is supported by its readers.",
    "Subscribe today and get the first month for free.", "Advertise with us.",
    "Search this site or browse the archive by date.",
    "You may also be interested in the following pages.",
    "Was this page helpful? Tell us what you think.",
    "The opinions on this page are those of the author.",
)  # fmt: skip
_HOSTS = "daily net info world portal times page open blue north city home planet forum review hub"
NEUTRAL = tuple(_HOSTS.split())
_CALLS = """best cheap free online buy top deal bonus offer discount now win shop sale guide review
tips price"""
STUFFING = tuple(_CALLS.split())


class Dice:
    """A stream of uniform numbers in [0, 1), seeded by a tuple of integers."""

    def __init__(self, *key: int):
        # The stream of default_rng(key), which takes as long again to read a tuple.
        self._rng = np.random.default_rng(np.array(key, np.uint32) if max(key) < 2**32 else key)
        self._stock: list[float] = []

    def __call__(self) -> float:
        """Return the next number."""
        if not self._stock:
            self._stock = self._rng.random(256).tolist()
        return self._stock.pop()

    def below(self, n: int, skew: float = 1.0) -> int:
        """Return an integer below n; skew > 1 favours the small ones (rank^(1/skew - 1))."""
        return int(n * self() ** skew)

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of the choices."""
        return choices[self.below(len(choices))]


def normal(dice: Dice) -> float:
    """Return a standard normal number."""
    return NormalDist().inv_cdf(max(dice(), 1e-12))


def body(own: Sequence[str], mentioned: Sequence[str], noise: str | None, dice: Dice) -> str:
    """Return most of an article's own sentences, with those of mentioned articles strewn in."""
    sentences = [s for s in own if dice() < 0.7] or [own[dice.below(len(own))]]
    for sentence in mentioned:
        sentences.insert(dice.below(len(sentences) + 1), sentence)
    return " ".join([*sentences, noise] if noise else sentences)


def stuffed(words: Sequence[str], dice: Dice) -> str:
    """Return a spam page's text: the words of a subject, over and over, among calls to buy."""
    size = 80 + dice.below(80)
    return " ".join(dice.pick(words if dice() < 0.6 else STUFFING) for _ in range(size))


def anchor(kind: str, name: str, lead: str, other_name: str, dice: Dice, part: int = 1) -> str:
    """Return the anchor of a link to what has that name and lead, of one of `ANCHOR_KINDS`."""
    if kind == "part":
        words = name.split()
        if part > 1:
            start = dice.below(max(len(words) - part + 1, 1))
            return " ".join(words[start : start + part])
        return dice.pick(words) if len(words) > 1 else name[: 3 + dice.below(max(len(name) - 2, 1))]
    if kind == "phrase":
        words = lead.split()
        start = dice.below(max(len(words) - 4, 1))
        return " ".join(words[start : start + 2 + dice.below(4)])
    if kind == "generic":
        return dice.pick(GENERIC)
    return {"title": name, "misleading": other_name, "none": ""}[kind]


class Layout(NamedTuple):
    """Where a page's lists of links stand: the template of its site, and 32 bits of its own."""

    template: int
    bits: int

    @property
    def depth(self) -> int:
        """Elements around a list beyond the one that is needed."""
        return self.template % DEPTHS

    def name(self, heading: str) -> str:
        """Return the class of a list, such as "on-the-web-3"."""
        return f"{heading.lower().replace(' ', '-')}-{self.template}"

    def closes(self, block: int) -> bool:
        """Return whether all elements around a list are closed, as of seven in eight."""
        return self.bits >> 3 * (block % 10) & 7 > 0


def untidy_html(title: str, blocks: Sequence[Block], dice: Dice, layout: Layout) -> bytes:
    """Return a page's HTML as browsers forgive it: unclosed tags, scripts, mixed case."""
    depth = layout.depth
    out = [
        "<!DOCTYPE html>\n<HTML><head><meta charset=utf-8><title>", html.escape(title), "</title>",
        "<style>nav{float:left} .x>a{color:#036}</style>",
        "<script>if (1 < 2) { document.write('<a href=\"/not-a-link\">x</a>'); }</script>",
        "</head><body>",
    ]  # fmt: skip
    for place, (text, links) in enumerate(blocks):
        if links is None:
            end = "</p>" if dice() < 0.7 else "<br>"
            out.append(f"\n<P>{html.escape(text, quote=False)}{end}")
            continue
        name = layout.name(text)
        out.append(f"\n{'<div>' * depth}<div class={name}-box><h3>{html.escape(text)}</h3>")
        out.append(f"<ul class={name}>")
        for link in links:
            inner = html.escape(link.anchor, quote=False) or "<img src=/i.png>"
            end = "</li>" if dice() < 0.5 else ""
            out.append(f'<li><a href="{html.escape(link.url)}">{inner}</a>{end}')
        out.append("</ul></div>" if layout.closes(place) else "</ul>")
        out.append("</div>" * depth)
    out.append("<!-- end --><noscript>Turn scripts on</noscript></body>")
    return "".join(out).encode()


def as_page(url: str, title: str, blocks: Sequence[Block], layout: Layout) -> Page:
    """Return the page that `parse_page` reads from the blocks' HTML."""
    links: list[tuple[str, tuple[str, str]]] = []
    pieces: list[str] = []
    around, depth = "html body", layout.depth
    for place, (text, block) in enumerate(blocks):
        pieces.append(text)
        if block is None:
            continue
        name = layout.name(text)
        path = f"{around}{' div' * depth} div.{name}-box ul.{name} li a"
        pieces += [link.anchor for link in block]
        links += [(link.url, (link.anchor, path)) for link in block]
        if not layout.closes(place):  # what follows stands in it
            around += " div" if depth else f" div.{name}-box"
    return Page(url, 200, title, "\n".join(filter(None, pieces)), distinct_links(links, url))
