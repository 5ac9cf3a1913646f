"""DDAG: the plan, its list form, and Platt's triangle are one function."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import (
    decide,
    dialled_pairs,
    every_pattern,
    random_patterns,
    trace,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import ddag
from sklearn.base import clone

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.structures import DDAG, as_structure
from dagmar.structures.ddag import order_of

BATCHES = [1, 5, 30, 200]


def follow(plan, values):
    """Walk a graph plan in plain Python: the answer and the machines met."""
    edge, met = plan.root, []
    while edge >= 0:
        met.append(int(plan.machine[edge]))
        edge = int((plan.on_positive if values[met[-1]] >= 0 else plan.on_negative)[edge])
    return -1 - edge, met


def machines_of(bank, pairs):
    return [int(bank.machine_of[a, b]) for a, b in pairs]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_plan_is_the_list_form_on_every_pattern(n_classes):
    """On all 2^K outcomes, plan, list, triangle and core give one answer by one path."""
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
    """Random outcomes, with zeros, in a random order of the classes: plan, list and core agree."""
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
    """Node p of a layer leads to nodes p and p + 1 of the next; below the last stand the leaves, one per class."""
    plan = DDAG().plan(dialled_pairs(n_classes))
    number = {node: k for k, node in enumerate(sorted(ddag.triangle(n_classes)))}
    for node, (_, if_i, if_j) in ddag.triangle(n_classes).items():
        expected = [number.get(after, -after[1]) for after in (if_i, if_j)]
        assert [plan.on_negative[number[node]], plan.on_positive[number[node]]] == expected


@given(n_classes=st.integers(2, 9), data=st.data())
def test_every_class_can_be_the_answer(n_classes, data):
    """Each class is reachable, and is the answer where it wins all its pairs, in any order."""
    order = data.draw(st.permutations(range(n_classes)))
    bank = dialled_pairs(n_classes)
    winner_takes_all = np.array([[1.0 if j == c else -1.0 for _, j in bank.pairs] for c in range(n_classes)])
    answers = decide(bank, DDAG(order=order).plan(bank), winner_takes_all)
    np.testing.assert_array_equal(answers, np.arange(n_classes))


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [1, 2, 3], [[0, 1, 2]], "abc", 3, ["a", "b", "c"], [0, None, 2], [0.5, 1, 2]]
)
def test_bad_order_is_refused(order, three_blobs):
    """An order that is no permutation of the classes is an error that names the parameter."""
    with pytest.raises(InvalidParameterError, match=r"'order' parameter of DDAG must be a permutation of 0 \.\.\. 2"):
        dagmar.SVC(structure=DDAG(order=order)).fit(*three_blobs)


def test_parameters_follow_scikit_learn():
    """A structure has parameters, clones, prints, and is reached as structure__order."""
    structure = DDAG(order=[2, 0, 1])
    assert structure.get_params() == {"order": [2, 0, 1]}
    assert clone(structure).order == [2, 0, 1]
    assert repr(structure) == "DDAG(order=[2, 0, 1])"
    assert repr(DDAG()) == "DDAG()"
    clf = dagmar.SVC(structure=structure).set_params(structure__order=[0, 1, 2])
    assert clf.get_params()["structure__order"] == [0, 1, 2]
    assert as_structure("ddag").get_params() == {"order": None}


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_the_order_is_read_from_a_plan(n_classes):
    """`order_of` returns the list that a triangle was made from; the order of two classes makes no difference."""
    rng = np.random.default_rng(n_classes)
    for _ in range(5):
        order = rng.permutation(n_classes)
        plan = DDAG(order=order).plan(dialled_pairs(n_classes))
        found = order_of(plan)
        np.testing.assert_array_equal(
            np.sort(found) if n_classes == 2 else found, np.sort(order) if n_classes == 2 else order
        )


def test_other_graphs_have_no_order(seven_blobs):
    """A tree is no triangle, nor is one with two edges exchanged, nor one that begins elsewhere."""
    assert order_of(dagmar.SVC(structure="fisher_tree").fit(*seven_blobs).plan_) is None
    plan = DDAG().plan(dialled_pairs(5))
    assert order_of(replace(plan, on_negative=plan.on_positive, on_positive=plan.on_negative)) is None
    assert order_of(replace(plan, root=1)) is None
    assert order_of(replace(plan, machine=plan.machine[::-1].copy())) is None


def test_plans_in_the_usual_order_share_their_arrays():
    """Arrays of the ascending order are made once for few classes; they are those of the order written out."""
    usual, again = (DDAG().plan(dialled_pairs(5)) for _ in range(2))
    written = DDAG(order=range(5)).plan(dialled_pairs(5))
    assert usual is not again
    for name in ("machine", "on_negative", "on_positive", "machine_of"):
        assert getattr(usual, name) is getattr(again, name)
        assert not getattr(usual, name).flags.writeable
        np.testing.assert_array_equal(getattr(usual, name), getattr(written, name))
