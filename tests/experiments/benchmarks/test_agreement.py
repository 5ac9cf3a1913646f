"""Objectives from the dual coefficients, and labels that differ for a reason."""

import numpy as np
import pytest
from sklearn.svm import SVC

import dagmar
from experiments.benchmarks.agreement import near_ties, pair_objectives
from experiments.benchmarks.synthetic import clouds


def test_objectives_are_those_of_the_solver():
    """What is worked out from the coefficients is what the solver reports."""
    case = clouds(4)
    model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
    np.testing.assert_allclose(pair_objectives(model, case), model.report_.objective, rtol=1e-4)


@pytest.mark.parametrize("classes", [2, 4])
def test_only_values_about_zero_are_near_ties(classes):
    """A label that differs is excused where a pair's sign differs and its values are tiny, and nowhere else."""
    case = clouds(classes)
    ours = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
    theirs = SVC(**case.parameters).fit(case.X_train, case.y_train)
    all_differ = np.ones(len(case.y_test), dtype=bool)
    assert not near_ties(ours, theirs, case.X_test, ~all_differ).any()
    # The same model twice: no sign differs, so nothing is excused.
    assert near_ties(ours, theirs, case.X_test, all_differ).mean() < 0.02

    class Shifted:
        """Our machines with other signs about zero."""

        def __init__(self, by):
            self.by = by

        def pair_decisions(self, X):
            return ours.pair_decisions(X) + self.by

    # Values between 0 and the shift change their sign; these rows, and only these, are near ties if the shift is small.
    values = -ours.pair_decisions(case.X_test)
    crossed = ((values > 0) & (values < 1e-3)).any(axis=1)
    found = near_ties(Shifted(1e-3), theirs, case.X_test, all_differ)
    assert np.mean(found != crossed) < 0.02
    assert near_ties(Shifted(10.0), theirs, case.X_test, all_differ).mean() < 0.02
