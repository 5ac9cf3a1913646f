"""What a notebook shows of a classifier."""

import re

import pytest
from helpers import blobs

import dagmar
from dagmar.estimators.notebook import parameters_html, structure_html


def test_every_parameter_is_explained():
    """The table has a line for every parameter with its value and meaning."""
    clf = dagmar.SVC(C=7.5)
    page = parameters_html(clf)
    assert page.count("<tr>") == 1 + len(clf.get_params())
    assert "<td>C</td><td>7.5</td><td>Penalty of margin errors;" in page
    assert "<td></td>" not in page


@pytest.mark.parametrize("n_classes", [26, 40])
def test_size(n_classes):
    """At 26 classes what we add is small; for more classes a line stands for the drawing."""
    X, y = blobs(seed=8, n_classes=n_classes, per_class=4, n_features=3, spread=1.0)
    for structure in ("ddag", "max_wins", "bracket", "one_vs_rest", "divide_and_conquer", "fisher_tree"):
        clf = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
        page = structure_html(clf._model)
        assert len(page) < 30_000
        assert re.search(rf"{n_classes} classes, \d+ machines, \d+ support vectors", page)
        assert n_classes == 26 or "<svg" not in page
