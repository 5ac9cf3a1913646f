"""Pairs with a C and a gamma of their own: against scikit-learn pair by pair, NumPy, and the structures' references."""

import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import LEVELS, as_double, as_single, decide, random_bank, trace, values_of, verdict_of
from reference import adaptive_ddag, and_gate, bracket, costs, dbtc, ddag, divide_and_conquer, fisher, max_wins, tree
from reference.kernels import machine_values
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar import _core
from dagmar.base.exceptions import InvalidParameterError
from dagmar.problem.kernels import Kernel
from dagmar.problem.per_pair import PerPair, is_per_pair
from dagmar.problem.samples import as_data
from dagmar.problem.tasks import all_pairs, each_against_rest, groups
from dagmar.structures import CenteredTree, FisherTree, as_structure

PRECISIONS = ["single", "double"]
PAIRWISE = [
    "max_wins", "and_gate", "ddag", "adaptive_ddag", "bracket", "divide_and_conquer", "fisher_tree", "centered_tree"
]  # fmt: skip
K = 21  # pairs of seven classes
GAMMAS = np.random.default_rng(6).choice([0.02, 0.05, 0.1, 0.1, 0.3, 0.7], K)
CS = np.random.default_rng(7).choice([0.5, 2.0, 10.0], K)


@pytest.fixture(scope="module")
def probes(seven_blobs):
    """Training samples and others, many of them in doubt."""
    X = seven_blobs[0]
    return np.vstack([X, np.random.default_rng(5).uniform(X.min(), X.max(), size=(150, 5))])


@pytest.fixture(scope="module")
def models(seven_blobs):
    """A model for each structure and precision."""
    return {
        (s, p): dagmar.SVC(C=CS, gamma=GAMMAS, structure=s, precision=p).fit(*seven_blobs)
        for s in PAIRWISE
        for p in PRECISIONS
    }


def own_gammas(bank, seed=0, spread=4.0):
    """The same machines, each with a gamma of its own."""
    gammas = 0.3 * spread ** np.random.default_rng(seed).uniform(-1, 1, bank.n_machines)
    return replace(bank, gammas=gammas, kernel=replace(bank.kernel, gamma=gammas.max()))


# ------------------------------------------------------------------ training


def test_each_pair_is_scikit_learns(seven_blobs):
    """Every machine has the values of a two-class SVC with its C and gamma on the samples of its pair."""
    X, y = seven_blobs
    clf = dagmar.SVC(C=CS, gamma=GAMMAS, tol=1e-6, structure="max_wins").fit(X, y)
    values = clf.pair_decisions(X)
    np.testing.assert_array_equal(clf.bank_.gammas, GAMMAS)
    for m, (i, j) in enumerate(clf.bank_.pairs):
        own = (y == i) | (y == j)
        theirs = TheirSVC(C=CS[m], gamma=GAMMAS[m], tol=1e-6).fit(X[own], y[own])
        np.testing.assert_allclose(values[:, m], theirs.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("own", ["C", "gamma"])
def test_equal_numbers_for_all_pairs_are_one_number(seven_blobs, probes, own):
    """An array of equal values is the value: the same machines, values and labels, to the bit."""
    X, y = seven_blobs
    parameters = {"C": 3.0, "gamma": 0.1}
    shared = dagmar.SVC(**parameters).fit(X, y)
    each = dagmar.SVC(**{**parameters, own: np.full(K, parameters[own])}).fit(X, y)
    for name in ("support", "begin", "index", "coef", "bias"):
        np.testing.assert_array_equal(getattr(each.bank_, name), getattr(shared.bank_, name))
    np.testing.assert_array_equal(each.pair_decisions(probes), shared.pair_decisions(probes))
    np.testing.assert_array_equal(each.predict(probes), shared.predict(probes))
    np.testing.assert_array_equal(each.decision_cost(X).kernel_evaluations, shared.decision_cost(X).kernel_evaluations)


def test_c_of_a_pair_goes_with_weights(seven_blobs):
    """C of a pair is multiplied by class and sample weights, and those of weight zero stay out, for a hard margin too."""
    X, y = seven_blobs
    own = y < 2
    weight = np.linspace(0.0, 2.0, own.sum())
    for C in (0.7, np.inf):
        X2, y2 = X[own] + (30.0 * y[own, None] if np.isinf(C) else 0.0), y[own]
        each = dagmar.SVC(C=[C], gamma=0.1, class_weight={1: 3.0}).fit(X2, y2, weight)
        shared = dagmar.SVC(C=C, gamma=0.1, class_weight={1: 3.0}).fit(X2, y2, weight)
        np.testing.assert_array_equal(each.decision_function(X), shared.decision_function(X))


def test_hard_margin_that_cannot_be_is_told(seven_blobs):
    """A pair of infinite C whose classes overlap is an error that names it; others may have their errors."""
    X, y = seven_blobs
    X, y = np.vstack([X, X[y == 0][:1]]), np.append(y, 1)  # a sample of both 0 and 1
    C = np.full(K, 1.0)
    C[0] = np.inf
    with pytest.raises(ValueError, match=r"cannot be separated: \(0, 1\)$"):
        dagmar.SVC(C=C, gamma=0.1).fit(X, y)


def test_soft_labels_go_with_their_pair(seven_blobs):
    """Soft labels reach the machines of their own pair."""
    X, y = seven_blobs
    order = np.argsort(GAMMAS)
    clf = dagmar.SVC(gamma=GAMMAS, soft_labels=5, tol=1e-6).fit(X, y)
    for m in order[[0, K // 2, K - 1]]:
        pair = np.isin(y, clf.bank_.pairs[m])
        alone = dagmar.SVC(gamma=GAMMAS[m], soft_labels=5, tol=1e-6).fit(X[pair], y[pair])
        np.testing.assert_allclose(clf.pair_decisions(X)[:, m], alone.decision_function(X), atol=1e-4)


# ------------------------------------------------------------------ deciding


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_features", [1, 6, 17])
def test_values_are_those_of_the_formula(level, n_features, rng):
    """Every machine computes with its own gamma, at every level, alone and in lanes."""
    bank = own_gammas(random_bank(1, 5, n_features=n_features))
    decider = bank.decider(level)
    X = rng.normal(size=(40, n_features))
    expected = machine_values(bank, X)
    np.testing.assert_allclose(decider.values(as_data(X), False, 1), expected, rtol=1e-10, atol=1e-12)
    plan = as_structure("and_gate").plan(bank).native
    path = decider.trace(as_data(X), plan, 1)  # one sample at a time
    rows = np.repeat(np.arange(40), np.diff(path.begin))
    np.testing.assert_allclose(path.values, expected[rows, path.machines], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("spread", [1.5, 1000.0])
@pytest.mark.parametrize("n_features", [3, 40])
def test_single_precision_keeps_every_sign(n_features, spread, rng):
    """In single precision signs are those of NumPy's double, for gammas near each other and far apart."""
    bank = own_gammas(random_bank(2, 5, n_features=n_features, kernel=Kernel("rbf", gamma=0.3)), spread=spread)
    X = np.vstack([rng.normal(size=(400, n_features)), 10 * rng.normal(size=(100, n_features))])
    bank = replace(bank, bias=bank.bias - np.median(machine_values(bank, X[:400]), axis=0))  # many values near zero
    exact = machine_values(bank, X)
    known = np.abs(exact) > 1e-12
    np.testing.assert_array_equal((values_of(as_single(bank), X) >= 0)[known], (exact >= 0)[known])
    assert np.abs(values_of(as_single(bank), X) - exact).max() < 1e-3


@pytest.mark.parametrize("structure", ["ddag", "max_wins"])
def test_samples_on_the_boundary_have_one_label(structure, rng):
    """Where a value is zero but for rounding, alone, in a batch and by path give one label, in both precisions."""
    half, coef = rng.normal(size=(20, 3)), rng.uniform(0.1, 1.0, 20)
    bank = replace(
        random_bank(0, 3, per_class=20, n_features=3),
        vectors=np.vstack([half, half * [-1, 1, 1], half]),
        begin=np.array([0, 40, 80, 120], dtype=np.int64),
        index=np.concatenate([np.arange(40), np.r_[0:20, 40:60], np.arange(20, 60)]).astype(np.int32),
        coef=np.concatenate([-coef, coef, -coef, -coef, -coef, coef]),
        bias=np.zeros(3),
        gammas=np.array([0.7, 0.2, 1.9]),
        kernel=Kernel("rbf", 1.9),
    )
    X = rng.normal(size=(200, 3)) * [0, 1, 1]
    assert np.abs(machine_values(bank, X)[:, [0, 2]]).max() < 1e-12
    for b in (as_single(bank), as_double(bank)):
        plan = as_structure(structure).plan(b)
        labels = decide(b, plan, X)
        np.testing.assert_array_equal(trace(b, plan, X)[0], labels)
        np.testing.assert_array_equal(np.concatenate([decide(b, plan, x[None]) for x in X]), labels)


def expected_answer(structure, X, y, separation, for_later):
    """The reference of a structure, as a function of the values of one sample."""
    sizes = np.bincount(y)
    rows = dict(zip(combinations(range(7), 2), for_later.tolist(), strict=True))

    def grown(split):
        nodes = tree.nodes(7, split)

        def walk(values):
            verdict = verdict_of(values, 7)
            return tree.walk(7, nodes, lambda q: verdict(q[0][0], q[1][0]) == q[1][0])[0]

        return walk

    if structure == "divide_and_conquer":
        return grown(divide_and_conquer.splitter(rows, sizes, 0.0))
    if structure == "fisher_tree":
        ratios = fisher.matrix(X, y)
        return grown(tree.pair_split(lambda c: fisher.choose_pair(ratios, c), rows, sizes, 0.0))
    if structure == "centered_tree":
        means = [X[y == c].mean(axis=0) for c in range(7)]
        return grown(tree.pair_split(lambda c: tree.centered(c, means, sizes), rows, sizes, 0.0))
    return {
        "max_wins": lambda v: max_wins.full_vote(7, verdict_of(v, 7)),
        "and_gate": lambda v: and_gate.answer(7, verdict_of(v, 7))[0],
        "ddag": lambda v: ddag.walk(7, verdict_of(v, 7))[0],
        "bracket": lambda v: bracket.answer(7, verdict_of(v, 7))[0],
        "adaptive_ddag": lambda v: adaptive_ddag.answer(separation, verdict_of(v, 7))[0],
    }[structure]


@pytest.fixture(scope="module")
def own_separation(seven_blobs):
    """DBTC of every two classes, each at the gamma of its pair, by double loops."""
    X, y = seven_blobs
    separation = np.zeros((7, 7))
    for m, (i, j) in enumerate(combinations(range(7), 2)):

        def k(x, z, gamma=GAMMAS[m]):
            return np.exp(-gamma * ((x - z) ** 2).sum())

        separation[i, j] = separation[j, i] = dbtc.dbtc(k, X[y == i], X[y == j])
    return separation


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("structure", PAIRWISE)
def test_labels_are_those_of_the_reference(models, seven_blobs, probes, own_separation, structure, precision):
    """Each structure answers as its reference does on NumPy's values; alone, in a batch and by path alike."""
    X, y = seven_blobs
    clf = models[structure, precision]
    values = machine_values(models["max_wins", precision].bank_, probes)
    for_later = np.array([[(v[y == c] >= 0).sum() for c in range(7)] for v in values[: len(X)].T])
    answer = expected_answer(structure, X, y, own_separation, for_later)
    labels = clf.predict(probes)
    np.testing.assert_array_equal(labels, [answer(v) for v in values])
    np.testing.assert_array_equal(clf.decision_path(probes).answers, labels)
    np.testing.assert_array_equal([clf.predict(x[None])[0] for x in probes], labels)


@pytest.mark.parametrize("structure", PAIRWISE)
def test_sparse_samples_have_the_same_labels(models, seven_blobs, probes, structure):
    """Sparse vectors have gammas of their own, too."""
    X, y = seven_blobs
    sparse = dagmar.SVC(C=CS, gamma=GAMMAS, structure=structure, tol=1e-6).fit(sp.csr_matrix(X), y)
    dense = dagmar.SVC(C=CS, gamma=GAMMAS, structure=structure, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(sparse.pair_decisions(probes), dense.pair_decisions(probes), atol=1e-4)
    np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(probes)), dense.predict(probes))


@pytest.mark.parametrize("structure", PAIRWISE)
def test_costs_count_vectors_and_gammas(models, probes, structure):
    """A vector used with two gammas is two kernel evaluations; the size has a gamma per machine."""
    clf = models[structure, "double"]
    cost = clf.decision_cost(probes)
    for i, (machines, _) in enumerate(clf.decision_path(probes)):
        assert cost.kernel_evaluations[i] == costs.kernel_evaluations(clf.bank_, machines)
    assert cost.size_in_parameters == costs.size_in_parameters(clf.bank_)


def test_scikit_learns_layout_is_unchanged(models, seven_blobs, probes):
    """Support vectors are stored once each, and dual_coef_ rebuilds the values of every pair."""
    X, y = seven_blobs
    clf = models["max_wins", "double"]
    np.testing.assert_array_equal(clf.support_vectors_, X[clf.support_])
    assert len(set(clf.support_.tolist())) == len(clf.support_)
    np.testing.assert_array_equal(clf.n_support_, np.bincount(y[clf.support_]))
    own = y[clf.support_]
    for m, (i, j) in enumerate(clf.bank_.pairs):
        coef = np.where(own == i, clf.dual_coef_[j - 1], 0) + np.where(own == j, clf.dual_coef_[i], 0)
        distance2 = ((probes[:, None] - clf.support_vectors_) ** 2).sum(axis=2)
        value = np.exp(-GAMMAS[m] * distance2) @ coef + clf.intercept_[m]
        np.testing.assert_allclose(-clf.pair_decisions(probes)[:, m], value, atol=1e-9)


def test_norms_are_those_of_the_machines_own_kernel(models):
    """Norms from the bank alone are those that training has found."""
    clf = models["max_wins", "double"]
    np.testing.assert_allclose(clf.bank_.norm2, clf.report_.norm2, rtol=1e-6)


def test_explain_tells_the_way(models, probes):
    """The words of a decision are there as ever."""
    assert str(models["ddag", "double"].explain(probes[0])).splitlines()[-1].startswith("Answer: ")


# ------------------------------------------------------- scikit-learn's rules


@pytest.mark.parametrize("structure", PAIRWISE)
def test_pickles_decide_the_same(models, probes, structure):
    """A pickle has the gammas, and the same values and labels."""
    clf = models[structure, "double"]
    other = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(other.bank_.gammas, clf.bank_.gammas)
    np.testing.assert_array_equal(other.pair_decisions(probes), clf.pair_decisions(probes))
    np.testing.assert_array_equal(other.predict(probes), clf.predict(probes))


def test_clones_print_and_search(seven_blobs):
    """Arrays are parameters like others: cloned, printed, left as given, and searched over."""
    X, y = seven_blobs
    gammas, Cs = GAMMAS.copy(), CS.tolist()
    clf = dagmar.SVC(C=Cs, gamma=gammas)
    copy = clone(clf)
    np.testing.assert_array_equal(copy.gamma, gammas)
    assert list(copy.C) == Cs
    assert "gamma=array([" in repr(clf)
    assert clf.fit(X, y).gamma is gammas
    assert clf.C is Cs
    gammas[0] = 5.0  # still the user's own, and no part of the model
    assert clf.bank_.gammas[0] == GAMMAS[0]
    search = GridSearchCV(dagmar.SVC(), {"gamma": [GAMMAS, 100 * GAMMAS]}, cv=2).fit(X, y)
    np.testing.assert_array_equal(search.best_params_["gamma"], GAMMAS)


@pytest.mark.parametrize("structure", PAIRWISE)
def test_restructured_model_is_the_fitted_one(models, seven_blobs, probes, structure):
    """From any structure over pairs to any other, machines and gammas go along; trees have what they lack trained."""
    for start in ("ddag", "fisher_tree"):
        other = models[start, "double"].restructure(structure, *seven_blobs)
        np.testing.assert_array_equal(other.predict(probes), models[structure, "double"].predict(probes))
        i, j = other.bank_.pairs.T
        table = PerPair.resolve(1.0, GAMMAS, "rbf", 7).gamma
        np.testing.assert_array_equal(other.bank_.gammas, table[i, j])


def test_restructured_without_data(models, probes):
    """Structures that look at no data need none."""
    other = models["ddag", "double"].restructure("bracket")
    np.testing.assert_array_equal(other.predict(probes), models["bracket", "double"].predict(probes))


def test_parameters_changed_since_the_fit_are_noticed(seven_blobs):
    """Machines of one gamma are not mixed with machines of their own."""
    X, y = seven_blobs
    for before, after in [(0.1, GAMMAS), (GAMMAS, 0.1)]:
        clf = dagmar.SVC(gamma=before).fit(X, y).set_params(gamma=after)
        with pytest.raises(ValueError, match="gamma is per pair in the model or in its parameters"):
            clf.restructure("max_wins", X, y)


# -------------------------------------------------------------------- errors


@pytest.mark.parametrize("name", ["C", "gamma"])
@pytest.mark.parametrize(
    "values", [[1.0, 0.0, 2.0], [1.0, -1.0, 2.0], [1.0, np.nan, 2.0], [[1.0, 1.0, 2.0]], ["1"] * 3]
)
def test_bad_numbers_are_refused(three_blobs, name, values):
    """Values that no machine could have are refused like one of them alone."""
    with pytest.raises(
        InvalidParameterError, match=rf"^The '{name}' parameter of SVC must be .*one for each pair\. Got"
    ):
        dagmar.SVC(**{name: values}).fit(*three_blobs)


@pytest.mark.parametrize("name", ["C", "gamma"])
@pytest.mark.parametrize("n", [0, 2, 4])
def test_wrong_lengths_are_refused(three_blobs, name, n):
    """The error says how many pairs there are, and how many numbers came."""
    with pytest.raises(ValueError, match=rf"'{name}' .* 3 for the 3 classes of y, .* Got {n} numbers"):
        dagmar.SVC(**{name: np.ones(n)}).fit(*three_blobs)


@pytest.mark.parametrize("structure", ["one_vs_rest", FisherTree(machines="groups"), CenteredTree(machines="groups")])
@pytest.mark.parametrize("name", ["C", "gamma"])
def test_machines_that_are_not_pairs_are_refused(seven_blobs, name, structure):
    """A number per pair says nothing of other machines; nor may they be added by restructuring."""
    with pytest.raises(ValueError, match=rf"With {name} given per pair of classes, all machines must be pairs"):
        dagmar.SVC(**{name: np.ones(K)}, structure=structure).fit(*seven_blobs)
    clf = dagmar.SVC(**{name: np.ones(K)}).fit(*seven_blobs)
    with pytest.raises(ValueError, match=r"all machines must be pairs"):
        clf.restructure(structure, *seven_blobs)


def test_one_vs_rest_of_two_classes_is_a_pair(two_moons):
    """With two classes even one against the rest is a pair."""
    X, y = two_moons
    each = dagmar.SVC(C=[2.0], gamma=[0.7], structure="one_vs_rest").fit(X, y)
    np.testing.assert_array_equal(each.predict(X), dagmar.SVC(C=2.0, gamma=0.7).fit(X, y).predict(X))


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "precomputed", lambda A, B: A @ B.T])
def test_gammas_are_for_rbf(three_blobs, kernel):
    """Other kernels have one gamma; C may differ whatever the kernel."""
    X, y = three_blobs
    X = X @ X.T if kernel == "precomputed" else X
    with pytest.raises(ValueError, match=r"'gamma' .* the kernels rbf, laplacian, chi2 only\. Got kernel="):
        dagmar.SVC(kernel=kernel, gamma=np.ones(3)).fit(X, y)
    if kernel not in ("poly", "sigmoid"):
        each = dagmar.SVC(kernel=kernel, C=[1.0, 1.0, 1.0]).fit(X, y)
        np.testing.assert_array_equal(each.predict(X), dagmar.SVC(kernel=kernel, C=1.0).fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("values", "expected"),
    [(1.0, False), (1, False), (np.float32(1.0), False), (np.array(1.0), False), ("scale", False), ([1.0], True),
     ((1, 2), True), (np.ones(3), True)],
)  # fmt: skip
def test_lists_are_told_from_numbers_and_names(values, expected):
    """A list, a tuple or an array is for pairs; a number of any kind and a name are for all."""
    assert is_per_pair(values) is expected


def test_of_knows_pairs_only():
    """The numbers of some pairs are found in any order; other tasks are refused, unless nothing is given."""
    own = PerPair.resolve(2.0, [0.1, 0.2, 0.3], "rbf", 3)
    C, gamma = own.of(all_pairs(3).select(np.array([2, 0])))
    assert C is None
    np.testing.assert_array_equal(gamma, [0.3, 0.1])
    for tasks in (each_against_rest(3), groups([([0], [1, 2])])):
        with pytest.raises(InvalidParameterError, match="With gamma given"):
            own.of(tasks)
        assert PerPair().of(tasks) == (None, None)


def test_core_refuses_gammas_that_do_not_fit(rng):
    """One gamma per vector, of an rbf kernel: anything else is an error, not a crash."""
    for bank, gammas in [(random_bank(0, 3), np.ones(5)), (random_bank(0, 3, kernel=Kernel("linear")), np.ones(36))]:
        with pytest.raises(ValueError, match="gammas that are not one per vector"):
            _core.Bank(
                vectors=as_data(bank.vectors), support=bank.support, class_start=bank.class_start, begin=bank.begin,
                index=bank.index, coef=bank.coef, bias=bank.bias, kernel=bank.kernel.native(), gammas=gammas,
            )  # fmt: skip
