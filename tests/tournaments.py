"""Plans played against references: the same machines in the same order, the same answers."""

import numpy as np
from helpers import decide, random_patterns, trace, verdict_of


def assert_plays(bank, plan, answer_of, values, X):
    """A plan gives the answers and paths of a reference, in a batch and in one thread or two.

    Parameters
    ----------
    bank, plan
        What decides the samples X.
    answer_of : callable
        From the verdict on any two classes to the answer and the pairs that met.
    values : ndarray of shape (n_samples, n_machines)
        What the machines say of X.
    X : ndarray
    """
    answers, paths = trace(bank, plan, X)
    for n_threads in (1, 2):
        np.testing.assert_array_equal(decide(bank, plan, X, n_threads), answers)
    for row, answer, path in zip(values, answers, paths, strict=True):
        expected, met = answer_of(verdict_of(row, bank.n_classes))
        assert (answer, path) == (expected, [int(bank.machine_of[pair]) for pair in met])


def assert_model_plays(clf, X, answer_of):
    """A fitted model gives the labels and paths of a reference, by its own values of the pairs."""
    values, path, labels = clf.pair_decisions(X), clf.decision_path(X), clf.predict(X)
    for i, row in enumerate(values):
        answer, met = answer_of(verdict_of(row, len(clf.classes_)))
        assert labels[i] == clf.classes_[answer]
        assert path[i][0].tolist() == [clf.bank_.machine_of[pair] for pair in met]


def random_separation(seed, n_classes, n_values):
    """A symmetric matrix of few different numbers, so that ties are many."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(0, n_values, size=(n_classes, n_classes)).astype(float), k=1)
    return upper + upper.T


def champion_patterns(seed, n_classes, n):
    """Random outcomes in which one class wins all its pairs. Also returns that class of each."""
    values = random_patterns(seed, n_classes, n)
    champion = np.random.default_rng(seed).integers(0, n_classes, n)
    i, j = np.triu_indices(n_classes, k=1)
    values[champion[:, None] == i] = -1.0
    values[champion[:, None] == j] = 1.0
    return values, champion
