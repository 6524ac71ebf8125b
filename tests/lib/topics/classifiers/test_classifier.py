import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from tres_book.chapters.c03_classifier import predict_folds, scores_of
from tres_lib.topics import (
    CachedScorer,
    KwBiLSTM,
    KwBiLstmSettings,
    SvmClassifier,
    SvmSettings,
    anchor_text,
    load_classifier,
    page_text,
)
from tres_lib.topics.classifiers.network import CompiledNetwork
from tres_lib.topics.classifiers.stored import read_arrays, read_description, stratified_folds
from tres_lib.topics.classifiers.training import BiLstmNetwork
from tres_lib.topics.vectors import keyed_vectors, tokenize
from tres_webs.page import Link, Page

SPORT = ["football", "tennis", "goal", "team", "match", "player"]
OTHER = ["river", "king", "theorem", "cell", "novel", "bank", "star", "law", "metal", "river"]
FILLER = ["the", "of", "and", "in"]
WORDS = sorted({*SPORT, *OTHER, *FILLER})
SMALL = KwBiLstmSettings(
    hidden=8, head=8, max_epochs=8, patience=8, learning_rate=1e-2, batch_size=16
)


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(5)
    return keyed_vectors(WORDS, rng.normal(size=(len(WORDS), 6)))


@pytest.fixture(scope="module")
def corpus():
    """160 texts of 2 to 40 words, a quarter about sport; two texts share a group."""
    rng = np.random.default_rng(7)
    labels = np.arange(160) % 8 < 2
    texts = [
        " ".join(rng.choice((SPORT if relevant else OTHER) + FILLER, rng.integers(2, 40)))
        for relevant in labels
    ]
    return texts, labels, np.arange(160) // 2


@pytest.fixture(scope="module")
def bilstm(vectors, corpus):
    return KwBiLSTM(SPORT[:2], vectors, SMALL, rng=1).fit(*corpus)


@pytest.fixture(scope="module")
def svm(corpus):
    return SvmClassifier(rng=1).fit(*corpus)


@pytest.fixture(params=["bilstm", "svm"])
def fitted(request):
    return request.getfixturevalue(request.param)


class Counting:
    """A classifier that remembers what it was asked; long texts are relevant."""

    def __init__(self):
        self.asked = []

    def fit(self, texts, labels, groups=None):
        return self

    def proba(self, texts):
        self.asked.append(list(texts))
        return np.array([min(len(text) / 10, 1.0) for text in texts])


@pytest.mark.slow
def test_learns_what_is_about_sport(fitted):
    proba = fitted.proba(["the team and the goal", "football", "the law of the river", "novel"])
    assert proba.dtype == np.float64
    assert ((proba >= 0.5) == [True, True, False, False]).all()


def test_the_bilstm_gives_a_text_the_same_bits_in_any_batch(bilstm, corpus):
    texts = np.array([*corpus[0], "football", "", "the river " * 150], dtype=object)
    alone = np.concatenate([bilstm.proba([text]) for text in texts])
    rng = np.random.default_rng(3)
    for size in rng.integers(1, 2 * len(texts), size=30):
        batch = rng.integers(len(texts), size=size)
        np.testing.assert_array_equal(bilstm.proba(texts[batch]), alone[batch])


@pytest.fixture(params=[8, 7])
def network(request):
    """An untrained network, texts as ragged numbers of its 30 words, and two further inputs."""
    rng = np.random.default_rng(request.param)
    torch.manual_seed(request.param)
    network = BiLstmNetwork(6, n_inputs=2, hidden=request.param, head=5, dropout=0.3).eval()
    texts = [rng.integers(30, size=n).tolist() for n in [*range(12), 1, 40]]
    inputs = rng.normal(size=(len(texts), 2)).astype(np.float32)
    return network, rng.normal(size=(30, 6)).astype(np.float32), texts, inputs


def weights_of(network):
    return {name: value.numpy() for name, value in network.state_dict().items()}


def test_compiled_and_torch_give_the_same_probability(network):
    network, embedding, texts, inputs = network
    words = np.array([[*text, *[0] * (40 - len(text))] for text in texts])
    lengths = torch.tensor([len(text) for text in texts])
    with torch.inference_mode():
        tensors = torch.from_numpy(embedding[words]), lengths, torch.from_numpy(inputs)
        expected = torch.sigmoid(network(*tensors)).numpy()
    compiled = CompiledNetwork(weights_of(network), embedding).proba(texts, inputs)
    np.testing.assert_allclose(compiled, expected, atol=1e-6)


def test_forgotten_words_are_read_again(network, monkeypatch):
    network, embedding, texts, inputs = network
    together = CompiledNetwork(weights_of(network), embedding).proba(texts, inputs)
    monkeypatch.setattr("tres_lib.topics.classifiers.network.WORDS_CACHED", 5)
    forgetful = CompiledNetwork(weights_of(network), embedding)
    for i in [*range(len(texts)), 3, 5]:
        assert forgetful.proba(texts[i : i + 1], inputs[i : i + 1]) == together[i]


@pytest.mark.slow
def test_same_seed_same_weights_whatever_ran_before(vectors, corpus, bilstm, tmp_path):
    torch.manual_seed(999)
    before = torch.random.get_rng_state()
    again = KwBiLSTM(SPORT[:2], vectors, SMALL, rng=1).fit(*corpus)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils.deterministic.fill_uninitialized_memory
    saved = [tmp_path / "first", tmp_path / "again"]
    bilstm.save(saved[0])
    again.save(saved[1])
    first, second = map(read_arrays, saved)
    for name, weights in first.items():
        np.testing.assert_array_equal(weights, second[name])
    other = KwBiLSTM(SPORT[:2], vectors, SMALL, rng=2).fit(*corpus)
    assert not np.array_equal(other.proba(corpus[0]), bilstm.proba(corpus[0]))


def test_it_can_be_sent_to_a_worker(fitted, corpus):
    pickling = pytest.importorskip("cloudpickle")
    before = fitted.proba(corpus[0][:9])
    there = pickling.loads(pickling.dumps(fitted))
    np.testing.assert_array_equal(there.proba(corpus[0][:9]), before)


def test_saved_and_loaded_it_is_the_same(fitted, corpus, tmp_path):
    fitted.save(tmp_path / "new" / "folder")
    loaded = load_classifier(tmp_path / "new" / "folder")
    assert type(loaded) is type(fitted)
    np.testing.assert_array_equal(loaded.proba(corpus[0]), fitted.proba(corpus[0]))
    assert {path.suffix for path in (tmp_path / "new" / "folder").iterdir()} == {
        ".json",
        ".safetensors",
    }


@pytest.mark.slow
def test_named_vectors_are_saved_by_name_only(tmp_path, monkeypatch, vectors, corpus):
    monkeypatch.setattr("tres_lib.topics.classifiers.kwbilstm.load_vectors", lambda name: vectors)
    classifier = KwBiLSTM(SPORT[:2], "glove-6b-50d", SMALL).fit(*corpus)
    classifier.save(tmp_path)
    assert "river" not in (tmp_path / "classifier.json").read_text()
    loaded = load_classifier(tmp_path)
    np.testing.assert_array_equal(loaded.proba(["team"]), classifier.proba(["team"]))


def test_an_unknown_kind_is_named(tmp_path):
    (tmp_path / "classifier.json").write_text('{"kind": "Oracle"}')
    with pytest.raises(ValueError, match="'Oracle'.*KwBiLSTM"):
        load_classifier(tmp_path)


def test_unfitted_and_unfit_examples_are_refused(vectors, tmp_path):
    for classifier in (KwBiLSTM(SPORT[:2], vectors, SMALL), SvmClassifier()):
        with pytest.raises(ValueError, match="fit or load first"):
            classifier.proba(["team"])
        with pytest.raises(ValueError, match="fit or load first"):
            classifier.save(tmp_path)
        with pytest.raises(ValueError, match="both classes"):
            classifier.fit(["team", "river"], [True, True])
        with pytest.raises(ValueError, match="one for each of 2 texts"):
            classifier.fit(["team", "river"], [True])


def test_cached_scorer_asks_once_for_each_text():
    classifier = Counting()
    scorer = CachedScorer(classifier)
    np.testing.assert_allclose(scorer.proba(["abc", "a", "abc"]), [0.3, 0.1, 0.3])
    np.testing.assert_allclose(scorer.proba(["ab", "a"]), [0.2, 0.1])
    assert scorer.proba(["a", "ab"]).tolist() == [0.1, 0.2]
    assert classifier.asked == [["abc", "a"], ["ab"]]
    assert scorer.proba([]).shape == (0,)


def test_cached_scorer_forgets_but_never_mistakes_a_text():
    texts = [f"{'x' * (i % 9)} {i}" for i in range(200)] + ["\ud800", "\udfff."]
    truth = Counting().proba(texts)
    classifier = Counting()
    scorer = CachedScorer(classifier, slots=64)
    rng = np.random.default_rng(0)
    for _ in range(50):
        batch = rng.integers(len(texts), size=rng.integers(1, 300))
        scores = scorer.proba([texts[i] for i in batch])
        np.testing.assert_array_equal(scores, truth[batch])
    assert sum(map(len, classifier.asked)) > 10 * len(texts)  # of so many as 50 batches hold
    with pytest.raises(ValueError, match="slots=48"):
        CachedScorer(Counting(), slots=48)


def test_texts_of_pages_and_links():
    page = Page("http://a.example/team-news/", 200, "Title", "Body text.", ())
    assert page_text(page) == "Title team news Body text."
    assert anchor_text(Link("http://a.example/team-news/", "Read more")) == "Read more team news"
    assert anchor_text(Link("http://a.example/", "")) == ""


def test_folds_keep_groups_whole_and_shares_alike(corpus):
    texts, labels, groups = corpus
    predictions = predict_folds(Counting, texts, labels, groups, folds=4, rng=3)
    assert predictions.groupby(groups)["fold"].nunique().max() == 1
    assert predictions.groupby("fold")["relevant"].sum().tolist() == [10, 10, 10, 10]
    pd.testing.assert_frame_equal(
        predictions, predict_folds(Counting, texts, labels, groups, folds=4, rng=3)
    )


def test_scores_of_a_hand_made_fold():
    # Guesses at 0.5: relevant, relevant, not, not; one hit, one false alarm, one miss.
    predictions = pd.DataFrame(
        {
            "fold": [0, 0, 0, 0],
            "relevant": [True, False, True, False],
            "proba": [0.9, 0.5, 0.4, 0.1],
        }
    )
    row = scores_of(predictions, ["fold"]).loc[0]
    assert row["precision"] == row["recall"] == row["f_macro"] == 0.5


@pytest.mark.parametrize("folds", [1, 21])
def test_too_many_folds_for_the_rarer_class(corpus, folds):
    with pytest.raises(ValueError, match=f"folds={folds}"):
        stratified_folds(corpus[1], corpus[2], folds, 0)


@pytest.mark.parametrize("longest", [1, 2])
def test_the_svm_scores_as_its_vectorizer_and_hyperplane_say(corpus, longest, tmp_path):
    svm = SvmClassifier(SvmSettings(longest_ngram=longest)).fit(*corpus)
    svm.save(tmp_path)
    description, arrays = read_description(tmp_path, "SvmClassifier"), read_arrays(tmp_path)
    options = {"vocabulary": description["vocabulary"], "ngram_range": (1, longest)}
    tfidf = TfidfVectorizer(tokenizer=tokenize, token_pattern=None, sublinear_tf=True, **options)
    tfidf.idf_ = arrays["idf"]
    texts = [*corpus[0][:50], "", "qqq zzz", "ball ball ball the the"]
    logits = tfidf.transform(texts) @ arrays["weights"] + description["bias"]
    np.testing.assert_allclose(svm.proba(texts), 1 / (1 + np.exp(-logits)), rtol=1e-6, atol=1e-12)
    assert svm.proba([]).shape == (0,)
