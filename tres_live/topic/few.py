"""A classifier for few texts, of any language: keywords first, then what examples teach."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.numerics import log, logistic, logs
from tres_lib.topics.classifiers import stored
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import UNSPACED, fold, tokenize

PROSE = 8  # words of a line of prose; those of menus and lists are shorter
BEGINNING = 150  # words of a page in which its subject is named
SEVERAL = 3  # keywords of a topic of which one named alone says less
EVEN = 1.5, 8.0  # keywords there, and in 1,000 words of prose, that leave it open
SHORT = 50  # words; a shorter text counts as so long
SURE = 2.0  # log-odds of keywords at most
HEAD = 20  # words of title, URL and what follows, which count...
HEAD_TIMES = 4  # ...so many times more
LONG = 6  # letters; shorter words are mostly those that any text of the language has
STEM = 5  # letters
SPREAD = 3.0  # standard deviation of a stem's weight before any text is seen
SHIFT = 0.3  # and of the bias
UNSEEN = 0.5, 10.0  # weight of a text of the background without keywords, and of all, at most
FEWEST = 5  # of these that stand in for irrelevant texts
STEEPNESS = 4.0  # log-odds between a text unlike the examples and one like them
USUAL_SHARE = 1.25  # of the usual cosine, at which similarity speaks neither for nor against
BESIDE = "beside"  # folder of the other classifier
TYPICAL = 0.2  # cosine of relevant texts where a single example leaves none to compare


class FewTexts:
    """Relevance from keywords and a few texts, in any language, without word vectors.

    Keywords give the log-odds to begin with. A relevant page names two of three or more keywords in
    its first 150 words, or one of them three times; of fewer keywords two namings do. It names some
    in eight of 1,000 words, too. What it lacks more of the two decides. Lines of fewer than eight
    words, as menus have, are left out.

    Texts add to that, as a logistic regression from these log-odds on stems: the first five letters
    of words of six or more, and pairs of characters in scripts without blanks. Texts of the
    background that keywords take for irrelevant count as such, with half a weight at most. Where
    nothing is irrelevant, relevant texts add by how far the cosine with their mean exceeds what is
    usual among them, and never subtract: to be unlike a few examples says little.

    Examples
    --------
    >>> few = FewTexts(["Oper", "Geige"]).fit(["Die Oper von Wien", "Eine Geige spielt"], [1, 1])
    >>> few.proba(["In der OPER spielt eine Geige.", "Der Fluss ist breit."]) >= 0.5
    array([ True, False])
    """

    def __init__(self, keywords: Iterable[str]):
        self.keywords = list(keywords)
        self._matcher = KeywordMatcher(self.keywords)
        once = dict.fromkeys(" ".join(tokenize(fold(keyword))) for keyword in self.keywords)
        self._each = [KeywordMatcher([keyword]) for keyword in once if keyword]
        self._stems: stored.TfIdf | None = None  # without words if no text has taught something
        self.beside: FewTexts | None = None  # of the same keywords; the surer of both decides

    def fit(
        self,
        texts: Sequence[str],
        labels: ArrayLike,
        groups: ArrayLike | None = None,
        background: Sequence[str] = (),
    ) -> Self:
        """Learn from n texts and labels (n,), also from none; `groups` is not used.

        The `background`, other texts of the same sites or language, shows which stems are common.
        """
        relevant = np.asarray(labels, bool)
        if relevant.shape != (len(texts),):
            raise ValueError(f"labels: shape {relevant.shape}; give one for each text")
        self._stems = stored.TfIdf(_weighted_stems, [], np.zeros(0))
        self._weights, self._bias, self._only_adds = np.zeros(0), 0.0, False
        if not texts:
            return self
        taught = set(texts)
        known = [*texts, *(text for text in background if text not in taught)]
        vocabulary = sorted({stem for text in known for stem in stems(text)})
        self._stems = stored.TfIdf.fit(_weighted_stems, known, vocabulary)
        prior = self._prior(known)
        far = len(texts) + np.flatnonzero(prior[len(texts) :] <= -SURE)
        x = self._stems.rows(known)
        if relevant.all() and len(far) < FEWEST:
            self._compare(x[: len(texts)].toarray())
        else:
            rows = np.append(np.arange(len(texts)), far)
            each, most = UNSEEN
            weight = np.where(rows < len(texts), 1.0, min(each, most / max(len(far), 1)))
            labelled = np.append(relevant, np.zeros(len(far), bool))
            tight = np.append(SHIFT**-2, np.full(x.shape[1], SPREAD**-2))
            fitted = stored.likeliest(x[rows], prior[rows], labelled, weight, tight)
            self._bias, self._weights = fitted
        return self

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) that each text is relevant."""
        gains = [each._gain(texts) for each in (self, self.beside) if each]
        return logistic(self._prior(texts) + np.max(gains, axis=0))

    def save(self, directory: str | Path) -> None:
        """Write keywords and stems as JSON, weights as safetensors; ValueError before `fit`."""
        words = stored.fitted(self._stems)
        arrays = {"weights": self._weights, "idf": words.idf}
        about = {"keywords": self.keywords, "stems": words.words, "bias": self._bias}
        stored.write_classifier(directory, self, arrays, **about, only_adds=self._only_adds)
        if self.beside:
            self.beside.save(Path(directory, BESIDE))

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        about = stored.read_description(directory, cls.__name__)
        arrays = stored.read_arrays(directory)
        few = cls(about["keywords"])
        few._weights, few._bias = arrays["weights"], about["bias"]
        few._only_adds = about.get("only_adds", False)
        few._stems = stored.TfIdf(_weighted_stems, about["stems"], arrays["idf"])
        if Path(directory, BESIDE).exists():
            few.beside = cls.load(Path(directory, BESIDE))
        return few

    def _gain(self, texts: Sequence[str]) -> np.ndarray:
        """Return what was learnt of texts, beside the log-odds of keywords, (n,)."""
        learnt = stored.fitted(self._stems).products(texts, self._weights) + self._bias
        return np.maximum(learnt, 0.0) if self._only_adds else learnt

    def _prior(self, texts: Sequence[str]) -> np.ndarray:
        """Return the log-odds of relevance by keywords alone, (n,)."""
        counts = np.array([self._counts(prose(text)) for text in texts], float).reshape(-1, 2)
        share = np.maximum((counts / EVEN).min(axis=1), 0.01)
        return np.clip(2.0 * logs(share) / log(2.0), -SURE, SURE)

    def _counts(self, text: str) -> tuple[float, float]:
        """Return the keywords in the beginning of a text, and in 1,000 words of it.

        Of `SEVERAL` keywords each counts there by the square root of its namings, for one named
        again and again says less than several.
        """
        words = tokenize(fold(text))
        places = self._matcher.starts(words)
        named = float(sum(place < BEGINNING for place in places))
        if named > 1 and len(self._each) >= SEVERAL:
            starts = (matcher.starts(words) for matcher in self._each)
            named = float(np.sqrt([sum(p < BEGINNING for p in each) for each in starts]).sum())
        length = max(len(words) + len(UNSPACED.findall(text)) // 2, SHORT)
        return named, 1_000 * len(places) / length

    def _compare(self, good: np.ndarray) -> None:
        """Set weights by the mean relevant text, and by what cosine is usual among them."""
        usual = TYPICAL
        if len(good) > 1:
            others = (good.sum(axis=0) - good) / (len(good) - 1)
            usual = max(float(np.median((good * others).sum(axis=1))), 0.01)
        self._weights = STEEPNESS * good.mean(axis=0) / usual
        self._bias, self._only_adds = -STEEPNESS * USUAL_SHARE, True


def prose(text: str) -> str:
    r"""Return a text's first line, which has the title, and its lines of eight words or more.

    Examples
    --------
    >>> prose("Jazz\nHome | News | Shop\nA band of five plays jazz in the old town.")
    'Jazz\nA band of five plays jazz in the old town.'
    """
    first, *lines = text.split("\n")
    words = (len(line.split()) + len(UNSPACED.findall(line)) // 2 for line in lines)
    return "\n".join([first, *(line for line, n in zip(lines, words, strict=True) if n >= PROSE)])


def stems(text: str) -> list[str]:
    """Return the first letters of long words, and pairs of characters in scripts without blanks."""
    made: list[str] = []
    for word in tokenize(fold(text)):
        if UNSPACED.search(word):
            made += map("".join, pairwise(word))
        elif len(word) >= LONG:
            made.append(word[:STEM])
    return made


def _weighted_stems(text: str) -> list[str]:
    """Return the stems of a page's prose, those of its head several times."""
    head = " ".join(text.partition("\n")[0].split()[:HEAD])
    return stems(prose(text)) + (HEAD_TIMES - 1) * stems(head)
