"""From X, y, weights and parameters to a problem."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import dagmar
from dagmar.problem.making import Learned, ProblemParameters, make_problem
from dagmar.problem.validation import Columns


def test_parameters_are_those_of_svc():
    """Every parameter of a problem is one of `SVC`, with the same default."""
    defaults = dagmar.SVC().get_params()
    assert {name: defaults[name] for name in vars(ProblemParameters())} == vars(ProblemParameters())
    assert ProblemParameters.of(dagmar.SVC(C=7, gamma=0.5)) == ProblemParameters(C=7, gamma=0.5)


@given(st.integers(2, 5), st.integers(0, 2**16))
def test_samples_are_sorted_by_class(n_classes, seed):
    """The order puts class after class, keeps the given order within a class, and caps go with their samples."""
    rng = np.random.default_rng(seed)
    labels = np.array(["e", "b", "d", "a", "c"])[:n_classes]
    y = np.concatenate([labels, rng.choice(labels, 20)])
    weight = rng.uniform(0.5, 2.0, len(y))
    problem, learned = make_problem(ProblemParameters(C=3.0, gamma=1.0), rng.normal(size=(len(y), 2)), y, weight)
    np.testing.assert_array_equal(learned.classes, np.sort(labels))
    class_of = np.searchsorted(learned.classes, y)
    expected = np.array(sorted(range(len(y)), key=lambda i: (class_of[i], i)))
    np.testing.assert_array_equal(problem.order, expected)
    np.testing.assert_allclose(problem.cap, 3.0 * weight[expected])
    np.testing.assert_array_equal(problem.weight, weight[expected])


def test_balanced_classes_have_caps_by_their_sizes():
    """class_weight="balanced" multiplies C by n / (n_classes * size), as in scikit-learn."""
    y = np.array([0, 0, 0, 1])
    problem, learned = make_problem(ProblemParameters(C=2.0, class_weight="balanced"), np.arange(4.0)[:, None], y)
    np.testing.assert_allclose(learned.class_weight, [4 / 6, 2.0])
    np.testing.assert_allclose(problem.cap, 2.0 * np.array([4 / 6, 4 / 6, 4 / 6, 2.0]))


def test_known_classes_keep_their_numbers():
    """With `known`, classes are numbered in that order, and other labels are refused."""
    X, y = np.arange(4.0)[:, None], np.array(["b", "a", "c", "a"])
    problem, learned = make_problem(ProblemParameters(gamma=1.0), X, y, known=np.array(["c", "a", "b"]))
    assert learned.classes.tolist() == ["c", "a", "b"]
    assert problem.order.tolist() == [2, 1, 3, 0]
    with pytest.raises(ValueError, match="labels that this model does not know"):
        make_problem(ProblemParameters(), X, y, known=np.array(["a", "b", "d"]))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], [1, 1], "number of classes has to be greater than one; got 1 class"),
        ([[0.0], [np.nan]], [0, 1], "dbtc does not accept missing values"),
        ([[0.0], [1.0]], [0.5, 1.5], "Unknown label type"),
        ([[0.0], [1.0]], [0, 1, 1], "inconsistent numbers of samples"),
    ],
)
def test_bad_data_is_refused_in_the_name_of_the_owner(X, y, message):
    """Errors are scikit-learn's, and name who was called."""
    with pytest.raises(ValueError, match=message):
        make_problem(ProblemParameters(), X, y, owner="dbtc")


def test_columns_are_learned():
    """Number and names of the features are kept; a data frame's names too."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"wide": [0.0, 1.0], "tall": [1.0, 0.0]})
    _, learned = make_problem(ProblemParameters(), frame, [0, 1])
    assert learned.columns.names.tolist() == ["wide", "tall"]
    assert learned.shape_fit == (2, 2)
    with pytest.raises(ValueError, match="feature names"):
        learned.check(frame[["tall", "wide"]], np.zeros((1, 2)), "rbf")


def test_callable_kernel_keeps_its_samples():
    """A callable kernel is evaluated once for training, and has its samples for prediction."""
    X, y = [[1.0], [2.0], [5.0]], [0, 1, 1]
    problem, learned = make_problem(ProblemParameters(kernel=lambda A, B: np.asarray(A) @ np.asarray(B).T), X, y)
    np.testing.assert_array_equal(problem.X, np.outer([1.0, 2.0, 5.0], [1.0, 2.0, 5.0]))
    assert learned.columns is None
    np.testing.assert_array_equal(learned.check([[3.0]], None, "precomputed"), [[3.0, 6.0, 15.0]])


def test_sparse_rows_are_put_in_order():
    """Entries that stand twice or out of order are added up and sorted; the user's matrix is not changed."""
    X = sp.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    before = X.data.copy()
    problem, _ = make_problem(ProblemParameters(gamma=1.0), X, [0, 1])
    assert problem.X.has_canonical_format
    np.testing.assert_array_equal(problem.X.toarray(), [[2.0, 4.0], [0.0, 0.0]])
    np.testing.assert_array_equal(X.data, before)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_threads_do_not_change_a_problem(rng, kernel):
    """Norms and the measurement of single precision are the same bits for any number of threads."""
    X, y = rng.normal(size=(700, 600)), np.arange(700) % 3
    parameters = ProblemParameters(kernel=kernel, gamma=0.001)
    alone, _ = make_problem(parameters, X, y)
    together, _ = make_problem(parameters, X, y, n_threads=3)
    assert alone.precision == together.precision == "single"
    assert alone.kernel == together.kernel
    assert (alone.kernel_error, alone.double_error) == (together.kernel_error, together.double_error)


def test_learned_arrays_are_frozen():
    """What a fit learned cannot be written to."""
    learned = Learned(np.array([0, 1]), np.ones(2), (4, 3), Columns("SVC", 3))
    with pytest.raises(ValueError, match="read-only"):
        learned.classes[0] = 5
