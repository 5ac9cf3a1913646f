"""The estimator: what users may get wrong, which messages they get, and that nothing is left half done."""

import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from children import SIGNALS
from helpers import state
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingMachinesError

STRUCTURES = ["ddag", "max_wins", "one_vs_rest"]


@pytest.fixture
def fitted(three_blobs):
    return dagmar.SVC(gamma=0.5).fit(*three_blobs)


# ------------------------------------------------------------ read-only arrays


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", ["support_vectors_", "dual_coef_", "coef_", "intercept_", "support_", "n_support_"])
def test_fitted_arrays_cannot_be_edited(three_blobs, name, sparse):
    """An edit in place would not change the model, or would change it behind its back: it raises."""
    X, y = three_blobs
    X = sp.csr_matrix(X) if sparse else X
    clf = dagmar.SVC(kernel="linear").fit(X, y)
    expected, held = clf.predict(X), getattr(clf, name)
    parts = [held.data, held.indices, held.indptr] if sp.issparse(held) else [held]
    for part in parts:
        with pytest.raises(ValueError, match="read-only"):
            part[...] = 0
    if sp.issparse(held):
        held.data = np.zeros_like(held.data)
        assert getattr(clf, name).data.any()
    np.testing.assert_array_equal(clf.predict(X), expected)


@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix])
def test_data_of_users_stays_theirs(three_blobs, kind):
    """X is neither changed nor made read-only, also where every sample is a support vector."""
    X, y = three_blobs
    given = kind(X)
    clf = dagmar.SVC(C=1e-6).fit(given, y)
    clf.predict(given)
    assert len(clf.support_) == len(y)
    for part in [given.data, given.indices, given.indptr] if sp.issparse(given) else [given]:
        assert part.flags.writeable
        part[...] = part
    np.testing.assert_array_equal(given.toarray() if sp.issparse(given) else given, X)


def test_model_whose_kernel_rows_are_too_narrow_is_refused(three_blobs):
    """A support vector beyond the columns of the kernel rows is an error, not a read outside them."""
    X, y = three_blobs
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    clf._model = replace(clf._model, bank=replace(clf.bank_, support=clf.bank_.support + len(y)))
    with pytest.raises(ValueError, match="but a support vector is in column"):
        clf.predict(X @ X.T)


# ----------------------------------------------------------------- bad input


@pytest.mark.parametrize("method", ["predict", "decision_function", "pair_decisions", "decision_path", "explain"])
def test_estimator_that_is_not_fitted_says_so(method):
    """Every method of an estimator that is not fitted raises NotFittedError."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(dagmar.SVC(), method)(np.zeros((1, 2)))


def test_restructure_needs_a_fitted_estimator():
    """There is no bank to restructure before fit."""
    with pytest.raises(NotFittedError):
        dagmar.SVC().restructure("max_wins")


def test_no_jobs_is_refused(three_blobs):
    """n_jobs=0 has no meaning."""
    with pytest.raises(ValueError, match="n_jobs == 0"):
        dagmar.SVC(n_jobs=0).fit(*three_blobs)


def test_callable_kernel_is_the_kernel_it_computes(three_blobs):
    """A function of two sets of samples trains and decides as the named kernel."""
    X, y = three_blobs
    named = dagmar.SVC(kernel="linear").fit(X, y)
    called = dagmar.SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    np.testing.assert_allclose(called.decision_function(X), named.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(called.predict(X[:3]), named.predict(X[:3]))


# ------------------------------------------------------------- fitting again


def test_refit_forgets_the_old_model(three_blobs, seven_blobs):
    """A second fit is as good as a first one."""
    X, y = seven_blobs
    again = dagmar.SVC().fit(*three_blobs)
    again.predict(three_blobs[0])
    np.testing.assert_array_equal(again.fit(X, y).predict(X), dagmar.SVC().fit(X, y).predict(X))


def test_fit_leaves_arguments_alone(three_blobs):
    """Neither parameters nor data are changed, and data may be read-only."""
    X, y = (a.copy() for a in three_blobs)
    weight = np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    structure = dagmar.DDAG(order=[2, 1, 0])
    clf = dagmar.SVC(structure=structure).fit(X, y, weight)
    clf.predict(X)
    assert clf.structure is structure
    assert vars(structure) == {"order": [2, 1, 0]}
    writable = three_blobs[0].copy()
    dagmar.SVC(C=1e-3).fit(writable, y)
    assert writable.flags.writeable


# --------------------------------------------------------------- restructure


@pytest.mark.parametrize("structure", ["max_wins", "ddag", dagmar.DDAG(order=[2, 0, 1])])
def test_restructure_keeps_the_bank(fitted, three_blobs, structure):
    """The new estimator consults the same machines; the old one is unchanged."""
    X, y = three_blobs
    before = state(fitted)
    other = fitted.restructure(structure)
    assert other.bank_ is fitted.bank_
    assert other is not fitted
    assert state(fitted) == before
    assert fitted.structure == "max_wins"
    np.testing.assert_array_equal(other.predict(X), clone(other).fit(X, y).predict(X))
    np.testing.assert_array_equal(other.decision_function(X), fitted.decision_function(X))


def test_restructure_without_the_machines_says_what_is_missing(fitted):
    """A structure over machines that were not trained is an error that names them and the way out."""
    with pytest.raises(MissingMachinesError, match=r"3 machines.*not in this model.*Pass X and y"):
        fitted.restructure("one_vs_rest")


def test_restructure_trains_what_is_missing(fitted, three_blobs):
    """With X and y given, missing machines are trained, and the old estimator stays as it was."""
    X, y = three_blobs
    bank = fitted.bank_
    other = fitted.restructure("one_vs_rest", X, y)
    assert fitted.bank_ is bank
    np.testing.assert_array_equal(other.predict(X), dagmar.SVC(gamma=0.5, structure="one_vs_rest").fit(X, y).predict(X))
    back = other.restructure("max_wins", X, y)
    np.testing.assert_array_equal(back.predict(X), fitted.restructure("max_wins").predict(X))


def test_restructure_refuses_nonsense(fitted, three_blobs):
    """Unknown names, bad orders and half the data are errors."""
    X, y = three_blobs
    with pytest.raises(InvalidParameterError, match="'structure' parameter"):
        fitted.restructure("dag")
    with pytest.raises(InvalidParameterError, match="'order' parameter"):
        fitted.restructure(dagmar.DDAG(order=[0, 1]))
    with pytest.raises(InvalidParameterError, match="'order' parameter"):
        fitted.restructure(dagmar.DDAG(order=[0, 1]), X, y)
    with pytest.raises(ValueError, match="both or neither"):
        fitted.restructure("max_wins", X=X)


# ------------------------------------------------------------------- explain


def test_explain_says_the_path_in_words():
    """Each step names winner and loser in the user's labels; the last line is the prediction."""
    X = np.array([[0.0, 0.0], [0.2, 0.0], [5.0, 0.0], [5.2, 0.0], [0.0, 5.0], [0.0, 5.2]])
    y = ["ant", "ant", "bee", "bee", "cat", "cat"]
    clf = dagmar.SVC(C=10, structure="ddag").fit(X, y)
    first, second, answer = str(clf.explain([5.1, 0.0])).splitlines()
    assert first.startswith("1. cat beats ant (") or first.startswith("1. ant beats cat (")
    assert second.startswith("2. bee beats ")
    assert answer == "Answer: bee"
    assert str(clf.explain(X[:1])) == str(clf.explain(X[0]))


def test_explain_tells_values_inside_the_margin(fitted, three_blobs):
    """A step is inside the margin where its value is below one."""
    X, _ = three_blobs
    for x in X:
        _, values = fitted.decision_path(x[None])[0]
        for line, value in zip(str(fitted.explain(x)).splitlines(), values, strict=False):
            assert ("inside the margin" in line) == (abs(value) < 1)


def test_explain_one_vs_rest(three_blobs):
    """With one machine per class, each line tells its value."""
    X, y = three_blobs
    lines = str(dagmar.SVC(structure="one_vs_rest").fit(X, y).explain(X[0])).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("1. 0 against the rest: ")


def test_explain_takes_one_sample(fitted, three_blobs):
    """More than one sample is an error."""
    with pytest.raises(ValueError, match="explain takes one sample, got 2"):
        fitted.explain(three_blobs[0][:2])


# --------------------------------------------------------- warnings and printing


def test_indefinite_kernel_is_named(rng):
    """A machine that does not converge on an indefinite kernel matrix is reported as that, not as a lack of scaling."""
    K = rng.normal(size=(60, 60))
    with pytest.warns(ConvergenceWarning, match="not positive semi-definite") as caught:
        clf = dagmar.SVC(kernel="precomputed", C=1e300).fit(K + K.T, np.arange(60) % 2)
    told = str(caught[0].message)
    assert "max_iter" not in told
    assert "StandardScaler" not in told
    assert clf.report_.indefinite.all()
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=1\)"):
        dagmar.SVC(kernel="precomputed", max_iter=1).fit(K + K.T, np.arange(60) % 2)


def test_fit_without_progress_is_told_as_that(three_blobs):
    """A tol below rounding ends with a warning that says so and gives the gap."""
    X, y = three_blobs
    with pytest.warns(ConvergenceWarning, match="makes no further progress: the KKT gap is still") as caught:
        clf = dagmar.SVC(tol=1e-300).fit(X, y)
    assert "max_iter" not in str(caught[0].message)
    assert clf.fit_status_ == 1
    assert (clf.report_.gap < 1e-10).all()


def test_positive_kernels_are_never_called_indefinite(three_blobs):
    """Rounding of a positive semi-definite kernel does not count, in either precision and with equal samples."""
    X, y = three_blobs
    X, y = np.vstack([X, X]), np.append(y, (y + 1) % 3)
    for kernel in ("linear", "poly", "rbf"):
        for precision in ("single", "double"):
            clf = dagmar.SVC(kernel=kernel, precision=precision, coef0=1.0).fit(X + 100, y)
            assert not clf.report_.indefinite.any()


def test_weights_of_classes_must_be_finite(three_blobs):
    """An infinite weight of a class, or NaN, is an error that names class_weight."""
    for weight in (np.inf, -np.inf, np.nan):
        with pytest.raises(ValueError, match="class_weight contains NaN or infinity"):
            dagmar.SVC(class_weight={0: weight}).fit(*three_blobs)


def test_converged_fit_has_status_zero(fitted):
    """fit_status_ is 0 where every machine converged."""
    assert fitted.fit_status_ == 0


def test_verbose_prints_what_fitting_cost(three_blobs, capfd):
    """Only a verbose fit prints, one line, on standard output."""
    dagmar.SVC().fit(*three_blobs).predict(np.repeat(three_blobs[0], 3, axis=0))
    assert capfd.readouterr() == ("", "")
    dagmar.SVC(verbose=True).fit(*three_blobs)
    out, err = capfd.readouterr()
    assert out.startswith("[dagmar] 3 machines in ")
    assert err == ""


# ------------------------------------------------------------- public attributes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_attributes_have_scikit_learns_shapes_and_meaning(three_blobs, kernel, n_classes):
    """Fitted attributes give the decision values by scikit-learn's formula."""
    X, y = three_blobs
    X, y = X[y < n_classes], y[y < n_classes]
    ours = dagmar.SVC(kernel=kernel, gamma=0.5, tol=1e-6).fit(X, y)
    theirs = TheirSVC(kernel=kernel, gamma=0.5, tol=1e-6).fit(X, y)
    for name in ("dual_coef_", "intercept_", "n_support_", "class_weight_"):
        assert getattr(ours, name).shape[:1] == getattr(theirs, name).shape[:1], name
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.dual_coef_.shape[1] == len(ours.support_)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    np.testing.assert_array_equal(ours.n_support_, np.bincount(y[ours.support_], minlength=n_classes))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    if kernel == "linear":
        assert ours.coef_.shape == theirs.coef_.shape
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    else:
        with pytest.raises(AttributeError, match="only available when using a linear kernel"):
            _ = ours.coef_


def test_one_vs_rest_has_no_value_per_pair(three_blobs):
    """decision_function_shape="ovo" without machines for pairs is an error."""
    X, y = three_blobs
    clf = dagmar.SVC(structure="one_vs_rest", decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="needs machines for all pairs"):
        clf.decision_function(X)


@pytest.mark.parametrize("structure", [*STRUCTURES, dagmar.DDAG(order=[1, 0, 2])])
def test_estimator_clones_and_prints(structure):
    """Clone and repr work with names and objects."""
    clf = dagmar.SVC(C=3, structure=structure)
    assert repr(clone(clf)) == repr(clf)
    assert structure == "max_wins" or f"structure={structure!r}" in repr(clf)
    assert "C=3" in repr(clf)


def test_labels_are_what_the_user_wrote(three_blobs):
    """Labels of any type come back."""
    X, y = three_blobs
    for names in (["ant", "bee", "cat"], [True, False], [-5, 0, 7], [0.0, 1.0, 2.0]):
        labels = np.array(names)[y % len(names)]
        clf = dagmar.SVC(C=100, gamma=5).fit(X, labels)
        assert clf.predict(X).dtype == labels.dtype
        assert clf.score(X, labels) > 0.9


# ------------------------------------------------------------------- Ctrl-C

# Interrupts itself in each of some calls, one after the other: a process for each would spend its time on imports.
INTERRUPTED = """
    import json, os, signal, threading, time
    import numpy as np
    import dagmar

    # A shell that starts the tests in the background has its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    small = rng.normal(size=(40, 2))

    def state(clf):
        return {name: id(value) for name, value in clf.__dict__.items()}

    def interrupted(clf, call, after):
        sent = []

        def interrupt():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        clf.predict(small)
        before = state(clf)
        timer = threading.Timer(after, interrupt)
        timer.start()
        stopped = False
        try:
            call()
            ended = time.perf_counter()
            timer.join()  # too quick a call: the signal is still to come
            time.sleep(1)
        except KeyboardInterrupt:
            ended, stopped = time.perf_counter(), bool(sent)
        return {
            "interrupted": stopped,
            "late": ended - sent[0] if sent else None,
            "unchanged": state(clf) == before,
            "works": len(clf.predict(small)) == 40,
        }

    seen = {}
"""
FITS = """
    def fit(n, n_jobs, after):
        clf = dagmar.SVC(C=1e6, gamma=10, n_jobs=n_jobs).fit(small, np.arange(40) % 2)
        X, y = rng.random((n, 2)), rng.integers(0, 2, n)
        return interrupted(clf, lambda: clf.fit(X, y), after)

    seen["one thread"] = fit(6000, 1, 0.5)
    seen["two threads"] = fit(6000, 2, 0.5)
    seen["few samples"] = fit(900, 1, 0.3)
"""
PREDICTIONS = """
    X, y = rng.random((2000, 2)), rng.integers(0, 3, 2000)
    many = rng.random((2_000_000, 2))
    for structure, n_jobs in (("max_wins", 2), ("one_vs_rest", 1)):
        clf = dagmar.SVC(gamma=10, structure=structure, precision="double", n_jobs=n_jobs).fit(X, y)
        for method in ("predict", "decision_function"):
            seen[f"{method} by {structure}"] = interrupted(clf, lambda: getattr(clf, method)(many), 0.4)
"""


def seen_in(calls):
    """Run a script of calls that are interrupted, and return what it saw of each."""
    script = "\n".join(map(textwrap.dedent, (INTERRUPTED, calls, "print(json.dumps(seen))")))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@SIGNALS
@pytest.mark.parametrize(("calls", "n"), [(FITS, 3), (PREDICTIONS, 4)], ids=["fits", "predictions"])
def test_ctrl_c_stops_long_calls(calls, n):
    """Within half a second KeyboardInterrupt is raised, in one thread and in two, and the old model is still there."""
    seen = seen_in(calls)
    assert len(seen) == n
    for name, call in seen.items():
        assert call["interrupted"], name
        assert call["late"] < 0.5, name
        assert call["unchanged"], name
        assert call["works"], name


def test_the_default_structure_is_that_of_scikit_learn():
    """Every way to a classifier has the same default."""
    ways = [
        dagmar.SVC.__init__,
        dagmar.SVCCV.__init__,
        dagmar.PairwiseClassifier,
        dagmar.from_sklearn,
        dagmar.from_libsvm,
    ]
    for make in ways:
        assert signature(make).parameters["structure"].default == "max_wins"
