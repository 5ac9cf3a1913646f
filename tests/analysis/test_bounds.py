"""The bounds of Platt, Cristianini & Shawe-Taylor: their formulas, what goes into them, and what they say of it."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from hypothesis import given
from hypothesis import strategies as st
from reference import bounds as paper
from reference.kernels import kernel_matrix
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.analysis.bounds import theorem1, theorem2
from dagmar.estimators.holding import hold
from dagmar.problem.tasks import all_pairs

TRIANGLE = [(0, 1), (0, 2), (1, 2)]


@pytest.fixture(scope="module")
def far_apart():
    """Five classes that lines can part, of different sizes, with labels that are words."""
    X, y = blobs(seed=5, n_classes=5, per_class=20, n_features=6, spread=0.5)
    kept = np.concatenate([np.flatnonzero(y == c)[: 8 + 3 * c] for c in range(5)])
    return X[kept], np.array(["ash", "elm", "fir", "oak", "yew"])[y[kept]]


@pytest.fixture(scope="module")
def mixed():
    """Four classes of which the last two have some samples swapped, so that no line parts them."""
    y = np.arange(100) % 4
    means = np.array([[-10.0, 0.0], [10.0, 0.0], [-1.0, 10.0], [1.0, 10.0]])
    X = means[y] + 0.3 * np.random.default_rng(6).normal(size=(100, 2))
    y[[2, 3]] = [3, 2]
    return X, y


def bound_of(X, y, delta=0.05, radius="origin", base=2.0, **parameters):
    """Fit and bound."""
    return dagmar.SVC(**parameters).fit(X, y).generalization_bound(X, y, delta, radius=radius, base=base)


# -------------------------------------------------------------------- formulas


def test_known_values():
    """Theorem 1 with margins 1/2, 1/4, 1/5, and Theorem 2 for a class with D' = 20, in both bases."""
    margins = [0.5, 0.25, 0.2]
    assert theorem1(1000, margins) == pytest.approx(943.5598880, abs=1e-6)
    assert theorem1(1000, margins, base=np.e) == pytest.approx(454.3929644, abs=1e-6)
    assert theorem2(1000, margins, TRIANGLE)[0] == pytest.approx(420.6946797, abs=1e-6)
    assert theorem2(1000, margins, TRIANGLE, base=np.e)[0] == pytest.approx(202.8775926, abs=1e-6)


@given(
    m=st.integers(2, 10000),
    n_classes=st.integers(2, 6),
    radius=st.floats(0.01, 20.0),
    delta=st.floats(1e-6, 0.9),
    base=st.sampled_from([2.0, np.e, 10.0]),
    seed=st.integers(0, 1000),
)
def test_formulas_are_as_printed(m, n_classes, radius, delta, base, seed):
    """Both theorems give what the printed formula gives, for Theorem 2 with the nodes of one class."""
    pairs = all_pairs(n_classes).pairs
    margins = np.random.default_rng(seed).uniform(0.01, 1.0, len(pairs))
    D = (1 / margins**2).sum()
    assert theorem1(m, margins, radius, delta, base) == pytest.approx(
        paper.formula(m, D, len(pairs), radius, delta, base), rel=1e-12
    )
    for j, found in enumerate(theorem2(m, margins, pairs, radius, delta, base)):
        D_j = sum(1 / g**2 for g, pair in zip(margins, pairs.tolist(), strict=True) if j in pair)
        assert found == pytest.approx(paper.formula(m, D_j, n_classes - 1, radius, delta, base), rel=1e-12)


def test_many_nodes_do_not_overflow():
    """A thousand classes: (2m)^K is far beyond any number, its logarithm is not."""
    pairs = all_pairs(1000).pairs
    assert theorem1(10**6, np.full(len(pairs), 0.5)) == pytest.approx(
        130
        / 1e6
        * (4 * len(pairs) * np.log2(4e6 * np.e) * np.log2(4e6) + 1 + len(pairs) * np.log2(2e6) - np.log2(0.05))
    )
    assert np.isfinite(theorem2(10**6, np.full(len(pairs), 0.5), pairs)).all()


def test_a_margin_that_is_none():
    """One node that does not separate takes Theorem 1's value, and Theorem 2's for its two classes only."""
    for margin in (0.0, -0.3, np.nan):
        assert np.isnan(theorem1(100, [0.5, 0.5, margin]))
        assert np.isnan(theorem2(100, [0.5, 0.5, margin], TRIANGLE)).tolist() == [False, True, True]


def test_unit_of_measurement():
    """A change of unit moves R and the margins together: next to nothing changes, as the first term is by far the larger."""
    margins = np.array([0.5, 0.25, 0.2])
    assert theorem1(1000, margins * 1e-9, 1e-9) == pytest.approx(theorem1(1000, margins), rel=0.01)


# ---------------------------------------------------------------- hard margins


def test_hard_margins(far_apart):
    """With C = inf every node separates, with the margin 1 / |w|, and the bound is the formula of these."""
    X, y = far_apart
    bound = bound_of(X, y, kernel="linear", C=np.inf, tol=1e-8)
    assert bound.separable.all()
    assert bound.not_separating == []
    np.testing.assert_allclose(bound.margins, 1 / bound.norms, rtol=1e-6)
    np.testing.assert_array_equal(bound.margins, bound.margins_placed)
    assert bound.misplaced.sum() == 0
    assert (bound.n_samples, bound.n_nodes) == (len(y), 10)
    R = np.linalg.norm(X, axis=1).max()
    assert bound.radius == pytest.approx(R, rel=1e-12)
    assert bound.D_prime == pytest.approx((bound.norms**2).sum(), rel=1e-6)
    assert bound.bound == pytest.approx(paper.formula(len(y), bound.D_prime, 10, R, 0.05, 2), rel=1e-12)
    assert bound.soft_margin_heuristic == pytest.approx(bound.bound, rel=1e-6)
    assert not bound.says_anything
    assert str(bound).startswith("Theorem 1: with probability 0.95, error < ")
    assert "That is above 1, so it says nothing." in str(bound)


def test_classes(far_apart):
    """Each class has the sum over its nodes, at most Theorem 1's, and a rate by its share of the samples."""
    X, y = far_apart
    bound = bound_of(X, y, kernel="linear", C=np.inf)
    for c, label in enumerate(bound.labels):
        own = (bound.pairs == c).any(axis=1)
        assert own.sum() == 4
        D = (1 / bound.margins[own] ** 2).sum()
        assert bound.class_D_prime[c] == pytest.approx(D)
        assert bound.class_D_prime[c] <= bound.D_prime
        joint = paper.formula(len(y), D, 4, bound.radius, 0.05, 2)
        assert bound.class_bounds[c] == pytest.approx(joint)
        assert bound.class_bounds[c] < bound.bound
        assert bound.class_rates[c] == pytest.approx(joint / (y == label).mean())
    assert bound.class_D_prime.sum() == pytest.approx(2 * bound.D_prime)  # every node belongs to two classes


def test_wider_margins_lower_sums(far_apart):
    """Data c times as large has margins c times as wide: D' falls by c squared, and R^2 D' stays."""
    X, y = far_apart
    one, large = (bound_of(c * X, y, kernel="linear", C=np.inf, tol=1e-8) for c in (1.0, 3.0))
    np.testing.assert_allclose(large.margins, 3 * one.margins, rtol=1e-6)
    assert large.D_prime == pytest.approx(one.D_prime / 9, rel=1e-6)
    assert large.radius**2 * large.D_prime == pytest.approx(one.radius**2 * one.D_prime, rel=1e-6)


def test_a_bound_that_says_something():
    """Two classes far apart, and hundreds of thousands of samples: below 1, and said so."""
    rng = np.random.default_rng(0)
    y = np.arange(400_000) % 2
    X = (10.0 * y + 0.01 * rng.normal(size=len(y)))[:, None]
    bound = bound_of(X, y, kernel="linear", C=1.0, radius="ball")
    assert bound.bound < 1
    assert bound.says_anything
    assert "says nothing" not in str(bound)
    assert "2 below 1" in str(bound)


# ---------------------------------------------------------------- soft margins


def test_nodes_that_do_not_separate(mixed):
    """Theorem 1 has no value, the node is named, and Theorem 2 has one for just the classes without it."""
    X, y = mixed
    bound = bound_of(X, y, kernel="linear", C=1.0)
    assert bound.not_separating == [(2, 3)]
    assert bound.separable.tolist() == [True] * 5 + [False]
    assert bound.misplaced.tolist() == [0] * 5 + [2]
    assert bound.margins[5] < 0 < bound.margins_placed[5]
    assert np.isnan(bound.bound)
    assert np.isnan(bound.D_prime)
    assert not bound.says_anything
    assert bound.class_applies.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(np.isfinite(bound.class_bounds), bound.class_applies)
    text = str(bound)
    assert text.startswith("The theorem does not apply: 1 of 6 nodes does not separate its classes, (2, 3). ")
    assert "over all nodes: 2." in text
    assert "Theorem 2: a bound for 2 of 4 classes" in text


def test_heuristic(mixed):
    """Slacks take the place of margins that are not there: the formula with the sum of (R |w| + |slacks|)^2."""
    X, y = mixed
    bound = bound_of(X, y, kernel="linear", C=1.0)
    spread = sum((bound.radius * w + xi) ** 2 for w, xi in zip(bound.norms, bound.slacks, strict=True))
    expected = paper.formula(len(y), spread / bound.radius**2, 6, bound.radius, 0.05, 2)
    assert bound.soft_margin_heuristic == pytest.approx(expected)
    assert "a heuristic, not a theorem" in str(bound)


def test_nothing_separates():
    """Where all classes are mixed, everything can still be stated."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    bound = bound_of(X, y, C=0.01)
    assert not bound.separable.any()
    assert np.isnan(bound.class_bounds).all()
    text = str(bound)
    assert "3 of 3 nodes do not separate their classes" in text
    assert "no class has nodes that all separate" in text
    assert np.isfinite(bound.soft_margin_heuristic)


def test_many_nodes_are_named_by_a_few(seven_blobs):
    """Of more than three nodes that do not separate, three are named."""
    X, y = seven_blobs
    text = str(bound_of(3 * np.round(X / 3), y, kernel="linear", C=0.001))
    assert "classes, e.g. (" in text
    assert text.split(". ")[1].count("(") == 3


# ---------------------------------------------------------------------- radius


def test_radius_of_the_rbf_kernel(far_apart):
    """It is 1 for any sample; the ball around the sample is smaller, and both of its bounds are given."""
    X, y = far_apart
    one = bound_of(X, y, gamma=0.05)
    assert (one.radius, one.radius_from, one.radius_at_least) == (1.0, "kernel", 1.0)
    ball = bound_of(X, y, gamma=0.05, radius="ball")
    exact = paper.smallest_radius(kernel_matrix("rbf", X, X, 0.05))
    assert ball.radius_from == "ball"
    assert ball.radius_at_least - 1e-6 <= exact <= ball.radius + 1e-6
    assert ball.radius <= 1.001 * ball.radius_at_least
    assert ball.bound < one.bound
    np.testing.assert_array_equal(ball.margins, one.margins)


@pytest.mark.parametrize(
    "parameters", [{"kernel": "linear"}, {"kernel": "poly", "gamma": 0.1, "coef0": 1.0, "degree": 2}], ids=str
)
def test_radius_of_other_kernels(parameters, far_apart):
    """The largest norm in kernel space, or the smallest ball, which is not larger."""
    X, y = far_apart
    name, numbers = parameters["kernel"], {k: v for k, v in parameters.items() if k != "kernel"}
    K = kernel_matrix(name, X, X, **numbers)
    origin, ball = (bound_of(X, y, radius=r, **parameters) for r in ("origin", "ball"))
    assert origin.radius == pytest.approx(np.sqrt(K.diagonal().max()))
    assert origin.radius_from == "origin"
    assert ball.radius == pytest.approx(paper.smallest_radius(K), rel=2e-3)
    assert "an estimate" in str(origin)
    assert "an estimate" in str(ball)


def test_ball_is_never_larger_than_the_one_around_the_origin():
    """Where the images are all but orthogonal, a ball within 0.1 % of the smallest could be larger; it is not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), np.arange(3000) % 2
    assert bound_of(X, y, gamma=100.0, radius="ball").radius <= 1.0


def test_given_radius(far_apart):
    """A number is taken as it is."""
    X, y = far_apart
    bound = bound_of(X, y, kernel="linear", C=np.inf, radius=7)
    assert (bound.radius, bound.radius_from) == (7.0, "given")
    assert bound.bound == pytest.approx(paper.formula(len(y), bound.D_prime, 10, 7, 0.05, 2))


def test_base_and_delta(far_apart):
    """They are kept with the result, and change it as the formula says."""
    X, y = far_apart
    bound = bound_of(X, y, 0.01, base=np.e)
    assert (bound.delta, bound.base) == (0.01, np.e)
    assert bound.bound == pytest.approx(paper.formula(len(y), bound.D_prime, 10, 1, 0.01, np.e))


# ---------------------------------------------------------------------- models


def test_gammas_of_their_own(far_apart):
    """Each node has its margin in the space of its own gamma; the ball is that of the largest, which serves for all."""
    X, y = far_apart
    gammas = np.geomspace(0.01, 0.1, 10)
    bound = bound_of(X, y, gamma=gammas, radius="ball")
    for m, gamma in enumerate(gammas):
        assert bound.margins[m] == pytest.approx(bound_of(X, y, gamma=gamma).margins[m], rel=1e-2)
        assert paper.smallest_radius(kernel_matrix("rbf", X, X, gamma)) <= bound.radius + 1e-6
    assert bound_of(X, y, gamma=gammas).radius == 1.0


def test_matrices_and_functions(far_apart):
    """A kernel matrix and a kernel function give what the kernel gives by name, also the ball."""
    X, y = far_apart

    def kernel(A, B):
        return kernel_matrix("poly", A, B, 0.1, 1.0, 2)

    named = bound_of(X, y, kernel="poly", gamma=0.1, coef0=1.0, degree=2, tol=1e-9, radius="ball")
    matrix = bound_of(kernel(X, X), y, kernel="precomputed", tol=1e-9, radius="ball")
    function = bound_of(X, y, kernel=kernel, tol=1e-9, radius="ball")
    for other in (matrix, function):
        np.testing.assert_allclose(other.margins, named.margins, rtol=1e-6)
        assert other.radius == pytest.approx(named.radius, rel=2e-3)
    assert bound_of(kernel(X, X), y, kernel="precomputed").radius == pytest.approx(
        bound_of(X, y, kernel="poly", gamma=0.1, coef0=1.0, degree=2).radius
    )


@pytest.mark.parametrize("parameters", [{"kernel": "linear"}, {"gamma": 0.05}], ids=["linear", "rbf"])
def test_sparse_rows(parameters, far_apart):
    """Sparse rows give the bound of dense ones."""
    X, y = far_apart
    dense = bound_of(X, y, tol=1e-9, radius="ball", **parameters)
    sparse = bound_of(sp.csr_matrix(X), y, tol=1e-9, radius="ball", **parameters)
    np.testing.assert_allclose(sparse.margins, dense.margins, rtol=1e-6)
    assert sparse.radius == pytest.approx(dense.radius, rel=2e-3)


def test_models_from_elsewhere(far_apart):
    """A model of scikit-learn has margins as good as one of ours, though its report knows no norms."""
    X, y = far_apart
    theirs = dagmar.from_sklearn(TheirSVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y))
    ours = dagmar.SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    assert theirs.report_.norm2 is None
    np.testing.assert_allclose(
        theirs.generalization_bound(X, y).margins, ours.generalization_bound(X, y).margins, rtol=1e-5
    )


def test_structure_does_not_matter(far_apart):
    """All structures over all pairs have the same nodes; the order of a DDAG only changes where they are drawn."""
    X, y = far_apart
    clf = dagmar.SVC(gamma=0.05).fit(X, y)
    plain = clf.generalization_bound(X, y)
    assert plain.order.tolist() == [0, 1, 2, 3, 4]
    for structure in ("max_wins", "adaptive_ddag", dagmar.DDAG(order=[3, 0, 4, 1, 2])):
        other = clf.restructure(structure, X, y).generalization_bound(X, y)
        np.testing.assert_array_equal(other.margins, plain.margins)
        assert other.bound == plain.bound
    assert other.order.tolist() == [3, 0, 4, 1, 2]


def test_order_of_samples_and_threads(far_apart):
    """Neither the order of the samples nor the number of threads changes a bit."""
    X, y = far_apart
    clf = dagmar.SVC(gamma=0.05, n_jobs=2).fit(X, y)
    shuffled = np.random.default_rng(0).permutation(len(y))
    one, other = clf.generalization_bound(X, y), clf.set_params(n_jobs=1).generalization_bound(X[shuffled], y[shuffled])
    np.testing.assert_array_equal(one.margins, other.margins)
    assert one.bound == other.bound


def test_result_is_finished(far_apart):
    """It cannot be changed, keeps nothing of the model's own, and can be pickled."""
    X, y = far_apart
    clf = dagmar.SVC(gamma=0.05).fit(X, y)
    bound = clf.generalization_bound(X, y)
    with pytest.raises(ValueError, match="read-only"):
        bound.margins[0] = 1.0
    assert not np.shares_memory(bound.labels, clf.classes_)
    assert isinstance(bound, dagmar.GeneralizationBound)
    assert str(pickle.loads(pickle.dumps(bound))) == str(bound)


# ---------------------------------------------------------------------- errors


def test_models_without_all_pairs(far_apart):
    """Machines that are not those of all pairs are an error that says what to do, and doing it helps."""
    X, y = far_apart
    for structure in ("one_vs_rest", dagmar.FisherTree(machines="groups")):
        clf = dagmar.SVC(structure=structure).fit(X, y)
        with pytest.raises(
            dagmar.MissingMachinesError, match=r'each of the 10 pairs.*restructure\("ddag", X, y\) trains'
        ):
            clf.generalization_bound(X, y)
        assert clf.restructure("ddag", X, y).generalization_bound(X, y).n_nodes == 10


def test_kernels_without_a_space(far_apart):
    """Where there is no space there are no margins."""
    X, y = far_apart
    with pytest.raises(ValueError, match="sigmoid is not a kernel of a space"):
        bound_of(X, y, kernel="sigmoid", gamma=0.01)
    with pytest.raises(ValueError, match="poly with coef0 < 0 is not a kernel of a space"):
        bound_of(X, y, kernel="poly", coef0=-1.0)
    with pytest.raises(ValueError, match="a sample has a negative squared length"):
        bound_of(-np.eye(4), [0, 0, 1, 1], kernel="precomputed", max_iter=100)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"delta": 0.0}, "delta must be a finite number between 0 and 1; got 0.0"),
        ({"delta": 1}, "delta must be a finite number between 0 and 1; got 1"),
        ({"delta": "0.05"}, "delta must be a finite number between 0 and 1; got '0.05'"),
        ({"base": 1.0}, "base must be a finite number above 1; got 1.0"),
        ({"radius": "smallest"}, "radius must be 'origin', 'ball' or a finite number above 0; got 'smallest'"),
        ({"radius": 0.0}, "radius must be 'origin', 'ball' or a finite number above 0; got 0.0"),
        ({"radius": None}, "radius must be 'origin', 'ball' or a finite number above 0; got None"),
        ({"radius": np.inf}, "radius must be 'origin', 'ball' or a finite number above 0; got inf"),
    ],
)
def test_wrong_parameters(wrong, message, far_apart):
    """The error says what a parameter may be, and what it was."""
    X, y = far_apart
    with pytest.raises(ValueError, match=message):
        bound_of(X, y, **wrong)


def test_wrong_data(far_apart):
    """Labels unknown, classes missing, other lengths, and kernel rows of other samples are named."""
    X, y = far_apart
    clf = dagmar.SVC(gamma=0.05).fit(X, y)
    with pytest.raises(ValueError, match="labels that this model does not know: bay, ivy"):
        clf.generalization_bound(X, np.where(y == "ash", "bay", np.where(y == "elm", "ivy", y)))
    with pytest.raises(ValueError, match="no sample of these classes: ash"):
        clf.generalization_bound(X[y != "ash"], y[y != "ash"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.generalization_bound(X, y[1:])
    with pytest.raises(ValueError, match="features"):
        clf.generalization_bound(X[:, 1:], y)
    K = X @ X.T
    some = np.arange(len(y)) % 2 == 0
    with pytest.raises(ValueError, match="the norms of the machines need all of them"):
        dagmar.SVC(kernel="precomputed").fit(K, y).generalization_bound(K[some], y[some])
    with pytest.raises(ValueError, match="not fitted"):
        dagmar.SVC().generalization_bound(X, y)


def test_labels_in_another_order():
    """Where a model numbers its classes in an order of its own, margins go with the right samples."""
    X, y = blobs(seed=8, n_classes=3, per_class=15, n_features=3, spread=0.3)
    clf = dagmar.SVC(kernel="linear").fit(X, y)
    learned = replace(clf._model.learned, classes=np.array([20, 30, 10]))
    hold(clf, replace(clf._model, learned=learned))
    renamed = clf.generalization_bound(X, clf.classes_[y])
    assert renamed.separable.all()
    assert renamed.class_sizes.tolist() == [15, 15, 15]


# ------------------------------------------------------------------- real data


def test_letter(data_set):
    """On Letter, as Platt et al. trained it, 324 of 325 nodes separate and D' of these is about 6e4."""
    X, y, _, _ = data_set("letter")
    bound = bound_of(X / 7.5 - 1.0, y, C=10.0, gamma=2.5024)
    assert bound.separable.sum() == 324
    assert (1 / bound.margins[bound.separable] ** 2).sum() == pytest.approx(6e4, rel=0.05)
    assert bound.class_applies.sum() == 24
    assert np.nanmin(bound.class_bounds) > 1000


# --------------------------------------------------------------------- showing


def test_bound_shows_itself(far_apart, mixed):
    """One line says whether the theorem applies; frames have the nodes and the classes in the user's labels."""
    X, y = far_apart
    bound = bound_of(X, y, kernel="linear", C=np.inf)
    assert repr(bound) == (
        f"GeneralizationBound(error < {bound.bound:.4g}, 10 of 10 nodes separable, {len(y)} samples, R = {bound.radius:.4g})"
    )
    nodes = bound.to_frame()
    assert nodes.index.names == ["i", "j"]
    assert nodes.loc[("ash", "yew"), "margins"] == bound.margins[3]
    assert nodes.separable.all()
    classes = bound.to_frame("classes")
    assert classes.index.tolist() == ["ash", "elm", "fir", "oak", "yew"]
    np.testing.assert_array_equal(classes.bound, bound.class_bounds)
    with pytest.raises(dagmar.InvalidParameterError, match="of must be 'nodes' or 'classes'; got 'pairs'"):
        bound.to_frame("pairs")
    assert "the theorem does not apply, 5 of 6 nodes separable" in repr(bound_of(*mixed, kernel="linear"))


def test_table_begins_with_the_smallest_margin(far_apart):
    """A notebook shows the closest nodes first, the text below, and labels as text."""
    X, y = far_apart
    bound = bound_of(X, np.where(y == "ash", "<b>", y), kernel="linear")
    page = bound._repr_html_()
    assert "<b>" not in page
    margins = [float(cell) for cell in re.findall(r'<tr><td>[^<]*</td><td>[^<]*</td><td class="n">([^<]*)', page)]
    assert margins == sorted(margins)
    assert "Theorem" in page or "theorem" in page
    assert page.count("<tr>") == 11
