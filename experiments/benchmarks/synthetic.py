"""Data sets made from a seed: text-like sparse rows, and clouds of any number of classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from .cases import Case

SEED = 1

# Text: as many words, and as few of them in a document, as a small corpus of news has.
WORDS = 30_000
TOPICS = 20
TOKENS = 112  # of a document, in the mean: about 90 different words, 0.3 % of all
OWN_TOPIC, OTHER_TOPIC = 0.35, 0.1  # of the tokens, in the mean; the rest is everybody's language
EVENNESS = 8  # the larger, the more alike are the documents in these shares
TOPIC_SHARPNESS = 2.0  # deviation of the logarithm of a word's frequency between topics
TEXT_PARAMETERS = {"rbf": {"gamma": 1.0, "C": 10.0}, "linear": {"gamma": 1.0, "C": 1.0}}

# Fingerprints: of the bits of a row, a few are likely in its class; 3 % of all are 1.
BITS = 2048
FINGERPRINT_CLASSES = 20
LIKELY_BITS, LIKELY, UNLIKELY = 102, 0.1, 0.0263

# Clouds: the nearest true centre, which no classifier can beat, is right this often, whatever the number of classes.
CLOUD_FEATURES = 20
CLOUD_CEILING = 0.93
CLOUD_TEST_ROWS = 5000
CLOUD_C = 10.0


def text(kernel: str, rows: int = 8000, test_rows: int = 2000, words: int = WORDS) -> Case:
    """Documents as TF-IDF rows of length 1 in CSR form.

    Word frequencies follow Zipf's law. A topic, one for each class, is the same law with every word's frequency changed by
    a random factor. A document takes its tokens from its own topic, from one other, and from the language of all, in
    shares that differ from document to document: some tell their class plainly and some hardly at all.

    Parameters
    ----------
    kernel : {"rbf", "linear"}
    rows, test_rows : int
    words : int
        The number of features.

    Returns
    -------
    Case
    """
    rng = np.random.default_rng(SEED)
    common = 1 / (np.arange(words) + 2.7)
    topics = common * np.exp(TOPIC_SHARPNESS * rng.normal(size=(TOPICS, words)))
    sources = np.cumsum(np.vstack([topics, common]), axis=1)
    sources /= sources[:, -1:]

    n = rows + test_rows
    y = rng.integers(0, TOPICS, n)
    stray = (y + rng.integers(1, TOPICS, n)) % TOPICS
    shares = rng.dirichlet(EVENNESS * np.array([OWN_TOPIC, OTHER_TOPIC, 1 - OWN_TOPIC - OTHER_TOPIC]), n)
    document = np.repeat(np.arange(n), 1 + rng.poisson(TOKENS * rng.lognormal(-0.125, 0.5, n)))
    choice = (rng.random(len(document))[:, None] > np.cumsum(shares, axis=1)[document, :2]).sum(axis=1)
    source = np.where(choice == 0, y[document], np.where(choice == 1, stray[document], TOPICS))
    word = np.empty(len(document), dtype=np.int64)
    for s in range(TOPICS + 1):
        here = source == s
        word[here] = np.searchsorted(sources[s], rng.random(here.sum()))
    counts = csr_matrix(coo_matrix((np.ones(len(word)), (document, word)), shape=(n, words)))
    weights = TfidfTransformer().fit(counts[:rows])
    X_train, X_test = (csr_matrix(weights.transform(part)) for part in (counts[:rows], counts[rows:]))
    name = f"text-{kernel}"
    chosen = TEXT_PARAMETERS[kernel]
    return Case(name, "a seed", X_train, y[:rows], X_test, y[rows:], chosen["gamma"], chosen["C"], kernel)


def fingerprints(rows: int = 20_000, test_rows: int = 2000) -> Case:
    """Bits, of which each class has some that are four times as likely as the others, for the Tanimoto kernel.

    Parameters
    ----------
    rows, test_rows : int

    Returns
    -------
    Case
    """
    rng = np.random.default_rng(SEED)
    chances = np.full((FINGERPRINT_CLASSES, BITS), UNLIKELY)
    for own in chances:
        own[rng.choice(BITS, LIKELY_BITS, replace=False)] = LIKELY
    y = rng.integers(0, FINGERPRINT_CLASSES, rows + test_rows)
    X = (rng.random((len(y), BITS), dtype=np.float32) < chances[y]).astype(np.float64)
    return Case("fingerprints", "a seed", X[:rows], y[:rows], X[rows:], y[rows:], 1.0, 10.0, "tanimoto")


def clouds(classes: int, per_class: int = 100) -> Case:
    """Round Gaussian clouds of equal spread about random centres, which overlap as much for few classes as for many.

    Parameters
    ----------
    classes, per_class : int

    Returns
    -------
    Case
        The gamma is scikit-learn's ``"scale"``.
    """
    rng = np.random.default_rng(SEED)
    centres = rng.normal(size=(classes, CLOUD_FEATURES))
    y_train = np.repeat(np.arange(classes), per_class)
    y_test = np.arange(CLOUD_TEST_ROWS) % classes
    noise, test_noise = (rng.normal(size=(len(y), CLOUD_FEATURES)) for y in (y_train, y_test))
    spread = spread_for(CLOUD_CEILING, centres, test_noise, y_test)
    X_train, X_test = centres[y_train] + spread * noise, centres[y_test] + spread * test_noise
    gamma = 1 / (CLOUD_FEATURES * float(X_train.var()))
    return Case("clouds", "a seed", X_train, y_train, X_test, y_test, gamma=gamma, C=CLOUD_C)


def spread_for(ceiling: float, centres: NDArray[np.float64], noise: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Where the nearest centre is right for a share of the rows; the wider, the more seldom it is.

    Parameters
    ----------
    ceiling : float
        The share.
    centres : ndarray of shape (n_classes, n_features)
    noise : ndarray of shape (n_samples, n_features)
        Of deviation 1.
    y : ndarray of shape (n_samples,)

    Returns
    -------
    float
        What to multiply the noise by.
    """
    low, high = 0.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        X = centres[y] + middle * noise
        nearest = np.argmin((centres**2).sum(axis=1) - 2 * X @ centres.T, axis=1)
        low, high = (middle, high) if np.mean(nearest == y) > ceiling else (low, middle)
    return low
