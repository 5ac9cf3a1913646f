"""The copy of the model in a page computes what the core computes: values, paths and answers."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

import dagmar
from dagmar.base.pairs import n_pairs
from dagmar.explorer import compact
from dagmar.explorer.compact import compact_plan, compact_vectors, fits_a_page, stored_numbers
from dagmar.explorer.packing import unpacked
from dagmar.problem.kernels import NONNEGATIVE

# For every sample: values of all machines, machines of the path, the answer.
ALL = """(context) => Array.from(context.samples.place, (_, k) => {
    const { valueOf } = computedSample(context.machines, context.original(k));
    const { steps, answer } = follow(context.plan, context.classes.length, valueOf);
    const n = context.tasks.begin.length - 1;
    return { values: Array.from(Array(n).keys(), valueOf), machines: steps.map((s) => s.machine), answer };
  })"""


def agree(found, svc, Z, rtol=2e-5):
    """Values agree to float32 rounding; paths and answers agree, unless a value is within rounding of 0.

    Returns for how many samples they do not.
    """
    values, path = svc.pair_decisions(Z), svc.decision_path(Z)
    bank = svc.bank_
    sums = np.zeros(bank.n_machines)
    np.add.at(sums, np.repeat(np.arange(bank.n_machines), np.diff(bank.begin)), np.abs(bank.coef))
    there = np.array([f["values"] for f in found])
    largest = (
        np.abs(values).max() + sums.max()
        if bank.kernel.name in ("rbf", "sigmoid", "tanimoto")
        else np.abs(values).max()
    )
    tolerance = rtol * max(largest, 1.0)
    assert np.abs(there - values).max() < tolerance
    other = [k for k, f in enumerate(found) if f["answer"] != path.answers[k] or f["machines"] != path[k][0].tolist()]
    for k in other:
        assert np.abs(values[k]).min() < tolerance
    return len(other)


STRUCTURES = [
    "max_wins",
    "and_gate",
    "one_vs_rest",
    "ddag",
    dagmar.DDAG(order=[3, 1, 0, 6, 2, 5, 4]),
    "adaptive_ddag",
    "bracket",
    "divide_and_conquer",
    "fisher_tree",
    dagmar.FisherTree(machines="groups"),
    "centered_tree",
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_every_structure(structure, compute, seven_blobs):
    """Paths of all structures are those of the core."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure=structure, C=10).fit(X, y)
    assert agree(compute(dagmar.explore(clf, X[::2]), ALL), clf, X[::2]) <= 1


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly"},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.5},
    {"kernel": "laplacian"},
    {"kernel": "chi2"},
    {"kernel": "tanimoto"},
    {"gamma": np.linspace(0.1, 2.0, n_pairs(7))},
    {"break_ties": True},
]


@pytest.mark.parametrize("parameters", KERNELS, ids=lambda p: "-".join(map(str, p)) + str(p.get("kernel", "")))
def test_every_kernel(parameters, compute, seven_blobs):
    """Values of all kernels, of machines with a gamma each, and answers with ties broken."""
    X, y = seven_blobs
    X = np.abs(X) if parameters.get("kernel") in NONNEGATIVE else X
    clf = dagmar.SVC(**parameters).fit(X, y)
    assert agree(compute(dagmar.explore(clf, X[::2]), ALL), clf, X[::2]) <= 1


def test_list_of_classes(compute, seven_blobs):
    """A graph that was cut ends in lists of classes."""
    X, y = seven_blobs
    with pytest.warns(UserWarning, match="max_nodes=2"):
        clf = dagmar.SVC(structure=dagmar.DivideAndConquer(max_nodes=2)).fit(X, y)
    assert agree(compute(dagmar.explore(clf, X[::2]), ALL), clf, X[::2]) <= 1


@pytest.mark.parametrize(
    "steps",
    [
        [StandardScaler()],
        [SimpleImputer(), MinMaxScaler(clip=True)],
        [MaxAbsScaler(), RobustScaler(), "passthrough"],
    ],
    ids=str,
)
def test_pipelines_take_the_users_features(steps, compute, seven_blobs):
    """The page scales the features of the user as the pipeline does, and shows vectors in the user's units."""
    X, y = seven_blobs
    X = 1e6 + 50.0 * X  # far from the origin
    if isinstance(steps[0], SimpleImputer):
        X = X.copy()
        X[::5, 1] = np.nan
    model = make_pipeline(*steps, dagmar.SVC(structure="ddag")).fit(X, y)
    made = dagmar.explore(model, X[::2])
    assert agree(compute(made, ALL), model[-1], model[:-1].transform(X[::2]), rtol=2e-4) <= 1
    shown = np.array(compute(made, "(context) => Array.from(context.vectorFeatures(0))"))
    row = X[model[-1].support_[0]]
    np.testing.assert_allclose(shown[~np.isnan(row)], row[~np.isnan(row)], rtol=1e-6)


def test_samples_far_from_the_origin(compute, three_blobs):
    """Features of a large offset keep their differences, in samples and in vectors."""
    X, y = three_blobs
    X = 1e7 + X
    clf = dagmar.SVC().fit(X, y)
    assert agree(compute(dagmar.explore(clf, X), ALL), clf, X, rtol=1e-4) == 0


@pytest.mark.parametrize("structure", ["ddag", "max_wins"])
def test_digits_agree_everywhere(structure, compute):
    """On a real data set the float32 copy gives the label of `predict` for every sample."""
    X, y = load_digits(return_X_y=True)
    clf = dagmar.SVC(C=10, gamma=0.001, structure=structure).fit(X[::2], y[::2])
    assert agree(compute(dagmar.explore(clf, X[1::2]), ALL), clf, X[1::2]) == 0


def test_letter_agrees_and_is_small(compute, data_set):
    """26 classes and 5000 rows: below 5 MB, and at most one of 1000 labels within rounding of another."""
    X, y, X_test, y_test = data_set("letter")
    clf = dagmar.SVC(C=10, gamma=2.5, structure="ddag", n_jobs=-1).fit(X / 7.5 - 1, y)
    rows = np.concatenate([X_test, X])[:5000] / 7.5 - 1
    made = dagmar.explore(clf, rows, np.concatenate([y_test, y])[:5000])
    assert made.shown == 5000
    assert len(made.html.encode()) < 5_000_000
    answers = compute(
        made,
        """(context) => Array.from(context.samples.place, (_, k) =>
          follow(context.plan, 26, computedSample(context.machines, context.original(k)).valueOf).answer)""",
    )
    assert np.mean(clf.classes_[answers] != clf.predict(rows)) <= 0.001


# ----------------------------------------------------------------- the copy


def test_models_above_the_limit_do_not_fit(three_blobs, monkeypatch):
    """The limit counts dense vectors, machines and plan."""
    X, y = three_blobs
    clf = dagmar.SVC(structure="ddag").fit(X, y)
    size = stored_numbers(clf.bank_, clf.plan_)
    assert size >= clf.bank_.size_in_parameters
    monkeypatch.setattr(compact, "MOST_NUMBERS", size)
    assert fits_a_page(clf.bank_, clf.plan_)
    monkeypatch.setattr(compact, "MOST_NUMBERS", size - 1)
    assert not fits_a_page(clf.bank_, clf.plan_)


def test_kernels_of_python_do_not_fit(three_blobs):
    """A precomputed kernel has no vectors to compute with."""
    X, y = three_blobs
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    assert not fits_a_page(clf.bank_, clf.plan_)


def test_vectors_know_their_rows_and_classes(three_blobs):
    """Some of the vectors, with their places in the training data and their classes."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    said = compact_vectors(clf.bank_, np.array([0, clf.bank_.n_vectors - 1]))
    places = unpacked(said["places"])
    assert np.array_equal(y[places], clf.classes_[unpacked(said["classes"])])
    back = unpacked(said["vectors"]).astype(float) / said["scale"] + unpacked(said["centre"])
    np.testing.assert_allclose(back, X[places], rtol=1e-5)


def test_triangle_is_known(three_blobs):
    """Only a DDAG is drawn as a triangle."""
    X, y = three_blobs
    triangle = {
        s: compact_plan(dagmar.SVC(structure=s).fit(X, y).plan_).get("triangle") for s in ("ddag", "fisher_tree")
    }
    assert triangle == {"ddag": True, "fisher_tree": False}


# ------------------------------------------------- what a decision means


MEANING = """(context) => Array.from(context.samples.place, (_, k) => {
    const { valueOf } = computedSample(context.machines, context.original(k));
    const decision = follow(context.plan, context.classes.length, valueOf), truth = context.samples.truth[k];
    const runner = runnerUp(decision, context, valueOf);
    return [runner && runner.class, fatalStep(truth, decision, context)];
  })"""


@pytest.mark.parametrize("structure", ["ddag", "fisher_tree", "bracket", "adaptive_ddag", "max_wins", "one_vs_rest"])
def test_runner_up_and_wrong_step(structure, compute, seven_blobs, rng):
    """The runner-up is that of `explain`; only a wrong answer has a step that ruled out the true class."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure=structure, C=10).fit(X, y)
    X, y = X[::2] + rng.normal(0, 1.5, X[::2].shape), y[::2]  # so that many are wrong
    path, predicted = clf.decision_path(X), clf.predict(X)
    found = compute(dagmar.explore(clf, X, y), MEANING)
    assert (predicted != y).sum() > 5
    for k, (runner, fatal) in enumerate(found):
        machines, here = path[k]
        second = clf.explain(X[k]).runner_up
        assert runner == (None if second is None else second.class_index)
        assert (fatal < 0) == (predicted[k] == y[k])
        if fatal < 0 or structure == "one_vs_rest":
            continue
        pair = clf.bank_.pairs[machines[fatal]]
        if structure != "fisher_tree":  # there the true class may be neither of the two
            assert y[k] == pair[int(here[fatal] < 0)]


@pytest.mark.parametrize("parameters", KERNELS[:-1], ids=lambda p: "-".join(map(str, p)) + str(p.get("kernel", "")))
def test_slopes(parameters, compute, seven_blobs):
    """The effect of each feature on a machine is that of a small difference in Python, before the steps of the pipeline."""
    X, y = seven_blobs
    X = 10.0 * X + 3.0
    scaler = MinMaxScaler((1, 2)) if parameters.get("kernel") in NONNEGATIVE else StandardScaler()
    model = make_pipeline(SimpleImputer(), scaler, dagmar.SVC(**parameters)).fit(X, y)
    made = dagmar.explore(model, X[:1])
    code = "(c) => Array.from(c.machines.slopes(c.original(0), 5, Float64Array.from([1, 1, 1, 1, 1])))"
    h = 1e-3
    there = [model[-1].pair_decisions(model[:-1].transform(X[:1] + s * h * np.eye(5)))[:, 5] for s in (1, -1)]
    np.testing.assert_allclose(compute(made, code), (there[0] - there[1]) / (2 * h), rtol=1e-3, atol=1e-6)
