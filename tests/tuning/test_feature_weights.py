"""Feature weights: learned from gradients, and used as a scaling of samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data as weights_dense
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_sparse_data as weights_sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagmar
from dagmar import _core
from dagmar.tuning import FeatureWeights, feature_importance, feature_weights, learn_weights

KERNELS = [kernel for kernel in ("rbf", "linear", "poly", "sigmoid", "laplacian") if hasattr(_core.KernelType, kernel)]


@pytest.fixture(scope="module")
def hidden():
    """Three classes that two of six features decide; the last feature is constant."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 6))
    X[:, 5] = 2.0
    y = np.digitize(X[:, 1] * X[:, 3], [-0.3, 0.3])
    return X, y


def slow_weights(X, y, svc, rounds, power):
    """The definition, by differences of decision values."""
    weights, step = np.ones(X.shape[1]), 1e-6
    for _ in range(rounds):
        clf = dagmar.SVC(**svc.get_params()).fit(X * np.sqrt(weights), y)
        member = (y[:, None, None] == clf.bank_.pairs).any(axis=2)
        squares = []
        for j in range(X.shape[1]):
            move = step * np.eye(X.shape[1])[j]
            up, down = (clf.pair_decisions((X + sign * move) * np.sqrt(weights)) for sign in (1, -1))
            squares.append(np.average(((up - down) / (2 * step)) ** 2, axis=0, weights=member))
        squares = np.array(squares)  # by features before weighting
        change = X.var(axis=0) @ squares
        weights = (squares / np.maximum(change, 1.0)).mean(axis=1) ** power
        weights /= weights.mean()
    return weights


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("power", [1.0, 0.5])
def test_weights_are_those_of_the_definition(hidden, kernel, power):
    X, y = hidden
    svc = dagmar.SVC(C=3.0, kernel=kernel, gamma=0.2, coef0=0.3, precision="double", tol=1e-8)
    found = learn_weights(X, y, svc=svc, rounds=2, power=power)
    np.testing.assert_allclose(found, slow_weights(X, y, svc, 2, power), rtol=1e-3, atol=1e-8)
    assert found.mean() == pytest.approx(1.0)


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel in ("rbf", "laplacian")])
def test_features_that_matter_are_found(hidden, kernel):
    """They get most of the weight, a constant feature none; predictions of new samples are better."""
    X, y = hidden
    weights = learn_weights(X[:120], y[:120], svc=dagmar.SVC(C=10.0, kernel=kernel))
    assert set(np.argsort(weights)[-2:]) == {1, 3}
    assert weights[[1, 3]].sum() > 0.75 * weights.sum()
    assert weights[5] == 0.0
    plain = dagmar.SVC(C=10.0, kernel=kernel)
    weighted = make_pipeline(FeatureWeights(weights), dagmar.SVC(C=10.0, kernel=kernel))
    scores = [model.fit(X[:120], y[:120]).score(X[120:], y[120:]) for model in (plain, weighted)]
    assert scores[1] > scores[0] + 0.05


def test_permuted_features_have_permuted_weights(hidden):
    X, y = hidden
    order = np.array([3, 5, 0, 1, 4, 2])
    here, there = (learn_weights(samples, y, svc=dagmar.SVC(tol=1e-6)) for samples in (X, X[:, order]))
    np.testing.assert_allclose(there, here[order], rtol=1e-4, atol=1e-8)


def test_threads_do_not_change_weights(hidden, monkeypatch):
    monkeypatch.setattr("dagmar.base.threads.WORTH_A_THREAD", 1)
    one, many = (learn_weights(*hidden, svc=dagmar.SVC(n_jobs=n)) for n in (1, 4))
    np.testing.assert_array_equal(one, many)


@pytest.mark.usefixtures("stay_sparse")
def test_sparse_samples_have_the_weights_of_dense_ones(hidden):
    X, y = hidden
    X = np.where(np.abs(X) < 0.4, 0.0, X)
    dense, sparse = (FeatureWeights().fit(samples, y) for samples in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(sparse.feature_weights_, dense.feature_weights_, rtol=1e-3, atol=1e-6)
    out = sparse.transform(sp.csc_matrix(X))
    assert sp.issparse(out)
    np.testing.assert_allclose(out.toarray(), X * np.sqrt(sparse.feature_weights_))


def test_samples_of_no_weight_do_not_count(hidden):
    """They are as absent; a sample of weight 2 in the mean counts twice."""
    X, y = hidden
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    absent = learn_weights(X[weight > 0], y[weight > 0], svc=dagmar.SVC(gamma=0.2))
    np.testing.assert_allclose(learn_weights(X, y, weight, svc=dagmar.SVC(gamma=0.2)), absent, rtol=1e-3, atol=1e-6)


def test_rounds_end_when_weights_settle(hidden, monkeypatch):
    """With settled weights no further machines are trained."""
    X, y = hidden
    fits = []
    fit = dagmar.SVC.fit
    monkeypatch.setattr(dagmar.SVC, "fit", lambda self, *given: fits.append(1) or fit(self, *given))
    learn_weights(X, y, rounds=50)
    assert 2 < len(fits) < 50


def test_many_samples_and_machines_are_spread(hidden, monkeypatch):
    """Gradients of some samples and machines give nearly the weights of all."""
    X, y = hidden
    whole = learn_weights(X, y)
    monkeypatch.setattr(feature_weights, "MOST_SAMPLES", 60)
    monkeypatch.setattr(feature_weights, "MOST_MACHINES", 2)
    np.testing.assert_allclose(learn_weights(X, y), whole, atol=0.8)
    assert feature_weights.spread(np.arange(10), 4).tolist() == [0, 3, 6, 9]


def test_given_weights_are_kept(three_blobs):
    """They get the mean 1, whatever their unit; labels are not needed."""
    X, _ = three_blobs
    step = FeatureWeights([6.0, 2.0]).fit(X)
    assert step.feature_weights_.tolist() == [1.5, 0.5]
    np.testing.assert_array_equal(step.transform(X), X * step.scale_)
    assert step.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(FeatureWeights(step.feature_weights_).fit(X).feature_weights_, step.feature_weights_)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0], r"X has 2 features, but the shape of weights is \(1,\)"),
        ([1.0, -1.0], "not negative"),
        ([0, 0], "not all 0"),
    ],
)
def test_weights_that_cannot_be_used(three_blobs, weights, words):
    with pytest.raises(ValueError, match=words):
        FeatureWeights(weights).fit(three_blobs[0])


def test_what_cannot_be_learned_is_refused(three_blobs):
    X, y = three_blobs
    for kernel in ("precomputed", np.dot):
        with pytest.raises(dagmar.InvalidParameterError, match="can be learned with the kernels linear, poly, rbf"):
            learn_weights(X, y, svc=dagmar.SVC(kernel=kernel))
    with pytest.raises(dagmar.InvalidParameterError, match="'svc' parameter of learn_weights must be an SVC or None"):
        learn_weights(X, y, svc=LogisticRegression())
    with pytest.raises(dagmar.InvalidParameterError, match="'rounds'"):
        FeatureWeights(rounds=0).fit(X, y)


def test_an_svc_is_not_changed(three_blobs):
    svc = dagmar.SVC(C=2.0)
    learn_weights(*three_blobs, svc=svc)
    assert not hasattr(svc, "bank_")
    assert svc.C == 2.0


def test_in_a_search():
    """The transformer can be tuned by scikit-learn, and keeps names of columns."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), FeatureWeights(svc=dagmar.SVC()), dagmar.SVC())
    search = GridSearchCV(model, {"featureweights__svc__C": [0.1, 10.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_[:-1].get_feature_names_out().tolist() == X.columns.tolist()


WEIGHTS = "machines agree to tol, not to the 1e-7 asked for, and gamma='scale' counts rows, not weights"


@parametrize_with_checks(
    [FeatureWeights()],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", [weights_dense, weights_sparse])
def test_weights_are_repetitions(check):
    """With gamma fixed and tol tiny, the checks excused above hold."""
    check("FeatureWeights", FeatureWeights(svc=dagmar.SVC(gamma=0.05, tol=1e-12), rounds=1))


# ----------------------------------------------------------------- importance


def test_importance_has_no_units(hidden):
    """Shares that sum to 1, the same for features in other units if the kernel sees the same."""
    X, y = hidden
    shares = feature_importance(dagmar.SVC().fit(X, y), X, y)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[5] == 0.0
    assert set(np.argsort(shares)[-2:]) == {1, 3}
    units = np.array([1.0, 10.0, 0.1, 5.0, 3.0, 1.0])
    plain, other = (make_pipeline(StandardScaler(), dagmar.SVC()).fit(A, y) for A in (X, X * units))
    np.testing.assert_allclose(
        feature_importance(plain, X, y), feature_importance(other, X * units, y), rtol=1e-4, atol=1e-8
    )


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_a_constant_has_no_importance(hidden, kernel):
    X, y = hidden
    assert feature_importance(dagmar.SVC(kernel=kernel).fit(X, y), X)[5] < 1e-12


def test_importance_of_searches_and_sparse_samples(hidden):
    """A search is read through its scaler; labels are those of the predictions by default."""
    X, y = hidden
    search = dagmar.SVCCV([10.0], [0.2], 2, scaler=StandardScaler()).fit(X, y)
    best = search.best_estimator_
    expected = feature_importance(best[-1], best[0].transform(X), search.predict(X))
    np.testing.assert_allclose(feature_importance(search, X), expected)
    sparse = feature_importance(dagmar.SVC().fit(sp.csr_matrix(X), y), sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse, feature_importance(dagmar.SVC().fit(X, y), X, y), rtol=1e-3, atol=1e-6)


def test_importance_of_other_machines_is_refused(three_blobs):
    X, y = three_blobs
    with pytest.raises(TypeError, match="a PairwiseClassifier has no kernel machines"):
        feature_importance(dagmar.PairwiseClassifier(LogisticRegression()).fit(X, y), X, y)
    with pytest.raises(ValueError, match="precomputed"):
        feature_importance(dagmar.SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y)
