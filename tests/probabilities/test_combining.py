"""Combining: pairs are coupled, trees multiply along their paths, one against the rest is normalised."""

import numpy as np
import pytest
from helpers import blobs
from reference import coupling as reference

import dagmar
from dagmar import SVC
from dagmar.probabilities.combining import class_probabilities, multiply_along
from dagmar.probabilities.sigmoid import Sigmoids
from dagmar.structures import STRUCTURES
from dagmar.structures.plans import GraphPlan, is_leaf, is_node, leaf_class, list_number

TREES = [
    dagmar.FisherTree(),
    dagmar.CenteredTree(threshold=0.1),
    dagmar.FisherTree(machines="groups"),
    dagmar.CenteredTree(machines="groups"),
]


def along(plan, positive, edge, p=1.0):
    """The probability of each class by following all paths, for one sample."""
    out = np.zeros(plan.n_classes)
    if is_node(edge):
        share = positive[plan.machine[edge]]
        return along(plan, positive, plan.on_negative[edge], p * (1 - share)) + along(
            plan, positive, plan.on_positive[edge], p * share
        )
    if is_leaf(plan.n_classes, edge):
        out[leaf_class(edge)] = p
        return out
    number = list_number(plan.n_classes, edge)
    classes = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]]
    pairs = [positive[plan.machine_of[i, j]] for a, i in enumerate(classes) for j in classes[a + 1 :]]
    if len(classes) == 2:
        out[classes] = p * (1 - pairs[0]), p * pairs[0]
    else:
        out[classes] = p * reference.couple(pairs, len(classes))
    return out


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees_multiply_along_their_paths(tree, seven_blobs, rng):
    """The probability of a class is the sum over the paths to it."""
    X, y = seven_blobs
    clf = SVC(gamma=0.3, structure=tree).fit(X, y)
    positive = rng.uniform(0.01, 0.99, (5, clf.bank_.n_machines))
    expected = [along(clf.plan_, row, clf.plan_.root) for row in positive]
    np.testing.assert_allclose(multiply_along(clf.plan_, positive), expected, rtol=1e-12)


@pytest.mark.parametrize("max_nodes", [1, 4])
@pytest.mark.filterwarnings("ignore:The graph of FisherTree")
def test_lists_of_a_cut_tree_are_coupled(max_nodes, seven_blobs, rng):
    """Where the tree is cut, the pairs of the classes that are left are coupled."""
    X, y = seven_blobs
    clf = SVC(gamma=0.3, structure=dagmar.FisherTree(max_nodes=max_nodes)).fit(X, y)
    assert len(clf.plan_.list_begin) > 1
    positive = rng.uniform(0.01, 0.99, (5, clf.bank_.n_machines))
    expected = [along(clf.plan_, row, clf.plan_.root) for row in positive]
    np.testing.assert_allclose(multiply_along(clf.plan_, positive), expected, atol=1e-9)


@pytest.mark.parametrize("name", sorted(STRUCTURES))
def test_every_structure_has_probabilities(name, seven_blobs):
    """Rows have the sum 1 and follow the rule of the machines: all pairs are coupled, whatever the structure."""
    X, y = seven_blobs
    clf = SVC(gamma=0.3, structure=name, probability=True).fit(X, y)
    found = clf.predict_proba(X[:9])
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    z = clf._model.sigmoids.slope * clf.pair_decisions(X[:9]) + clf._model.sigmoids.offset
    positive = 1 / (1 + np.exp(z))
    if clf.bank_.machine_of_pairs is not None:
        positive = positive[:, clf.bank_.machine_of[np.triu_indices(7, 1)]]
        expected = [reference.couple(row, 7) for row in positive]
    elif isinstance(clf.plan_, GraphPlan):
        expected = [along(clf.plan_, row, clf.plan_.root) for row in positive]
    else:
        expected = positive / positive.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_tree_of_all_pairs_is_coupled_in_any_order():
    """A tree that has all pairs gives the same probabilities whether it trained them or found them in a model."""
    X, y = blobs(2, 3, 30, 2, spread=2.5)
    fitted = SVC(gamma=0.05, structure="fisher_tree", probability=True).fit(X, y)
    found = SVC(gamma=0.05, structure="max_wins", probability=True).fit(X, y).restructure("fisher_tree", X, y)
    assert fitted.bank_.machine_of_pairs is not None
    assert fitted.bank_.all_pairs != found.bank_.all_pairs
    np.testing.assert_array_equal(fitted.predict_proba(X), found.predict_proba(X))


def test_other_machines_are_an_error():
    """Machines that determine no probabilities are refused when probabilities are asked for, not before."""

    class Chain(dagmar.Structure):
        def build(self, workshop):
            plan = dagmar.FisherTree().build(workshop)
            return GraphPlan(3, plan.root, plan.machine, plan.on_negative, plan.on_positive, plan.machine_of)

    X, y = blobs(3, 3, 20, 2, spread=0.3)
    clf = SVC(structure=Chain()).fit(X, y)
    assert clf.bank_.n_machines == 2
    with pytest.raises(ValueError, match="needs machines for all pairs"):
        SVC(structure=Chain(), probability=True).fit(X, y)
    sigmoids = Sigmoids(-np.ones(2), np.zeros(2))
    with pytest.raises(ValueError, match="needs machines for all pairs"):
        class_probabilities(clf.bank_, clf.plan_, sigmoids, clf.pair_decisions(X))
