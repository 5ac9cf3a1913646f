"""CostDisplay: every sample is counted in a histogram."""

import numpy as np
import pytest
from classifiers import NearestMean

import dagmar
from dagmar.pictures import CostDisplay


@pytest.mark.parametrize("n", [3, 10, 26])
def test_histograms_count_all_samples(n, fitted):
    """The bars add up to the samples; lines mark the mean and the whole model."""
    clf, X, _ = fitted("divide_and_conquer", n)
    display = CostDisplay.from_estimator(clf, X).plot()
    cost = clf.decision_cost(X)
    assert len(display.ax_) == 2
    for ax, counts, whole in zip(
        display.ax_,
        (cost.machines, cost.kernel_evaluations),
        (len(clf.bank_.pairs), len(clf.bank_.support)),
        strict=True,
    ):
        assert sum(bar.get_height() for bar in ax.patches) == len(X)
        assert ax.lines[0].get_xdata()[0] == counts.mean()
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert legend[0] == f"mean {counts.mean():.4g}"
        assert legend[1].startswith(f"all {whole}")


def test_a_constant_cost_is_one_bar(fitted, ax):
    """A DDAG consults N - 1 machines for every sample; on one axes only machines are drawn."""
    clf, X, _ = fitted("ddag", 10)
    display = CostDisplay.from_estimator(clf, X).plot(ax)
    assert display.ax_ is ax
    assert [bar.get_height() for bar in ax.patches] == [len(X)]
    assert ax.patches[0].get_x() == 8.5


def test_machines_of_any_kind(three_blobs):
    """Without kernels there is one histogram."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(NearestMean()).fit(X, y)
    display = CostDisplay.from_estimator(clf, X).plot()
    assert display.kernel_evaluations is None
    assert display.n_vectors is None
    assert np.size(display.ax_) == 1
