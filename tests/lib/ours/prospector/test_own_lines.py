"""The trap guard: what a page says itself."""

import numpy as np
from fakes import page

from tres_lib.ours.prospector.prospector import OwnLines

URL = "http://a.example/"
SIDEBAR = "all about jazz and blues, the news of today\n"


def proba(texts):
    return np.array([0.9 if "jazz" in text else 0.2 for text in texts])


def test_a_page_that_repeats_its_site_is_judged_by_its_own_lines():
    lines = OwnLines(proba)
    assert lines.label(page(URL, text=SIDEBAR + "songs"), 0, 0.9) == 0.9
    assert lines.label(page(URL + "1", text=SIDEBAR + "1 May"), 0, 0.9) == 0.2
    # The own lines may be relevant, another site may say the same, and p is never raised.
    assert lines.label(page(URL + "2", text=SIDEBAR + "a jazz night"), 0, 0.8) == 0.8
    assert lines.label(page("http://b.example/", text=SIDEBAR), 1, 0.9) == 0.9
    assert lines.label(page(URL + "3", text=SIDEBAR + "2 May"), 0, 0.15) == 0.15


def test_without_the_guard_and_below_suspicion_nobody_is_asked():
    def refuse(texts):
        raise AssertionError

    lines = OwnLines(refuse)
    for doubt, p in ((True, 0.9), (False, 0.9), (True, 0.05)):
        assert lines.label(page(URL, text=SIDEBAR), 0, p, doubt) == p
    assert lines.label(page(URL, text=""), 0, 0.5) == 0.5
