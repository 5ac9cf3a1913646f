"""Objectives from the dual coefficients."""

import numpy as np

import dagmar
from experiments.benchmarks.agreement import pair_objectives
from experiments.benchmarks.synthetic import clouds


def test_objectives_are_those_of_the_solver():
    """What is worked out from the coefficients is what the solver reports."""
    case = clouds(4)
    model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
    np.testing.assert_allclose(pair_objectives(model, case), model.report_.objective, rtol=1e-4)
