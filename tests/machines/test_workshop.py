"""The workshop: machines trained once, on demand, and facts about the classes."""

import numpy as np
import pytest
from helpers import as_double, problem_of, train_bank, values_of
from reference.kernels import kernel_matrix
from sklearn.svm import SVC

import dagmar
from dagmar.base.exceptions import MissingDataError, MissingMachinesError
from dagmar.machines import workshop as module
from dagmar.machines.training import TrainSettings
from dagmar.machines.workshop import Workshop
from dagmar.problem.tasks import all_pairs, each_against_rest, groups, some_pairs
from dagmar.structures import Structure

LABELS = np.array(["ant", "bee", "cat", "dog", "eel", "fox", "gnu"])


@pytest.fixture
def problem(seven_blobs):
    return problem_of(*seven_blobs, gamma=0.1)


@pytest.fixture
def lots(monkeypatch):
    """The tasks of every lot that is trained from here on."""
    trained, train = [], module.train

    def watched(problem, tasks, *rest):
        trained.append(tasks.keys())
        return train(problem, tasks, *rest)

    monkeypatch.setattr(module, "train", watched)
    return trained


def pair(i, j):
    return (i,), (j,)


def test_each_task_is_trained_once(problem, lots):
    """Asked again, in another order or with others, a machine is not trained again and keeps its place."""
    shop = Workshop(LABELS, problem, TrainSettings())
    assert shop.train(some_pairs([(0, 1), (2, 5)])).tolist() == [0, 1]
    assert shop.train(some_pairs([(2, 5), (0, 3), (0, 1)])).tolist() == [1, 2, 0]
    assert shop.train(groups([([0, 1], [2]), ([0], [3])])).tolist() == [3, 2]
    assert shop.train(groups([([1, 0], [2])])).tolist() == [3]
    assert lots == [[pair(0, 1), pair(2, 5)], [pair(0, 3)], [((0, 1), (2,))]]
    assert shop.bank.n_machines == len(shop.report.iterations) == 4
    assert shop.bank.tasks.keys() == [pair(0, 1), pair(2, 5), pair(0, 3), ((0, 1), (2,))]


@pytest.mark.parametrize("before", [0, 1])
def test_same_task_twice_in_a_lot_is_one_machine(problem, lots, before):
    """A lot that asks the same twice gets one machine, in the first lot as in a later one."""
    shop = Workshop(LABELS, problem, TrainSettings())
    if before:
        shop.train(some_pairs([(3, 4)]))
    places = shop.train(some_pairs([(0, 1), (2, 5), (0, 1)])).tolist()
    assert places[0] == places[2] != places[1]
    assert sum(lot.count(pair(0, 1)) for lot in lots) == 1
    assert shop.train(some_pairs([(0, 1)])).tolist() == [places[0]]
    assert shop.bank.n_machines == before + 2


def test_same_sides_swapped_are_another_task(problem):
    """A question with its sides swapped is not the same machine."""
    shop = Workshop(LABELS, problem, TrainSettings())
    assert shop.train(groups([([0], [1]), ([1], [0])])).tolist() == [0, 1]
    np.testing.assert_allclose(shop.bank.bias[0], -shop.bank.bias[1], atol=1e-3)


def test_lots_make_the_machines_of_one_lot(problem):
    """Machines trained lot by lot are those trained at once, to the bit."""
    at_once, _ = train_bank(problem, all_pairs(7), TrainSettings())
    shop = Workshop(LABELS, problem, TrainSettings())
    order = np.random.default_rng(0).permutation(21)
    for part in np.split(order, [3, 4, 15]):
        shop.train(all_pairs(7).select(part))
    shop.keep(shop.train(all_pairs(7)))
    for name in ("begin", "index", "coef", "bias", "support", "class_start", "vectors"):
        np.testing.assert_array_equal(getattr(shop.bank, name), getattr(at_once, name))
    assert shop.bank.precision == at_once.precision


def test_train_only_has_these_machines_and_no_others(problem):
    """Whatever was there before, also if a task occurs twice."""
    for before in ([], [(0, 1)], [(2, 5), (0, 3), (0, 1)]):
        for tasks in ([(0, 3), (0, 1)], [(0, 1), (0, 1)]):
            shop = Workshop(LABELS, problem, TrainSettings())
            if before:
                shop.train(some_pairs(before))
            shop.train_only(some_pairs(tasks))
            assert shop.bank.pairs.tolist() == [list(pair) for pair in tasks]


def test_keep_renumbers(problem):
    """The machines kept are numbered as given; the rest are gone, from the report and the pool too."""
    shop = Workshop(LABELS, problem, TrainSettings())
    shop.train(all_pairs(7))
    whole, report = shop.bank, shop.report
    shop.keep(np.array([20, 3, 7]))
    assert shop.bank.pairs.tolist() == whole.pairs[[20, 3, 7]].tolist()
    np.testing.assert_array_equal(shop.bank.bias, whole.bias[[20, 3, 7]])
    np.testing.assert_array_equal(shop.report.iterations, report.iterations[[20, 3, 7]])
    assert set(shop.bank.index.tolist()) == set(range(shop.bank.n_vectors))
    X = problem.X[:50]
    np.testing.assert_allclose(
        values_of(as_double(shop.bank), X), values_of(as_double(whole), X)[:, [20, 3, 7]], rtol=1e-9, atol=1e-9
    )


def test_trains_again_after_keep(problem, lots):
    """A machine that was dropped is trained again if asked for; one that was kept is not."""
    shop = Workshop(LABELS, problem, TrainSettings())
    shop.train(some_pairs([(0, 1), (0, 2), (1, 2)]))
    shop.keep(np.array([2, 0]))
    assert shop.train(some_pairs([(0, 1), (1, 2), (0, 2)])).tolist() == [1, 0, 2]
    assert lots[-1] == [pair(0, 2)]


def test_without_data_only_machines_at_hand(problem):
    """Without a problem, machines there are may be used; others, dropping some, and facts of data are errors."""
    bank, report = train_bank(problem, some_pairs([(0, 1), (2, 3)]), TrainSettings())
    shop = Workshop(LABELS, None, TrainSettings(), bank=bank, report=report)
    assert shop.train(some_pairs([(2, 3)])).tolist() == [1]
    assert shop.bank is bank
    assert shop.report is report
    shop.keep(np.array([0, 1]))
    with pytest.raises(MissingMachinesError, match="1 machines that the structure needs are not in this model"):
        shop.train(some_pairs([(0, 1), (0, 2)]))
    with pytest.raises(MissingMachinesError, match="training data"):
        shop.keep(np.array([1]))
    for ask in (
        lambda: shop.class_totals,
        lambda: shop.moments,
        lambda: shop.similarity(),
        lambda: shop.predictions(np.array([0])),
    ):
        with pytest.raises(MissingDataError, match="pass X and y"):
            ask()
    np.testing.assert_allclose(shop.norm2, report.norm2)


def test_norms_are_known_from_bank_or_report(problem):
    """Squared norms come from the report, or from the bank where the report does not know them."""
    from dataclasses import replace

    bank, report = train_bank(problem, all_pairs(7), TrainSettings(tol=1e-6))
    unknown = replace(report, norm2=None)
    shop = Workshop(LABELS, None, TrainSettings(), bank=bank, report=unknown)
    np.testing.assert_allclose(shop.norm2, report.norm2, rtol=1e-6)
    V = bank.vectors[bank.index[: bank.begin[1]]]
    coef = bank.coef[: bank.begin[1]]
    assert bank.norm2[0] == pytest.approx(coef @ kernel_matrix("rbf", V, V, 0.1) @ coef, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_samples", [None, 6])
def test_predictions_are_a_loop_over_samples_and_machines(seven_blobs, weighted, max_samples):
    """Counts of positive samples by class, by weight, for some machines in any order."""
    X, y = seven_blobs
    weight = 1.0 + np.arange(len(y)) % 4 if weighted else np.ones(len(y))
    problem = problem_of(X, y, gamma=0.1, weight=weight)
    shop = Workshop(LABELS, problem, TrainSettings())
    shop.train(each_against_rest(7))
    shop.train(all_pairs(7))
    values = values_of(shop.bank, X)
    for machines in (np.arange(28), np.array([9, 2, 20])):
        positive, sizes = shop.predictions(machines, max_samples)
        for c in range(7):
            rows = problem.order[problem.sample_of_class(c, max_samples)]
            assert sizes[c] == weight[rows].sum()
            for k, m in enumerate(machines):
                assert positive[k, c] == sum(weight[r] for r in rows if values[r, m] >= 0)


def test_class_totals_are_summed_weights(seven_blobs):
    """A class is as large as its weights."""
    X, y = seven_blobs
    weight = np.random.default_rng(0).integers(0, 5, len(y)).astype(float)
    shop = Workshop(LABELS, problem_of(X, y, weight=weight), TrainSettings())
    np.testing.assert_array_equal(shop.class_totals, np.bincount(y, weight))


def test_unknown_labels_are_named(problem):
    """The error names what is missing by the user's labels."""
    bank, report = train_bank(problem, some_pairs([(0, 1)]), TrainSettings())
    shop = Workshop(LABELS, None, TrainSettings(), bank=bank, report=report)
    with pytest.raises(MissingMachinesError, match=r"\(cat, fox\)"):
        shop.train(some_pairs([(2, 5)]))


# -------------------------------------------------------------- restructure


def test_restructure_refuses_other_data(seven_blobs):
    """Data that the model was not trained on are an error, whether rows, their order, their number or labels differ."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        clf.restructure("divide_and_conquer", X + 1e-3, y)
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        clf.restructure("fisher_tree", X[::-1].copy(), y[::-1])
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        clf.restructure("adaptive_ddag", X[:30], y[:30])
    with pytest.raises(ValueError, match="labels"):
        clf.restructure("adaptive_ddag", X, y + 1)
    with pytest.raises(ValueError, match="X and y go together"):
        clf.restructure("adaptive_ddag", X)


@pytest.mark.parametrize("structure", ["adaptive_ddag", "divide_and_conquer", "fisher_tree", "one_vs_rest"])
@pytest.mark.parametrize("labels", ["shuffled", "swapped"])
def test_restructure_refuses_other_labels(seven_blobs, structure, labels):
    """The same samples, with their labels shuffled or two classes swapped, are not the training data."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    swap = np.array([1, 0, 2, 3, 4, 5, 6])
    other = np.random.default_rng(0).permutation(y) if labels == "shuffled" else swap[y]
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        clf.restructure(structure, X, other)


def test_restructure_leaves_the_model_as_it_is(seven_blobs):
    """A new structure over a model changes neither its bank nor its answers."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    bank, plan, labels = clf.bank_, clf.plan_, clf.predict(X)
    clf.restructure("centered_tree", X, y)
    assert clf.bank_ is bank
    assert clf.plan_ is plan
    np.testing.assert_array_equal(clf.predict(X), labels)


def test_restructure_with_soft_labels_trains_the_same_kind(seven_blobs):
    """Machines added to a model of soft labels are trained on soft labels."""
    X, y = seven_blobs
    tree = dagmar.SVC(gamma=0.1, soft_labels=3, structure="fisher_tree").fit(X, y)
    plain = dagmar.SVC(gamma=0.1, soft_labels=3).fit(X, y)
    back = tree.restructure("ddag", X, y)
    np.testing.assert_array_equal(back.bank_.bias, plain.bank_.bias)
    np.testing.assert_array_equal(back.bank_.coef, plain.bank_.coef)


class Twice(Structure):
    """A structure that trains machines it does not need, and drops them."""

    def build(self, workshop):
        """Train one against the rest first, then keep the pairs only."""
        workshop.train(each_against_rest(workshop.n_classes))
        workshop.keep(workshop.train(all_pairs(workshop.n_classes)))
        return dagmar.DDAG().plan(workshop.bank)


def test_users_structures_may_train_and_drop(seven_blobs):
    """A structure of one's own with a build leaves the machines its plan names."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1, structure=Twice()).fit(X, y)
    plain = dagmar.SVC(gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(clf.bank_.coef, plain.bank_.coef)
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))
    assert clf.bank_.all_pairs


def test_converted_linear_machines_move_to_the_centre(seven_blobs):
    """Machines that scikit-learn trained where the samples are have the same values beside machines that are centred."""
    X, y = seven_blobs
    X = X + 50.0
    converted = dagmar.from_sklearn(SVC(kernel="linear").fit(X, y))
    problem = problem_of(X, y, kernel="linear")
    machines = module._reopened(problem, converted.bank_, converted.report_)
    moved = module.assemble(problem, machines)
    assert converted.bank_.centre is None
    assert moved.centre is not None
    np.testing.assert_allclose(values_of(moved, X), values_of(converted.bank_, X), atol=1e-9)
