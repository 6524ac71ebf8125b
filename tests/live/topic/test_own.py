"""Whatever there is of a topic gives a classifier, and the summary says what it learns from."""

import numpy as np
import pytest

import tres_live
from tres_lib import topics
from tres_lib.topics import SvmClassifier
from tres_lib.web import Topic, load_articles
from tres_live import FewTexts, Labels
from tres_live.topic import keyword_advice, own
from tres_live.topic.keyword_advice import check_spelling
from tres_live.topic.language import is_english

SENTENCE = "A guitar, a trumpet and a drum: the band plays jazz for the king of swing"
RIVER = "The river flows to the sea with a lot of water and of mud, and to the delta"
GERMAN = "Die Sängerin singt in der Oper, und das Orchester spielt dazu eine Ouvertüre von Rossini."
NAMES = (  # a page of links, without a sentence
    "Home Tickets Contact Privacy policy; Miles Davis, John Coltrane, Charlie Parker, Thelonious "
    "Monk, Duke Ellington, Ella Fitzgerald, Louis Armstrong, Billie Holiday, Sonny Rollins"
)
JAZZ = Topic("jazz", ("jazz", "guitar"), examples=(SENTENCE,))


@pytest.fixture(autouse=True)
def build(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path_factory.mktemp("build")))


@pytest.fixture
def labels(tmp_path):
    return Labels(tmp_path / "labels.jsonl")


def test_public_names_are_where_they_were():
    assert tres_live.own_classifier is tres_live.own_classifier
    assert tres_live.own_corpus is tres_live.own_corpus


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


AWKWARD = {
    "one keyword": Topic("x", ("Schokolade",)),
    "a German example": Topic("x", ("Oper", "Arie"), examples=(GERMAN,)),
    "Chinese": Topic("x", ("爵士乐", "音乐"), examples=("爵士乐是一种音乐", "他喜欢爵士乐")),
    "Greek": Topic("x", ("ΜΟΥΣΙΚΗ",), examples=("Η μουσική είναι τέχνη",)),
    "signs": Topic("x", ("?!", "--")),
    "no article": Topic("x", ("zzyzx", "qwrty"), rules=("no such title",)),
    "one English example": Topic("x", ("zzyzx",), examples=(SENTENCE,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("kind", ["svm", "kwbilstm"])
def test_few_data_never_raise_and_take_what_they_are_given(name, kind, caplog):
    topic = AWKWARD[name]
    classifier = tres_live.own_classifier(topic, kind)
    assert isinstance(classifier, FewTexts)
    assert "a simple classifier, because" in caplog.text
    p = classifier.proba([*topic.examples, "", " ".join(topic.keywords * 3)])
    assert ((p >= 0) & (p <= 1)).all()
    assert (p[:-2] >= 0.5).all() or len(topic.examples) == 1
    assert p[-1] > p[-2] or name == "signs"
    again = tres_live.own_classifier(topic, kind)
    np.testing.assert_array_equal(again.proba([SENTENCE]), classifier.proba([SENTENCE]))


@pytest.mark.slow
def test_labels_in_another_language_teach(labels):
    topic = Topic("Oper", ("Oper", "Arie"))
    for i, word in enumerate(("Tenor", "Chor", "Dirigent")):
        labels.add(f"http://a.example/{i}", f"{GERMAN} Auch ein {word} gehört dazu.", True)
        labels.add(f"http://b.example/{i}", f"Die Regierung beschloss Steuern, {word}.", False)
    new = ["Eine Sängerin probt mit dem Orchester", "Regierung und Steuern"]
    p = tres_live.own_classifier(topic, labels=labels).proba(new)
    assert p[0] > 0.5 > p[1]


@pytest.mark.slow
def test_keywords_alone_make_an_english_classifier():
    topic = Topic("rivers", ("river", "lake", "tributary"))
    classifier = tres_live.own_classifier(topic)
    assert isinstance(classifier, SvmClassifier)
    inland, music = classifier.proba(["A lake, a river and its tributary", SENTENCE])
    assert inland > 0.5 > music


@pytest.mark.slow
def test_examples_join_the_rules():
    topic = Topic("jazz", ("jazz",), rules=("jazz",), examples=(SENTENCE,))
    for corpus in (topics.training_corpus(topic), tres_live.own_corpus(topic)):
        assert corpus.labels[[text == SENTENCE for text in corpus.texts]].tolist() == [True]


@pytest.mark.slow
def test_a_corpus_without_labels_is_that_of_the_study():
    corpus, own_corpus = (f("food") for f in (topics.training_corpus, tres_live.own_corpus))
    assert corpus.texts == own_corpus.texts
    np.testing.assert_array_equal(corpus.labels, own_corpus.labels)


@pytest.mark.slow
def test_labels_join_the_corpus_with_their_weight_and_skipped_ones_do_not(labels):
    labels.add("http://a.example/", SENTENCE + " twice", True)
    labels.add("http://b.example/", RIVER, False)
    labels.add("http://c.example/", "skipped", None)
    corpus = tres_live.own_corpus(JAZZ, labels)
    for text, relevant in ((SENTENCE + " twice", True), (RIVER, False)):
        rows = [i for i, found in enumerate(corpus.texts) if found == text]
        assert corpus.labels[rows].tolist() == [relevant] * own.LABEL_TIMES
        assert len(set(corpus.groups[rows])) == 1
    assert "skipped" not in corpus.texts


@pytest.mark.slow
def test_labels_move_the_classifier(labels):
    start = tres_live.own_classifier(JAZZ)
    texts = [
        f"Volume {i}: a treatise on cheese of the Alps, with milk and rennet" for i in range(6)
    ]
    for i, text in enumerate(texts[:5]):
        labels.add(f"http://a.example/{i}", text, True)
    moved = tres_live.own_classifier(JAZZ, labels=labels.path)
    assert start.proba(texts[5:]) < 0.5 <= moved.proba(texts[5:])


@pytest.mark.slow
def test_few_articles_are_too_few_for_a_network(monkeypatch, caplog):
    corpus = topics.Corpus(
        ("a goal",) * 12, np.arange(12) < 6, np.arange(12), np.array(["lead"] * 12)
    )
    monkeypatch.setattr(own, "_corpus", lambda *_: corpus)
    assert isinstance(tres_live.own_classifier(Topic("x", ("goal",)), "kwbilstm"), SvmClassifier)
    assert "6 relevant texts are too few for kwbilstm" in caplog.text


@pytest.mark.slow
def test_the_summary_counts_and_names(labels):
    labels.add("http://a.example/", SENTENCE, True)
    labels.add("http://b.example/", RIVER, False)
    labels.add("http://c.example/", "skipped", None)
    table = tres_live.training_summary(JAZZ, labels, titles=2)
    assert table.index.tolist() == ["articles by keywords", "examples", "labels"]
    articles = load_articles()
    leads = [f"{t}. {e}" for t, e in zip(articles.titles, articles.extracts, strict=True)]
    on = (topics.keyword_counts(leads, JAZZ.keywords) >= 2) & articles.training
    first, second = np.array(articles.titles)[on][:2]
    assert table["relevant"].tolist() == [on.sum(), 1, 1]
    assert table["irrelevant"].tolist() == [articles.training.sum() - on.sum(), 0, 1]
    which = table["which"].tolist()
    assert which[0] == f"{first}, {second} and {on.sum() - 2} more"
    assert which[1].startswith("A guitar") and which[1].endswith("…")
    assert which[2] == "http://a.example/"


def test_the_summary_says_which_rule_decides():
    table = tres_live.training_summary("sports")
    assert table.index[0] == "articles by rules" and table["relevant"].iloc[0] > 50


@pytest.mark.slow
def test_a_menu_and_a_footer_make_no_page_relevant():
    """With one example, not every page that has a menu is like it."""
    page = "Menu Start Search Archive Company Service Browse {} Copyright, all rights reserved."
    example = page.format("A locomotive pulls the express train along the railway to the station.")
    topic = Topic("railways", ("railway", "locomotve"), examples=(example,))
    classifier = tres_live.own_classifier(topic)
    other = "The goddess of the harvest was honoured by insects and by Jane Austen."
    train, goddess = classifier.proba([example, page.format(other)])
    assert train > 0.5 > goddess


@pytest.mark.slow
def test_a_word_that_no_text_has_is_named(caplog):
    check_spelling(["railwys", "volleyball", "qqqqqqq", "Weltenbaum"], ["Der Weltenbaum"])
    warned = [record.getMessage() for record in caplog.records]
    assert len(warned) == 2
    assert "did you mean 'railways'?" in warned[0] and "check its spelling" in warned[1]


GERMAN_RAILWAYS = Topic("railways", ("Weichenstellung", "Eisenbahnbau"))


@pytest.mark.slow
def test_a_topic_of_which_nothing_is_known_is_told(labels, caplog, monkeypatch):
    monkeypatch.setattr(
        own, "_train", lambda *_: tres_live.FewTexts(GERMAN_RAILWAYS.keywords).fit([], [])
    )
    tres_live.own_classifier(GERMAN_RAILWAYS)
    assert "another language than the pages, or misspelt?" in caplog.text
    caplog.clear()
    labels.add("http://a.example/", RIVER, False)
    assert tres_live.learns_nothing(GERMAN_RAILWAYS, labels)
    labels.add("http://b.example/", SENTENCE, True)
    tres_live.own_classifier(GERMAN_RAILWAYS, labels=labels)
    assert not caplog.text and not tres_live.learns_nothing(JAZZ)


@pytest.mark.slow
def test_keywords_that_no_text_has_are_found(labels):
    topic = Topic("railways", ("railway", "trian", "Weiche"), examples=("Die Weiche ist gestellt",))
    assert tres_live.unmatched_keywords(topic) == ("trian",)
    labels.add("http://a.example/", "A trian of thought", True)
    assert tres_live.unmatched_keywords(topic, labels) == ()


@pytest.mark.slow
def test_a_page_of_names_and_menu_words_is_learnt_from_beside_the_articles(caplog):
    topic = Topic("jazz", ("jazz", "guitar"), examples=(NAMES,))
    assert isinstance(tres_live.own_classifier(topic), SvmClassifier)
    assert "not in English" not in caplog.text


@pytest.mark.parametrize(
    ("keyword", "told"),
    [
        ("C++", "searched for as 'c'"),
        ("C#", "searched for as 'c'"),
        (".NET", "searched for as 'net'"),
        ("?!", "it is not searched for"),
    ],
)
def test_a_keyword_that_loses_characters_is_told(keyword, told, caplog):
    keyword_advice.check_signs(["AC/DC", "rock 'n' roll", "Node.js", "दिल्ली", "ดนตรี", keyword])
    assert len(caplog.records) == 1
    assert repr(keyword) in caplog.text and told in caplog.text


def test_keywords_that_a_fifth_of_the_articles_have_are_told(caplog, monkeypatch):
    monkeypatch.setattr(own, "_train", lambda *_: FewTexts(["a"]).fit([], []))
    tres_live.own_classifier(Topic("x", ("the", "of")))
    assert "by its keywords 47" in caplog.text and "give keywords that few have" in caplog.text
    caplog.clear()
    tres_live.own_classifier(Topic("x", ("railway", "train")))
    assert not caplog.text


def test_a_rule_without_a_match_is_told_as_such(caplog, monkeypatch):
    monkeypatch.setattr(own, "_train", lambda *_: FewTexts(["a"]).fit([], []))
    tres_live.own_classifier(Topic("x", ("railway", "train"), rules=("no such title",)))
    assert "its rules match no training article, and with rules keywords choose" in caplog.text
    assert "misspelt" not in caplog.text
