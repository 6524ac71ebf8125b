"""What is wrong with keywords and rules is said, and which texts are English."""

import numpy as np
import pytest

from tres_live import OwnTopic, own_classifier
from tres_live.topic.few import is_english, mostly_english
from tres_live.topic.own import on_pages, on_signs
from tres_webs import Topic, load_articles

SENTENCE = "A guitar, a trumpet and a drum: the band plays jazz for the king of swing"
RIVER = "The river flows to the sea with a lot of water and of mud, and to the delta"
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


def test_most_texts_decide_and_none_are_english():
    assert mostly_english([]) and mostly_english([SENTENCE, GERMAN])
    assert not mostly_english([SENTENCE, GERMAN, GERMAN])


def test_a_word_that_no_page_has_is_compared_with_those_of_the_pages():
    pages = ["Asyncio runs coroutines", "the asyncio loop", "Weichenstellung", "async is a word"]
    keywords = ["asyncoi", "event loop", "Weichenstelung", "zzyzx", "loop", "ansi"]
    assert [*on_pages(keywords, pages)] == [
        "no page seen so far has 'asyncoi'; did you mean 'asyncio' (on 2 of 4)?",
        "no page seen so far has 'weichenstelung'; did you mean 'weichenstellung' (on 1 of 4)?",
    ]
    assert not [*on_pages(keywords, [])]


@pytest.mark.slow
def test_keywords_that_no_article_has_will_do_where_a_page_has_one():
    own = OwnTopic(Topic("railways", ("Weichenstellung", "Eisenbahnbau")))
    assert own.warnings() == []
    assert not own.learns_nothing()
    assert own.learns_nothing([RIVER, GERMAN])
    assert not own.learns_nothing([RIVER, "Der Eisenbahnbau"])
    assert not OwnTopic(Topic("railways", ("railway", "train"))).learns_nothing([RIVER])
    own.answer("http://a.example/", RIVER, False)
    assert own.learns_nothing([RIVER])
    own.answer("http://b.example/", SENTENCE, True)
    assert not own.learns_nothing([RIVER])
    assert not OwnTopic(Topic("jazz", ("zzyzx",), examples=(SENTENCE,))).learns_nothing([RIVER])


@pytest.mark.slow
def test_keywords_that_no_text_has_are_listed():
    words, example = ("railway", "trian", "Weiche"), "Die Weiche ist gestellt"
    own = OwnTopic(Topic("railways", words, examples=(example,)))
    assert own.unmatched_keywords() == ("trian",)
    own.answer("http://a.example/", "A trian of thought", True)
    assert own.unmatched_keywords() == ()


@pytest.mark.parametrize(
    ("keyword", "search"),
    [
        ("C++", "searched for as 'c'"),
        ("C#", "searched for as 'c'"),
        (".NET", "searched for as 'net'"),
        ("?!", "it is not searched for"),
    ],
)
def test_a_keyword_that_loses_characters_is_named(keyword, search):
    others = ["AC/DC", "rock 'n' roll", "Node.js", "दिल्ली", "ดนตรี"]
    [warning] = on_signs([*others, keyword])
    assert repr(keyword) in warning and search in warning


def test_keywords_that_a_fifth_of_the_articles_have_are_named():
    [warning] = OwnTopic(Topic("x", ("the", "of"))).warnings()
    assert "by its keywords 47" in warning and "give keywords that few have" in warning
    assert OwnTopic(Topic("x", ("railway", "train"))).warnings() == []


def test_a_rule_without_a_match_is_named_as_such():
    topic = Topic("x", ("railway", "train"), rules=("no such title",))
    [warning] = OwnTopic(topic).warnings()
    assert "its rules match no training article, and with rules keywords choose" in warning


def test_training_logs_the_warnings(caplog, monkeypatch):
    monkeypatch.setattr("tres_live.topic.own.trained", lambda *_: None)
    own_classifier(Topic("x", ("the", "of")))
    assert "topic x: by its keywords 47" in caplog.text
