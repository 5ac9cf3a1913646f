"""Training all machines: threads, memory and repetition do not change a bit; rounding does not hide a gap."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import LEVELS, blobs, letter_like, problem_of, train_bank
from reference import smo
from reference.kernels import kernel_matrix
from scipy.spatial.distance import cdist

import dagmar
from dagmar import _core
from dagmar.machines.overrides import overridden
from dagmar.machines.training import TrainSettings
from dagmar.machines.training import train as train_machines
from dagmar.problem.tasks import all_pairs, each_against_rest

ARRAYS = ["begin", "index", "coef", "bias", "support", "class_start"]


def assert_same_machines(a, b):
    """Two banks are equal to the bit."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def train(data, *, precision="double", memory=2.0**26, n_threads=1, tasks=all_pairs, tol=1e-3, C=5.0, gamma=1.0):
    X, y = data
    problem = problem_of(X, y, C=C, gamma=gamma, precision=precision, tol=tol)
    return train_bank(problem, tasks(problem.n_classes), TrainSettings(tol, -1, memory, n_threads))


@pytest.mark.parametrize("tasks", [all_pairs, each_against_rest])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_do_not_change_a_bit(letters, n_threads, precision, tasks):
    """Machines are the same for one thread and for many."""
    alone, _ = train(letters, precision=precision, tasks=tasks)
    many, _ = train(letters, precision=precision, tasks=tasks, n_threads=n_threads)
    assert_same_machines(alone, many)


@pytest.mark.parametrize("tasks", [all_pairs, each_against_rest])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("megabytes", [0.0001, 0.05, 0.5])
def test_memory_does_not_change_a_bit(letters, megabytes, precision, tasks):
    """Machines are the same when kernel rows have to be computed again and again, and they are solved all the same."""
    with overridden(rows="kept"):  # tasks this small would compute all their rows at once, whatever the memory
        plenty, rich = train(letters, precision=precision, tasks=tasks)
        scarce, poor = train(letters, precision=precision, tasks=tasks, memory=megabytes * 2**20, n_threads=2)
    assert rich.ways["kept"] == poor.ways["kept"] == len(rich.gap)
    assert_same_machines(plenty, scarce)
    assert poor.converged.all()
    np.testing.assert_array_equal(poor.iterations, rich.iterations)
    assert poor.rows_computed.sum() >= rich.rows_computed.sum() + (megabytes < 0.1)


def test_memory_does_not_change_a_bit_where_rows_come_in_batches(rng):
    """With many features, rows are asked for several at a time; that changes nothing either."""
    y = np.arange(480) % 3  # tasks are too large to compute all their rows at once
    X = rng.normal(size=(480, 200)) + 0.3 * np.eye(3, 200)[y]
    plenty, rich = train((X, y), gamma=0.005)
    assert rich.ways["kept"] == 3
    for megabytes in (0.001, 0.05):
        scarce, poor = train((X, y), gamma=0.005, memory=megabytes * 2**20)
        assert_same_machines(plenty, scarce)
        assert poor.rows_computed.sum() > rich.rows_computed.sum()


@pytest.mark.parametrize("tasks", [all_pairs, each_against_rest])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("per_class", [1, 7, 32, 50, 90])
def test_small_tasks_have_the_same_kernel_values_all_at_once_or_row_by_row(rng, per_class, precision, tasks):
    """A small task computes its whole kernel block by symmetry; both ways lead to the same optimum."""
    y = np.repeat(np.arange(5), per_class)
    X = rng.normal(size=(len(y), 90)) + 0.5 * np.eye(5, 90)[y]
    X[::3, 20:] = 0.0  # rows of few nonzeros are multiplied in another way
    found = {}
    for rows in ("small", "kept"):
        with overridden(rows=rows):
            found[rows] = train((X, y), precision=precision, tasks=tasks, gamma=0.01, tol=1e-6)[1]
        assert found[rows].ways[rows] == len(found[rows].gap)
        assert found[rows].converged.all()
    np.testing.assert_allclose(found["small"].objective, found["kept"].objective, rtol=1e-6)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_estimator_is_the_same_for_any_n_jobs_and_cache_size(letters, n_jobs):
    """The public door, too: fitted attributes are equal to the bit."""
    X, y = letters
    first = dagmar.SVC(C=5, gamma=1.0).fit(X, y)
    for cache_size in (0.05, 200):
        other = dagmar.SVC(C=5, gamma=1.0, n_jobs=n_jobs, cache_size=cache_size).fit(X, y)
        assert_same_machines(first.bank_, other.bank_)
        np.testing.assert_array_equal(first.dual_coef_, other.dual_coef_)
        np.testing.assert_array_equal(first.predict(X), other.predict(X))


def test_threads_inside_a_large_pair_do_not_change_a_bit(rng):
    """A thread without a task of its own takes a part of the rows, of the scores and of their refinement."""
    y = np.arange(18_000) % 2
    X = rng.normal(size=(len(y), 20)) + 0.3 * y[:, None]
    problem = problem_of(X, y, C=100.0, gamma=0.05, precision="single", tol=0.05)
    banks = [
        train_bank(problem, all_pairs(2), TrainSettings(0.05, 1500, 2.0**27, n_threads)) for n_threads in (1, 2, 3)
    ]
    for bank, report in banks[1:]:
        assert_same_machines(banks[0][0], bank)
        np.testing.assert_array_equal(report.objective, banks[0][1].objective)


def test_repeated_fits_are_the_same(letters):
    """The same input gives the same model, bit for bit."""
    assert_same_machines(train(letters, n_threads=2)[0], train(letters, n_threads=2)[0])


def test_machine_does_not_depend_on_the_others(letters):
    """A pair is the same machine whether it is trained alone or with all pairs."""
    X, y = letters
    bank, _ = train(letters)
    for i, j in ((0, 1), (2, 7)):
        here = (y == i) | (y == j)
        alone = dagmar.SVC(C=5.0, gamma=1.0, precision="double").fit(X[here], y[here])
        m = bank.machine_of[i, j]
        np.testing.assert_allclose(alone.bank_.bias[0], bank.bias[m], atol=2e-3)
        np.testing.assert_allclose(alone.report_.objective[0], train(letters)[1].objective[m], rtol=1e-4)


def test_counts_are_plausible(letters):
    """Rows are computed once with memory enough, and all at once where they are few."""
    X, y = letters
    for n_classes in (8, 2):
        labels = y % n_classes
        bank, report = train((X, labels))
        in_pair = np.array([(labels == i).sum() + (labels == j).sum() for i, j in bank.pairs])
        assert (report.rows_computed > 0).all()
        if n_classes == 8:
            assert (in_pair <= 256).all()
            np.testing.assert_array_equal(report.rows_computed, in_pair)
        else:
            assert (in_pair > 256).all()
            assert (report.rows_computed <= in_pair).all()
            assert (report.rows_reused > report.rows_computed).all()  # a working set hands half of its samples on
        assert (report.gap < 1e-3).all()
        assert (report.seconds >= 0).all()
        assert report.converged.all()
        assert not report.refined.any()


def test_scarce_memory_costs_rows(letters):
    """With next to no memory, rows are computed more often, never more than two per step."""
    _, poor = train(letters, memory=1.0)
    assert (poor.rows_computed <= 2 * poor.iterations).all()
    assert (poor.rows_reused >= 0).all()


def test_machines_too_coarse_for_single_precision_are_refined(letters):
    """A tight tol in single precision is met by scores in double, or by going on in double, and the report says so."""
    X, y = letters
    y = y % 2  # one task of all samples, which is solved by working sets
    for tol in (1e-6, 1e-7, 1e-11):
        clf = dagmar.SVC(C=5, gamma=1.0, precision="single", tol=tol).fit(X, y)
        assert clf.report_.converged.all()
        assert clf.report_.refined.all()
        assert clf.report_.in_double.any() == (tol == 1e-11)
        assert clf.bank_.precision == ("double" if tol == 1e-11 else "single")
        fine = dagmar.SVC(C=5, gamma=1.0, precision="double", tol=tol).fit(X, y)
        np.testing.assert_allclose(clf.pair_decisions(X), fine.pair_decisions(X), atol=1e-4)
        np.testing.assert_allclose(clf.report_.objective, fine.report_.objective, rtol=1e-6)


@pytest.mark.parametrize("n_threads", [2, 3])
def test_refined_machines_do_not_depend_on_threads_or_memory(letters, n_threads):
    """Where some machines need double precision and others do not, threads and memory change nothing either."""
    X, y = letters
    mixed = np.where((y < 2) & (np.arange(len(y)) % 3 == 0), 1 - y, y)  # classes 0 and 1 run into their caps
    first, report = train((X, mixed), precision="single", tol=1e-5)
    other, _ = train((X, mixed), precision="single", tol=1e-5, n_threads=n_threads, memory=2.0**15)
    assert 0 < report.refined.sum() < len(report.refined)
    assert_same_machines(first, other)


def test_sparse_samples_do_not_depend_on_threads_or_memory(letters):
    """Sparse data trains to the same bits in any way, and to the machines of the dense data within tol."""
    X, y = letters
    rows = sp.csr_matrix(X)
    first, _ = train((rows, y))
    other, _ = train((rows, y), n_threads=2, memory=2.0**15)
    assert_same_machines(first, other)
    np.testing.assert_allclose(first.bias, train(letters)[0].bias, atol=5e-3)


def test_many_small_classes_train_in_threads():
    """Sixty classes of a few samples: 1770 machines, the same for any number of threads."""
    data = letter_like(seed=6, n_classes=60, per_class=5)
    assert_same_machines(train(data, n_threads=1)[0], train(data, n_threads=3, memory=2.0**16)[0])


@pytest.mark.parametrize("tasks", [all_pairs, each_against_rest])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_machine_has_the_same_bits_in_any_company(letters, precision, tasks):
    """Some of the tasks, in another order, train to the very machines of all tasks: a training can be taken up."""
    X, y = letters
    mixed = np.where((y < 2) & (np.arange(len(y)) % 3 == 0), 1 - y, y)  # some machines need double precision
    problem = problem_of(X, mixed, C=5.0, precision=precision, tol=1e-5)
    every = tasks(problem.n_classes)
    whole = train_machines(problem, every, TrainSettings(1e-5))
    for some in (np.arange(len(every))[::-3], np.array([1])):
        for n_threads, memory in ((1, 2.0**26), (2, 2.0**15)):
            part = train_machines(problem, every.select(some), TrainSettings(1e-5, -1, memory, n_threads))
            for name in ("begin", "sample", "coef", "bias"):
                np.testing.assert_array_equal(getattr(part, name), getattr(whole.select(some), name), err_msg=name)


def true_gaps(X, y, C, gamma, tol, alike=None):
    """The gaps, computed in double precision, of the machines that were solved in single precision.

    `alike`: samples at the same distances as X, of fewer features.
    """
    alike = X if alike is None else alike
    problem = problem_of(X, y, C=C, gamma=gamma, precision="single", tol=tol)
    machines = train_machines(problem, all_pairs(problem.n_classes), TrainSettings(tol))
    gaps = []
    for m in np.flatnonzero(machines.report.in_double == 0):
        first, second = machines.tasks.pairs[m]
        entries = slice(machines.begin[m], machines.begin[m + 1])
        coef = np.zeros(len(y))
        coef[problem.order[machines.sample[entries]]] = machines.coef[entries]
        rows = np.flatnonzero((y == first) | (y == second))
        s = np.where(y[rows] == second, 1.0, -1.0)
        lam = s * coef[rows]
        G = smo.gradient(kernel_matrix("rbf", alike[rows], alike[rows], gamma=gamma), s, np.ones(len(rows)), lam)
        top, bottom = smo.extremes(s, np.full(len(rows), C), lam, G)
        gaps.append(top - bottom)
    return np.array(gaps)


@pytest.mark.parametrize("gamma", [0.05, 0.5])
def test_true_gap_is_below_tol_where_rounding_hides_a_part(gamma):
    """Rounding of kernel values in single precision hides up to a fifth of these gaps; the solver allows for it."""
    tol = 6e-6
    gaps = np.concatenate([true_gaps(*letter_like(seed, 8, 120), 1.0, gamma, tol) for seed in range(4)])
    assert len(gaps) > 80
    assert (gaps < tol).all()


@pytest.mark.parametrize("tol", [1e-5, 1.5e-5])
def test_true_gap_is_below_tol_where_working_sets_end_just_below_it(tol):
    """Machines of more than 256 samples end anywhere below their goal, so that what rounding hides decides."""
    gaps = np.concatenate([true_gaps(*letter_like(seed, 6, 200), 1.0, 1.0, tol) for seed in range(6)])
    assert len(gaps) > 80
    assert (gaps < tol).all()
    assert (gaps > 0.5 * tol).any()


@pytest.mark.parametrize("per_class", [25, 120])
def test_true_gap_is_below_tol_where_scores_were_refined(per_class):
    """Machines that single precision is too coarse for are solved in it all the same, once their scores are refined."""
    tol = 1e-4
    X, y = letter_like(3, 6, per_class)
    y = np.where(np.arange(len(y)) % 4 == 0, (y + 1) % 6, y)  # many samples at their caps
    problem = problem_of(X, y, C=300.0, gamma=0.05, precision="single", tol=tol)
    report = train_machines(problem, all_pairs(6), TrainSettings(tol)).report
    assert report.refined.sum() >= 2
    assert not report.in_double.any()
    gaps = true_gaps(X, y, 300.0, 0.05, tol)
    assert (gaps < tol).all()
    np.testing.assert_allclose(report.gap, gaps, atol=tol)


def test_true_gap_is_below_tol_where_most_kernel_values_are_nearly_zero():
    """The estimated error of kernel values is also right for the samples near each other, which support a machine."""
    tol = 3e-4
    gaps = true_gaps(*blobs(8, n_classes=8, per_class=120, n_features=3, spread=3.0), 100.0, 0.5, tol)
    assert (gaps < tol).all()


@pytest.mark.parametrize("n_features", [4, 40, 300])
def test_large_overlapping_pair(n_features):
    """Visits to the active samples, and a refinement of the samples that count alone.

    The true gap is below tol, and memory and threads do not change a bit. Rows of 4 features are computed again rather than
    kept, those of 300 are not.
    """
    tol, n = 1e-3, 2600
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(n, 3))  # in a corner of the space of all features
    X = Z @ np.linalg.qr(rng.normal(size=(n_features, 3)))[0].T
    y = (Z[:, 0] + rng.normal(size=n) > 0).astype(int)
    C, gamma = 200.0, 0.3
    problem = problem_of(X, y, C=C, gamma=gamma, precision="single", tol=tol)
    found = train_machines(problem, all_pairs(2), TrainSettings(tol))
    assert found.report.refined.all()
    assert found.report.converged.all()
    assert not found.report.in_double.any()
    assert found.report.ways["visits"] > 0
    (gap,) = true_gaps(X, y, C, gamma, tol, alike=Z)
    assert gap < tol
    np.testing.assert_allclose(found.report.gap, gap, atol=0.1 * tol)
    for megabytes, n_threads in ((0.01, 1), (9.0, 2), (2000.0, 2)):
        again = train_machines(problem, all_pairs(2), TrainSettings(tol, -1, megabytes * 2**20, n_threads))
        assert again.coef.tobytes() == found.coef.tobytes()
        assert again.sample.tobytes() == found.sample.tobytes()
        assert again.bias.tobytes() == found.bias.tobytes()


def test_rows_that_get_more_memory_once_many_were_dropped(rng):
    """Rows of few products begin with little memory. If that is too small, they get as much as the budget allows.

    In double precision this takes a pair of about 3700 samples, half of which have a weight.
    """
    y = np.arange(3750) % 2
    weight = (np.arange(len(y)) < 1880).astype(float)
    X = rng.normal(size=(len(y), 8))
    problem = problem_of(X, y, C=1e5, gamma=2.0, tol=1e-6, weight=weight)
    scarce, plenty = (
        train_machines(problem, all_pairs(2), TrainSettings(1e-6, -1, megabytes * 2**20)) for megabytes in (0.01, 128.0)
    )
    assert len(scarce.coef) > 1860
    assert plenty.coef.tobytes() == scarce.coef.tobytes()
    assert plenty.bias.tobytes() == scarce.bias.tobytes()
    assert plenty.report.ways["kept"] == 1
    assert plenty.report.rows_computed[0] < scarce.report.rows_computed[0]


@pytest.mark.parametrize(
    ("kernel", "precision"), [("rbf", "single"), ("rbf", "double"), ("poly", "single"), ("linear", "single")]
)
def test_streamed_rows(kernel, precision, rng):
    """Rows of few products of a pair of more than 5500 samples are added to the scores as they are computed.

    The true gap is below tol, and memory, threads and the width of registers do not change a bit.
    """
    tol, n = 1e-2, 5600
    X = np.zeros((n, 24))
    X[:, :4] = rng.normal(size=(n, 4))
    X[::3, 4:] = 0.1 * rng.normal(size=(len(X[::3]), 20))  # the other samples have few nonzeros
    y = (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)
    problem = problem_of(X, y, C=2.0, kernel=kernel, gamma=0.3, coef0=1.0, degree=2, precision=precision, tol=tol)
    found = train_machines(problem, all_pairs(2), TrainSettings(tol))
    assert found.report.ways["streamed"] == 1
    assert found.report.converged.all()
    order = problem.order
    s, lam = np.where(y[order] == 1, 1.0, -1.0), np.zeros(len(y))
    lam[found.sample] = np.abs(found.coef)
    Z = X[order]
    if kernel == "rbf":
        K = np.exp(-0.3 * cdist(Z[found.sample], Z, "sqeuclidean"))
    else:
        K = kernel_matrix(kernel, Z[found.sample], Z, gamma=0.3, coef0=1.0, degree=2)
    top, bottom = smo.extremes(s, np.full(len(y), 2.0), lam, s * (found.coef @ K) - 1.0)
    assert top - bottom < tol
    np.testing.assert_allclose(found.report.gap, top - bottom, atol=0.1 * tol)
    wide = [level for level in LEVELS if level != _core.Level.plain]
    others = [TrainSettings(tol, -1, 2.0**20 * megabytes, 2) for megabytes in (0.01, 1000.0)]
    for settings in [*others, *(TrainSettings(tol, level=level) for level in wide)]:
        again = train_machines(problem, all_pairs(2), settings)
        assert again.coef.tobytes() == found.coef.tobytes()
        assert again.bias.tobytes() == found.bias.tobytes()


def test_long_streamed_rows(rng):
    """Idle threads compute parts of a row of more than 32,768 samples. The true gap is below tol; no bit depends on them."""
    tol, n, gamma, C = 1e-2, 33_000, 0.5, 1.0
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + 0.2 * rng.normal(size=n) > 0).astype(int)
    problem = problem_of(X, y, C=C, gamma=gamma, precision="single", tol=tol)
    alone, helped = (train_machines(problem, all_pairs(2), TrainSettings(tol, n_threads=threads)) for threads in (1, 2))
    assert alone.report.ways["streamed"] == 1
    assert helped.coef.tobytes() == alone.coef.tobytes()
    assert helped.bias.tobytes() == alone.bias.tobytes()
    Z, s, lam = X[problem.order], np.where(y[problem.order] == 1, 1.0, -1.0), np.zeros(n)
    lam[alone.sample] = np.abs(alone.coef)
    values = np.concatenate(
        [np.exp(-gamma * cdist(part, Z[alone.sample], "sqeuclidean")) @ alone.coef for part in np.array_split(Z, 16)]
    )
    top, bottom = smo.extremes(s, np.full(n, C), lam, s * values - 1.0)
    assert top - bottom < tol
    np.testing.assert_allclose(alone.report.gap, top - bottom, atol=0.1 * tol)


def test_the_pool_of_some_lists():
    """The samples that are named, where each class begins among them, and where each entry is among them."""
    order, class_start = np.arange(10, 17, dtype=np.int64), np.array([0, 3, 5, 7], dtype=np.int64)
    support, start, index = _core.pool(np.array([5, 2, 5, 0], dtype=np.int32), order, class_start)
    assert (support.tolist(), start.tolist(), index.tolist()) == ([10, 12, 15], [0, 2, 2, 3], [2, 1, 2, 0])
    for sample in (-1, 7):
        with pytest.raises(ValueError, match="a sample that there is not"):
            _core.pool(np.array([sample], dtype=np.int32), order, class_start)
    for end in (-1, 8):
        with pytest.raises(ValueError, match="class_start is outside"):
            _core.pool(np.array([0], dtype=np.int32), order, np.array([0, end]))
