"""Calibration: the sigmoids are those of values on held-out samples, each fold trained by itself."""

import numpy as np
import pytest
from helpers import blobs, problem_of

from dagmar import SVC
from dagmar.machines.training import TrainSettings
from dagmar.probabilities.calibration import N_FOLDS, SINGLE, calibrate, calibrate_further, deal
from dagmar.probabilities.sigmoid import fit_sigmoids
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.tasks import all_pairs, each_against_rest, some_pairs

TIGHT = TrainSettings(tol=1e-8)


def dealt(y):
    """The fold of each sample, one after the other through the sorted classes."""
    fold = np.zeros(len(y), dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(len(y)) % N_FOLDS
    return fold


def by_hand(X, y, pairs, **parameters):
    """The sigmoids of pairs, from a fit of scikit-learn's kind for each fold and pair."""
    fold, out = dealt(y), []
    for i, j in pairs:
        values, positive = [], []
        for f in range(N_FOLDS):
            inside, outside = ((y == i) | (y == j)) & (fold != f), ((y == i) | (y == j)) & (fold == f)
            clf = SVC(tol=1e-8, **parameters).fit(X[inside], y[inside])
            values.append(clf.pair_decisions(X[outside])[:, 0])
            positive.append(y[outside] == j)
        values, positive = np.concatenate(values), np.concatenate(positive)
        fitted = fit_sigmoids(values, positive, np.ones(len(values)), np.zeros(len(values), dtype=int), 1)
        out.append((fitted.slope[0], fitted.offset[0]))
    return np.array(out).T


@pytest.mark.parametrize("parameters", [{"C": 3.0, "gamma": 0.5}, {"gamma": 0.5, "soft_labels": 5}], ids=str)
def test_sigmoids_are_those_of_separate_fits(parameters):
    """Every fold and pair fitted by itself gives the same sigmoids; so do soft labels, from the neighbours in the fold."""
    X, y = blobs(5, 3, 30, 2, spread=1.5)
    plain = {name: value for name, value in parameters.items() if name != "soft_labels"}
    problem, _ = make_problem(ProblemParameters(tol=1e-8, precision="double", **plain), X, y)
    (found,) = calibrate(problem, all_pairs(3), TIGHT, soft=parameters.get("soft_labels"))
    slope, offset = by_hand(X, y, all_pairs(3).pairs, **parameters)
    np.testing.assert_allclose(found.slope, slope, rtol=1e-4)
    np.testing.assert_allclose(found.offset, offset, rtol=1e-4, atol=1e-5)


def test_every_c_has_its_sigmoids():
    """Several values of C together are each C alone."""
    X, y = blobs(6, 3, 25, 2, spread=1.5)
    Cs = np.array([0.3, 2.0, 20.0])
    together = calibrate(problem_of(X, y, C=1.0, gamma=0.5), all_pairs(3), TIGHT, Cs)
    for C, of_C in zip(Cs, together, strict=True):
        (alone,) = calibrate(problem_of(X, y, C=C, gamma=0.5), all_pairs(3), TIGHT)
        np.testing.assert_allclose(of_C.slope, alone.slope, rtol=1e-4)
        np.testing.assert_allclose(of_C.offset, alone.offset, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_bits_do_not_depend_on_threads_or_memory(n_threads, seven_blobs):
    """Any number of threads and any memory give the same sigmoids, bit for bit."""
    problem = problem_of(*seven_blobs, gamma=0.3)
    (expected,) = calibrate(problem, all_pairs(7), TrainSettings())
    (found,) = calibrate(problem, all_pairs(7), TrainSettings(memory=2.0**20, n_threads=n_threads))
    np.testing.assert_array_equal(found.slope, expected.slope)
    np.testing.assert_array_equal(found.offset, expected.offset)


def test_classes_are_spread_over_the_folds():
    """No class has all its samples in one fold, and the folds are of equal size, however small the classes."""
    y = np.repeat(np.arange(40), 2)
    X = np.random.default_rng(0).normal(size=(80, 2))
    problem, _ = make_problem(ProblemParameters(gamma=1.0), X, y)
    fold = deal(problem)
    np.testing.assert_array_equal(np.bincount(fold), 16)
    assert (fold[::2] != fold[1::2]).all()


def test_samples_without_weight_do_not_count():
    """Samples of weight 0 are in no fold; the sigmoids are those of the others alone."""
    X, y = blobs(7, 3, 20, 2, spread=1.5)
    weight = np.ones(len(y))
    weight[::4] = 0.0
    problem, _ = make_problem(ProblemParameters(gamma=0.5), X, y, weight)
    np.testing.assert_array_equal(deal(problem) < 0, problem.weight == 0)
    (found,) = calibrate(problem, all_pairs(3), TIGHT)
    (alone,) = calibrate(problem_of(X[weight > 0], y[weight > 0], gamma=0.5), all_pairs(3), TIGHT)
    np.testing.assert_allclose(found.slope, alone.slope, rtol=1e-3)


def test_weights_count_but_their_scale_does_not():
    """Sigmoids depend on the weights of the samples, not on the unit of the weights."""
    X, y = blobs(8, 2, 30, 2, spread=2.5)
    weight = np.where(y == 1, 5.0, 1.0)

    def calibrated(weight, C):
        problem, _ = make_problem(ProblemParameters(C=C, gamma=0.5), X, y, weight)
        return calibrate(problem, all_pairs(2), TIGHT)[0]

    heavy, small, plain = calibrated(weight, 1.0), calibrated(weight * 1e-3, 1e3), calibrated(np.ones(60), 1.0)
    np.testing.assert_allclose([heavy.slope, heavy.offset], [small.slope, small.offset], rtol=1e-4)
    assert heavy.of(np.zeros((1, 1))) > plain.of(np.zeros((1, 1)))


def test_a_single_sample_counts_as_on_the_margin():
    """The only sample of a class is held out of no fold; in its sigmoids it has the value of a sample on the margin."""
    X, y = [[0.0], [1.0]], [0, 1]
    problem, _ = make_problem(ProblemParameters(gamma=1.0), X, y)
    assert deal(problem).tolist() == [SINGLE, SINGLE]
    (found,) = calibrate(problem, all_pairs(2), TIGHT)
    # Two samples of weight 1 with targets 2/3 and 1/3 at the values 1 and -1.
    np.testing.assert_allclose(found.of(np.array([[-1.0], [1.0]]))[:, 0], [1 / 3, 2 / 3], rtol=1e-6)


def test_known_sigmoids_are_kept():
    """Machines that were calibrated keep their sigmoids; only others are fitted, and none if all are known."""
    problem = problem_of(*blobs(9, 4, 20, 2, spread=1.5), gamma=0.5)
    (known,) = calibrate(problem, all_pairs(4), TIGHT)
    some = some_pairs([(2, 3), (0, 1)])
    fewer = calibrate_further(known, all_pairs(4), some, None, TIGHT)
    np.testing.assert_array_equal(fewer.slope, known.slope[[5, 0]])
    np.testing.assert_array_equal(fewer.offset, known.offset[[5, 0]])
    assert calibrate_further(known, all_pairs(4), all_pairs(4), None, TIGHT) is known
    others = calibrate_further(known, all_pairs(4), each_against_rest(4), problem, TIGHT)
    (fitted,) = calibrate(problem, each_against_rest(4), TIGHT)
    np.testing.assert_array_equal(others.slope, fitted.slope)


class Told:
    """A watcher that records its calls."""

    def __init__(self):
        self.lots, self.done, self.ended = [], [], 0

    def begin(self, work, n_kept):
        """A lot begins."""
        self.lots.append(len(work))

    def advance(self, machines):
        """Machines are trained."""
        self.done += machines.tolist()

    def end(self):
        """A lot ends."""
        self.ended += 1


@pytest.mark.parametrize("soft", [None, 3])
def test_watchers_are_told_once_of_each_machine(soft):
    """Cross-fitting is one more lot of machines."""
    watcher = Told()
    calibrate(problem_of(*blobs(9, 4, 20, 2), gamma=0.5), all_pairs(4), TIGHT, soft=soft, watchers=[watcher])
    assert (watcher.lots, sorted(watcher.done), watcher.ended) == ([6], list(range(6)), 1)
