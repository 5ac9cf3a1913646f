"""Cross-fitting: every fold and every C together is every fold and every C alone."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import problem_of
from reference import smo
from reference.kernels import kernel_matrix

import dagmar
from dagmar.machines.cross_fitting import FoldFacts, FoldWorkshop, HeldOut, cross_fit, cross_values, variants
from dagmar.machines.folds import Fold, split
from dagmar.machines.training import TrainSettings, assemble, train, train_variants
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.separation import similarity
from dagmar.problem.tasks import all_pairs, each_against_rest

CS = np.array([0.5, 4.0, 32.0])


def caps_of(folds, problem):
    """The caps of folds, in the order of the problem."""
    return np.array([fold.cap[problem.order] for fold in folds])


@pytest.fixture(scope="module")
def crossed(seven_blobs):
    """Three folds of a problem, cross-fitted with tight tol, with the values on samples held out."""
    X, y = seven_blobs
    problem, _ = make_problem(ProblemParameters(gamma=0.3, precision="double"), X, y)
    folds = [
        Fold.of(inside, outside, y, np.arange(7), None, np.ones(len(y))) for inside, outside in split(3, y, None, None)
    ]
    settings = TrainSettings(tol=1e-6)
    return problem, folds, settings, cross_fit(problem, all_pairs(7), settings, folds, CS, outside=True)


@pytest.mark.parametrize("machines_of", [all_pairs, each_against_rest])
def test_every_machine_is_optimal_whatever_it_started_from(machines_of, seven_blobs):
    """KKT within tol, recomputed for every fold and C; no sample held out has a multiplier."""
    X, y = seven_blobs
    Cs, tol, gamma = np.array([0.1, 1.0, 3.0, 50.0, 1000.0]), 1e-4, 0.3
    problem = problem_of(X, y, gamma=gamma)
    parts = split(3, y, None, None)
    folds = [Fold.of(train, test, y, np.arange(7), "balanced", np.ones(len(y))) for train, test in parts]
    tasks = machines_of(7)
    trained, _ = train_variants(problem, tasks, TrainSettings(tol=tol), variants(caps_of(folds, problem), Cs))
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


def test_machines_are_those_of_each_fold_alone(crossed):
    """Objective values agree with a training of the fold's own samples, whatever the machine started from."""
    problem, folds, settings, trained = crossed
    for fold, machines in zip(folds, trained, strict=True):
        own = FoldFacts(problem, fold).problem
        for C, together in zip(CS, machines.machines, strict=True):
            alone = train(replace(own, cap=C * own.cap), all_pairs(7), settings)
            np.testing.assert_allclose(together.report.objective, alone.report.objective, rtol=1e-6)
            np.testing.assert_allclose(together.bias, alone.bias, atol=1e-3)


def test_no_sample_held_out_is_a_support_vector(crossed):
    """Machines of a fold use its training samples only."""
    problem, folds, _, trained = crossed
    for fold, machines in zip(folds, trained, strict=True):
        for some in machines.machines:
            assert not np.isin(problem.order[some.sample], fold.test).any()


def test_values_outside_are_those_of_the_machines(crossed, seven_blobs):
    """`HeldOut` says which machine and which sample each value is about; the bank of the fold gives the same values."""
    problem, folds, _, trained = crossed
    X, y = seven_blobs
    tasks = all_pairs(7)
    for fold, machines in zip(folds, trained, strict=True):
        held_out = HeldOut.of(problem, caps_of([fold], problem), tasks)
        rows = problem.order[held_out.place]
        assert set(rows.tolist()) == set(fold.test.tolist())
        np.testing.assert_array_equal(y[rows] == tasks.pairs[held_out.machine, 1], held_out.positive)
        for some, values in zip(machines.machines, machines.outside, strict=True):
            expected = assemble(problem, some).values(X)[rows, held_out.machine]
            np.testing.assert_allclose(values, expected, atol=1e-9)


def test_values_alone_are_those_that_come_with_machines(crossed):
    """`cross_values` gives the values of `cross_fit` to the bit; entries of several folds follow each other."""
    problem, folds, settings, trained = crossed
    tasks, cap = all_pairs(7), caps_of(folds, problem)
    values = cross_values(problem, tasks, settings, cap, cap, CS)
    for of_fold, machines in zip(values, trained, strict=True):
        for alone, together in zip(of_fold, machines.outside, strict=True):
            np.testing.assert_array_equal(alone, together)
    every = HeldOut.of(problem, cap, tasks)
    single = [HeldOut.of(problem, of_fold[None], tasks) for of_fold in cap]
    for name in ("machine", "place", "positive"):
        np.testing.assert_array_equal(getattr(every, name), np.concatenate([getattr(one, name) for one in single]))


def test_held_out_samples_of_groups(seven_blobs):
    """With one class against the rest, every machine has all samples held out, class after class."""
    X, y = seven_blobs
    problem, _ = make_problem(ProblemParameters(gamma=0.3), X, y)
    train_rows, test_rows = split(4, y, None, None)[0]
    fold = Fold.of(train_rows, test_rows, y, np.arange(7), None, np.ones(len(y)))
    held_out = HeldOut.of(problem, caps_of([fold], problem), each_against_rest(7))
    for c in range(7):
        mine = held_out.machine == c
        rows = problem.order[held_out.place[mine]]
        np.testing.assert_array_equal(np.sort(rows), np.sort(test_rows))
        np.testing.assert_array_equal(held_out.positive[mine], y[rows] == c)


def test_variants_start_from_the_smaller_C_of_their_fold(crossed):
    """Caps grow along C within a fold, and each fold starts afresh."""
    problem, folds, _, _ = crossed
    plan = variants(caps_of(folds, problem), CS)
    assert plan.start.tolist() == [-1, 0, 1, -1, 3, 4, -1, 6, 7]
    np.testing.assert_allclose(plan.ratio, np.tile([1.0, 8.0, 8.0], 3))
    np.testing.assert_allclose(plan.cap[4], 4.0 * folds[1].cap[problem.order])


def test_finished_tasks_are_told(crossed):
    """Every task is reported once, when it is done on all folds and for all C."""
    problem, folds, settings, _ = crossed
    told = []
    cross_fit(problem, all_pairs(7), settings, folds, CS, finished=lambda tasks: told.extend(tasks.tolist()))
    assert sorted(told) == list(range(21))


def test_workshop_of_a_fold_finds_facts_once(crossed):
    """Similarity and moments are the fold's own, found once for all C; missing machines are trained on the fold."""
    problem, folds, settings, trained = crossed
    facts = FoldFacts(problem, folds[0])
    labels = np.arange(7)
    first = FoldWorkshop(labels, settings, facts, CS[0], trained[0].machines[0])
    second = FoldWorkshop(labels, settings, facts, CS[1], trained[0].machines[1])
    assert first.similarity() is second.similarity()
    assert first.moments is second.moments
    np.testing.assert_allclose(first.similarity(), similarity(facts.problem))
    assert not first.trained_more
    first.train(each_against_rest(7))
    assert first.trained_more
    assert not np.isin(first.bank.support, folds[0].test).any()


@pytest.mark.parametrize("structure", ["ddag", "fisher_tree"])
def test_scores_of_a_search_are_those_of_fits_alone(structure, seven_blobs):
    """A search over folds gives the accuracy of separate fits on each fold."""
    X, y = seven_blobs
    parts = split(3, y, None, None)
    search = dagmar.SVCCV(Cs=CS, gammas=[0.3], cv=parts, structure=structure, tol=1e-6, refit=False).fit(X, y)
    for f, (inside, outside) in enumerate(parts):
        alone = [
            dagmar.SVC(C=C, gamma=0.3, structure=structure, tol=1e-6).fit(X[inside], y[inside]) for C in CS.tolist()
        ]
        expected = [clf.score(X[outside], y[outside]) for clf in alone]
        np.testing.assert_allclose(search.cv_results_[f"split{f}_test_score"], expected, atol=0.011)
