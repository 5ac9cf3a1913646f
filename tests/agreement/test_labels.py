"""With only the import swapped, labels are those of scikit-learn, but for pairs within tol of zero."""

import numpy as np
import pytest

from .labels import SETTINGS, compare, noisy_set, real_set

# More sets and all their rows are compared by `python -m agreement.labels`.
SETS = [
    "glass",
    "iris",
    "letter",
    "optdigits",
    "pendigits",
    "poker",
    "segment",
    "svmguide4",
    "vehicle",
    "vowel",
    "wine",
]


@pytest.mark.parametrize("name", SETS)
def test_real_sets_get_the_labels_of_scikit_learn(name):
    """Every difference on a real set is a pair whose value is within tol of zero."""
    found = compare(*real_set(name, n_train=600, n_test=600))
    assert found.unexplained == 0
    assert found.differ <= found.near_zero


@pytest.mark.parametrize("setting", SETTINGS)
def test_noisy_data_gets_the_labels_of_scikit_learn(setting):
    """So it is on noisy data, with every kernel, with weights and with ties broken by decision_function."""
    # With a linear kernel in 20 dimensions, two machines within tol of their optimum can differ by more than tol elsewhere.
    tol = 1e-5 if setting == "linear" else 1e-3
    found = compare(*noisy_set(0, n_train=600, n_test=2000, n_classes=8), tol=tol, **SETTINGS[setting])
    assert found.rows == 2000
    assert found.unexplained == 0


def test_another_structure_differs_on_noisy_data():
    """The comparison sees differences: it finds some if votes are counted in another way."""
    X, y, T = noisy_set(0, n_train=600, n_test=2000, n_classes=8)
    found = compare(X, y, T, ours={"structure": "ddag"})
    assert found.unexplained > 0
    assert np.isfinite(found.farthest)
