"""Words of links, by number."""

from hypothesis import given, strategies as st

from tres_lib.ours.prospector.model import BUCKETS, MOST, Words


def said(numbers, words):
    return [words.word(n) for n in numbers]


def test_addresses_and_anchors_share_their_words():
    words = Words()
    of_url = words.of_url("http://a.example/music/Grace-Hopper-12.html?id=x7")
    of_anchor = words.of_anchor("Grace Hopper, no. 12")
    assert said(of_url, words) == ["music", "grace", "hopper", "grace hopper"]
    assert said(of_anchor, words) == ["grace", "hopper", "grace hopper"]
    assert set(of_anchor) < set(of_url)


def test_what_says_nothing_has_no_words():
    words = Words()
    assert words.of_url("http://a.example/") == words.of_url("http://a.example/p/4htw1e") == ()
    assert words.of_anchor("") == words.of_anchor("12 of 3") == ()


@given(st.text(max_size=200))
def test_any_text_has_few_words(text):
    words = Words()
    for numbers in (words.of_anchor(text), words.of_url(f"http://a.example/{text}")):
        assert len(numbers) <= MOST + 1 == len(set(numbers)) + MOST + 1 - len(numbers)
        assert all(0 <= n < BUCKETS for n in numbers)
