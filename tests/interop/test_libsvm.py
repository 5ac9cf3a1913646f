"""Model files of LIBSVM, taken over: the same machines, the same labels, and no trust in the file."""

import ctypes
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from threadpoolctl import threadpool_limits

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError, MissingMachinesError
from dagmar.structures import STRUCTURES

svm, svmutil = pytest.importorskip("libsvm.svm"), pytest.importorskip("libsvm.svmutil")

KERNELS = ["linear", "polynomial", "rbf", "sigmoid", "precomputed"]
OVER_PAIRS = [name for name in STRUCTURES if name != "one_vs_rest"]


@dataclass
class Peer:
    """A model of LIBSVM, read back from the file that it wrote."""

    path: str
    precomputed: bool

    def run(self, X):
        """Labels, and a value per pair.

        By LIBSVM's own function for one sample: its `svm_predict` has room for one value only with nu-SVC, and crashes.
        """
        if self.precomputed:
            X = np.column_stack([np.arange(len(X)), X])
        model = svmutil.svm_load_model(self.path)
        n_classes = model.get_nr_class()
        room = (ctypes.c_double * (n_classes * (n_classes - 1) // 2))()
        labels, values = [], []
        with threadpool_limits(1):
            for x in X:
                x = (x.indices, x.data) if sp.issparse(x) else x
                nodes, _ = svm.gen_svm_nodearray(x, isKernel=self.precomputed)
                labels.append(int(svm.libsvm.svm_predict_values(model, nodes, room)))
                values.append(list(room))
        return np.array(labels), np.array(values)


def train(folder, X, y, kernel="rbf", options=""):
    """Train with LIBSVM, and save."""
    path = str(folder / "a.model")
    K = kernel == "precomputed"
    given_ = np.column_stack([np.arange(1, len(X) + 1), X]) if K else X
    parameter = svmutil.svm_parameter(f"-q -t {KERNELS.index(kernel)} {options}")
    with threadpool_limits(1):  # a team of threads for every kernel row would cost more than the row
        model = svmutil.svm_train(svmutil.svm_problem(np.asarray(y, dtype=float), given_, isKernel=K), parameter)
    svmutil.svm_save_model(path, model)
    return Peer(path, K)


def wine(kernel="rbf"):
    """Wine, scaled, with its classes called 7, -2 and 30 and beginning with the last."""
    X, y = load_wine(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[::-1]
    y = np.array([7, -2, 30])[y[::-1]]
    return (X @ X.T if kernel == "precomputed" else X), y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("options", ["", "-s 1 -n 0.1", "-r 0.5 -d 2 -c 5 -g 0.03", "-b 1"])
def test_labels_and_values_are_those_of_libsvm(tmp_path, kernel, options):
    """Every kernel, C-SVC and nu-SVC, with and without probabilities, gives LIBSVM's labels in LIBSVM's order."""
    X, y = wine(kernel)
    peer = train(tmp_path, X, y, kernel, options)
    ours = dagmar.from_libsvm(peer.path, "max_wins", n_features=X.shape[1])
    ours.decision_function_shape = "ovo"
    labels, values = peer.run(X)
    assert ours.classes_.tolist() == [30, -2, 7]
    np.testing.assert_array_equal(ours.predict(X), labels)
    np.testing.assert_allclose(ours.decision_function(X), values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("labels", [[1, -1], [-1, 1], [5, 3], [0, 9]])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_two_classes(tmp_path, kernel, labels):
    """With two classes too labels are LIBSVM's, whichever comes first; a positive value is for the second."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], np.array(labels)[y[50:] - 1]
    peer = train(tmp_path, X, y, kernel)
    ours = dagmar.from_libsvm(peer.path, "max_wins")
    theirs, values = peer.run(X)
    np.testing.assert_array_equal(ours.predict(X), theirs)
    np.testing.assert_allclose(ours.decision_function(X), -values[:, 0], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[(ours.decision_function(X) >= 0).astype(int)])


@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_shuffled_training_files(tmp_path, load, rng):
    """On Iris and Digits in random order no label differs."""
    X, y = load(return_X_y=True)
    order = rng.permutation(len(y))[:600]
    X, y = X[order] / X.max(), y[order]
    peer = train(tmp_path, X, y, options="-c 10 -g 0.1")
    ours = dagmar.from_libsvm(peer.path, "max_wins", n_features=X.shape[1])
    np.testing.assert_array_equal(ours.predict(X), peer.run(X)[0])


def test_sparse_data_stays_sparse(tmp_path, rng):
    """Vectors of few features are a CSR matrix, and samples may be sparse or dense."""
    X, y = blobs(seed=5, n_classes=4, per_class=20, n_features=40)
    X[rng.random(X.shape) < 0.9] = 0
    peer = train(tmp_path, sp.csr_matrix(X), y)
    ours = dagmar.from_libsvm(peer.path, "max_wins", n_features=40)
    assert sp.issparse(ours.support_vectors_)
    for samples in (X, sp.csr_matrix(X)):
        np.testing.assert_array_equal(ours.predict(samples), peer.run(sp.csr_matrix(X))[0])
    whole = dagmar.from_libsvm(peer.path, "fisher_tree", X=X, y=y)
    assert sp.issparse(whole.support_vectors_)
    np.testing.assert_array_equal(X[whole.support_], whole.support_vectors_.toarray())


@pytest.fixture(scope="module", params=KERNELS)
def on_wine(request, tmp_path_factory):
    """A kernel, its model on Wine, and LIBSVM's labels."""
    X, y = wine(request.param)
    peer = train(tmp_path_factory.mktemp("wine"), X, y, request.param)
    return request.param, peer, peer.run(X)[0]


@pytest.mark.parametrize("structure", OVER_PAIRS)
def test_every_method_copes_with_labels_out_of_order(on_wine, structure):
    """With every structure over pairs the model is whole, though its labels are not sorted."""
    kernel, peer, theirs = on_wine
    X, y = wine(kernel)
    ours = dagmar.from_libsvm(peer.path, structure, X=X, y=y)
    labels = ours.predict(X)
    assert np.mean(labels == theirs) > 0.97
    assert ours.score(X, y) > 0.9
    np.testing.assert_array_equal(ours.classes_[ours.decision_path(X).answers], labels)
    np.testing.assert_array_equal(ours.classes_[ours.decision_function(X).argmax(axis=1)], labels)
    assert ours.decision_cost(X).machines.max() <= 3
    assert str(ours.explain(X[:1])).endswith(f"Answer: {labels[0]}")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(X), labels)
    assert clone(ours).get_params() == ours.get_params()
    assert ours.fit_status_ == 0
    assert "nan" not in str(ours.report_)
    if kernel != "precomputed":
        np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    np.testing.assert_array_equal(ours.classes_.repeat(ours.n_support_), y[ours.support_])
    if ours.bank_.all_pairs:  # a tree may have left one out, and cannot have it back
        assert np.mean(ours.restructure("adaptive_ddag", X, y).predict(X) == labels) > 0.97


def test_equal_rows_are_told_apart(tmp_path):
    """Of rows that are the same, each serves one support vector."""
    X, y = load_iris(return_X_y=True)
    X, y = np.concatenate([X, X]) / 3, np.concatenate([y, y])
    ours = dagmar.from_libsvm(train(tmp_path, X, y).path, "divide_and_conquer", X=X, y=y)
    assert len(set(ours.support_)) == len(ours.support_)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_what_the_file_does_not_tell(tmp_path):
    """Without the data there are no places of vectors, and machines beyond the pairs cannot be had at all."""
    X, y = wine()
    path = train(tmp_path, X, y).path
    ours = dagmar.from_libsvm(path)
    assert set(ours.support_) == {-1}
    with pytest.raises(MissingDataError, match="pass X and y"):
        dagmar.from_libsvm(path, "divide_and_conquer")
    for structure in ("one_vs_rest", dagmar.CenteredTree(machines="groups")):
        with pytest.raises(MissingMachinesError, match="does not say with which C"):
            dagmar.from_libsvm(path, structure, X=X, y=y)
    with pytest.raises(ValueError, match="not the data"):
        ours.restructure("divide_and_conquer", X, y)
    with pytest.raises(ValueError, match=r"not the data of this model: support vector 1 of class .* is not in it"):
        dagmar.from_libsvm(path, X=X + 0.1, y=y)
    with pytest.raises(ValueError, match=r"not the data of this model: support vector 1 of class .* is not in it"):
        dagmar.from_libsvm(path, X=X, y=y + 1)


def test_number_of_features(tmp_path):
    """Features beyond those of the file may be asked for, fewer may not, and X has the last word."""
    X, y = wine()
    path = train(tmp_path, X[:, :5], y).path
    assert dagmar.from_libsvm(path).n_features_in_ == 5
    wide = dagmar.from_libsvm(path, n_features=13)
    np.testing.assert_array_equal(
        wide.predict(np.pad(X[:, :5], [(0, 0), (0, 8)])), dagmar.from_libsvm(path).predict(X[:, :5])
    )
    with pytest.raises(ValueError, match="needs 5 features or more, not 4"):
        dagmar.from_libsvm(path, n_features=4)
    with pytest.raises(ValueError, match="n_features is 6, but X has 5"):
        dagmar.from_libsvm(path, n_features=6, X=X[:, :5], y=y)
    with pytest.raises(ValueError, match="give both or neither"):
        dagmar.from_libsvm(path, X=X[:, :5])


@pytest.mark.parametrize("bad", [{"structure": "dag"}, {"precision": "half"}, {"n_jobs": "two"}])
def test_bad_parameters_are_refused(tmp_path, bad):
    """New parameters are checked as at fit."""
    with pytest.raises(InvalidParameterError):
        dagmar.from_libsvm(train(tmp_path, *wine()).path, **bad)


@pytest.mark.parametrize("labels", [[7, -2, 30], [5, 3]], ids=str)
def test_probabilities_are_those_of_libsvm(tmp_path, labels):
    """A model trained with -b 1 gives LIBSVM's probabilities, up to where its iteration ends; others give none."""
    X, y = wine()
    here = np.isin(y, labels) if len(labels) == 3 else y != 30
    X, y = X[here], y[here]
    peer = train(tmp_path, X, y, options="-b 1 -c 0.05")
    ours = dagmar.from_libsvm(peer.path, "ddag", n_features=X.shape[1])
    theirs = svmutil.svm_load_model(peer.path)
    with threadpool_limits(1):
        expected = np.array(svmutil.svm_predict([], X, theirs, "-q -b 1")[2])
    n = len(ours.classes_)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=0.005)
    np.testing.assert_allclose(ours.probA_, theirs.probA[: n * (n - 1) // 2], rtol=1e-8)
    np.testing.assert_allclose(ours.probB_, theirs.probB[: n * (n - 1) // 2], rtol=1e-8)
    assert not hasattr(dagmar.from_libsvm(train(tmp_path, X, y).path), "predict_proba")
