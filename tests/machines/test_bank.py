"""The bank: frozen arrays, and a native form that is only a cache."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs, dialled_pairs, dialled_rest, random_bank, values_of
from sklearn.svm import SVC

import dagmar


@pytest.fixture(params=["ddag", "max_wins", "one_vs_rest"])
def fitted(request, three_blobs):
    return dagmar.SVC(structure=request.param).fit(*three_blobs)


def through_joblib(clf, folder):
    joblib.dump(clf, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


COPIES = {
    "pickle": lambda clf, folder: pickle.loads(pickle.dumps(clf)),
    "copy": lambda clf, folder: copy.copy(clf),
    "deepcopy": lambda clf, folder: copy.deepcopy(clf),
    "joblib": through_joblib,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("used", [False, True])
def test_copies_decide_the_same(fitted, three_blobs, tmp_path, way, used):
    """A copy made in any way, before or after the first use, has the same labels and values."""
    X = three_blobs[0]
    if used:
        fitted.predict(X)
    other = COPIES[way](fitted, tmp_path)
    np.testing.assert_array_equal(other.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(other.decision_function(X), fitted.decision_function(X))


@pytest.mark.parametrize("kind", ["sparse", "precomputed", "single"])
def test_banks_of_every_kind_are_pickled(three_blobs, kind):
    """Sparse vectors, no vectors and single precision survive, too."""
    X, y = three_blobs
    X = {"sparse": sp.csr_matrix(X), "precomputed": X @ X.T, "single": X}[kind]
    kernel = "precomputed" if kind == "precomputed" else "rbf"
    clf = dagmar.SVC(kernel=kernel, precision="single" if kind == "single" else "auto").fit(X, y)
    other = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(other.decision_function(X), clf.decision_function(X))
    assert other.bank_.precision == clf.bank_.precision


def test_native_form_is_not_pickled(fitted, three_blobs):
    """The state of a used model holds nothing of the core."""
    fitted.predict(three_blobs[0])
    assert "native" in vars(fitted.bank_)
    assert b"dagmar._core" not in pickle.dumps(fitted)
    assert "native" not in vars(pickle.loads(pickle.dumps(fitted)).bank_)


def test_native_form_is_made_once(fitted):
    """The second use finds what the first has made."""
    assert fitted.bank_.native is fitted.bank_.native


def test_arrays_are_frozen(fitted):
    """Neither fields nor arrays of a bank can be changed, also after a round trip."""
    for bank in (fitted.bank_, pickle.loads(pickle.dumps(fitted.bank_))):
        with pytest.raises(FrozenInstanceError):
            bank.bias = np.zeros(3)
        for f in fields(bank):
            value = getattr(bank, f.name)
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable, f.name


def test_tasks_are_frozen(fitted):
    """The questions of the machines cannot be changed either."""
    tasks = fitted.bank_.tasks
    for name in ("begin", "classes", "sides"):
        assert not getattr(tasks, name).flags.writeable, name


def test_replaced_bank_does_not_use_the_old_machines():
    """dataclasses.replace gives a bank that computes with its own numbers."""
    bank = dialled_pairs(3)
    X = np.ones((2, 3))
    np.testing.assert_array_equal(values_of(bank, X), 1.0)
    moved = replace(bank, bias=np.full(3, 5.0))
    np.testing.assert_array_equal(values_of(moved, X), 6.0)


def test_machine_of_is_a_symmetric_table():
    """The machine of a pair is found in either order; there is none on the diagonal."""
    bank = dialled_pairs(5)
    for m, (i, j) in enumerate(bank.pairs):
        assert bank.machine_of[i, j] == bank.machine_of[j, i] == m
    np.testing.assert_array_equal(np.diag(bank.machine_of), -1)


def test_counts():
    """A bank knows its numbers of machines, classes and vectors, and its size as Platt counts."""
    bank = random_bank(0, 4, per_class=5, n_features=3)
    assert (bank.n_machines, bank.n_classes, bank.n_vectors) == (6, 4, 20)
    assert bank.size_in_parameters == 20 * 3 + len(bank.coef) + 6
    assert bank.all_pairs
    assert not dialled_rest(3).all_pairs


def test_sparse_vectors_count_what_they_store(three_blobs):
    """The size of a sparse classifier has the stored values only."""
    X, y = three_blobs
    X = np.where(np.abs(X) < 2, 0.0, X)
    bank = dagmar.SVC().fit(sp.csr_matrix(X), y).bank_
    assert bank.size_in_parameters == bank.vectors.nnz + len(bank.coef) + 3


def test_pairs_of_other_machines_do_not_exist():
    """A bank that is not of pairs says so."""
    with pytest.raises(AttributeError, match="not pairs of classes"):
        _ = dialled_rest(3).pairs


def test_pool_holds_each_support_vector_once(seven_blobs):
    """Vectors are distinct training samples, grouped by class, and every one is used by some machine."""
    X, y = seven_blobs
    bank = dagmar.SVC().fit(X, y).bank_
    np.testing.assert_array_equal(bank.vectors, X[bank.support])
    assert len(set(bank.support.tolist())) == bank.n_vectors
    for c in range(7):
        assert (y[bank.support[bank.class_start[c] : bank.class_start[c + 1]]] == c).all()
    assert set(bank.index.tolist()) == set(range(bank.n_vectors))
    for m, pair in enumerate(bank.pairs):
        index = bank.index[bank.begin[m] : bank.begin[m + 1]]
        assert (np.diff(index) > 0).all()
        assert set(y[bank.support[index]].tolist()) <= set(pair.tolist())


@pytest.mark.parametrize(
    "change",
    [
        {"index": np.array([0, 99, 2, 3, 4, 5], dtype=np.int32)},
        {"index": np.array([0, -1, 2, 3, 4, 5], dtype=np.int32)},
        {"index": np.array([2, 0, 1, 4, 3, 5], dtype=np.int32)},
        {"begin": np.array([0, 2, 4], dtype=np.int64)},
        {"begin": np.array([0, 2, 4, 7], dtype=np.int64)},
        {"begin": np.array([0, 400, 4, 6], dtype=np.int64)},
        {"begin": np.array([-5, 2, 4, 6], dtype=np.int64)},
        {"coef": np.ones(3)},
        {"class_start": np.array([0, 2, 4, 7], dtype=np.int64)},
    ],
)
def test_lists_that_lead_outside_are_refused(change):
    """A bank whose lists do not fit together, as a damaged file may have them, is an error and not a crash."""
    with pytest.raises(ValueError, match="bank"):
        values_of(replace(dialled_pairs(3), **change), np.zeros((2, 3)))


def test_core_takes_exact_types():
    """The border converts nothing: a wrong type is a TypeError."""
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _ = replace(dialled_pairs(3), support=np.arange(6, dtype=np.int32)).native


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_machines_are_centred_and_say_so_nowhere(n_classes, rng):
    """Far from the origin a linear machine is solved to tol, and its weights and intercept give its values."""
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 4)) + y[:, None] + 1e5
    clf = dagmar.SVC(kernel="linear", C=100.0, structure="max_wins").fit(X, y)
    assert clf.report_.converged.all()
    assert clf.bank_.centre is not None
    values = (X - X[0]) @ clf.coef_.T + (X[0] @ clf.coef_.T + clf.intercept_)
    sign = 1.0 if n_classes == 2 else -1.0
    np.testing.assert_allclose(values, sign * clf.pair_decisions(X), atol=1e-7)
    near = SVC(kernel="linear", C=100.0, tol=1e-6).fit(X - 1e5, y)
    np.testing.assert_allclose(near.coef_, clf.coef_, atol=2e-2)


def test_bias_moves_with_the_centre(rng):
    """The biases of linear machines for another centre give the same values there; those of other kernels stay."""
    X, y = rng.normal(size=(60, 3)) + 7.0, np.arange(60) % 3
    bank = dagmar.SVC(kernel="linear").fit(X, y).bank_
    there = rng.normal(size=3)
    for centre in (None, there):
        moved = replace(bank, centre=centre, bias=bank.bias_from(centre))
        np.testing.assert_allclose(values_of(moved, X), values_of(bank, X), atol=1e-10)
    gaussian = dagmar.SVC().fit(X, y).bank_
    np.testing.assert_array_equal(gaussian.bias_from(there), gaussian.bias)


def test_pool_has_a_vector_for_every_gamma_that_it_is_used_with():
    """From vectors, index and gammas of the pool, the values of a bank with a gamma per pair are found again."""
    X, y = blobs(0, 4, 10, 3)
    gammas = np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1])
    bank = dagmar.SVC(gamma=gammas, structure="max_wins", precision="double").fit(X, y).bank_
    vectors, class_start, index, gamma = bank.pool()
    assert len(vectors) == len(gamma) == class_start[-1]
    distances = np.square(X[:, None] - vectors).sum(axis=2)
    machines = sp.csr_matrix((bank.coef, index, bank.begin), shape=(bank.n_machines, len(vectors)))
    np.testing.assert_allclose((machines @ np.exp(-gamma * distances).T).T + bank.bias, bank.values(X), rtol=1e-10)
    one = dagmar.SVC(gamma=0.1, structure="max_wins").fit(X, y).bank_
    vectors, class_start, index, gamma = one.pool()
    assert vectors is one.vectors
    assert index is one.index
    assert gamma == 0.1


# ------------------------------------------------------------------ showing


def test_bank_shows_itself(three_blobs):
    """One line for the bank; a frame with a row per machine, in the user's labels; own gammas have a column."""
    X, y = three_blobs
    clf = dagmar.SVC(gamma=[0.1, 0.2, 0.3], precision="double").fit(X, np.array(["ant", "<b>", "cat"])[y])
    bank = clf.bank_
    assert repr(bank) == f"Bank(3 machines, 3 classes, {bank.n_vectors} support vectors, rbf kernel, double precision)"
    frame = bank.to_frame()
    assert frame.negative.tolist() == ["<b>", "<b>", "ant"]
    assert frame.positive.tolist() == ["ant", "cat", "cat"]
    assert frame.support_vectors.sum() == len(bank.coef)
    np.testing.assert_array_equal(frame.bias, bank.bias)
    assert frame.gamma.tolist() == [0.1, 0.2, 0.3]
    assert "<b>" not in bank._repr_html_()


def test_names_cost_nothing(three_blobs):
    """The bank of a model has the arrays and the native form of the one that was trained, also where it is shared."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    bank = clf.bank_
    assert clf.restructure("ddag").bank_ is bank
    bare = bank.named(None)
    assert bare.coef is bank.coef
    assert "names" not in bare.__getstate__()
    assert "negative" not in bare.to_frame()
    kernel = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y).bank_
    assert "precomputed kernel" in repr(kernel)


def test_gammas_above_that_of_the_kernel_are_refused():
    """The gamma of the kernel is the largest: bounds on rounding follow from it."""
    X, y = blobs(seed=3, n_classes=4, per_class=8, n_features=3)
    bank = dagmar.SVC(gamma=[0.1, 0.2, 0.1, 0.3, 0.2, 0.1], structure="max_wins").fit(X, y).bank_
    gammas = bank.gammas.copy()
    gammas[1] = 3.0
    with pytest.raises(ValueError, match="gammas of the bank must not be above the gamma of its kernel"):
        replace(bank, gammas=gammas).check()
