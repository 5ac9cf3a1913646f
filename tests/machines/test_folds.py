"""Folds: who trains and who is held out, and the problems that follow."""

import numpy as np
import pytest
from helpers import pose
from hypothesis import given
from hypothesis import strategies as st
from reference import smo
from reference.kernels import kernel_matrix
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.class_weight import compute_class_weight

from dagmar.machines.folds import SEED, Fold, split, variants
from dagmar.machines.training import TrainSettings, train_variants
from dagmar.problem.samples import ByClass
from dagmar.problem.tasks import all_pairs, each_against_rest


@pytest.mark.parametrize("machines_of", [all_pairs, each_against_rest])
def test_every_machine_is_optimal_whatever_it_started_from(machines_of, seven_blobs):
    """KKT within tol, recomputed for every fold and C; no sample held out has a multiplier."""
    X, y = seven_blobs
    Cs, tol, gamma = np.array([0.1, 1.0, 3.0, 50.0, 1000.0]), 1e-4, 0.3
    problem = pose(X, y, gamma=gamma)
    parts = split(3, y, None, None)
    folds = [Fold.of(train, test, y, np.arange(7), "balanced", np.ones(len(y))) for train, test in parts]
    tasks = machines_of(7)
    trained, _ = train_variants(problem, tasks, TrainSettings(tol=tol), variants(folds, Cs, problem))
    assert len(trained) == len(folds) * len(Cs)
    X, y = X[problem.order], y[problem.order]
    K = kernel_matrix("rbf", X, X, gamma)
    for v, machines in enumerate(trained):
        cap = Cs[v % len(Cs)] * folds[v // len(Cs)].cap[problem.order]
        for t in range(len(tasks)):
            here = slice(tasks.begin[t], tasks.begin[t + 1])
            side = np.zeros(7)
            side[tasks.classes[here]] = tasks.sides[here]
            s = side[y]
            lam = np.zeros(len(y))
            own = slice(machines.begin[t], machines.begin[t + 1])
            lam[machines.sample[own]] = s[machines.sample[own]] * machines.coef[own]
            assert (lam >= 0).all()
            assert (lam <= cap * (1 + 1e-12)).all()
            assert abs(s @ lam) <= 1e-9 * (1 + lam.sum())
            inside = (s != 0) & (cap > 0)
            score = smo.gradient(K[np.ix_(inside, inside)], s[inside], np.ones(inside.sum()), lam[inside])
            top, bottom = smo.extremes(s[inside], cap[inside], lam[inside], score)
            assert top - bottom <= 1.01 * tol


def test_folds_are_scikit_learns():
    """Numbers, splitters, indices and masks give the folds that scikit-learn gives; a share is one stratified hold-out."""
    y = np.arange(60) % 3
    listed = list(StratifiedKFold(4).split(y, y))
    masks = [(np.isin(np.arange(60), train), np.isin(np.arange(60), test)) for train, test in listed]
    for cv in (4, StratifiedKFold(4), listed, iter(listed), masks):
        for ours, theirs in zip(split(cv, y, None, None), listed, strict=True):
            np.testing.assert_array_equal(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])
    for random_state in (None, 5):
        seed = SEED if random_state is None else random_state
        ((train, test),) = split(0.3, y, None, random_state)
        ((train_, test_),) = StratifiedShuffleSplit(1, test_size=0.3, random_state=seed).split(y, y)
        np.testing.assert_array_equal(train, train_)
        np.testing.assert_array_equal(test, test_)


@given(seed=st.integers(0, 2**32 - 1), class_weight=st.sampled_from([None, "balanced", {0: 3.0, 2: 0.5}]))
def test_caps_are_those_of_a_fit_on_the_training_part(seed, class_weight):
    """A cap is the sample's weight times its class's, as often as it is named; 0 for one that is held out."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 27)])
    weight = rng.choice([0.5, 1.0, 2.0], 30)
    train, test = np.concatenate([np.arange(3), rng.integers(0, 20, 15)]), np.arange(20, 30)
    fold = Fold.of(train, test, y, np.arange(3), class_weight, weight)
    of_class = compute_class_weight(class_weight, classes=np.arange(3), y=y[train])
    np.testing.assert_allclose(fold.class_weight, of_class)
    expected = np.zeros(30)
    for i in train:
        expected[i] += weight[i] * of_class[y[i]]
    np.testing.assert_allclose(fold.cap, expected)
    np.testing.assert_allclose(fold.weight, weight * np.bincount(train, minlength=30))
    assert fold.complete


def test_fold_without_a_class_is_not_complete():
    """It says which classes it has; one class alone cannot be trained on."""
    y = np.array([0, 0, 1, 1, 2])
    fold = Fold.of(np.arange(4), np.array([4]), y, np.array(list("abc")), "balanced", np.ones(5))
    assert fold.present.tolist() == [True, True, False]
    assert not fold.complete
    with pytest.raises(ValueError, match="one class only"):
        Fold.of(np.arange(2), np.array([4]), y, np.array(list("abc")), None, np.ones(5))
    with pytest.raises(ValueError, match="no sample of positive weight"):
        Fold.of(np.arange(4), np.array([4]), y, np.array(list("abc")), None, np.array([1.0, 1, 1, 1, 0]))


def test_problems_of_a_fold_start_from_the_next_smaller_c():
    """Fold after fold along increasing C, each from the one before it; the first of a fold starts from nothing."""
    y = np.arange(12) % 2
    by_class = ByClass.sort(y, 2, np.ones(12))
    folds = [Fold.of(train, test, y, np.arange(2), None, np.ones(12)) for train, test in split(3, y, None, None)]
    made = variants(folds, np.array([1.0, 4.0, 6.0]), by_class)
    assert made.start.tolist() == [-1, 0, 1, -1, 3, 4, -1, 6, 7]
    assert made.ratio.tolist() == 3 * [1.0, 4.0, 1.5]
    np.testing.assert_array_equal(made.cap[4], 4.0 * folds[1].cap[by_class.order])
