"""DDAG: the plan, its list form and Platt's triangle give the same answers."""

import numpy as np
import pytest
from helpers import (
    decide,
    dialled_pairs,
    dialled_rest,
    every_pattern,
    random_bank,
    random_patterns,
    trace,
    transitive_patterns,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import ddag
from reference.kernels import machine_values
from sklearn.base import clone

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingMachinesError
from dagmar.structures import DDAG, as_structure
from dagmar.structures.plans import is_node, leaf_class

BATCHES = [1, 5, 30, 200]


def follow(plan, values):
    """Walk a graph plan in plain Python; return the answer and the machines consulted."""
    edge, met = plan.root, []
    while is_node(edge):
        met.append(int(plan.machine[edge]))
        edge = int((plan.on_positive if values[met[-1]] >= 0 else plan.on_negative)[edge])
    return leaf_class(edge), met


def machines_of(bank, pairs):
    return [int(bank.machine_of[a, b]) for a, b in pairs]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_plan_is_the_list_form_on_every_pattern(n_classes):
    """On all 2^K outcomes, plan, list, triangle and core give the same answer by the same path."""
    bank = dialled_pairs(n_classes)
    plan = DDAG().plan(bank)
    patterns = every_pattern(n_classes)
    answers, paths = trace(bank, plan, patterns)
    np.testing.assert_array_equal(decide(bank, plan, patterns), answers)
    for values, answer, path in zip(patterns, answers, paths, strict=True):
        verdict = verdict_of(values, n_classes)
        listed, met = ddag.list_form(range(n_classes), verdict)
        assert (listed, met) == ddag.walk(n_classes, verdict)
        assert (answer, path) == (listed, machines_of(bank, met))
        assert follow(plan, values) == (answer, path)
        assert DDAG().eliminate(n_classes, verdict) == answer


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_plan_is_the_list_form_in_any_order(n_classes, seed, data):
    """On random outcomes, with zeros and a random order of the classes, plan, list and core agree."""
    order = data.draw(st.permutations(range(n_classes)))
    bank, structure = dialled_pairs(n_classes), DDAG(order=order)
    plan = structure.plan(bank)
    patterns = random_patterns(seed, n_classes, 40)
    answers, paths = trace(bank, plan, patterns)
    np.testing.assert_array_equal(decide(bank, plan, patterns), answers)
    for values, answer, path in zip(patterns, answers, paths, strict=True):
        verdict = verdict_of(values, n_classes)
        listed, met = ddag.list_form(order, verdict)
        assert (answer, path) == (listed, machines_of(bank, met))
        assert follow(plan, values) == (answer, path)
        assert structure.eliminate(n_classes, verdict) == answer


@pytest.mark.parametrize("n_classes", [2, 3, 7, 26])
def test_consults_one_machine_less_than_classes(n_classes):
    """Every path has N - 1 machines."""
    bank = dialled_pairs(n_classes)
    _, paths = trace(bank, DDAG().plan(bank), random_patterns(0, n_classes, 50))
    assert {len(path) for path in paths} == {n_classes - 1}


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
def test_node_of_a_pair_stands_where_platt_has_it(n_classes):
    """Counting from 1, the pair (i, j) is node i of layer N - j + i."""
    bank = dialled_pairs(n_classes)
    plan = DDAG().plan(bank)
    assert len(plan.machine) == n_classes * (n_classes - 1) // 2
    for i in range(1, n_classes + 1):
        for j in range(i + 1, n_classes + 1):
            layer = n_classes - j + i
            node = layer * (layer - 1) // 2 + i - 1
            assert plan.machine[node] == bank.machine_of[i - 1, j - 1]


@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_edges_are_those_of_the_triangle(n_classes):
    """Node p of a layer leads to nodes p and p + 1 of the next; below the last layer are the leaves, one per class."""
    plan = DDAG().plan(dialled_pairs(n_classes))
    number = {node: k for k, node in enumerate(sorted(ddag.triangle(n_classes)))}
    for node, (_, if_i, if_j) in ddag.triangle(n_classes).items():
        expected = [number.get(after, -after[1]) for after in (if_i, if_j)]
        assert [plan.on_negative[number[node]], plan.on_positive[number[node]]] == expected


@given(n_classes=st.integers(2, 9), data=st.data())
def test_every_class_can_be_the_answer(n_classes, data):
    """Each class is reachable, and is the answer if it wins all its pairs, in any order."""
    order = data.draw(st.permutations(range(n_classes)))
    bank = dialled_pairs(n_classes)
    winner_takes_all = np.array([[1.0 if j == c else -1.0 for _, j in bank.pairs] for c in range(n_classes)])
    answers = decide(bank, DDAG(order=order).plan(bank), winner_takes_all)
    np.testing.assert_array_equal(answers, np.arange(n_classes))


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1))
def test_transitive_tournaments_are_won_by_their_first_class(n_classes, seed):
    """If verdicts follow a hidden order of the classes, its first class is the answer for any order of the list."""
    patterns, first = transitive_patterns(seed, n_classes, 30)
    bank = dialled_pairs(n_classes)
    order = np.random.default_rng(seed).permutation(n_classes)
    np.testing.assert_array_equal(decide(bank, DDAG().plan(bank), patterns), first)
    np.testing.assert_array_equal(decide(bank, DDAG(order=order).plan(bank), patterns), first)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_core_decides_as_the_reference(n_classes, batch, precision, rng):
    """On random machines, where champions are rare, batches of any size get the answers of the list form."""
    bank = random_bank(n_classes, n_classes, precision=precision)
    X = rng.normal(size=(batch, 6))
    values = machine_values(bank, X)
    order = rng.permutation(n_classes)
    plan = DDAG(order=order).plan(bank)
    expected = [ddag.list_form(order, verdict_of(v, n_classes))[0] for v in values]
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), expected)
    np.testing.assert_array_equal(trace(bank, plan, X)[0], expected)


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [1, 2, 3], [[0, 1, 2]], "abc", 3, ["a", "b", "c"], [0, None, 2], [0.5, 1, 2]]
)
def test_bad_order_is_refused(order, three_blobs):
    """An order that is not a permutation of the classes raises an error that names the parameter."""
    with pytest.raises(InvalidParameterError, match=r"'order' parameter of DDAG must be a permutation of 0 \.\.\. 2"):
        dagmar.SVC(structure=DDAG(order=order)).fit(*three_blobs)


def test_bank_without_pairs_is_refused():
    """A bank of other machines raises an error that names the missing machines."""
    with pytest.raises(MissingMachinesError, match="each of the 6 pairs"):
        DDAG().plan(dialled_rest(4))


def test_parameters_follow_scikit_learn():
    """The structure has parameters, can be cloned and printed, and its order can be set as structure__order."""
    structure = DDAG(order=[2, 0, 1])
    assert structure.get_params() == {"order": [2, 0, 1]}
    assert clone(structure).order == [2, 0, 1]
    assert repr(structure) == "DDAG(order=[2, 0, 1])"
    assert repr(DDAG()) == "DDAG()"
    clf = dagmar.SVC(structure=structure).set_params(structure__order=[0, 1, 2])
    assert clf.get_params()["structure__order"] == [0, 1, 2]
    assert as_structure("ddag").get_params() == {"order": None}
