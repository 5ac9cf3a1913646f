"""Every structure answers as a long-double evaluation of the arrays of its bank."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs

import dagmar
from dagmar.structures import STRUCTURES
from fuzzing import truth

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "poly": {"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 0.2},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1},
    "laplacian": {"kernel": "laplacian", "gamma": 0.3},
    "chi2": {"kernel": "chi2", "gamma": 0.3},
    "own gammas": {"kernel": "rbf", "gamma": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
}


def scene(name):
    """Training data of four classes, and parameters that go with it."""
    X, y = blobs(seed=11, n_classes=4, per_class=8, n_features=4, spread=1.2)
    if name == "offset":
        return X + 1000.0, y, {}
    if name == "outlier":
        X = X.copy()
        X[3, 2] = 1e5
        return X, y, {}
    if name == "huge C":
        return X, y, {"C": 1e6}
    if name == "duplicates":  # the same samples in two classes: values are zero but for rounding
        X = np.concatenate([X, X[:9], X[:9]])
        return X, np.concatenate([y, (y[:9] + 1) % 4, y[:9]]), {}
    if name == "zeros":
        return np.where(np.abs(X) < 2, 0.0, X), y, {}
    return X, y, {}


def near_zero(bank, X, form):
    """Samples on which machines have values as close to zero as doubles come, found by bisection between two samples."""
    values = truth.values_of(bank, form(X)).value
    machines = np.arange(values.shape[1])
    low, high = X[np.argmin(values, axis=0)], X[np.argmax(values, axis=0)]
    for _ in range(48):
        middle = low + (high - low) / 2
        negative = (truth.values_of(bank, form(middle)).value[machines, machines] < 0)[:, None]
        low, high = np.where(negative, middle, low), np.where(negative, high, middle)
    return np.concatenate([low, high])


def compare(clf, T, known=None):
    """How the labels of some samples compare with the truth. A label that its own path does not end at counts as wrong."""
    model = clf._model
    samples = clf._check(model, T)
    labels = clf.predict(T)
    tally = truth.check_labels(model.bank, model.plan, model.classes, samples, labels, known)
    ends = model.classes[clf.decision_path(T).answers]
    tally.wrong += [(int(i), labels[i], [ends[i]]) for i in np.flatnonzero(ends != labels)]
    return tally


def compare_structures(name, kernel, precision, sparse):
    """The tally of every structure, on training samples, samples between them, and samples with values near zero."""
    X, y, parameters = scene(name)
    X, parameters = X / np.abs(X).max() if kernel == "poly" else X, {**KERNELS[kernel], **parameters}
    X = np.abs(X) if kernel == "chi2" else X
    if (name, kernel) == ("offset", "sigmoid"):
        parameters["gamma"] = 1e-8  # or every kernel value is 1, every value a tie, and nothing is compared
    form = sp.csr_matrix if sparse else np.asarray
    T = np.concatenate([X, X[::-1] / 2 + X / 2])
    clf = fitted(dagmar.SVC(**parameters, precision=precision, max_iter=20000, structure="max_wins"), form(X), y)
    if name in ("plain", "offset", "huge C"):
        T = np.concatenate([T, near_zero(clf.bank_, X, form)])
    T = form(T)
    values = truth.values_of(clf.bank_, T)
    tallies = {}
    for structure in STRUCTURES:
        if np.ndim(parameters.get("gamma", 1.0)) and structure == "one_vs_rest":
            continue
        other = restructured(clf, structure, form(X), y)
        same = np.array_equal(other.bank_.coef, clf.bank_.coef)
        tallies[structure] = compare(other, T, values if same else None)
    return tallies


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["plain", "offset", "outlier", "huge C", "duplicates", "zeros"])
def test_labels_are_true(name, kernel, precision, sparse):
    """No structure gives a label that the arrays of its bank do not give."""
    tallies = compare_structures(name, kernel, precision, sparse)
    assert {structure: tally.wrong[:3] for structure, tally in tallies.items() if tally.wrong} == {}
    assert all(tally.agreed > 0 for tally in tallies.values())


def fitted(clf, X, y):
    """Fit without warnings: that some machines end before they converge does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.fit(X, y)


def restructured(clf, structure, X, y):
    """The same machines by another structure, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.restructure(structure, X, y)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_precomputed_labels_are_true(structure):
    """The same for a kernel matrix."""
    X, y, _ = scene("duplicates")
    clf = dagmar.SVC(kernel="precomputed", structure=structure).fit(X @ X.T, y)
    tally = compare(clf, X @ X.T)
    assert tally.wrong == []
    assert tally.agreed > 0


def test_enough_is_compared():
    """Ties, and labels that double cannot tell, are a small part of what is compared."""
    total = {"labels": 0, "tied": 0, "near": 0}
    for name in ("plain", "offset", "duplicates"):
        for tally in compare_structures(name, "rbf", "single", sparse=False).values():
            total = {kind: n + tally.counts()[kind] for kind, n in total.items()}
    assert total["labels"] > 1000
    assert total["tied"] < 0.2 * total["labels"]
    assert total["near"] < 0.01 * total["labels"]


def test_ties_are_counted():
    """A value that is exactly zero is a tie: either label passes, and it is counted."""
    clf = dagmar.SVC(kernel="linear").fit([[-1.0], [1.0]], [0, 1])
    model = clf._model
    for label in (0, 1):
        tally = truth.check_labels(model.bank, model.plan, model.classes, np.zeros((1, 1)), [label])
        assert (tally.tied, tally.wrong) == (1, [])


def test_wrong_label_is_found():
    """The check fails for a label that the arrays do not give."""
    clf = dagmar.SVC(kernel="linear").fit([[-1.0], [1.0]], [0, 1])
    model = clf._model
    tally = truth.check_labels(model.bank, model.plan, model.classes, np.array([[0.5], [-0.5]]), [0, 0])
    assert (tally.agreed, [i for i, *_ in tally.wrong]) == (1, [0])


def test_bounds_hold_in_double():
    """The values of a bank in double differ from those in long double by less than the bound for a careful evaluation."""
    X, y, _ = scene("plain")
    X = np.abs(X)  # for chi2
    for parameters in KERNELS.values():
        clf = dagmar.SVC(**parameters, precision="double").fit(X, y)
        true = truth.values_of(clf.bank_, X)
        k = clf.bank_.kernel
        careful = [np.longdouble(v) for v in np.abs(clf.pair_decisions(X) - true.value).ravel()]
        # The core expands distances, which costs a few more digits here.
        assert (np.array(careful) <= 100 * true.double_error.ravel()).all(), k.name
        assert (true.long_error < true.double_error).all()
