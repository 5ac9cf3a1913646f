"""Decisions of all samples, a block at a time."""

import numpy as np
from sklearn.linear_model import LogisticRegression

import dagmar
from dagmar.explorer import decided
from dagmar.explorer.decided import Decided
from dagmar.explorer.given import Given


def test_decisions_are_those_of_the_classifier(seven_blobs, monkeypatch):
    """Answers, costs and closest calls do not depend on the size of a block."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure="ddag").fit(X, y)
    whole = Decided.of(Given.of(clf, X, y))
    assert np.array_equal(clf.classes_[whole.answers], clf.predict(X))
    cost = clf.decision_cost(X)
    assert np.array_equal(whole.machines, cost.machines)
    assert np.array_equal(whole.kernel_evaluations, cost.kernel_evaluations)
    monkeypatch.setattr(decided, "ROWS_AT_ONCE", 33)
    blocks = Decided.of(Given.of(clf, X, y))
    for name in ("answers", "closest", "machines", "kernel_evaluations"):
        assert np.array_equal(getattr(whole, name), getattr(blocks, name))


def test_other_machines_have_no_kernel(three_blobs):
    """Machines of other kinds count as machines only."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(LogisticRegression()).fit(X, y)
    found = Decided.of(Given.of(clf, X, y))
    assert found.kernel_evaluations is None
    assert np.array_equal(found.machines, clf.decision_cost(X).machines)
