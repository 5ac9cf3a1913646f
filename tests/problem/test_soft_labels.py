"""Soft labels against brute force, and machines trained on them."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs, problem_of
from hypothesis import given
from hypothesis import strategies as st
from reference import qp, smo
from reference.kernels import kernel_matrix
from reference.soft_labels import from_distances
from reference.soft_labels import soft_labels as brute
from sklearn.model_selection import GridSearchCV
from tables import real_data

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.problem.soft_labels import soft_labels
from dagmar.problem.tasks import all_pairs, each_against_rest, groups
from dagmar.structures import STRUCTURES

seeds = st.integers(0, 2**32 - 1)


def rows_of(problem, tasks, t):
    """Rows and signs of the samples of a task, in the order soft labels come in."""
    here = slice(tasks.begin[t], tasks.begin[t + 1])
    rows, signs = [], []
    for c, side in zip(tasks.classes[here], tasks.sides[here], strict=True):
        own = problem.order[problem.class_start[c] : problem.class_start[c + 1]].tolist()
        rows += own
        signs += [int(side)] * len(own)
    return np.array(rows), np.array(signs)


def by_samples(X, rows, signs, k):
    return brute(X[rows], signs, k)


def by_distance(distance2, rows, signs, k):
    return from_distances(distance2[np.ix_(rows, rows)].tolist(), signs, k)


def expected_labels(X, problem, tasks, k, label=by_samples):
    """Brute force over each task's samples in the order of the training data, put back in the order of the task."""
    out = []
    for t in range(len(tasks)):
        rows, signs = rows_of(problem, tasks, t)
        by_index = np.argsort(rows)
        labels = np.empty(len(rows))
        labels[by_index] = label(X, rows[by_index], signs[by_index], k)
        out.append(labels)
    return np.concatenate(out)


def cloud(seed, n_classes, sizes, whole=False):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_classes), sizes))
    X = rng.normal(size=(len(y), 2)) + 0.5 * y[:, None]
    return (np.round(X) if whole else X), y


@given(seed=seeds, k=st.integers(1, 12), sizes=st.lists(st.integers(1, 15), min_size=2, max_size=4))
def test_soft_labels_are_those_of_brute_force(seed, k, sizes):
    """For all pairs, the share of + among the k nearest of the pair's own samples, the sample itself first."""
    X, y = cloud(seed, len(sizes), sizes)
    problem, tasks = problem_of(X, y), all_pairs(len(sizes))
    np.testing.assert_allclose(soft_labels(problem, tasks, k), expected_labels(X, problem, tasks, k), atol=1e-12)


@given(seed=seeds, k=st.integers(1, 12), sizes=st.lists(st.integers(1, 30), min_size=2, max_size=3))
def test_ties_in_distance_go_to_the_first_sample(seed, k, sizes):
    """On whole numbers, where many samples are equally far, the one that comes first in the data is nearer."""
    X, y = cloud(seed, len(sizes), sizes, whole=True)
    problem, tasks = problem_of(X, y), all_pairs(len(sizes))
    np.testing.assert_allclose(soft_labels(problem, tasks, k), expected_labels(X, problem, tasks, k), atol=1e-12)


def test_many_equal_samples_are_taken_in_their_order():
    """Of fifty equal samples the first few are the neighbours."""
    X = np.zeros((50, 1))
    y = np.array([0] * 25 + [1] * 25)
    problem, tasks = problem_of(X, y), all_pairs(2)
    found = soft_labels(problem, tasks, 5)
    np.testing.assert_allclose(found, expected_labels(X, problem, tasks, 5), atol=1e-12)


def test_groups_and_rest_have_soft_labels():
    """Tasks of any classes have their neighbours among all their samples."""
    X, y = cloud(1, 4, [10, 8, 12, 9])
    problem = problem_of(X, y)
    for tasks in (each_against_rest(4), groups([([0, 2], [1, 3]), ([3], [0, 1]), ([1], [0])])):
        np.testing.assert_allclose(soft_labels(problem, tasks, 5), expected_labels(X, problem, tasks, 5), atol=1e-12)


def test_one_neighbour_gives_the_plain_labels():
    """With k = 1 it is the sample itself: plus and minus one."""
    X, y = cloud(2, 3, [10, 20, 5], whole=True)
    problem, tasks = problem_of(X, y), all_pairs(3)
    expected = np.concatenate([rows_of(problem, tasks, t)[1] for t in range(3)])
    np.testing.assert_array_equal(soft_labels(problem, tasks, 1), expected)


@pytest.mark.parametrize("k", [7, 8, 100])
def test_more_neighbours_than_samples_is_the_share_of_all(k):
    """With k at or above the number of samples everyone is a neighbour."""
    X, y = cloud(3, 2, [3, 4])
    np.testing.assert_allclose(soft_labels(problem_of(X, y), all_pairs(2), k), 1 / 7)


def test_precomputed_kernel_has_distances_in_kernel_space():
    """For a kernel matrix the distance is that of the images: of a linear kernel, that of the samples."""
    X, y = cloud(4, 3, [12, 9, 14])
    tasks = all_pairs(3)
    problem = problem_of(np.ascontiguousarray(X @ X.T), y, kernel="precomputed")
    np.testing.assert_allclose(soft_labels(problem, tasks, 5), expected_labels(X, problem, tasks, 5), atol=1e-12)
    length = 1.0 + np.arange(len(y)) % 3
    K = kernel_matrix("rbf", X, X) * np.outer(length, length)
    distance2 = np.diag(K)[:, None] + np.diag(K) - 2 * K
    problem = problem_of(np.ascontiguousarray(K), y, kernel="precomputed")
    expected = expected_labels(distance2, problem, tasks, 5, by_distance)
    np.testing.assert_allclose(soft_labels(problem, tasks, 5), expected, atol=1e-12)


def test_sparse_samples_have_the_same_neighbours():
    """Sparse rows give the labels of dense ones."""
    X, y = cloud(5, 3, [20, 20, 20])
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    tasks = all_pairs(3)
    np.testing.assert_array_equal(
        soft_labels(problem_of(sp.csr_matrix(X), y), tasks, 5), soft_labels(problem_of(X, y), tasks, 5)
    )


def test_threads_change_nothing():
    """Neighbours are sought by any number of threads."""
    X, y = blobs(6, 3, 60, 4)
    problem, tasks = problem_of(X, y), all_pairs(3)
    np.testing.assert_array_equal(soft_labels(problem, tasks, 7, 2), soft_labels(problem, tasks, 7, 1))


@pytest.mark.parametrize("tasks", [all_pairs(3), each_against_rest(3)], ids=["pairs", "rest"])
def test_blocks_change_nothing(tasks, monkeypatch):
    """Neighbours are sought for a few samples at a time, so that memory does not grow with the square of the samples."""
    problem = problem_of(*cloud(7, 3, [30, 20, 25], whole=True))
    whole = soft_labels(problem, tasks, 7)
    monkeypatch.setattr("dagmar.problem.soft_labels.DISTANCES_AT_ONCE", 200)
    np.testing.assert_array_equal(soft_labels(problem, tasks, 7), whole)


@pytest.mark.parametrize("name", ["glass", "vowel"])
def test_real_data_is_brute_force(name):
    """On real data, with its equal samples, labels are those of brute force."""
    X, y, _, _ = real_data(name)
    n = len(np.unique(y))
    problem, tasks = problem_of(X, y), groups([([0], [1]), ([1], [n - 1]), ([2], [3])])
    np.testing.assert_allclose(soft_labels(problem, tasks, 11), expected_labels(X, problem, tasks, 11), atol=1e-12)


# -------------------------------------------------------------- through SVC


@pytest.mark.parametrize("structure", STRUCTURES)
def test_one_neighbour_is_the_plain_machine_to_the_bit(structure, seven_blobs):
    """soft_labels=1 trains the machines that None trains."""
    X, y = seven_blobs
    plain = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
    soft = dagmar.SVC(gamma=0.1, structure=structure, soft_labels=1).fit(X, y)
    np.testing.assert_array_equal(soft.bank_.coef, plain.bank_.coef)
    np.testing.assert_array_equal(soft.bank_.bias, plain.bank_.bias)
    np.testing.assert_array_equal(soft.bank_.support, plain.bank_.support)
    np.testing.assert_array_equal(soft.predict(X), plain.predict(X))


def program_of(clf, X, y, k, C, m):
    """Machine m of a bank of pairs: kernel, signs, targets and caps of its samples, lambda and bias."""
    problem, tasks = problem_of(X, y), clf.bank_.tasks
    rows, signs = rows_of(problem, tasks, m)
    by_index = np.argsort(rows)
    rows, signs = rows[by_index], signs[by_index]
    label = brute(X[rows], signs, k)
    coef = np.zeros(len(y))
    here = slice(clf.bank_.begin[m], clf.bank_.begin[m + 1])
    coef[clf.bank_.support[clf.bank_.index[here]]] = clf.bank_.coef[here]
    present = label != 0
    assert (coef[rows[~present]] == 0).all()
    rows, label = rows[present], label[present]
    K = kernel_matrix("rbf", X[rows], X[rows], clf.gamma)
    s, t = np.sign(label), np.abs(label)
    return K, s, t, C / t, coef[rows], clf.bank_.bias[m]


@pytest.mark.parametrize("k", [2, 3, 6, 11])
def test_machines_meet_their_own_kkt_conditions(seven_blobs, k):
    """Every posterior-probability machine is within tol of optimal for targets |y| and caps C / |y|, in float64."""
    X, y = blobs(9, 4, 40, 3, spread=2.5)
    C = 2.0
    clf = dagmar.SVC(C=C, gamma=0.2, soft_labels=k, structure="max_wins").fit(X, y)
    for m in range(6):
        K, s, t, U, coef, bias = program_of(clf, X, y, k, C, m)
        lam = s * coef
        assert (lam >= 0).all()
        assert (lam <= U * (1 + 1e-12)).all()
        assert abs(coef.sum()) < 1e-9
        lam = np.minimum(lam, U)
        lam[lam > U * (1 - 1e-12)] = U[lam > U * (1 - 1e-12)]
        G = smo.gradient(K, s, t, lam)
        top, bottom = smo.extremes(s, U, lam, G)
        assert top - bottom < 1e-3 * (1 + 1e-6)
        gap = smo.primal_value(s, t, U, lam, G, bias) + smo.dual_value(t, lam, G)
        assert -1e-9 <= gap <= 1e-3 * U.sum()


def test_free_samples_have_the_value_of_their_label():
    """A support vector below its cap has exactly the value y."""
    X, y = blobs(10, 2, 60, 2, spread=2.5)
    clf = dagmar.SVC(C=1.0, gamma=0.2, soft_labels=5, tol=1e-9).fit(X, y)
    K, s, t, U, coef, bias = program_of(clf, X, y, 5, 1.0, 0)
    free = (s * coef > 1e-9) & (s * coef < U - 1e-9)
    assert free.sum() > 3
    np.testing.assert_allclose((K @ coef + bias)[free], (s * t)[free], atol=1e-6)


@given(seed=seeds, k=st.sampled_from([2, 3, 4]), C=st.sampled_from([0.3, 1.0, 10.0]))
def test_tiny_problems_have_the_optimum_of_the_oracle(seed, k, C):
    """On six samples the dual value is that of trying every active set."""
    X, y = cloud(seed, 2, [3, 3])
    clf = dagmar.SVC(C=C, gamma=0.5, soft_labels=k, tol=1e-9).fit(X, y)
    K, s, t, U, coef, _ = program_of(clf, X, y, k, C, 0)
    best, _ = qp.solve(K, s, t, U)
    assert 0.5 * coef @ K @ coef - t @ np.abs(coef) == pytest.approx(best, abs=1e-6)
    assert clf.report_.objective[0] == pytest.approx(best, abs=1e-6)


def test_equal_soft_labels_are_a_scaled_machine():
    """If all |y| are c, the machine is c times the plain one with C / c^2."""
    rng = np.random.default_rng(0)
    centres = 20.0 * np.arange(10)[:, None]
    # Triples far apart, two of one class and one of the other: with k = 3 every |y| is 1/3.
    X = (centres + rng.uniform(-0.5, 0.5, size=(10, 3))).ravel()[:, None]
    y = np.array([[0, 0, 1] if c % 2 else [1, 1, 0] for c in range(10)]).ravel()
    flipped = np.repeat([0 if c % 2 else 1 for c in range(10)], 3)
    soft = dagmar.SVC(C=1.0, gamma=0.01, soft_labels=3, tol=1e-9).fit(X, y)
    plain = dagmar.SVC(C=9.0, gamma=0.01, tol=1e-9).fit(X, flipped)
    np.testing.assert_allclose(soft.decision_function(X), plain.decision_function(X) / 3, atol=1e-6)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_structure_takes_soft_labels(structure, seven_blobs):
    """With three neighbours every structure builds, and answers about as well as without."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1, structure=structure, soft_labels=3).fit(X, y)
    plain = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
    assert clf.score(X, y) > plain.score(X, y) - 0.1
    assert not np.array_equal(clf.bank_.bias, plain.bank_.bias)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_pair_of_one_sign_answers_its_class(structure):
    """A lone sample among those of another class is outvoted: their machine, without vectors, answers the other class."""
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(12, 2)), [[0.0, 0.0]], 30 + rng.normal(size=(12, 2))])
    y = np.array([1] * 12 + [0] + [2] * 12)
    clf = dagmar.SVC(gamma=0.1, structure=structure, soft_labels=3).fit(X, y)
    assert set(clf.predict(X)) == {1, 2}
    np.testing.assert_array_equal(clf.predict(X[y > 0]), y[y > 0])
    if clf.bank_.all_pairs:
        assert clf.bank_.begin[1] == clf.bank_.begin[0]
        assert (clf.pair_decisions(X)[:, 0] > 0).all()
    early = dagmar.SVC(gamma=0.1, structure=structure, soft_labels=3).fit(
        X, np.where(y == 0, 2, np.where(y == 1, 0, 1))
    )
    assert 2 not in set(early.predict(X))


def test_samples_of_weight_zero_are_no_neighbours(seven_blobs):
    """A sample of weight zero does not exist: it has no part in the soft labels of others."""
    X, y = seven_blobs
    here = np.arange(len(y)) % 3 != 0
    weighted = dagmar.SVC(gamma=0.1, soft_labels=5, tol=1e-8).fit(X, y, sample_weight=here.astype(float))
    without = dagmar.SVC(gamma=0.1, soft_labels=5, tol=1e-8).fit(X[here], y[here])
    np.testing.assert_allclose(weighted.pair_decisions(X), without.pair_decisions(X), atol=1e-4)


def test_soft_labels_are_a_parameter(seven_blobs):
    """A grid finds the number of neighbours, and nonsense is refused."""
    X, y = seven_blobs
    search = GridSearchCV(dagmar.SVC(gamma=0.1), {"soft_labels": [None, 1, 3]}, cv=3).fit(X, y)
    assert search.best_params_["soft_labels"] in (None, 1, 3)
    for bad in (0, -1, 2.5, "3", True):
        with pytest.raises(InvalidParameterError, match="'soft_labels' parameter of SVC"):
            dagmar.SVC(soft_labels=bad).fit(X, y)


# ----------------------------------------------------------------- a function of the user's


def test_a_function_is_given_the_samples_of_each_machine(seven_blobs):
    """All of X, the rows of the machine's classes, and +1 for the later class; what it returns is trained on."""
    X, y = seven_blobs
    asked = []

    def flip_nothing(given_X, rows, sign):
        asked.append((set(np.unique(y[rows])), set(np.unique(y[rows][sign > 0]))))
        np.testing.assert_array_equal(given_X, X)
        return sign

    told = dagmar.SVC(gamma=0.1, soft_labels=flip_nothing).fit(X, y)
    assert asked == [({i, j}, {j}) for i in range(7) for j in range(i + 1, 7)]
    np.testing.assert_array_equal(
        told.pair_decisions(X), dagmar.SVC(gamma=0.1, soft_labels=1).fit(X, y).pair_decisions(X)
    )


def test_a_function_may_leave_samples_out(three_blobs):
    """A soft label of 0 is as good as a sample that is not there."""
    X, y = three_blobs
    some = np.arange(len(y)) % 3 > 0
    told = dagmar.SVC(gamma=0.1, soft_labels=lambda X, rows, sign: sign * some[rows], tol=1e-8).fit(X, y)
    without = dagmar.SVC(gamma=0.1, tol=1e-8).fit(X[some], y[some])
    np.testing.assert_allclose(told.pair_decisions(X), without.pair_decisions(X), atol=1e-4)
    assert some[told.support_].all()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda X, rows, sign: sign[:-1], r"shape \(60,\), got \(59,\)"),
        (lambda X, rows, sign: 2 * sign, "from -1 to 1"),
        (lambda X, rows, sign: sign * np.nan, "from -1 to 1"),
    ],
)
def test_what_a_function_returns_is_checked(how, words, three_blobs):
    """Too few labels, labels too large and labels that are no numbers are refused."""
    with pytest.raises(ValueError, match=words):
        dagmar.SVC(soft_labels=how).fit(*three_blobs)


def test_a_function_has_no_checkpoint(three_blobs, tmp_path):
    """What it will say cannot be compared with what it said when a folder was begun."""
    with pytest.raises(ValueError, match="checkpoint cannot be kept"):
        dagmar.SVC(soft_labels=lambda X, rows, sign: sign, checkpoint=tmp_path).fit(*three_blobs)


def test_a_search_takes_a_function(three_blobs):
    """The scores are those of the number of neighbours that it stands for."""
    X, y = three_blobs
    grid = {"Cs": [0.5, 2.0], "gammas": [0.1], "cv": 3}
    told = dagmar.SVCCV(**grid, soft_labels=lambda X, rows, sign: sign).fit(X, y)
    one = dagmar.SVCCV(**grid, soft_labels=1).fit(X, y)
    np.testing.assert_array_equal(told.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"])
