"""The sets of the census."""

import numpy as np
import pytest
from scipy.sparse import issparse

from experiments.benchmarks.census_sets import SETS, split


def test_split_is_stratified_and_scaled_by_the_training_rows():
    """70 % of each class are for training, whose features fill [-1, 1]; classes of a single row are left out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(101, 3))
    y = np.array([5] * 50 + [7] * 30 + [9] * 20 + [8])
    case = split("some", "a seed", X, y)
    assert np.bincount(case.y_train).tolist() == [35, 21, 14]
    assert np.bincount(case.y_test).tolist() == [15, 9, 6]
    np.testing.assert_allclose(case.X_train.min(axis=0), -1)
    np.testing.assert_allclose(case.X_train.max(axis=0), 1)
    assert case.gamma == pytest.approx(4 / 3)
    np.testing.assert_array_equal(case.X_test, split("some", "a seed", X, y).X_test)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("digits", (1797, 64)),
        ("breast_cancer", (569, 30)),
        ("faces-38", (1700, 1024)),
        ("faces-5", (1000, 1024)),
        ("images-16x16", (1120, 256)),
        ("leaves-100", (1100, 64)),
        ("dna", (2000, 180)),
        ("proteins", (1484, 8)),
        ("text-20000", (4000, 20_000)),
        ("text-12000", (3400, 12_000)),
    ],
)
def test_sets_without_a_folder(name, shape):
    """These need no data folder; text is sparse, and every class can be trained."""
    case = SETS[name](6000)
    assert case.name == name
    assert (len(case.y_train) + len(case.y_test), case.X_train.shape[1]) == shape
    assert issparse(case.X_train) == name.startswith("text")
    assert set(case.y_test) <= set(case.y_train)


@pytest.mark.parametrize("name", ["digits", "dna", "text-12000"])
def test_rows_are_limited(name):
    """No set has more rows than were asked for."""
    case = SETS[name](200)
    assert len(case.y_train) + len(case.y_test) == 200


def test_sets_of_the_folder(real_data):
    """Of a large set, a choice of its rows; a class of which no two rows are chosen is left out."""
    case = SETS["poker"](1000)
    assert 980 < len(case.y_train) + len(case.y_test) <= 1000
    assert np.unique(case.y_train).tolist() == list(range(case.y_train.max() + 1))
    assert case.source == "DAGMAR_DATA"
