"""Pages without a copy of the model: what is computed beforehand is what the model computes."""

import numpy as np
import pytest
import scipy.sparse as sp
from pages import data_of
from sklearn.linear_model import LogisticRegression

import dagmar
from dagmar.explorer import beforehand, compact
from dagmar.explorer.packing import unpacked

# For each sample that was computed: its machines and values, the terms of the first step, the answer.
KNOWN = """(context) => Array.from(context.beforehand.rows, (k) => {
    const { valueOf, pullsOf } = context.beforehand.sample(k);
    const { steps, answer } = follow(context.plan, context.classes.length, valueOf);
    const pulls = pullsOf(0, steps[0].machine);
    return { k, answer, machines: steps.map((s) => s.machine), values: steps.map((s) => s.value), pulls };
  })"""


def test_large_models_are_explained_for_some_samples(seven_blobs, monkeypatch, compute):
    """Errors come first, then close calls; their paths are those of the core."""
    X, y = seven_blobs
    monkeypatch.setattr(compact, "MOST_NUMBERS", 100)
    monkeypatch.setattr(beforehand, "MOST_EXPLAINED", 60)
    clf = dagmar.SVC(structure="ddag", C=10).fit(X, y)
    made = dagmar.explore(clf, X, y)
    assert not made.what_if
    known = compute(made, KNOWN)
    assert len(known) == 60
    wrong = np.flatnonzero(clf.predict(X) != y)
    rows = [sample["k"] for sample in known]
    assert set(rows[: len(wrong)]) == set(wrong[:60].tolist())
    path = clf.decision_path(X)
    for sample in known:
        machines, values = path[sample["k"]]
        assert sample["machines"] == machines.tolist()
        np.testing.assert_allclose(sample["values"], values, rtol=1e-5)
        assert sample["answer"] == path.answers[sample["k"]]
        assert 0 < sum(abs(p["term"]) for p in sample["pulls"]["pulls"]) <= sample["pulls"]["total"] * 1.0001


def test_few_samples_of_very_many_machines(seven_blobs, monkeypatch, compute):
    """The number of values has a limit, and at least one sample is explained."""
    X, y = seven_blobs
    monkeypatch.setattr(compact, "MOST_NUMBERS", 100)
    monkeypatch.setattr(beforehand, "MOST_VALUES", 50)
    assert len(compute(dagmar.explore(dagmar.SVC().fit(X, y), X, y), KNOWN)) == 2


@pytest.mark.parametrize("kind", ["precomputed", "callable", "sparse"])
def test_kernels_that_cannot_go_in(kind, three_blobs, monkeypatch, compute):
    """Kernel values, a function, and sparse samples: each page has the paths and influences of its samples."""
    X, y = three_blobs
    if kind == "sparse":
        monkeypatch.setattr(compact, "MOST_NUMBERS", 10)
    kernel = {"precomputed": "precomputed", "callable": lambda A, B: A @ B.T, "sparse": "linear"}[kind]
    rows = {"precomputed": X @ X.T, "callable": X, "sparse": sp.csr_matrix(X)}[kind]
    clf = dagmar.SVC(kernel=kernel).fit(rows, y)
    made = dagmar.explore(clf, rows, y)
    assert not made.what_if
    known = compute(made, KNOWN)
    assert len(known) == len(y)
    assert all(sample["answer"] == clf.decision_path(rows).answers[sample["k"]] for sample in known)
    assert all(sample["pulls"]["pulls"] for sample in known)


def test_machines_without_support_vectors(three_blobs, compute):
    """A PairwiseClassifier has values, but no influences."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(LogisticRegression(), structure="ddag").fit(X, y)
    known = compute(dagmar.explore(clf, X, y), KNOWN)
    assert [sample["pulls"] for sample in known] == [None] * len(y)
    assert (
        clf.classes_[[sample["answer"] for sample in sorted(known, key=lambda s: s["k"])]].tolist()
        == clf.predict(X).tolist()
    )


def test_wide_vectors_are_left_out(three_blobs, monkeypatch):
    """If the features of the vectors would be too many, only their rows and labels are in the page."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    monkeypatch.setattr(compact, "MOST_NUMBERS", 10)
    monkeypatch.setattr(beforehand, "MOST_NUMBERS", 10)
    said = data_of(dagmar.explore(clf, X, y))["vectors"]
    assert said["vectors"] is None
    assert len(unpacked(said["places"])) > 0
