"""Data made from a seed."""

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.svm import SVC

import dagmar
from experiments.benchmarks.agreement import compare_objectives
from experiments.benchmarks.synthetic import clouds, text


def test_clouds_overlap_alike_for_any_number_of_classes():
    """Right about nine times out of ten, for few classes as for many."""
    for n in (5, 40):
        case = clouds(n)
        model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
        assert 0.86 < model.score(case.X_test, case.y_test) < 0.93


def test_text_is_like_text():
    """Sparse rows of length 1, 0.3 % full, neither easy nor hopeless; both libraries find the same machines."""
    case = text("linear", rows=600, test_rows=200)
    assert issparse(case.X_train)
    assert case.describe()["percent_full"] == pytest.approx(0.3, abs=0.03)
    np.testing.assert_allclose(case.X_train.multiply(case.X_train).sum(axis=1), 1)
    ours, theirs = (kind(**case.parameters).fit(case.X_train, case.y_train) for kind in (dagmar.SVC, SVC))
    assert 0.3 < ours.score(case.X_test, case.y_test) < 0.95
    assert abs(compare_objectives(ours, theirs, case)["objective_apart"]) < 1e-4
