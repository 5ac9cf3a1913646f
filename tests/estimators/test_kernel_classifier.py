"""What classifiers with kernel machines have in common: warnings about machines, ties, and gamma."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC as TheirSVC

import dagmar


def test_break_ties_goes_with_one_value_per_class(three_blobs):
    """break_ties follows decision_function, and cannot with one value per pair."""
    X, y = three_blobs
    clf = dagmar.SVC(structure="max_wins", break_ties=True).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[clf.decision_function(X).argmax(axis=1)])
    with pytest.raises(ValueError, match="break_ties must be False"):
        clf.set_params(decision_function_shape="ovo").predict(X)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_gamma_as_used(three_blobs, kernel, gamma):
    """gamma_ is the number that scikit-learn works out as well."""
    X, y = three_blobs
    ours, theirs = (kind(kernel=kernel, gamma=gamma).fit(X, y) for kind in (dagmar.SVC, TheirSVC))
    assert ours.gamma_ == pytest.approx(theirs._gamma, rel=1e-12)
    assert dagmar.from_sklearn(theirs).gamma_ == theirs._gamma


def test_gamma_of_each_pair(three_blobs):
    """If each pair has its own, gamma_ has one per machine; a search has that of its best estimator."""
    X, y = three_blobs
    assert dagmar.SVC(gamma=[0.1, 0.2, 0.3]).fit(X, y).gamma_.tolist() == [0.1, 0.2, 0.3]
    search = dagmar.SVCCV([1.0], [0.25], 2).fit(X, y)
    assert search.gamma_ == 0.25


@pytest.mark.parametrize("kernel", ["linear", "precomputed", lambda A, B: A @ B.T])
def test_kernels_without_gamma(three_blobs, kernel):
    """A kernel without gamma has no gamma_, and neither has an estimator that is not fitted."""
    X, y = three_blobs
    clf = dagmar.SVC(kernel=kernel)
    assert not hasattr(clf, "gamma_")
    clf.fit(X @ X.T if kernel == "precomputed" else X, y)
    with pytest.raises(AttributeError, match="only available for the kernels poly, rbf, sigmoid, laplacian, chi2"):
        _ = clf.gamma_


def test_max_iter_warns_and_names_the_machines(three_blobs):
    """Machines that were stopped early are named in a ConvergenceWarning that points at the caller."""
    X, y = three_blobs
    labels = np.array(["ant", "bee", "cat"])[y]
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1\).*\(ant, bee\), \(ant, cat\), \(bee, cat\)") as caught:
        clf = dagmar.SVC(max_iter=1, C=100).fit(X, labels)
    assert caught[0].filename == __file__
    assert clf.fit_status_ == 1
    assert not clf.report_.converged.any()
    assert (clf.n_iter_ <= 1).all()
    assert len(clf.predict(X)) == len(X)


def test_restructure_warns_about_machines_that_did_not_converge(seven_blobs):
    """Machines that restructure trains and that stop early are named, and the new status says so."""
    X, y = seven_blobs
    clf = dagmar.SVC(C=10, gamma=0.5, max_iter=400).fit(X, y)
    assert clf.fit_status_ == 0
    with pytest.warns(ConvergenceWarning, match=r"max_iter=400.*not converged: \(rest, 0\)") as caught:
        rest = clf.restructure("one_vs_rest", X, y)
    assert [w.filename for w in caught] == [__file__]
    assert rest.fit_status_ == 1
    assert clf.fit_status_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clf.restructure("max_wins", X, y).fit_status_ == 0
        assert rest.restructure("one_vs_rest").fit_status_ == 1  # known already; nothing was trained
