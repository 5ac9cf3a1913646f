"""The protocol of a step."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from comparisons import small
from sklearn.multiclass import OutputCodeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from experiments.compare.protocol import Settings, decision_costs, measure, seed_of, split_of
from experiments.compare.schemes import scheme_of
from experiments.compare.sets import prepare

SETTINGS = Settings()


@pytest.fixture(scope="module")
def data():
    return prepare(small(), 2000, 0)


def test_splits_are_stratified_and_differ(data):
    """70 % of each class; the same rows for the same number, others for another number, set or seed."""
    split = split_of(data, SETTINGS, 0)
    assert np.bincount(split.y).tolist() == [21, 21, 21]
    assert np.bincount(split.y_test).tolist() == [9, 9, 9]
    np.testing.assert_array_equal(split.X, split_of(data, SETTINGS, 0).X)
    assert not np.array_equal(split.X, split_of(data, SETTINGS, 1).X)
    seeds = {
        seed_of(SETTINGS, "a", 0),
        seed_of(SETTINGS, "a", 1),
        seed_of(SETTINGS, "b", 0),
        seed_of(Settings(seed=1), "a", 0),
    }
    assert len(seeds) == 4


@pytest.mark.parametrize(
    ("name", "machines", "has_kernel"),
    [
        ("ddag", 2.0, True),
        ("sklearn_svc", 3.0, True),
        ("sklearn_one_vs_rest", 3.0, True),
        ("crammer_singer", 3.0, True),
        ("ddag+logistic", 2.0, False),
        ("neighbours", None, False),
    ],
)
def test_step_measures_accuracy_time_and_cost(name, machines, has_kernel, data):
    """Every kind of scheme gives the same fields; costs only where there are machines or kernels."""
    found = measure(scheme_of(name), data, SETTINGS, 0)
    assert 70 < found["accuracy"] <= 100
    assert 70 < found["tuning_accuracy"] <= 100
    assert found["seconds"] > 0
    assert found["predict_us"] > 0
    assert found["cells"] >= 5
    assert found["parameters"]
    assert not any("__" in key for key in found["parameters"])
    assert found.get("machines") == machines
    assert ("kernel_evaluations" in found) == has_kernel
    if has_kernel:
        assert 0 < found["kernel_evaluations"] <= 63


def test_accuracy_does_not_depend_on_what_ran_before(data):
    """A step gives the same answer alone."""
    first = measure(scheme_of("max_wins"), data, SETTINGS, 2)
    measure(scheme_of("neighbours"), data, SETTINGS, 0)
    again = measure(scheme_of("max_wins"), data, SETTINGS, 2)
    for field in ("accuracy", "tuning_accuracy", "parameters", "kernel_evaluations", "warnings"):
        assert first[field] == again[field]


def test_output_codes_of_constants_have_no_cost():
    """The codes of two classes may have the same bit everywhere; then no machine is asked."""
    X, y = np.array([[0.0], [1.0], [0.1], [0.9]]), np.array([0, 1, 0, 1])
    for seed in range(50):
        codes = OutputCodeClassifier(SVC(), code_size=1.5, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about bits that are the same for all classes
            codes.fit(X, y)
        if not any(hasattr(machine, "support_") for machine in codes.estimators_):
            break
    search = SimpleNamespace(best_estimator_=make_pipeline(StandardScaler(), codes))
    assert decision_costs(search, X) == {}
