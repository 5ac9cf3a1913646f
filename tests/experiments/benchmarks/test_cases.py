"""Data sets of the benchmarks, scaled."""

import numpy as np
import pytest

from experiments.benchmarks import cases
from experiments.benchmarks.synthetic import clouds
from experiments.data import DataSet, DataSets


def offer(monkeypatch, data):
    """Let the loader have this data set."""
    monkeypatch.setattr(DataSets, "__init__", lambda self: None)
    monkeypatch.setattr(DataSets, "load", lambda self, name: data)


def test_case_is_scaled_and_knows_its_source(monkeypatch):
    """Features are divided and shifted as the recipe says; a number on a page can be traced to its source."""
    X, y = np.array([[0.0, 15.0], [7.5, 3.0]]), np.arange(2)
    offer(monkeypatch, DataSet("letter", {"train": (X, y), "test": (X[:1], y[:1])}, "OpenML"))
    case = cases.load_case("letter")
    np.testing.assert_allclose(case.X_train, [[-1.0, 1.0], [0.0, -0.6]])
    described = case.describe()
    assert (described["source"], described["train_rows"], described["test_rows"]) == ("OpenML", 2, 1)


def test_covertype_is_shuffled_over_all_parts(monkeypatch):
    """Training and test rows come from all parts, none from both, and training features fill [0, 1]."""
    X, y = np.arange(60.0).reshape(30, 2), np.arange(30) % 3
    parts = {"train": (X[:5], y[:5]), "val": (X[5:8], y[5:8]), "test": (X[8:], y[8:])}
    offer(monkeypatch, DataSet("covertype", parts))
    monkeypatch.setattr(cases, "COVERTYPE_TEST_ROWS", 10)
    case = cases.load_covertype(20)
    assert (case.X_train.min(), case.X_train.max()) == (0.0, 1.0)
    both = np.concatenate([case.X_train, case.X_test])
    assert len(np.unique(both[:, 0])) == 30
    assert np.bincount(np.concatenate([case.y_train, case.y_test])).tolist() == [10, 10, 10]


def test_parts_of_a_case():
    """The first rows of either part, of the training part, and of the first classes."""
    case = clouds(4, per_class=5)
    head, rows, classes = case.head(3), case.rows(7), case.classes(2)
    assert (len(head.y_train), len(head.y_test)) == (3, 3)
    assert (len(rows.y_train), len(rows.y_test)) == (7, len(case.y_test))
    assert set(classes.y_train) | set(classes.y_test) == {0, 1}


@pytest.mark.parametrize("name", cases.RECIPES)
def test_recipes_are_of_sets_with_an_official_split(name):
    """Every set of a recipe can be loaded without a folder."""
    from experiments.catalogue import CATALOGUE

    assert set(CATALOGUE[name].counts) == {"train", "test"}
    assert CATALOGUE[name].openml
