"""What is wrong with keywords and rules is said, and which texts are English."""

import numpy as np
import pytest

from tres_live.topic.few import is_english
from tres_live.topic.own import on_pages
from tres_webs import load_articles

SENTENCE = "A guitar, a trumpet and a drum: the band plays jazz for the king of swing"
GERMAN = "Die Sängerin singt in der Oper, und das Orchester spielt dazu eine Ouvertüre von Rossini."
NAMES = (  # a page of links, without a sentence
    "Home Tickets Contact Privacy policy; Miles Davis, John Coltrane, Charlie Parker, Thelonious "
    "Monk, Duke Ellington, Ella Fitzgerald, Louis Armstrong, Billie Holiday, Sonny Rollins"
)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        (SENTENCE, True),
        (GERMAN, False),
        ("jazz trumpet new orleans", True),  # too short to tell
        ("Ελληνικά", False),
        ("La chanteuse chante dans un opéra de la ville, et l'orchestre joue une ouverture", False),
        ("我喜欢爵士乐", False),
        ("", True),
        (NAMES, True),
        (f"Products Downloads Documentation Blog Careers About us Log in {NAMES}", True),
        ("Startseite Kontakt Impressum Datenschutz Anmelden Suche", False),
        ("Accueil Mentions légales Plan du site Connexion Recherche", False),
        ("Αρχική Επικοινωνία Αναζήτηση Σύνδεση", False),
        ("首页 联系我们 搜索 登录", False),
        ("Der Winzer keltert den Wein im Keller", False),
    ],
)
def test_english_is_known_by_its_words(text, english):
    assert is_english(text) == english


@pytest.mark.slow
@pytest.mark.parametrize(("language", "share"), [("en-us", 1), ("fr-fr", 0), ("es-es", 0)])
def test_leads_of_three_languages(language, share):
    leads = [text for text in load_articles(language).extracts[::20] if len(text.split()) >= 20]
    assert np.mean([is_english(text) for text in leads]) == pytest.approx(share, abs=0.03)


def test_a_word_that_no_page_has_is_compared_with_those_of_the_pages():
    pages = ["Asyncio runs coroutines", "the asyncio loop", "Weichenstellung", "async is a word"]
    keywords = ["asyncoi", "event loop", "Weichenstelung", "zzyzx", "loop", "ansi"]
    assert [*on_pages(keywords, pages)] == [
        "no page seen so far has 'asyncoi'; did you mean 'asyncio' (on 2 of 4)?",
        "no page seen so far has 'weichenstelung'; did you mean 'weichenstellung' (on 1 of 4)?",
    ]
    assert not [*on_pages(keywords, [])]
