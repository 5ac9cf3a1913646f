"""The study of DCSVM: its figures, its machines, its claims on reduced data, and its report."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from toy import run_quickly, small_sets

import dagmar
from dagmar.structures.divide_and_conquer import PredictionsTable, balance, purity
from experiments.papers.document import alone
from experiments.papers.don2018 import STUDY, checks, example, experiments, published, share_tables, study, theory
from experiments.papers.don2018.machines import (
    AllOrNothingScaler,
    divide,
    fit_pairs,
    follow,
    machine,
    separation,
    shape_of,
    sizes_of,
    table_of,
    unconverged,
    vote,
)
from experiments.papers.don2018.results import Results
from experiments.papers.don2018.separation_claims import rise_between, straightness
from experiments.papers.don2018.sources import SOURCES, Source, artificial, rows_of, split
from experiments.papers.don2018.study import FINE
from experiments.papers.don2018.theta_claims import meets
from experiments.papers.printed import Printed, numbers_in, published_numbers
from experiments.papers.report import Kind
from experiments.papers.rule import decided
from experiments.papers.study import Lab, Settings
from experiments.statistics import exact_mcnemar


def lab_over(data):
    return Lab(data, Settings(), 1, {})


@pytest.fixture(scope="session")
def real(real_data):
    """A lab over the real data sets."""
    return lab_over(real_data)


@pytest.fixture
def made_up(tmp_path):
    """A lab over a folder with one made-up set, of a training and a test file."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = y[:, None] + 0.1 * rng.normal(size=(90, 2))
    np.savez(tmp_path / "some.npz", X_train=X[:60], y_train=y[:60], X_test=X[60:], y_test=y[60:])
    return lab_over(small_sets(tmp_path))


# ------------------------------------------------------------- published


def test_published_tables_have_a_row_for_every_set():
    """All tables speak of the same fourteen sets, with as many columns as methods or thetas."""
    for table, n in ((published.ACCURACY, 6), (published.STEPS, 4), (published.VECTORS, 4)):
        assert list(table) == list(published.CLASSES)
        assert {len(row) for row in table.values()} == {n}


def test_published_steps_are_below_k_but_for_heart():
    """The paper's own heart takes exactly k-1 steps, so that not all cases are below."""
    full = [name for name, steps in published.STEPS.items() if max(steps) >= published.CLASSES[name] - 1]
    assert full == ["heart"]


@pytest.mark.parametrize(
    ("name", "first", "fit"),
    [
        ("iris", [165, 330], {"eleven tests of 10 %", "eleven tests of 20 %"}),
        ("segmentation", [231, 462], {"eleven tests of 10 %", "eleven tests of 20 %"}),
        ("svmguide4", [330, 660], {"eleven tests of 10 %", "eleven tests of 20 %"}),
        ("vowel", [548, 583, 1060, 1166], {"ten tests of 20 %", "eleven tests of 10 %", "eleven tests of 20 %"}),
        ("heart", [340, 680], set()),
        ("glass", [241, 482], set()),
    ],
)
def test_totals_that_fit_the_published_accuracies(name, first, fit):
    """Most sets fit eleven tests of 10 or 20 %, few fit ten tests of 20 %, heart and glass fit none."""
    rows = share_tables.ROWS[name]
    totals = share_tables.fitting(name, rows)
    assert set(first) <= set(totals)
    assert {label for label, total in share_tables.candidates(rows).items() if total in totals} == fit


# -------------------------------------------------------- rows and splits


def test_rows_of_a_part(made_up):
    """A source takes the rows of its part only, and the row number comes first."""
    X, y = rows_of(made_up, Source("some", "test", row_number=True))
    assert X.shape == (30, 3)
    assert X[:, 0].tolist() == list(range(30))
    assert rows_of(made_up, Source("some"))[0].shape == (90, 2)
    assert y.max() == 2


def test_sample_is_drawn_once(made_up):
    """The same sample comes at every call, sorted, of the size asked for."""
    source = Source("some", sample=40)
    (X, y), (again, _) = rows_of(made_up, source), rows_of(made_up, source)
    np.testing.assert_array_equal(X, again)
    assert len(y) == 40


def test_split_by_class_keeps_shares(rng):
    """Every class has its share in training, and no row is in both parts."""
    y = np.repeat([0, 1, 2], [50, 30, 1])
    train, test = split(y, 0.8, rng)
    assert np.bincount(y[train]).tolist() == [40, 24, 1]
    assert sorted([*train, *test]) == list(range(81))
    train, _ = split(y, 0.8, rng, by_class=False)
    assert len(train) == 65


# ---------------------------------------------------------------- machines


def test_scaler_scales_all_or_nothing(rng):
    """Features have mean 0 and variance 1 after scaling; one constant feature leaves all as they are."""
    X = rng.normal(3, 2, size=(20, 3))
    scaled = AllOrNothingScaler().fit_transform(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.var(axis=0, ddof=1), 1)
    X[:, 1] = 9
    np.testing.assert_array_equal(AllOrNothingScaler().fit_transform(X), X)


@pytest.mark.parametrize("prefer", ["accuracy", "speed"])
@pytest.mark.parametrize("percent", ["0", "5"])
def test_follow_is_what_the_library_answers(seven_blobs, prefer, percent):
    """Walking over known values gives the answers, steps and vectors of a restructured classifier."""
    X, y = seven_blobs
    clf = fit_pairs(X, y, "e1071", 1)
    sizes = sizes_of(clf)
    table = table_of(clf, X, y)
    told = follow(divide(table, percent, prefer), clf.pair_decisions(X), sizes)
    asked = clf.restructure(dagmar.DivideAndConquer(theta=float(percent) / 100, prefer=prefer), X, y).decision_path(X)
    np.testing.assert_array_equal(told.classes, asked.answers)
    np.testing.assert_array_equal(told.steps, np.diff(asked.begin))
    np.testing.assert_array_equal(told.vectors, [sizes[machines].sum() for machines, _ in asked])


def test_vote_is_max_wins(seven_blobs):
    """Asking all machines answers as Max Wins does, and counts all of them."""
    X, y = seven_blobs
    clf = fit_pairs(X, y, "e1071", 1)
    told = vote(clf.pair_decisions(X), sizes_of(clf), 7)
    np.testing.assert_array_equal(told.classes, clf.restructure("max_wins").predict(X))
    assert set(told.steps) == {21}


def test_separation_counts_decided_cells(seven_blobs):
    """The share of decided cells is what purity leaves of all cells."""
    X, y = seven_blobs
    table = table_of(fit_pairs(X, y, "e1071", 1), X, y)
    later = table.for_later / table.sizes
    decided = (later <= 0.02 + 1e-12) | (later >= 0.98 - 1e-12)
    assert separation(table, 2.0) == pytest.approx(100 * decided.mean())


@pytest.mark.parametrize("prefer", ["accuracy", "speed"])
def test_shape_counts_the_tree(seven_blobs, prefer):
    """Walking all paths one by one gives the nodes, the depth and the mean depth that are counted on the graph."""
    X, y = seven_blobs
    plan = divide(table_of(fit_pairs(X, y, "e1071", 1), X, y), "0", prefer)

    def depths(edge, depth=0):
        if edge < 0:
            return [depth]
        return [d for side in (plan.on_negative, plan.on_positive) for d in depths(int(side[edge]), depth + 1)]

    leaves = depths(int(plan.root))
    shape = shape_of(plan)
    assert shape.nodes == len(plan.machine) <= shape.tree_nodes == len(leaves) - 1
    assert shape.depth == max(leaves)
    assert shape.leaf_depth == pytest.approx(np.mean(leaves))


def test_machines_that_stop_early_are_counted(seven_blobs, monkeypatch):
    """Machines at the limit of steps are told."""
    X, y = seven_blobs
    assert unconverged(fit_pairs(X, y, "e1071", 1)) == 0
    limited = machine("e1071", 1).set_params(svc__max_iter=1)
    monkeypatch.setattr("experiments.papers.don2018.machines.machine", lambda *_: limited)
    with pytest.warns(ConvergenceWarning):
        assert unconverged(fit_pairs(X, y, "e1071", 1)) > 10


# ------------------------------------------------------ the worked example

# One way in which the machines of the published example may divide the classes, 0 if a class is undecided. It is made up:
# the paper prints only what Tables 1 and 2 and the text say of it.
SIDES = {
    (1, 2): (1, 2, 2, 2, 2, 2),
    (1, 3): (1, 0, 3, 0, 0, 0),
    (1, 5): (1, 0, 1, 5, 0, 0),
    (1, 6): (1, 0, 1, 0, 6, 0),
    (1, 7): (1, 0, 0, 0, 7, 7),
    (2, 3): (0, 2, 3, 2, 0, 0),
    (2, 5): (2, 2, 2, 5, 0, 5),
    (2, 6): (2, 2, 0, 0, 6, 0),
    (2, 7): (2, 2, 0, 0, 2, 7),
    (3, 5): (0, 0, 3, 5, 5, 5),
    (3, 6): (3, 3, 3, 0, 6, 3),
    (3, 7): (3, 0, 3, 0, 0, 7),
    (5, 6): (5, 5, 5, 5, 6, 6),
    (5, 7): (7, 7, 7, 5, 5, 7),
    (6, 7): (0, 0, 0, 0, 6, 7),
}


def table_of_sides(sides):
    pairs = np.array([[published.GLASS.index(c) for c in pair] for pair in sides])
    later = [[{0: 0.5, i: 0.0, j: 1.0}[side] for side in row] for (i, j), row in sides.items()]
    return PredictionsTable(pairs, np.array(later), np.ones(6), np.array(published.GLASS))


def test_published_tables_build_the_published_tree():
    """A table with the published purities and balances has the published root, and its children as the text says."""
    table = table_of_sides(SIDES)
    found = example.measures(table)
    assert dict(zip(SIDES, zip(found["purity"], found["balance"], strict=True), strict=True)) == published.TABLE1
    second = found["second"]
    of_pairs = map(tuple, second["pairs"])
    measured = dict(zip(of_pairs, zip(second["purity"], second["balance"], strict=True), strict=True))
    assert measured == published.TABLE2
    assert set(found["score"]) == {published.SCORE}
    assert found["decided"] == {"0": published.DECIDED, "2": published.DECIDED}
    assert tuple(second["chosen"]) == published.SECOND
    assert found["undecided_16"] == list(published.UNDECIDED_16)
    assert found["balance_5"] == {"1,2": 1, "5,6": 2}
    for prefer in ("speed", "accuracy"):  # all scores are equal
        assert tuple(found["roots"][prefer]) == published.ROOT
        plan = divide(table, "0", prefer)
        row = list(SIDES).index
        below = [row((2, 3)), [row((2, 5)), 2, 5], 3]
        assert example.tree_of(plan) == [row((5, 6)), [row((1, 2)), 1, below], [row((6, 7)), 6, 7]]
        assert shape_of(plan).depth == 4


def test_published_tables_fix_the_shape_of_the_tree():
    """Whatever (2, 3) and (2, 5) do with class 3, the tree that fits both tables has five machines and a depth of 4."""
    for of_23 in ((0, 2, 3, 2, 0, 0), (0, 2, 3, 3, 0, 0), (2, 2, 3, 0, 0, 0)):
        for of_25 in ((2, 2, 2, 5, 0, 5), (5, 2, 5, 5, 0, 2)):
            table = table_of_sides(SIDES | {(2, 3): of_23, (2, 5): of_25})
            found = example.measures(table)
            assert (
                dict(zip(SIDES, zip(found["purity"], found["balance"], strict=True), strict=True)) == published.TABLE1
            )
            shape = shape_of(divide(table, "0", "speed"))
            assert (shape.tree_nodes, shape.depth) == (5, 4)


def test_worked_example_on_glass(real):
    """All machines separate their two classes from C = 10 on, some do not at C = 1; the root is not the published one."""
    for C, all_separate in ((1.0, False), (10.0, True)):
        found = example.example(real, C, 80, 3)
        assert [min(of["score"]) > 100 - 1e-9 for of in found["splits"]] == 3 * [all_separate]
        assert published.ROOT not in [tuple(of["roots"]["speed"]) for of in found["splits"]]
    assert found["first"]["class_rows"][1] == 61  # of the 76 of class 2: 8.2 % of these are 5
    path = found["first"]["path"]
    assert len(path["machines"]) == len(path["right"]) > 1


# ------------------------------------------------------------ propositions


@pytest.mark.parametrize("k", [4, 5, 8, 11, 26])
def test_even_tables_are_halved_at_every_node(k):
    """No class is undecided, and each node has half of its classes on each side: the depth is ⌈log2 k⌉, less than k-1."""
    table = theory.even_table(k)
    assert purity(table, 0.0).max() == 0
    plan = divide(table, "0", "speed")
    for node, classes in enumerate(plan.node_classes):
        assert balance(table, 0.0, classes)[plan.machine[node]] == classes.sum() // 2
    assert shape_of(plan).depth == int(np.ceil(np.log2(k))) < k - 1


def test_balance_over_all_classes_is_not_enough():
    """Machines that divide all eight classes four to four may need four steps, one more than log2 8."""
    table = theory.even_at_first()
    assert purity(table, 0.0).max() == 0
    assert set(balance(table, 0.0)) == {4}
    assert shape_of(divide(table, "0", "speed")).depth == 4


def test_propositions_of_made_up_tables():
    """The bounds of both propositions are reached."""
    found = theory.propositions(None, [4, 6])
    assert found["depths"]["6"] == {"log": 3, "even": 3, "undecided": 5}
    assert found["even_at_first"] == 4


# ----------------------------------------------------------------- checks


def test_tolerance_changes_vectors_only_a_little(made_up):
    """Counts for every tolerance, those of one-versus-one above those of a path."""
    found = checks.tolerance(made_up, "some", vars(Source("some")), 80, [1e-2, 1e-4])
    assert len(found["OvsO"]) == 2
    assert found["OvsO"][1] > found["DDAG"][1] > 0
    assert found["unconverged"] == [0, 0]


def test_sparsity_grows_with_the_dimension(rng):
    """Rows of more random features are lonelier."""
    few, many = (checks.sparsity(rng.normal(size=(60, d))) for d in (2, 50))
    assert few < 0.3 < 0.7 < many < 1


def test_dimension_leaves_out_and_adds_features(made_up):
    """Half of the features, all, and one shuffled copy of each: the rows get lonelier."""
    found = checks.dimension(made_up, "some", vars(Source("some")), 80, 2, [0.5, 1.0], [1])
    assert {key for key in found if key.startswith(("kept", "added"))} == {"kept 0.5", "kept 1", "added 1"}
    assert np.mean(found["added 1"]["sparsity"]) > np.mean(found["kept 1"]["sparsity"])
    assert all(len(of["separation"]) == 2 for of in (found["kept 1"], found["added 1"]))


def test_other_classifiers_have_paths_too(made_up):
    """Every classifier is right on separable rows, in fewer steps than there are machines."""
    found = checks.classifiers(made_up, "some", vars(Source("some")), 80, 1, "0.01")
    for name in checks.CLASSIFIERS:
        assert found[name]["DCSVM"] == found[name]["OvsO"] == [100.0]
        assert found[name]["steps"][0] <= 2


def test_rows_of_a_class_in_random_splits(made_up):
    """A random split takes about its share of every class."""
    found = checks.class_rows(made_up, vars(Source("some")), [80], 5)
    assert found["rows"] == [30, 30, 30]
    assert min(found["80"]["least"]) < 24 < max(found["80"]["most"])


# ------------------------------------------------- claims on reduced data


def mean_accuracies(lab, source, trials, scaling="e1071"):
    found = experiments.reading(lab, "test", vars(source), 90, trials, scaling, True, ["0.01", "2"])
    return {key: np.mean(found[key]) for key in ("BI", "OvsO", "accuracy")}


@pytest.mark.slow
def test_glass_is_told_by_its_row_number(real):
    """With the row number as a feature accuracy is about the published one, without it far below."""
    with_number = mean_accuracies(real, SOURCES["glass"], 5)
    without = mean_accuracies(real, Source("glass"), 5)
    assert with_number["OvsO"] > 88
    assert without["OvsO"] < 80


@pytest.mark.slow
def test_segmentation_is_lost_without_scaling(real):
    """A constant feature stops e1071's scaling, and accuracy falls to that of the paper's order."""
    plain = mean_accuracies(real, SOURCES["segmentation"], 4)
    scaled = mean_accuracies(real, SOURCES["segmentation"], 4, "each")
    assert plain["OvsO"] < 45
    assert scaled["OvsO"] > 75


@pytest.mark.slow
def test_pairs_scaled_by_themselves_are_better_on_svmguide4(real):
    """One-versus-one over pairs with their own scaling beats the built-in method by points, as published."""
    found = mean_accuracies(real, SOURCES["svmguide4"], 8)
    assert found["OvsO"] > found["BI"] + 3


def test_dcsvm_costs_less_than_one_versus_one(real):
    """On vowel DCSVM needs fewer machines and vectors than one-versus-one, at most k-1 steps, and is as accurate."""
    X, y = rows_of(real, SOURCES["vowel"])
    train, test = split(y, 0.8, real.rng("cost"))
    found = experiments.one_trial(X, y, train, test, "e1071", 1, ["0.01", "2"], ["accuracy"])
    divided = found["accuracy 0.01"]
    assert divided["steps"] < 10 < found["OvsO"]["steps"]
    assert divided["most_steps"] <= 10
    assert divided["vectors"] < found["DDAG"]["vectors"] < found["OvsO"]["vectors"]
    assert exact_mcnemar(divided["only_this"], divided["only_ovso"]).p_value > 0.05
    assert found["accuracy 2"]["steps"] == divided["steps"]  # 2 % of 38 rows is less than one


def test_vowel_separates_in_steps_of_a_row(real):
    """With 38 rows of each class nothing is decided anew before 1/38, which is 2.63 %."""
    found = experiments.curve(real, "vowel", vars(SOURCES["vowel"]), 80, 1, ["0"], FINE)
    assert found["class_rows"] == [38, 38]
    (curve,) = found["separation"]
    assert curve[FINE.index(2.6)] == curve[0] < curve[FINE.index(2.7)]


@pytest.mark.slow
def test_larger_theta_shortens_decisions_on_letter(real):
    """On a part of letter a larger theta makes paths shorter and decides more cells."""
    X, y = rows_of(real, Source("letter", sample=1500))
    train, test = split(y, 0.8, real.rng("letter"))
    clf = fit_pairs(X[train], y[train], "e1071", 1)
    table, values, sizes = table_of(clf, X[train], y[train]), clf.pair_decisions(X[test]), sizes_of(clf)
    steps = [follow(divide(table, percent, "accuracy"), values, sizes).steps.mean() for percent in ("0", "5")]
    assert steps[1] < steps[0] < 25
    assert separation(table, 5.0) > separation(table, 0.0)


# ------------------------------------------------------------- the report


@pytest.fixture(scope="module")
def folder_of_all(tmp_path_factory):
    """A folder with a small made-up file in place of every set."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(5)
    for name, source in SOURCES.items():
        if not source.file:
            continue
        k = 6 if name == "glass" else 3
        y = np.arange(24 * k) % k
        X = np.round(y[:, None] + rng.normal(size=(len(y), 3)), 2)
        parts = {"X": X, "y": y}
        if source.part != "all" or name in ("covertype", "letter"):
            parts = {"X_train": X[: 12 * k], "y_train": y[: 12 * k], "X_test": X[12 * k :], "y_test": y[12 * k :]}
        np.savez(folder / f"{source.file}.npz", **parts)
    return folder


@pytest.fixture(scope="module")
def record(folder_of_all, tmp_path_factory):
    """A quick run over them, with fewer rows to time predictions on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiments, "ENOUGH", 400)
        return run_quickly(STUDY, small_sets(folder_of_all), Settings(3, quick=True), tmp_path_factory.mktemp("out"))


def test_steps_have_names_of_their_own():
    """No two steps share a key, in full and in quick runs."""
    for quick in (False, True):
        keys = [step.key for step in STUDY.steps(Settings(0, quick))]
        assert len(keys) == len(set(keys))


def test_report_over_made_up_data(record):
    """A run over made-up data gives every error, claim and section, and says of everything where it is from."""
    report = STUDY.report(Settings(3, quick=True), record)
    kinds = [error.kind for error in report.errors]
    assert (kinds.count(Kind.REAL), kinds.count(Kind.GENERATED)) == (13 * 6, 6)
    assert kinds.count(Kind.READING) == 4 * sum(map(len, study.READINGS.values()))
    assert all(error.measured is not None for error in report.errors)
    names = [claim.name for claim in (*report.claims, *report.own_claims)]
    assert len(set(names)) == len(names) == 29
    assert all(claim.where for claim in report.claims)
    assert report.finding
    assert all(3 <= len(name.split()) <= 9 for name in names)
    titles = [table.title for table in report.tables()]
    assert len(set(titles)) == len(titles)
    text = alone(report)
    for name in SOURCES:
        assert name in text
    assert "nan" not in text
    assert len(list(report.pictures)) == 8


def test_every_number_of_the_paper_has_its_cell(record):
    """All pointers of the file of published numbers lead to a cell with these numbers."""
    file = os.environ.get("DAGMAR_PAPER_TABLES")
    if not file:
        pytest.skip("DAGMAR_PAPER_TABLES does not name the file of published numbers")
    content = json.loads(Path(file).read_text(encoding="utf-8"), parse_int=str, parse_float=str)
    report = STUDY.report(Settings(3, quick=True), record)
    cells = {place: cell for table in report.tables() for row in table.rows for cell in row for place in pointers(cell)}
    wanted = {place: of for place, of in published_numbers(content).items() if place.startswith("/don2018_dcsvm/")}
    assert set(cells) == set(wanted)
    for place, numbers in wanted.items():  # the file has 98.7 where the paper prints 98.70
        assert set(map(float, numbers)) <= set(map(float, numbers_in(cells[place]))), place


def pointers(cell):
    return cell.pointers if isinstance(cell, Printed) else ()


def test_pictures_are_drawn(record, tmp_path):
    """Every figure draws into an empty matplotlib figure."""
    figures = pytest.importorskip("matplotlib.figure")
    for picture in STUDY.report(Settings(3, quick=True), record).pictures:
        figure = figures.Figure(figsize=picture.size)
        picture.draw(figure)
        assert all(ax.get_ylabel() for ax in figure.axes)


def test_lots_of_trials_are_joined():
    """Trials that were run in lots count as one list."""
    lot = {"rows": 10, "methods": {"BI": {"accuracy": [90.0, 92.0]}}}
    results = Results({"trials/80/letter/1-2": lot, "trials/80/letter/3-4": lot})
    assert results.lists("letter", 80, "BI")["accuracy"] == [90.0, 92.0, 90.0, 92.0]
    assert results.mean("letter", 80, "BI") == 91.0


def test_machines_that_did_not_converge_qualify():
    """They are counted over all steps that begin so, whatever the step holds them in."""
    found = {
        "trials/80/iris/1-2": {"rows": 9, "methods": {"OvsO": {"unconverged": [1, 0]}, "BI": {"unconverged": [2, 0]}}},
        "example/1": {"splits": [{"unconverged": 4}, {"unconverged": 0}]},
        "curve/80/iris": {"unconverged": [0, 0]},
    }
    results = Results(found)
    assert results.unconverged("trials/80") == 3
    assert results.unconverged("trials/", "example/") == 7
    assert results.qualified(decided(True), "example/").qualified == "4 machines did not converge"
    assert results.qualified(decided(True), "curve/").qualified == ""


def test_where_the_curve_of_letter_meets_the_built_in_method():
    """By interpolation of the means over trials; None if it stays above."""
    falling = [[100 - float(theta) for theta in study.CURVE]]
    at = {bi: meets(Results({"curve/80/letter": {"accuracy": falling, "BI": [bi]}}), 80) for bi in (98.25, 90.0)}
    assert at == {98.25: pytest.approx(1.75), 90.0: None}


def test_shapes_of_curves():
    """A straight line is explained by itself; a step lies where it is."""
    line, step = np.array(FINE), np.array([float(theta >= 2.7) for theta in FINE])
    assert straightness(line) == pytest.approx(1.0)
    assert straightness(np.ones(len(FINE))) == 0.0
    assert rise_between(line, 2.0, 3.0) == pytest.approx(20.0)
    assert rise_between(step, 2.3, 3.0) == 100.0


def test_ratios_of_times_and_vectors():
    """Geometric means over rounds with a test; half the range of ratios over tolerances."""
    rounds = {"all": [2.0, 8.0, 4.0, 4.2], "divided": [1.0, 2.0, 1.5, 1.4], "max_wins": [1.0, 2.0, 1.5, 1.4]}
    results = Results(
        {"times/iris": {"shared": rounds}, "tolerance/iris": {"OvsO": [10, 20, 20], "accuracy 0.01": [5, 8, 12]}}
    )
    ratio = results.faster("iris", "shared")
    assert ratio.times == pytest.approx((2 * 4 * 4 / 1.5 * 3) ** 0.25)
    assert 1 < ratio.low < ratio.times < ratio.high
    assert ratio.p < 0.05
    assert results.faster("iris", "shared", than="max_wins").times == 1.0
    assert results.ratio_spread("iris", "accuracy 0.01", "OvsO") == pytest.approx(0.1)


def test_machine_has_the_defaults_of_e1071():
    """C is 1 and gamma one over the number of features."""
    X, y = artificial(np.random.default_rng(0), 20)
    clf = machine("e1071", 1).fit(X, y)[-1]
    assert clf.C == 1.0
    assert clf.bank_.kernel.gamma == pytest.approx(0.5)
