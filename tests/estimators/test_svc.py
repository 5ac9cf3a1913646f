"""The estimator: what users may get wrong, what they get told, and that nothing is left half done."""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingMachinesError

STRUCTURES = ["ddag", "max_wins", "one_vs_rest"]


@pytest.fixture
def fitted(three_blobs):
    return dagmar.SVC(gamma=0.5).fit(*three_blobs)


# ----------------------------------------------------------------- bad input

BAD_TRAINING_DATA = {
    "nan": ([[0.0], [np.nan], [1.0], [2.0]], [0, 0, 1, 1], "NaN"),
    "inf": ([[0.0], [np.inf], [1.0], [2.0]], [0, 0, 1, 1], "infinity"),
    "flat X": ([0.0, 1.0, 2.0], [0, 1, 1], "Expected 2D array, got 1D array instead"),
    "deep X": (np.zeros((2, 2, 2)), [0, 1], "dim 3"),
    "lengths": ([[0.0], [1.0]], [0, 1, 1], "inconsistent numbers of samples"),
    "no samples": (np.zeros((0, 2)), [], "0 sample"),
    "no features": (np.zeros((3, 0)), [0, 1, 1], "0 feature"),
    "one class": ([[0.0], [1.0]], [3, 3], "number of classes has to be greater than one; got 1 class"),
    "complex": (np.array([[1j], [2.0]]), [0, 1], "Complex data not supported"),
    "words": (np.array([["a"], ["b"]], dtype=object), [0, 1], "could not convert string to float"),
    "continuous y": ([[0.0], [1.0], [2.0]], [0.1, 0.2, 0.35], "Unknown label type"),
    "deep y": ([[0.0], [1.0]], [[0, 1], [1, 0]], "y should be a 1d array"),
    "nan in y": ([[0.0], [1.0]], [0.0, np.nan], "NaN"),
    "no y": ([[0.0], [1.0]], None, "requires y to be passed"),
}


@pytest.mark.parametrize("case", BAD_TRAINING_DATA)
def test_bad_training_data_is_refused(case):
    """Training data that cannot be used is a ValueError in scikit-learn's words."""
    X, y, words = BAD_TRAINING_DATA[case]
    with pytest.raises(ValueError, match=words):
        dagmar.SVC().fit(X, y)


@pytest.mark.parametrize("case", ["nan", "inf", "flat X", "deep X", "lengths", "no samples", "one class", "no y"])
def test_bad_training_data_is_refused_as_scikit_learn_does(case):
    """The error is of the type that scikit-learn's SVC raises on the same data."""
    X, y, _ = BAD_TRAINING_DATA[case]
    with pytest.raises(ValueError, match=r".") as theirs:
        TheirSVC().fit(X, y)
    with pytest.raises(type(theirs.value)):
        dagmar.SVC().fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn warns of inf - inf, too
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((2, 5)), "X has 5 features, but SVC is expecting 2 features as input"),
        (np.zeros(2), "Expected 2D array, got 1D array instead"),
        (np.zeros((0, 2)), "0 sample"),
        (np.array([[np.nan, 0.0]]), "NaN"),
        (np.array([[np.inf, 0.0]]), "infinity"),
        (np.array([[np.inf, -np.inf]]), "infinity"),
        (np.array([[np.inf, -np.inf]], dtype=np.float32), "infinity"),
        (np.array([[np.nan, 0.0]], dtype=object), "NaN"),
        (np.array([[1j, 0.0]]), "Complex data not supported"),
        (sp.csr_matrix(np.zeros((3, 2))), "cannot use sparse input in 'SVC' trained on dense data"),
    ],
)
@pytest.mark.parametrize("method", ["predict", "decision_function", "pair_decisions", "decision_path", "decision_cost"])
def test_bad_samples_are_refused(fitted, method, X, words):
    """Samples that cannot be decided are a ValueError in scikit-learn's words, from every method."""
    with pytest.raises(ValueError, match=words):
        getattr(fitted, method)(X)


def test_huge_finite_samples_are_decided(fitted):
    """Entries whose sum overflows are finite all the same."""
    huge = np.full((3, 2), 1.5e308)
    assert len(fitted.predict(huge)) == 3


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32, bool, object])
def test_other_number_types_are_converted(fitted, dtype):
    """Whole numbers, booleans and objects that are numbers are decided as their values."""
    X = np.array([[0, 1], [1, 1], [1, 0]])
    np.testing.assert_array_equal(fitted.predict(X.astype(dtype)), fitted.predict(X.astype(float)))


def test_memory_layout_does_not_matter(fitted, three_blobs):
    """Fortran order, strides and lists give the labels and values of a plain array."""
    X = three_blobs[0]
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist()):
        np.testing.assert_array_equal(fitted.decision_function(other), fitted.decision_function(X))


@pytest.mark.parametrize("method", ["predict", "decision_function", "pair_decisions", "decision_path", "explain"])
def test_estimator_that_is_not_fitted_says_so(method):
    """Every method of an estimator that is not fitted raises NotFittedError."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(dagmar.SVC(), method)(np.zeros((1, 2)))


def test_restructure_needs_a_fitted_estimator():
    """There is no bank to restructure before fit."""
    with pytest.raises(NotFittedError):
        dagmar.SVC().restructure("max_wins")


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.ones(3), "sample_weight and X have incompatible shapes"),
        (np.ones((90, 2)), "incompatible shapes|Sample weights must be 1D"),
        (np.full(90, np.nan), "NaN"),
        (np.zeros(90), "all samples have zero or negative weights"),
    ],
)
def test_bad_weights_are_refused(three_blobs, weight, words):
    """Weights that do not fit the samples are a ValueError in scikit-learn's words."""
    with pytest.raises(ValueError, match=words):
        dagmar.SVC().fit(*three_blobs, sample_weight=weight)


def test_weights_that_leave_one_class_are_refused(three_blobs):
    """With positive weights in one class only, there is nothing to tell apart."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        dagmar.SVC().fit(X, y, sample_weight=(y == 1).astype(float))


def test_no_jobs_is_refused(three_blobs):
    """n_jobs=0 has no meaning."""
    with pytest.raises(ValueError, match="n_jobs == 0"):
        dagmar.SVC(n_jobs=0).fit(*three_blobs)


def test_precomputed_kernels_are_square(three_blobs, fitted):
    """A kernel matrix has a row and a column per training sample; at predict a column per training sample."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="must be a square matrix"):
        dagmar.SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        dagmar.SVC(kernel="precomputed").fit(sp.csr_matrix(X @ X.T), y)
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="90"):
        clf.predict(np.zeros((2, 5)))


def test_callable_kernel_is_the_kernel_it_computes(three_blobs):
    """A function of two sets of samples trains and decides as the named kernel."""
    X, y = three_blobs
    named = dagmar.SVC(kernel="linear").fit(X, y)
    called = dagmar.SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    np.testing.assert_allclose(called.decision_function(X), named.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(called.predict(X[:3]), named.predict(X[:3]))


# -------------------------------------------------- a fit that fails leaves no trace


def state(clf):
    return {name: id(value) for name, value in clf.__dict__.items()}


@pytest.mark.parametrize(
    ("change", "X", "y"),
    [
        ({}, np.full((4, 7), np.nan), [0, 0, 1, 1]),
        ({}, np.zeros((4, 7)), [1, 1, 1, 1]),
        ({"C": -1}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"structure": "dag"}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"structure": dagmar.DDAG(order=[0, 0])}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"C": np.inf}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"kernel": "precomputed"}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"kernel": lambda A, B: 1 / 0}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"class_weight": {9: 1.0}}, np.zeros((4, 7)), [0, 0, 1, 1]),
    ],
)
def test_failing_fit_leaves_the_estimator_as_it_was(three_blobs, fitted, change, X, y):
    """After an error the old model still predicts, with its own number of features."""
    expected = fitted.predict(three_blobs[0])
    old = fitted.get_params(deep=False)
    fitted.set_params(**change)
    before = state(fitted)
    with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
        fitted.fit(X, y)
    assert state(fitted) == before
    fitted.set_params(**{name: old[name] for name in change})
    assert fitted.n_features_in_ == 2
    np.testing.assert_array_equal(fitted.predict(three_blobs[0]), expected)


def test_failing_first_fit_leaves_the_estimator_unfitted():
    """An estimator whose first fit fails is not fitted."""
    clf = dagmar.SVC()
    with pytest.raises(ValueError, match="NaN"):
        clf.fit([[np.nan], [1.0]], [0, 1])
    assert not hasattr(clf, "n_features_in_")
    with pytest.raises(NotFittedError):
        clf.predict([[0.0]])


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
    assert fitted.structure == "ddag"
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
    clf = dagmar.SVC(C=10).fit(X, y)
    first, second, answer = clf.explain([5.1, 0.0]).splitlines()
    assert first.startswith("1. cat beats ant (") or first.startswith("1. ant beats cat (")
    assert second.startswith("2. bee beats ")
    assert answer == "Answer: bee"
    assert clf.explain(X[:1]) == clf.explain(X[0])


def test_explain_tells_values_inside_the_margin(fitted, three_blobs):
    """A step is inside the margin where its value is below one."""
    X, _ = three_blobs
    for x in X:
        _, values = fitted.decision_path(x[None])[0]
        for line, value in zip(fitted.explain(x).splitlines(), values, strict=False):
            assert ("inside the margin" in line) == (abs(value) < 1)


def test_explain_one_vs_rest(three_blobs):
    """With one machine per class, each line tells its value."""
    X, y = three_blobs
    lines = dagmar.SVC(structure="one_vs_rest").fit(X, y).explain(X[0]).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("1. 0 against the rest: ")


def test_explain_takes_one_sample(fitted, three_blobs):
    """More than one sample is an error."""
    with pytest.raises(ValueError, match="explain takes one sample, got 2"):
        fitted.explain(three_blobs[0][:2])


# --------------------------------------------------------- warnings and printing


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


def test_break_ties_goes_with_one_value_per_class(three_blobs):
    """break_ties follows decision_function, and cannot with one value per pair."""
    X, y = three_blobs
    clf = dagmar.SVC(structure="max_wins", break_ties=True).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[clf.decision_function(X).argmax(axis=1)])
    with pytest.raises(ValueError, match="break_ties must be False"):
        clf.set_params(decision_function_shape="ovo").predict(X)


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
    assert structure == "ddag" or f"structure={structure!r}" in repr(clf)
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

INTERRUPTED = """
    import json, os, signal, threading, time
    import numpy as np
    import dagmar

    # A shell that starts the tests in the background has its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    small = rng.normal(size=(40, 2))
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def state(clf):
        return {{name: id(value) for name, value in clf.__dict__.items()}}

    {setup}
    before = state(clf)
    threading.Timer({after}, interrupt).start()
    result = {{"interrupted": False}}
    try:
        {call}
        ended = time.perf_counter()
        threading.Event().wait(1)  # too quick a call: the signal is still to come
    except KeyboardInterrupt:
        ended = time.perf_counter()
        result["interrupted"] = bool(sent)
    result["late"] = ended - sent[0] if sent else None
    result["unchanged"] = state(clf) == before
    result["works"] = len(clf.predict(small)) == 40
    print(json.dumps(result))
"""

SLOW_FIT = """
    clf = dagmar.SVC(C=1e6, gamma=10, n_jobs={n_jobs}).fit(small, np.arange(40) % 2)
    clf.predict(small)
    X = rng.random(({n}, 2))
    y = rng.integers(0, 2, {n})
"""
SLOW_PREDICT = """
    X = rng.random((4000, 2))
    clf = dagmar.SVC(gamma=10, structure="{structure}", precision="double").fit(X, rng.integers(0, 3, 4000))
    clf.predict(small)
    X = rng.random((2_000_000, 2))
"""


def interrupted(setup, call, after):
    """Run a script that interrupts itself, and return what it saw."""
    setup = textwrap.indent(textwrap.dedent(setup), "    ").strip()
    script = textwrap.dedent(INTERRUPTED.format(setup=setup, call=call, after=after))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_interrupted(seen):
    assert seen["interrupted"]
    assert seen["late"] < 0.5
    assert seen["unchanged"]
    assert seen["works"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_fit(n_jobs):
    """Within half a second KeyboardInterrupt is raised, and the old model is still there."""
    assert_interrupted(interrupted(SLOW_FIT.format(n=6000, n_jobs=n_jobs), "clf.fit(X, y)", 1.0))


def test_ctrl_c_stops_a_long_fit_of_few_samples():
    """A small problem can take long, too, and is stopped as quickly."""
    assert_interrupted(interrupted(SLOW_FIT.format(n=900, n_jobs=1), "clf.fit(X, y)", 0.3))


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest"])
@pytest.mark.parametrize("call", ["predict", "decision_function"])
def test_ctrl_c_stops_a_long_predict(structure, call):
    """Within half a second KeyboardInterrupt is raised, and the model still works."""
    seen = interrupted(SLOW_PREDICT.format(structure=structure), f"clf.{call}(X)", 0.4)
    assert_interrupted(seen)
