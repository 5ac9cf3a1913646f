"""Influences: the support vectors with the largest terms, computed beforehand."""

import numpy as np
import pytest
import scipy.sparse as sp

import dagmar
from dagmar.base.pairs import n_pairs
from dagmar.explorer.influences import MOST_SHOWN, compact_influences, influences
from dagmar.explorer.packing import unpacked

KERNELS = [
    {},
    {"kernel": "linear"},
    {"kernel": "poly", "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"kernel": "tanimoto"},
    {"gamma": np.linspace(0.1, 2.0, n_pairs(7))},
]


@pytest.mark.parametrize("parameters", KERNELS, ids=lambda p: " ".join(map(str, p.values()))[:20])
def test_terms_are_those_of_the_value(parameters, seven_blobs, monkeypatch):
    """All terms of a machine and its bias add up to its value."""
    X, y = seven_blobs
    X = abs(X) if parameters.get("kernel") == "tanimoto" else X
    monkeypatch.setattr("dagmar.explorer.influences.MOST_SHOWN", 1000)
    clf = dagmar.SVC(structure="ddag", **parameters).fit(X, y)
    path = clf.decision_path(X[:20])
    found = influences(clf.bank_, X[:20], path)
    sums = np.add.reduceat(found.terms, found.begin[:-1]) + clf.bank_.bias[path.machines]
    np.testing.assert_allclose(sums, path.values, atol=1e-6)
    np.testing.assert_allclose(np.add.reduceat(np.abs(found.terms), found.begin[:-1]), found.totals)


def test_the_largest_of_each_side_are_kept(seven_blobs):
    """Each machine has its six largest and its six smallest terms, the ends first, and no vector twice."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure="ddag").fit(X, y)
    path = clf.decision_path(X[:20])
    found = influences(clf.bank_, X[:20], path)
    sizes = np.diff(clf.bank_.begin)[path.machines]
    assert np.array_equal(np.diff(found.begin), np.minimum(2 * MOST_SHOWN, sizes))
    for begin, end in zip(found.begin, found.begin[1:], strict=False):
        terms, vectors = found.terms[begin:end], found.vectors[begin:end]
        assert len(np.unique(vectors)) == len(vectors)
        assert (np.diff(terms[:MOST_SHOWN]) <= 0).all()
        assert (np.diff(terms[MOST_SHOWN:]) >= 0).all()


def test_sparse_and_precomputed(three_blobs):
    """Sparse samples and kernel values give the terms of dense samples."""
    X, y = three_blobs
    dense = dagmar.SVC(kernel="linear").fit(X, y)
    path = dense.decision_path(X[:5])
    expected = influences(dense.bank_, X[:5], path)
    rows = sp.csr_matrix(X)
    sparse = dagmar.SVC(kernel="linear").fit(rows, y)
    matrix = X @ X.T
    given = dagmar.SVC(kernel="precomputed").fit(matrix, y)
    for clf, samples in ((sparse, rows[:5]), (given, matrix[:5])):
        found = influences(clf.bank_, samples, clf.decision_path(samples))
        # The dense bank is centred, so that single terms differ by a constant; the vectors are the same.
        assert len(found.totals) == len(expected.totals)
        assert np.isin(clf.bank_.support[found.vectors], dense.bank_.support).all()
    np.testing.assert_allclose(
        influences(given.bank_, matrix[:5], given.decision_path(matrix[:5])).terms,
        influences(sparse.bank_, rows[:5], sparse.decision_path(rows[:5])).terms,
        rtol=1e-3,
        atol=1e-3,
    )


def test_vectors_are_numbered_as_in_the_page(three_blobs):
    """The page has only the vectors that are shown."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    found = influences(clf.bank_, X[:2], clf.decision_path(X[:2]))
    kept = np.unique(found.vectors)
    said = compact_influences(found, kept)
    assert np.array_equal(kept[unpacked(said["vectors"])], found.vectors)
