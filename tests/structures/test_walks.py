"""Following a plan, over kernel machines and over any others."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import decide as native_decide
from helpers import dialled_pairs, dialled_rest, random_bank, random_patterns

from dagmar.machines.estimator_bank import EstimatorBank
from dagmar.problem.tasks import all_pairs
from dagmar.structures import STRUCTURES, as_structure, walks
from dagmar.structures.plans import GraphPlan, leaf_edge, list_edge

OVER_PAIRS = ["max_wins", "and_gate", "ddag", "bracket"]


def dialled_estimators(n_classes, tasks=None):
    """Estimators of which machine m has the value x[m] on sample x, as a dialled bank has."""
    tasks = all_pairs(n_classes) if tasks is None else tasks
    machines = [SimpleNamespace(decision_function=lambda X, m=m: np.asarray(X)[:, m]) for m in range(len(tasks))]
    return EstimatorBank(tasks, machines, np.full(n_classes, 5))


@pytest.mark.parametrize("structure", OVER_PAIRS)
@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
def test_both_kinds_of_machines_walk_the_same_way(structure, n_classes):
    """With the same values, classifiers of any kind reach the answers and paths that the core reaches."""
    values = random_patterns(7, n_classes, 60, zeros=0.1)
    kernel, others = dialled_pairs(n_classes), dialled_estimators(n_classes)
    plan = as_structure(structure).plan(kernel)
    np.testing.assert_array_equal(walks.decide(kernel, plan, values), walks.decide(others, plan, values))
    mine, theirs = walks.trace(kernel, plan, values), walks.trace(others, plan, values)
    for name in ("begin", "machines", "values", "answers"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def test_polls_ask_everyone():
    """A poll asks every machine once, and the largest value wins."""
    values = np.random.default_rng(3).normal(size=(20, 4))
    kernel = dialled_rest(4)
    others = dialled_estimators(4, kernel.tasks)
    plan = as_structure("one_vs_rest").plan(kernel)
    for bank in (kernel, others):
        path = walks.trace(bank, plan, values)
        np.testing.assert_array_equal(walks.decide(bank, plan, values), np.argmax(values, axis=1))
        np.testing.assert_array_equal(path.machines.reshape(20, 4), np.tile(np.arange(4), (20, 1)))
        np.testing.assert_array_equal(path.values.reshape(20, 4), values)


@pytest.mark.parametrize("structure", OVER_PAIRS)
def test_answers_end_the_paths(structure, rng):
    """The answers of `decide` are those at the end of the paths of `trace`, for any number of threads."""
    bank = random_bank(5, 6)
    plan = as_structure(structure).plan(bank)
    X = rng.normal(size=(150, 6))
    path = walks.trace(bank, plan, X, 2)
    np.testing.assert_array_equal(walks.decide(bank, plan, X, 1), path.answers)
    np.testing.assert_array_equal(native_decide(bank, plan, X), path.answers)


def test_blocks_make_no_difference(monkeypatch):
    """Samples in many small blocks take the same paths as all at once."""
    values = random_patterns(9, 5, 700)
    bank = dialled_estimators(5)
    plan = as_structure("ddag").plan(bank)
    whole = walks.trace(bank, plan, values)
    monkeypatch.setattr(walks, "WALKS_AT_ONCE", 1)
    parts = walks.trace(bank, plan, values)
    for name in ("begin", "machines", "values", "answers"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@pytest.mark.parametrize("batch", [1, 100])
@pytest.mark.parametrize("listed", [False, True])
def test_root_may_be_a_leaf(listed, batch):
    """A graph without a node gives one answer without asking, over machines of either kind; so does a list of one class."""
    none = np.zeros(0, dtype=np.int64)
    plan = GraphPlan(3, list_edge(3, 0) if listed else leaf_edge(1), none, none, none, dialled_pairs(3).machine_of)
    plan = replace(plan, list_begin=np.array([0, 1], dtype=np.int64), list_classes=np.array([1], dtype=np.int32))
    values = random_patterns(0, 3, batch)
    for bank in (dialled_pairs(3), dialled_estimators(3)):
        np.testing.assert_array_equal(walks.decide(bank, plan, values), np.ones(batch))
        path = walks.trace(bank, plan, values)
        np.testing.assert_array_equal(path.answers, np.ones(batch))
        np.testing.assert_array_equal(path.begin, np.zeros(batch + 1))
        assert len(path.machines) == len(path.values) == 0


def test_other_objects_are_refused():
    """A plan can be followed over the two kinds of bank, and nothing else."""
    bank = random_bank(1, 3)
    plan = as_structure("max_wins").plan(bank)
    with pytest.raises(TypeError, match="a Bank or an EstimatorBank, not SimpleNamespace"):
        walks.decide(SimpleNamespace(), plan, np.zeros((1, 6)))


def test_every_structure_name_is_known():
    """The list of structures over pairs here names structures that exist."""
    assert set(OVER_PAIRS) <= set(STRUCTURES)
