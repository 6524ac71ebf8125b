"""Webs around another web pass on what they do not change."""

from __future__ import annotations

import pytest

from tres_book.crawls.muted import MutedWeb
from tres_webs import FetchError, Page, Web
from tres_webs.wrapper import Wrapper

A, B = "http://a.example/1", "http://a.example/2"
PAGE = Page(A, 200, "One", "", ())


class Noted(Web):
    """A web that notes what it is asked, and answers with the name of the question."""

    def __init__(self):
        self.asked = []


def _noting(name):
    def method(self, *args):
        self.asked.append((name, *args))
        return [A, B] if name in LISTS else name

    return method


LISTS = ("seeds", "urls", "random_article_pages")
OWN = {"html", "look"}  # which would show the page as it was
CALLS = {
    "fetch": (A,),
    "is_relevant": (A, "food"),
    "seeds": ("food", 2, 0),
    "urls": (),
    "random_article_pages": (2, 0),
    "kind": (A,),
    "ask_only": (str.isascii,),
    "pause": (A,),
    "remember": (A, PAGE),
    "remember_failure": (A, FetchError(A, "gone")),
}
for name in CALLS:
    setattr(Noted, name, _noting(name))


def test_every_member_is_here():
    assert {name for name in vars(Web) if not name.startswith("_")} == CALLS.keys() | OWN


@pytest.mark.parametrize("name, args", CALLS.items(), ids=CALLS)
def test_each_member_is_passed_on(name, args):
    behind = Noted()
    answer = getattr(Wrapper(behind), name)(*args)
    ((asked, *given),) = behind.asked
    assert asked == name
    if name == "ask_only":
        assert given[0](A) is True and given[0]("é") is False
        return
    assert tuple(given) == args
    if not name.startswith("remember"):
        assert answer == ([A, B] if name in LISTS else name)


@pytest.mark.parametrize("name", [n for n in CALLS if n not in ("fetch", "remember")])
def test_a_wrapper_with_urls_of_its_own_translates_them(name):
    behind = Noted()
    muted = MutedWeb(behind, 1.0)
    shown = muted.urls()
    behind.asked.clear()
    assert [muted.inner(url) for url in shown] == [A, B] and A not in shown
    args = [shown[0] if arg == A else arg for arg in CALLS[name]]
    answer = getattr(muted, name)(*args)
    if name in LISTS:
        assert answer == shown
    elif name == "ask_only":
        muted.ask_only(shown.__contains__)
        assert behind.asked[-1][1](A) and not behind.asked[-1][1]("http://b.example/")
    else:
        assert behind.asked == [(name, *CALLS[name])]
