"""Hard caps and soft ones, narrow kernels and wide, raw and far-away data: every pair is still solved, as LIBSVM would."""

import warnings
from itertools import product

import numpy as np
import pytest
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning

import dagmar

from .extremes import CLASSES, PLACES, answers, rbf, three_classes

TOL = 1e-3
PRECISIONS = ["auto", "single", "double"]
EPS = np.finfo(float).eps
Cs = [0.01, 1.0, 100.0, 1e4, 1e6]
gammas = [1e-4, 1e-2, 1.0, 10.0, 1e3]
EVERY_CELL = list(product(gammas, Cs))


def libsvm(X, y, C, gamma, max_iter):
    """LIBSVM's answer, solved tightly if it can be: it keeps kernel values in single precision, and may run for ever.

    What it has found by `max_iter` is feasible, which is all that comparing objectives needs.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sklearn.svm.SVC(C=C, gamma=gamma, tol=1e-6, max_iter=max_iter, cache_size=500).fit(X, y)


def faults(mine, theirs):
    """What is wrong with our answer of a pair, in words; theirs is of the same pair."""
    if not mine.gap < TOL + mine.noise:
        yield f"gap {mine.gap:.3g}"
    if abs(mine.coef.sum()) > 1e-12 * max(1.0, np.abs(mine.coef).sum()):
        yield f"coefficients add up to {mine.coef.sum():.3g}"
    lead = mine.objective - theirs.objective  # the lower, the better
    if lead > mine.may_be_behind(theirs) or -lead > theirs.may_be_behind(mine):
        yield f"objectives {mine.objective:.9g} and {theirs.objective:.9g} contradict gaps {mine.gap:.3g} and {theirs.gap:.3g}"
    if lead > 1e-4 * abs(theirs.objective):
        yield f"objective {mine.objective:.9g}, LIBSVM's {theirs.objective:.9g}"


def all_faults(name, place, per_class, max_iter, precisions, cells=EVERY_CELL):
    """What is wrong in any of these precisions, for these gammas and values of C."""
    X, y = three_classes(name, place, per_class)
    for gamma in gammas:
        K = rbf(X, gamma)
        for C in [C for g, C in cells if g == gamma]:
            theirs = list(answers(K, y, C, libsvm(X, y, C, gamma, max_iter)))
            for precision in precisions:
                clf = dagmar.SVC(C=C, gamma=gamma, tol=TOL, precision=precision, structure="max_wins").fit(X, y)
                found = [f"{pair}" for pair in clf.bank_.pairs[~clf.report_.converged]]
                for mine, other in zip(answers(K, y, C, clf), theirs, strict=True):
                    found += faults(mine, other)
                if found:
                    yield f"C={C:g} gamma={gamma:g} {precision}: {'; '.join(found)}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", CLASSES)
def test_every_pair_is_solved(name, place):
    """Feasible, within tol of optimal, and no worse than LIBSVM by more than the gap allows, whatever C and gamma."""
    # Every second cell, others for the next set and place, so that each is tried on half of them. So few samples are never
    # worth single precision: "auto" would be "double" once more.
    cells = EVERY_CELL[(list(CLASSES).index(name) + list(PLACES).index(place)) % 2 :: 2]
    assert list(all_faults(name, place, 50, 20_000, ["single", "double"], cells)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("per_class", "max_iter"), [(50, 20_000), (500, 50_000)])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", CLASSES)
def test_every_pair_is_solved_in_every_cell(name, place, per_class, max_iter):
    """The same in all cells, and for pairs of a thousand samples, of which "auto" solves most in single precision."""
    assert list(all_faults(name, place, per_class, max_iter, PRECISIONS)) == []


@pytest.mark.parametrize("name", ["usps", "mnist"])
def test_multipliers_that_only_grow_leave_scores_that_lost_digits(name):
    """A wide kernel in single precision: the gap that the solver sees is that of its multipliers, not of its sums."""
    X, y = three_classes(name, "scaled", 500)
    clf = dagmar.SVC(C=1e4, gamma=1e-4, tol=TOL, precision="single", structure="max_wins").fit(X, y)
    assert not clf.report_.refined.all()
    found = list(answers(rbf(X, 1e-4), y, 1e4, clf))
    assert max(a.gap - a.noise for a in found) < TOL
    np.testing.assert_allclose(clf.report_.gap, [a.gap for a in found], atol=0.5 * TOL)


# ------------------------------------------------------------- nearly parallel rows

# Kernels by how wide they are, in units of the distance between samples.
KERNELS = {
    "linear": lambda distance: {"kernel": "linear"},
    "narrow rbf": lambda distance: {"kernel": "rbf", "gamma": 0.5 / distance**2},
    "wide rbf": lambda distance: {"kernel": "rbf", "gamma": 1e-5 / distance**2},
}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("shape", [(60, 64), (400, 256)], ids=["small", "large"])
@pytest.mark.parametrize("norm", [1.0, 100.0, 1000.0])
@pytest.mark.parametrize("apart", [1e-4, 1e-6])
@pytest.mark.parametrize("kernel", KERNELS)
def test_nearly_parallel_rows(kernel, apart, norm, shape, precision, rng):
    """Samples of opposite labels that single precision can hardly tell apart are solved all the same, at C = 1e6."""
    middle = rng.normal(size=shape[1])
    middle *= norm / np.linalg.norm(middle)
    X = middle + apart * norm * rng.normal(size=shape) / np.sqrt(shape[1])
    y = np.arange(len(X)) % 3
    clf = dagmar.SVC(C=1e6, precision=precision, structure="max_wins", **KERNELS[kernel](apart * norm)).fit(X, y)
    # Coefficients add up to zero, so that moving the samples moves all scores of a linear kernel alike: near the
    # origin NumPy loses nothing, and the solver centres them.
    K = (X - X[0]) @ (X - X[0]).T if kernel == "linear" else rbf(X, clf.gamma)
    largest = K.max()
    assert clf.report_.converged.all()
    excess = [a.gap - (a.noise + EPS * largest * np.abs(a.coef).sum()) for a in answers(K, y, 1e6, clf)]
    assert max(excess) < TOL
    if precision == "single" and kernel == "wide rbf":
        assert clf.report_.refined.all()
