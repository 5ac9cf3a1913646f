"""Axes that can be drawn on no screen, and fitted classifiers that the pictures show."""

import matplotlib
import pytest

matplotlib.use("Agg")

from helpers import blobs
from matplotlib import pyplot as plt

import dagmar


@pytest.fixture
def ax():
    """Axes of a figure of its own, closed after the test."""
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.fixture(autouse=True)
def no_figure_left():
    """Figures that a display makes are closed after each test."""
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def fitted():
    """A function from a structure and a number of classes to a classifier, its samples and its labels; fitted once."""
    known = {}

    def fit(structure, n_classes=5):
        key = repr(structure), n_classes
        if key not in known:
            X, y = blobs(seed=n_classes, n_classes=n_classes, per_class=12, n_features=4, spread=1.5)
            known[key] = dagmar.SVC(C=10, gamma=0.1, structure=structure).fit(X, y), X, y
        return known[key]

    return fit


@pytest.fixture
def texts():
    """A function from axes to all texts in them, without empty ones."""

    def read(ax):
        return [text.get_text() for text in ax.texts if text.get_text()]

    return read
