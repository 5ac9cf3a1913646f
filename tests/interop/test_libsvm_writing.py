"""Models of LIBSVM that dagmar writes: LIBSVM gives our labels, and they come back unchanged."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import dagmar
from dagmar.interop.libsvm_labels import labels_path

svmutil = pytest.importorskip("libsvm.svmutil")

X, y = load_digits(return_X_y=True)
X, y, T = X[:400] / 16, y[:400], X[400:600] / 16
KERNELS = {
    "linear": {},
    "poly": {"degree": 2, "coef0": 0.5},
    "rbf": {},
    "sigmoid": {"gamma": 0.01, "coef0": -0.1},
    "precomputed": {},
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "digits.model"


def libsvm_predicts(path, X, precomputed=False, options="-q"):
    """Labels, and values or probabilities, of LIBSVM."""
    model = svmutil.svm_load_model(str(path))
    X = [{0: 1, **dict(enumerate(x, 1))} for x in X.tolist()] if precomputed else X
    n_samples = len(X) if precomputed else X.shape[0]
    with threadpool_limits(1):
        labels, _, values = svmutil.svm_predict([0] * n_samples, X, model, options)
    return np.array(labels, dtype=int), np.array(values)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 10])
def test_libsvm_gives_our_labels(path, kernel, n_classes):
    """Its values are ours with the sign turned, its probabilities are ours as far as its iteration goes."""
    rows = y < n_classes
    train, test = X[rows], T
    if kernel == "precomputed":
        train, test = train @ train.T, T @ train.T
    clf = dagmar.SVC(C=10, kernel=kernel, structure="max_wins", probability=True, precision="double", **KERNELS[kernel])
    clf.fit(train, y[rows])
    dagmar.to_libsvm(clf, path)
    labels, values = libsvm_predicts(path, test, kernel == "precomputed")
    np.testing.assert_array_equal(labels, clf.predict(test))
    np.testing.assert_allclose(-values, clf.pair_decisions(test), rtol=1e-10, atol=1e-10)
    probabilities = libsvm_predicts(path, test, kernel == "precomputed", "-q -b 1")[1]
    np.testing.assert_allclose(probabilities, clf.predict_proba(test), atol=5e-3)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("structure", ["max_wins", "and_gate"])
def test_out_and_back(path, kernel, structure):
    """Nothing is lost: labels, values and probabilities are those of the model."""
    train, test = (X @ X.T, T @ X.T) if kernel == "precomputed" else (X, T)
    clf = dagmar.SVC(C=10, kernel=kernel, structure=structure, probability=True, precision="double", **KERNELS[kernel])
    clf.fit(train, y)
    dagmar.to_libsvm(clf, path)
    back = dagmar.from_libsvm(path, structure, n_features=train.shape[1], precision="double")
    np.testing.assert_array_equal(back.predict(test), clf.predict(test))
    np.testing.assert_allclose(back.pair_decisions(test), clf.pair_decisions(test), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(back.predict_proba(test), clf.predict_proba(test), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(back.probA_, clf.probA_)
    assert not labels_path(path).exists()


def test_sparse_models_and_searches(path):
    """Zeros are not written; a search gives its best estimator."""
    few = sp.csr_matrix(np.where(X > 0.8, X, 0.0))
    clf = dagmar.SVC(structure="max_wins", precision="double").fit(few, y)
    dagmar.to_libsvm(clf, path)
    n_features = sum(line.count(":") for line in path.read_text().splitlines())
    assert n_features == clf.bank_.vectors.count_nonzero()
    back = dagmar.from_libsvm(path, "max_wins", n_features=X.shape[1])
    np.testing.assert_array_equal(back.predict(few), clf.predict(few))
    search = dagmar.SVCCV([1.0], [0.02], cv=2, structure="max_wins").fit(X, y)
    dagmar.to_libsvm(search, path)
    np.testing.assert_array_equal(libsvm_predicts(path, T)[0], search.predict(T))


NAMES = np.array(["zero", "eins", "deux", "drei", "vier", "fünf", "sex", "sju", "huit", "nine"])


@pytest.mark.parametrize("labels", [NAMES, np.arange(10) + 2**40], ids=["texts", "large numbers"])
def test_labels_that_libsvm_does_not_have(path, labels):
    """They are numbered with a notice, and stand in a file beside the model, which is taken up."""
    clf = dagmar.SVC(structure="max_wins").fit(X, labels[y])
    with pytest.warns(UserWarning, match=r"numbered from 0 .*digits\.model\.labels\.json"):
        dagmar.to_libsvm(clf, path)
    np.testing.assert_array_equal(clf.classes_[libsvm_predicts(path, T)[0]], clf.predict(T))
    back = dagmar.from_libsvm(path, "max_wins", n_features=64)
    np.testing.assert_array_equal(back.predict(T), clf.predict(T))
    with_data = dagmar.from_libsvm(path, "divide_and_conquer", X=X, y=labels[y])
    assert set(with_data.predict(T)) <= set(labels)
    # A model with whole numbers in the same place has no use for the labels of the older one.
    dagmar.to_libsvm(dagmar.SVC(structure="max_wins").fit(X, y), path)
    assert not labels_path(path).exists()
    assert dagmar.from_libsvm(path, "max_wins").classes_.tolist() == list(range(10))


def test_a_model_of_libsvm_over_ours_does_not_get_our_labels(path):
    """The file of labels is then of another model; a warning says so."""
    with pytest.warns(UserWarning, match="numbered"):
        dagmar.to_libsvm(dagmar.SVC(structure="max_wins").fit(X, NAMES[y]), path)
    with threadpool_limits(1):
        svmutil.svm_save_model(str(path), svmutil.svm_train(y.astype(float), X, "-q"))
    with pytest.warns(UserWarning, match="belongs to another model file"):
        model = dagmar.from_libsvm(path, "max_wins")
    assert model.classes_.dtype.kind == "i"


def test_what_libsvm_cannot_say_is_refused(path):
    """With the reason; and nothing is written."""
    X, y = blobs(0, 4, 15, 3)

    def refused(model, match):
        with pytest.raises(ValueError, match=match):
            dagmar.to_libsvm(model, path)

    refused(dagmar.SVC(structure="ddag").fit(X, y), r'export restructure\("max_wins"\)')
    refused(dagmar.SVC(structure="one_vs_rest").fit(X, y), "has other machines")
    refused(dagmar.SVC(structure="max_wins", gamma=np.linspace(0.1, 0.2, 6)).fit(X, y), "one gamma for all pairs")
    refused(dagmar.SVC(structure="max_wins", kernel=lambda a, b: a @ b.T).fit(X, y), "a function cannot be written")
    refused(dagmar.SVC(structure="max_wins", break_ties=True).fit(X, y), "break_ties=False")
    refused(make_pipeline(StandardScaler(), dagmar.SVC(structure="max_wins")).fit(X, y), "has no transformers")
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_is_not_there(path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dagmar.to_libsvm(dagmar.SVC(structure="max_wins").fit(X, y), path.parent / "nowhere" / "a.model")
