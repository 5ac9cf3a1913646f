"""SeparationDisplay: the distances that structures measure."""

import numpy as np
import pytest
from classifiers import NearestMean
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.pictures import SeparationDisplay


def rbf(a, b, gamma):
    return np.exp(-gamma * ((a[:, None] - b) ** 2).sum(axis=2))


@pytest.mark.parametrize("n", [3, 10, 26])
def test_distances_are_those_of_the_definition(n, fitted):
    """DBTC from all kernel values; the smallest is outlined on both sides of the diagonal."""
    clf, X, y = fitted("max_wins", n)
    display = SeparationDisplay.from_estimator(clf, X, y).plot()
    parts = [X[y == c] for c in range(n)]
    for i, j in [(0, 1), (1, n - 1)]:
        own = [rbf(parts[c], parts[c], 0.1).mean() for c in (i, j)]
        expected = sum(own) - 2 * rbf(parts[i], parts[j], 0.1).mean()
        assert display.separation[i, j] == pytest.approx(expected)
    np.testing.assert_array_equal(display.separation, display.separation.T)
    smallest = np.argwhere(display.separation == np.nanmin(display.separation))
    outlined = [(patch.get_y() + 0.5, patch.get_x() + 0.5) for patch in display.ax_.patches]
    assert sorted(outlined) == sorted(map(tuple, smallest.tolist()))
    np.testing.assert_array_equal(display.ax_.images[0].get_array().filled(np.nan), display.separation)


def test_fisher_and_margin(fitted):
    """The Fisher ratio in feature space, and the margins of the machines."""
    clf, X, y = fitted("max_wins", 5)
    fisher = SeparationDisplay.from_estimator(clf, X, y, measure="fisher").separation
    a, b = X[y == 0], X[y == 1]
    ratio = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum() / (a.var(axis=0).sum() + b.var(axis=0).sum())
    assert fisher[0, 1] == pytest.approx(ratio)
    margin = SeparationDisplay.from_estimator(clf, measure="margin").separation
    np.testing.assert_allclose(margin[0, 1:], 1 / np.sqrt(clf.bank_.norm2[:4]))


def test_scaled_samples_and_gammas_of_pairs(three_blobs):
    """A pipeline scales first, a search with a scaler too; if each pair has its gamma, it is used."""
    X, y = three_blobs
    scaled = StandardScaler().fit_transform(X)
    plain = SeparationDisplay.from_estimator(dagmar.SVC(gamma=0.5).fit(scaled, y), scaled, y)
    piped = make_pipeline(StandardScaler(), dagmar.SVC(gamma=0.5)).fit(X, y)
    np.testing.assert_allclose(SeparationDisplay.from_estimator(piped, X, y).separation, plain.separation)
    search = dagmar.SVCCV(Cs=[1.0], gammas=[0.5], cv=2, scaler=StandardScaler()).fit(X, y)
    np.testing.assert_allclose(SeparationDisplay.from_estimator(search, X, y).separation, plain.separation)
    each = dagmar.SVC(gamma=[0.5, 0.1, 0.5]).fit(scaled, y)
    found = SeparationDisplay.from_estimator(each, scaled, y).separation
    assert found[0, 1] == pytest.approx(plain.separation[0, 1])
    assert found[0, 2] != pytest.approx(plain.separation[0, 2])


def test_what_cannot_be_measured_is_refused(three_blobs):
    """Unknown measures, missing samples, machines without a kernel or without pairs."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    with pytest.raises(dagmar.InvalidParameterError, match="measure must be one of 'dbtc'"):
        SeparationDisplay.from_estimator(clf, X, y, measure="far")
    with pytest.raises(ValueError, match="needs X and y"):
        SeparationDisplay.from_estimator(clf)
    with pytest.raises(TypeError, match="has no kernel machines"):
        SeparationDisplay.from_estimator(dagmar.PairwiseClassifier(NearestMean()).fit(X, y), X, y)
    with pytest.raises(ValueError, match="not pairs of classes"):
        SeparationDisplay.from_estimator(dagmar.SVC(structure="one_vs_rest").fit(X, y), measure="margin")
    with pytest.raises(ValueError, match="callable kernel"):
        SeparationDisplay.from_estimator(dagmar.SVC(kernel=lambda a, b: a @ b.T).fit(X, y), X, y)


def test_infinite_separation_is_blank(ax):
    """It has no colour, and the smallest finite one is outlined."""
    matrix = np.array([[np.nan, np.inf, 2.0], [np.inf, np.nan, 1.0], [2.0, 1.0, np.nan]])
    display = SeparationDisplay(matrix, list("abc"), "fisher").plot(ax)
    assert display.ax_.images[0].get_array().count() == 4
    assert {(p.get_x() + 0.5, p.get_y() + 0.5) for p in ax.patches} == {(1, 2), (2, 1)}
