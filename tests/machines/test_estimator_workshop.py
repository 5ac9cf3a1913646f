"""A workshop of classifiers: what they are trained on, and facts about classes in feature space."""

import joblib
import numpy as np
import pytest
from classifiers import Recorder
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC as LibSVC

from dagmar import AdaptiveDDAG, PairwiseClassifier
from dagmar.base.exceptions import InvalidParameterError
from dagmar.structures import STRUCTURES


@pytest.mark.parametrize("structure", STRUCTURES)
def test_kernel_matrices_are_cut_to_size(seven_blobs, structure):
    """Machines over a kernel matrix see its rows and columns of their own samples."""
    X, y = seven_blobs
    by_matrix = PairwiseClassifier(LibSVC(kernel="precomputed", tol=1e-6), structure).fit(X @ X.T, y)
    by_features = PairwiseClassifier(LibSVC(kernel="linear", tol=1e-6), structure).fit(X, y)
    assert (by_matrix.predict(X[:99] @ X.T) == by_features.predict(X[:99])).mean() > 0.98
    with pytest.raises(ValueError, match="square"):
        by_matrix.fit(X, y)


def test_machines_see_their_own_samples(three_blobs):
    """A machine is trained on the samples of its two classes, in their order, the later class being True."""
    X, y = three_blobs
    clf = PairwiseClassifier(Recorder()).fit(X, y)
    for (i, j), machine in zip(clf.bank_.pairs, clf.estimators_, strict=True):
        own = (y == i) | (y == j)
        np.testing.assert_array_equal(machine.X_, X[own])
        np.testing.assert_array_equal(machine.y_, y[own] == j)


def test_parameters_of_fit_are_cut_to_samples(three_blobs):
    """What has an entry per sample is cut to the machine's samples; anything else is passed on as it is."""
    X, y = three_blobs
    weight = np.arange(1.0, len(y) + 1)
    clf = PairwiseClassifier(Recorder()).fit(X, y, sample_weight=weight.tolist(), tag="t")
    for (i, j), machine in zip(clf.bank_.pairs, clf.estimators_, strict=True):
        np.testing.assert_array_equal(machine.sample_weight_, weight[(y == i) | (y == j)])
        assert machine.tag_ == "t"


def test_weights_count_in_what_structures_learn(seven_blobs):
    """A weight of 2 is a sample given twice, for the machines and for the table of a structure."""
    X, y = seven_blobs
    weight = 1.0 + np.arange(len(y)) % 2
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    estimator = LogisticRegression(tol=1e-9, max_iter=1000)
    weighted = PairwiseClassifier(estimator, "divide_and_conquer").fit(X, y, sample_weight=weight)
    repeated = PairwiseClassifier(estimator, "divide_and_conquer").fit(X[twice], y[twice])
    np.testing.assert_allclose(
        weighted.plan_.predictions_table.shares, repeated.plan_.predictions_table.shares, atol=1e-12
    )


def test_random_state_is_the_same_for_all(three_blobs):
    """Each machine gets the random state as given, and the user's own is not touched."""
    X, y = three_blobs
    state = np.random.RandomState(5)
    machines = PairwiseClassifier(Recorder(random_state=state)).fit(X, y).estimators_
    draws = {machine.random_state.randint(10**9) for machine in machines}
    assert len(draws) == 1
    assert draws == {state.randint(10**9)}


def test_dbtc_is_the_distance_of_class_means(seven_blobs):
    """DBTC ranks classes by the distance of their means, also far from the origin."""
    X, y = seven_blobs
    means = np.array([X[y == c].mean(axis=0) for c in range(7)])
    distance = ((means[:, None] - means) ** 2).sum(axis=2)
    given = PairwiseClassifier(GaussianNB(), AdaptiveDDAG(separation=distance)).fit(X, y)
    found = PairwiseClassifier(GaussianNB(), AdaptiveDDAG()).fit(X + 1e6, y)
    np.testing.assert_array_equal(found.plan_.rivals, given.plan_.rivals)
    np.testing.assert_array_equal(found.plan_.order, given.plan_.order)


def test_margin_is_refused(three_blobs):
    """Separation by margins is for kernel machines, and the error says what to use instead."""
    with pytest.raises(InvalidParameterError, match="'dbtc', 'fisher' or a matrix"):
        PairwiseClassifier(LogisticRegression(), AdaptiveDDAG(separation="margin")).fit(*three_blobs)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs_make_no_difference(seven_blobs, backend):
    """Machines trained by several threads or processes are the same machines."""
    X, y = seven_blobs
    alone = PairwiseClassifier(LogisticRegression(), "divide_and_conquer").fit(X, y)
    with joblib.parallel_config(backend=backend):
        together = PairwiseClassifier(LogisticRegression(), "divide_and_conquer", n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(together.pair_decisions(X), alone.pair_decisions(X))
        np.testing.assert_array_equal(together.predict(X), alone.predict(X))
