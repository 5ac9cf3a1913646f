"""Traffic of samples through a structure, against counts by hand."""

import numpy as np
import pytest

import dagmar
from dagmar.explorer.traffic import closest_calls, traffic
from dagmar.structures.plans import is_node


@pytest.fixture(scope="module")
def fitted(seven_blobs):
    X, y = seven_blobs
    return {name: dagmar.SVC(structure=name).fit(X, y) for name in STRUCTURES}


STRUCTURES = ["ddag", "fisher_tree", "max_wins", "and_gate", "adaptive_ddag", "bracket", "one_vs_rest"]


def of(clf, X):
    path = clf.decision_path(X)
    return path, traffic(clf.bank_, clf.plan_, path), closest_calls(clf.bank_, clf.plan_, path)


@pytest.mark.parametrize("name", ["ddag", "fisher_tree"])
def test_graph_traffic_is_that_of_a_walk(name, fitted, seven_blobs):
    """Each node has as many samples as a walk with a loop leads through it, and their lower median."""
    X, _ = seven_blobs
    clf = fitted[name]
    path, found, closest = of(clf, X)
    plan, seen = clf.plan_, {}
    for _, values in path:
        edge = plan.root
        for value in values:
            seen.setdefault((edge, int(value >= 0)), []).append(abs(value))
            edge = (plan.on_positive if value >= 0 else plan.on_negative)[edge]
        assert not is_node(edge)
    for node in range(len(plan.machine)):
        for side in (0, 1):
            sizes = sorted(seen.get((node, side), []))
            assert found.counts[node, side] == len(sizes)
            assert found.margins[node, side] == (sizes[(len(sizes) - 1) // 2] if sizes else 0.0)
    assert np.array_equal(closest, [np.abs(values).min() for _, values in path])


@pytest.mark.parametrize("name", ["max_wins", "and_gate", "adaptive_ddag"])
def test_votes_count_machines(name, fitted, seven_blobs):
    """Each machine has as many samples as consulted it; the answer's meetings say how close a vote was."""
    X, _ = seven_blobs
    clf = fitted[name]
    path, found, closest = of(clf, X)
    positive = np.bincount(path.machines[path.values >= 0], minlength=clf.bank_.n_machines)
    assert np.array_equal(found.counts[:, 1], positive)
    assert found.counts.sum() == len(path.machines)
    for k, (machines, values) in enumerate(path):
        met = (clf.bank_.pairs[machines] == path.answers[k]).any(axis=1)
        assert closest[k] == np.abs(values[met] if name != "adaptive_ddag" else values).min()


def test_bracket_counts_games(fitted, seven_blobs):
    """Every sample plays every game; the last game is won by the answer."""
    X, _ = seven_blobs
    clf = fitted["bracket"]
    path, found, _ = of(clf, X)
    assert found.counts.shape == (6, 2)
    assert (found.counts.sum(axis=1) == len(path)).all()
    # The first game: class 0 against class 6.
    assert found.counts[0].tolist() == np.bincount(path.values[path.begin[:-1]] >= 0, minlength=2).tolist()
    # The final, replayed: its machine is that of the answer and another class.
    final = clf.bank_.pairs[path.machines[path.begin[1:] - 1]]
    assert (final == path.answers[:, None]).any(axis=1).all()


def test_poll_counts_wins_and_leads(fitted, seven_blobs):
    """Each class has the samples that it wins, and by how much the next value is smaller."""
    X, _ = seven_blobs
    clf = fitted["one_vs_rest"]
    path, found, closest = of(clf, X)
    assert np.array_equal(found.counts[:, 1], np.bincount(path.answers, minlength=7))
    values = np.sort(clf.pair_decisions(X), axis=1)
    np.testing.assert_allclose(closest, values[:, -1] - values[:, -2])


def test_lists_have_no_nodes(seven_blobs):
    """Samples that end in a list of a cut graph are counted at the nodes before it."""
    X, y = seven_blobs
    with pytest.warns(UserWarning, match="max_nodes=2"):
        clf = dagmar.SVC(structure=dagmar.DivideAndConquer(max_nodes=2)).fit(X, y)
    _, found, closest = of(clf, X)
    assert found.counts.shape[0] == len(clf.plan_.machine)
    assert found.counts[0].sum() == len(X)
    assert (closest >= 0).all()
