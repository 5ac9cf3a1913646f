"""Centered tree: the two classes nearest to the middle divide the rest. What holds for every tree is in test_tree."""

import numpy as np
import pytest
from reference import tree
from tables import (
    REAL,
    assert_follows_on_data,
    real_data,
)

import dagmar
from dagmar.structures import CenteredTree


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    "structure", [CenteredTree(), CenteredTree(threshold=0.05), CenteredTree(machines="groups")], ids=str
)
def test_real_data_follows_the_reference(name, structure):
    """On real data, labels and paths are those of the construction with counts and means by NumPy."""
    X, y, T, parameters = real_data(name)
    sizes = np.bincount(y)
    means = np.array([X[y == c].mean(axis=0) for c in range(len(sizes))])
    assert_follows_on_data(X, y, T, parameters, structure, lambda classes: tree.centered(classes, means, sizes))


def test_root_is_the_pair_in_the_middle():
    """Of seven blobs on a line the root asks the two nearest to the mean of all samples, however large the classes are."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(7), [5, 5, 5, 5, 5, 60, 5])
    X = 10.0 * y[:, None] + rng.uniform(-1, 1, size=(len(y), 1))
    clf = dagmar.SVC(kernel="linear", C=100, structure="centered_tree").fit(X, y)
    centre = X.mean()
    nearest = sorted(np.argsort([abs(X[y == c].mean() - centre) for c in range(7)])[:2].tolist())
    assert clf.bank_.pairs[clf.plan_.machine[0]].tolist() == nearest == [4, 5]


@pytest.mark.parametrize("move", [0.0, 0.1, 1000.3])
@pytest.mark.parametrize("n_classes", [5, 7])
def test_ties_go_to_the_lower_index(n_classes, move):
    """Of two classes as far from the centre as each other, the lower index is taken, wherever the data are."""
    y = np.repeat(np.arange(n_classes), 4)
    X = (10.0 * y + np.tile([-1.0, 1.0, -0.5, 0.5], n_classes))[:, None] + move
    clf = dagmar.SVC(kernel="linear", C=100, structure="centered_tree").fit(X, y)
    middle = n_classes // 2
    assert clf.bank_.pairs[clf.plan_.machine[0]].tolist() == [middle - 1, middle]
