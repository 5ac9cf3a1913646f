"""Platt, Cristianini & Shawe-Taylor 1999: the published figures, the study from step to report, and claims that hold."""

import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from toy import run_quickly, small_sets

import dagmar
from experiments.papers import study_of
from experiments.papers.document import alone, places
from experiments.papers.platt1999 import (
    bounds,
    evaluation,
    experiments,
    judging,
    law,
    loops,
    published,
    regularization,
    search,
    sets,
)
from experiments.papers.platt1999.published import DAGSVM, MAX_WINS, ONE_VS_REST, RULES, TABLE1
from experiments.papers.platt1999.results import SAMPLED, Results, published_ratio, published_spread
from experiments.papers.printed import Printed, numbers_in, published_numbers
from experiments.papers.report import Kind, tables_of
from experiments.papers.rule import Verdict, judge_parts, undecided
from experiments.papers.study import Lab, Settings
from experiments.pictures import write_pictures
from experiments.statistics import ALPHA

QUICK = Settings(quick=True, search=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of three small sets, shaped as the real ones: blobs with 5 classes each."""
    path, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    for name, n_features, parts in (
        ("usps", 256, ("train", "test")),
        ("letter", 16, ("train", "test")),
        ("covertype", 54, ("train", "val", "test")),
    ):
        centres, arrays = rng.normal(size=(5, n_features)), {}
        if name == "covertype":
            centres *= 0.4  # so that on some samples no class wins all its pairs
        for part in parts:
            y = np.arange(120) % 5
            arrays[f"X_{part}"] = centres[y] + 1.5 * rng.normal(size=(120, n_features))
            if name == "covertype":
                arrays[f"X_{part}"][:, 10:] = arrays[f"X_{part}"][:, 10:] > 1.5
            arrays[f"y_{part}"] = y
        np.savez(path / f"{name}.npz", **arrays)
    return small_sets(path)


@pytest.fixture(scope="module")
def record(folder, tmp_path_factory):
    """All steps of a quick run with the search, on the small sets."""
    return run_quickly(study_of("platt1999"), folder, QUICK, tmp_path_factory.mktemp("out"))


@pytest.fixture
def lab(folder):
    return Lab(folder, QUICK, 1, {})


@pytest.fixture
def real_lab(real_data):
    """A lab for quick steps over the real data sets."""
    return Lab(real_data, Settings(quick=True), 1, {})


# ---------------------------------------------------------------- published


def test_text_and_table_agree():
    """The factors that the text names are those of Table 1."""
    evaluations = [published_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM) for data in TABLE1]
    assert (round(min(evaluations), 1), round(max(evaluations), 1)) == published.EVALUATION_SPEEDUP
    training = [published_ratio(data, "seconds", ONE_VS_REST, DAGSVM) for data in ("letter", "usps")]
    assert [round(ratio, 1) for ratio in training] == [published.TRAINING_SPEEDUP[data] for data in ("letter", "usps")]
    assert [published_spread(data) for data in TABLE1] == pytest.approx([0.3, 0.2, 1.2])


@pytest.mark.parametrize(
    ("data", "stored", "machines"), [("usps", 256, 45), ("letter", 16, 325), ("covertype", 11, 21)]
)
def test_sizes_leave_room_for_coefficients(data, stored, machines):
    """A printed size is vectors, thresholds and coefficients, of which each distinct vector has at least one."""
    row = TABLE1[data][MAX_WINS]
    coefficients = 1000 * row.kparameters - stored * row.kernel_evaluations - machines
    assert 1 < coefficients / row.kernel_evaluations < 10


@pytest.mark.parametrize("n_classes", [3, 10, 26])
def test_law_of_training_time(n_classes):
    """With exponent 2, all pairs take about two machines of 1-v-r; with exponent 1, nearly all N of them."""
    m, g = 1000, 1.7
    rest = n_classes * m**g
    pairs = n_classes * (n_classes - 1) / 2 * (2 * m / n_classes) ** g
    assert published.law_ratio(n_classes, g) == pytest.approx(rest / pairs)
    assert n_classes / published.law_ratio(n_classes, 2) == pytest.approx(2 * (n_classes - 1) / n_classes)
    assert published.law_ratio(n_classes, 1) == pytest.approx(n_classes / (n_classes - 1))


# ----------------------------------------------------------- the whole study


def test_every_step_runs_and_report_tells_of_all(record, tmp_path):
    """A run gives every claim a verdict, every published error a neighbour or a reason, and all pictures."""
    report = study_of("platt1999").report(QUICK, record)
    real = {(e.data, e.method): e.measured is None for e in report.errors if e.kind is Kind.REAL}
    rules = dict.fromkeys(((name, rule) for name in published.NAMES.values() for rule in RULES), False)
    assert real == rules | dict.fromkeys(((name, "neural net") for name in published.NAMES.values()), True)
    assert all(claim.shown and claim.where and claim.anchor for claim in report.claims)
    names = [claim.name for claim in report.claims]
    assert len(set(names)) == len(names) == 24
    assert all(3 <= len(name.split()) <= 9 for name in names)
    text = alone(report)
    assert "nan" not in text.replace("unanimous", "")
    titles = [table.title for table in [*report.tables(), *tables_of(report.findings), *tables_of(report.readings)]]
    assert len(set(titles)) == len(titles)
    pytest.importorskip("matplotlib")
    pictures = ("classes", "figure1", "law", "margins", "table1", "triangle", "usps-smoothed")
    assert sorted(file.name for file in write_pictures(report.pictures, tmp_path, "platt1999-")) == [
        f"platt1999-{name}.png" for name in pictures
    ]


def test_every_published_number_has_a_cell(record):
    """By its pointer, with the digits as printed, on the page of the paper."""
    file = os.environ.get("DAGMAR_PAPER_TABLES")
    if not file:
        pytest.skip("DAGMAR_PAPER_TABLES does not name the file of published numbers")
    content = json.loads(Path(file).read_text(encoding="utf-8"), parse_int=str, parse_float=str)
    wanted = {p: set(n) for p, n in published_numbers(content).items() if p.startswith("/platt1999/")}
    report = study_of("platt1999").report(QUICK, record)
    cells = {
        pointer: set(numbers_in(cell))
        for table in report.tables()
        for row in table.rows
        for cell in row
        if isinstance(cell, Printed)
        for pointer in cell.pointers
    }
    assert set(cells) == set(wanted)
    assert {pointer: numbers for pointer, numbers in wanted.items() if not numbers <= cells[pointer]} == {}
    assert {place["page"] for place in places([report]).values()} == {"platt1999.md"}


def test_bounds_come_back_from_the_record(record, folder):
    """What the step wrote down gives the bound that the model gives."""
    lab = Lab(folder, QUICK, 1, record)
    row = TABLE1["letter"][DAGSVM]
    split = sets.prepared(lab, "letter")
    clf, _ = experiments.trained("ddag", row.sigma, row.C, split.X, split.y)
    there, back = clf.generalization_bound(split.X, split.y), bounds.restored(record["bounds/letter"])
    assert str(back) == str(there)
    np.testing.assert_array_equal(back.margins, there.margins)


def test_report_without_search_says_how_to_get_it(record):
    """Where kernels were not chosen, nothing is claimed of them."""
    report = study_of("platt1999").report(Settings(quick=True), record)
    assert not any("Gaussian" in claim.says for claim in report.claims)
    assert "--search" in report.sections[-1].body[0]
    assert len(report.claims) == 22


@pytest.fixture
def altered(record):
    """The record with the same numbers of Table 1 and of loops on every set, and a way to judge it."""
    found = {key: record[key] for key in record}
    rules, laps = {rule: dict(TABLE1_LIKE[rule]) for rule in RULES}, {rule: {"laps": [20.0, 21.0]} for rule in RULES}
    laps[MAX_WINS], laps[DAGSVM] = {"laps": [1.0, 1.1]}, {"laps": [1.0, 1.1]}
    for key in found:
        if key.startswith(("table1/", "checks/usps-smoothed/", "tolerance/")) or key == SAMPLED:
            found[key] = {**found[key], "rules": rules}
        if key.startswith("loop/"):
            found[key] = {**found[key], "rules": laps}

    def verdicts():
        return {claim.name: claim for claim in study_of("platt1999").report(QUICK, found).claims}

    return found, rules, laps, verdicts


def test_claims_follow_the_record(altered):
    """A claim that is judged from numbers turns when they turn; more than published is no failure."""
    _, rules, laps, verdicts = altered
    claim = verdicts()
    assert claim["DAGSVM evaluates 1.6 to 2.3 times faster"].verdict is Verdict.HELD
    assert claim["DAGSVM trains 11.5 and 2.2 times faster"].verdict is Verdict.HELD
    assert claim["Sizes comparable to 1-v-r"].verdict is Verdict.NOT_HELD
    assert claim["Shared vectors make Max Wins faster"].verdict is Verdict.HELD
    assert claim["DAGSVM trains faster than Max Wins"].verdict is Verdict.NOT_HELD
    laps[ONE_VS_REST]["laps"] = [5.0, 5.1]
    claim = verdicts()["DAGSVM trains 11.5 and 2.2 times faster"]
    assert str(claim.judgement) == "held in part: holds for Letter; not for USPS"
    assert claim.others["One bank"].verdict is Verdict.HELD
    rules[MAX_WINS]["summed_vectors"] = 300
    assert verdicts()["Shared vectors make Max Wins faster"].verdict is Verdict.NOT_HELD


def test_spread_decides_nothing(altered):
    """Where rounds or tolerances disagree, a claim cannot be decided."""
    found, _, laps, verdicts = altered
    laps[ONE_VS_REST]["laps"] = [2.0, 30.0]
    judgement = verdicts()["DAGSVM trains 11.5 and 2.2 times faster"].judgement
    assert judgement.verdict is Verdict.UNDECIDED
    assert "rounds" in judgement.why
    looser = {rule: {**of, "kernel_evaluations": 200} for rule, of in TABLE1_LIKE.items()}
    for data in published.NAMES:
        found[f"tolerance/{data}/0.01"] = {"rules": looser}
    judgement = verdicts()["DAGSVM evaluates least"].judgement
    assert judgement.verdict is Verdict.UNDECIDED
    assert "stops" in judgement.why


def test_other_readings_repeat_no_reason():
    """A list of sets that stands beside the claim already is left out; another list is not."""
    main, other = judge_parts({"USPS": True, "Letter": False}), judge_parts({"USPS": False, "Letter": True})
    assert str(judging.brief(main, main)) == "held in part"
    assert judging.brief(other, main) == other
    assert str(judging.brief(undecided("why"), main)) == "cannot be decided here"


@pytest.mark.parametrize("sign", [1, -1])
def test_margins_are_judged_by_ranks(record, sign):
    """Errors that grow with D' are for the claim, errors that fall are against it."""
    hard = record["bounds-hard/letter"]
    made = bounds.restored(hard)
    assert made.class_applies.all()
    ranks = np.argsort(np.argsort(sign * made.class_D_prime))
    found = {"bounds/letter": {**hard, "class_rows": [100] * 5, "class_wrong": ranks.tolist()}}
    for joint in (False, True):
        assert Results(QUICK, found).margin_test("letter", joint=joint) == pytest.approx((sign, 2 / 120, 5))


TABLE1_LIKE = {
    ONE_VS_REST: {"error": 5.0, "kernel_evaluations": 300, "distinct_vectors": 300, "summed_vectors": 400},
    MAX_WINS: {"error": 5.1, "kernel_evaluations": 200, "distinct_vectors": 200, "summed_vectors": 600},
    DAGSVM: {"error": 5.2, "kernel_evaluations": 100, "distinct_vectors": 200, "summed_vectors": 600},
}
for _rule, (_machines, _size, _lap) in {
    ONE_VS_REST: (5, 1000, 20.0),
    MAX_WINS: (10, 3000, 1.0),
    DAGSVM: (10, 3000, 1.0),
}.items():
    TABLE1_LIKE[_rule] |= {"machines": _machines, "parameters": _size, "cpu_seconds": _lap, "laps": [_lap]}


def test_steps_differ_between_runs_only_in_times(record, folder, tmp_path):
    """The same seed gives the same numbers again, times aside."""
    steps = [s for s in study_of("platt1999").steps(QUICK) if s.key in ("table1/letter", "checks/orders/covertype")]
    for step in steps:
        again = step.run(Lab(folder, QUICK, 1, {}), **step.parameters)
        assert _without_times(again) == _without_times(record[step.key])


def _without_times(found):
    if isinstance(found, dict):
        return {key: _without_times(value) for key, value in found.items() if key not in ("cpu_seconds", "laps")}
    return [_without_times(value) for value in found] if isinstance(found, list) else found


# ------------------------------------------------------------------ the parts


def test_preparation_of_covertype(lab):
    """Continuous features have mean 0 and variance 1 over the training rows, and indicators are 0 or 1."""
    split = sets.prepared(lab, "covertype")
    assert split.X[:, :10].mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-9)
    assert split.X[:, :10].std(axis=0) == pytest.approx(np.ones(10))
    assert set(np.unique(split.X[:, 10:])) == {0.0, 1.0}
    assert sets.prepared(lab, "covertype", wilderness=False).X.shape[1] == 50


def test_redrawn_rows_keep_class_counts(lab):
    """Another draw of training rows has as many of each class, and shares no row with its test part."""
    stored, drawn = sets.prepared(lab, "covertype"), sets.prepared(lab, "covertype", redrawn=1)
    assert np.array_equal(np.bincount(drawn.y), np.bincount(stored.y))
    assert len(drawn.y) + len(drawn.y_test) == 360


def test_smoothing_keeps_flat_images_flat_inside(lab):
    """A Gaussian that is narrow against the image leaves the inside of an even one as it is."""
    X = np.full((1, 256), 0.5)
    split = sets.usps(sets.Prepared(X, np.zeros(1, int), X, np.zeros(1, int)), smoothing=0.8)
    assert split.X.reshape(16, 16)[5:11, 5:11] == pytest.approx(0.5)


def test_sparse_size_is_that_of_stored_sparse_vectors(lab):
    """Nonzero values of dense vectors count as the library counts a model that was trained on sparse rows."""
    split = sets.prepared(lab, "covertype")
    dense, sparse = (dagmar.SVC(C=10, gamma=0.5).fit(X, split.y) for X in (split.X, sp.csr_matrix(split.X)))
    assert len(dense.support_) == len(sparse.support_)
    assert experiments.parameters(dense, sparse=True) == sparse.bank_.size_in_parameters
    assert experiments.parameters(dense, sparse=False) == dense.bank_.size_in_parameters


def test_orders_agree_with_asking_all_samples(lab):
    """Asking again only the samples without a unanimous class gives the errors of asking all."""
    found = experiments.orders(lab, "covertype", sigma=8.0, C=10.0, n_orders=3)
    split = sets.prepared(lab, "covertype")
    assert found["unanimous_percent"] < 100
    for other in found["orders"]:
        clf = dagmar.SVC(C=10, gamma=1 / 128, structure=dagmar.DDAG(order=other["order"])).fit(split.X, split.y)
        assert other["error"] == pytest.approx(100 * np.mean(clf.predict(split.X_test) != split.y_test))


def test_search_is_that_of_a_plain_grid(lab):
    """Covertype's cells are trained on the training part and scored on the validation part."""
    found = search.choose(lab, "covertype", DAGSVM, [{"sigmas": [2.0, 3.0]}, {"degree": 2, "coef0": 1.0}], [1.0, 10.0])
    train, held_out = sets.prepared(lab, "covertype"), sets.prepared(lab, "covertype", part="val")
    for cell in found["cells"]:
        kernel = {"gamma": 1 / (2 * cell["sigma"] ** 2)} if "sigma" in cell else None
        if kernel is None:
            scale = 1 / np.mean(np.sum(train.X**2, axis=1))
            kernel = {"kernel": "poly", "gamma": scale, "degree": cell["degree"], "coef0": cell["coef0"]}
        clf = dagmar.SVC(C=cell["C"], structure="ddag", **kernel).fit(train.X, train.y)
        assert cell["validation_error"] == pytest.approx(100 * (1 - clf.score(held_out.X_test, held_out.y_test)))
    assert len(found["cells"]) == 6
    assert found["best"]["validation_error"] == min(cell["validation_error"] for cell in found["cells"])


def test_search_counts_cells_that_were_stopped(lab, monkeypatch):
    """Cells whose machines had not converged are counted, and nobody is warned twice."""
    monkeypatch.setattr(search, "MOST_STEPS", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        found = search.choose(lab, "letter", DAGSVM, [{"degree": 1, "coef0": 0.0}], [1.0, 10.0])
    assert found["stopped"] == 2
    assert not found["best"]["converged"]


def test_search_keeps_its_answers_on_the_hold_out(lab):
    """The record has which rows of the hold-out the best cell answers rightly; all rules and families share these rows."""
    found = search.choose(lab, "letter", DAGSVM, [{"sigmas": [1.0, 4.0]}], [1.0, 10.0])["best"]
    right = search.unpacked(found["right"], found["held_out"])
    assert len(right) == found["held_out"] == 36
    assert 100 * (1 - right.mean()) == pytest.approx(found["validation_error"])
    train, held_out = next(
        StratifiedShuffleSplit(1, test_size=0.3, random_state=0).split(*[sets.prepared(lab, "letter").y] * 2)
    )
    split = sets.prepared(lab, "letter")
    clf = dagmar.SVC(C=found["C"], gamma=1 / (2 * found["sigma"] ** 2), structure="ddag")
    clf.fit(split.X[train], split.y[train])
    np.testing.assert_array_equal(right, clf.predict(split.X[held_out]) == split.y[held_out])


def test_answers_come_back_from_digits():
    """Also where their number is no multiple of eight."""
    right = np.arange(13) % 3 > 0
    np.testing.assert_array_equal(search.unpacked(search.packed(right), 13), right)


def test_machines_of_a_loop_are_those_of_the_bank(lab):
    """The tasks that are trained one by one are the pairs and the classes against the rest, and each is timed."""
    split = sets.prepared(lab, "letter")
    assert [sorted(set(split.y[rows])) for rows, _ in loops.pairs(split.y)][:3] == [[0, 1], [0, 2], [0, 3]]
    for _, y in loops.against_rest(split.y):
        assert y.sum() == 24
        assert len(y) == 120
    found = loops.loop(lab, "letter", {ONE_VS_REST: [1.0, 10.0], MAX_WINS: [1.0, 10.0], DAGSVM: [1.0, 10.0]}, repeats=2)
    rules = found["rules"]
    assert [rules[rule]["machines"] for rule in RULES] == [5, 10, 10]
    assert rules[MAX_WINS] == rules[DAGSVM]
    assert all(0 < of["cpu_seconds"] == min(of["laps"]) for of in rules.values())


def test_time_of_a_call_is_taken_off():
    """What a fit of four rows takes is no training."""

    class Idle:
        def fit(self, X, y):
            end = time.process_time() + 1e-3
            while time.process_time() < end:
                pass

    X = np.zeros((8, 2))
    found = loops.one_by_one(Idle(), X, [(np.arange(8), np.arange(8) % 2)] * 5)
    assert found["overhead"] >= 1e-3
    assert found["cpu_seconds"] < 1e-3


@pytest.mark.parametrize("data", ["usps", "letter"])
def test_growth_with_classes(lab, data):
    """All parts have equally many rows for the times, and all rows of their classes for the sizes."""
    found = law.class_growth(lab, data, 1.0, 10.0, [3, 5, 9], draws=2)
    assert found["rows"] == 72
    for points in found["draws"]:
        assert [point["classes"] for point in points] == [3, 5]
        assert [point["size"]["rows"] for point in points] == [72, 120]
        assert [point["size"]["machines"] for point in points] == [3, 10]
        assert all(point[way][of] > 0 for point in points for way in ("loop", "bank") for of in ("1-v-r", "1-v-1"))


def test_large_C_allows_no_training_error(lab):
    """The published C may; both are tested on the same rows."""
    found = regularization.regularization(lab, "covertype", {MAX_WINS: [6.0, 0.5], DAGSVM: [6.0, 0.5]}, C=1e6)
    for of in found["rules"].values():
        assert of["large"]["train_error"] == 0 < of["published"]["train_error"]
        apart = of["mcnemar"]["only_first"] - of["mcnemar"]["only_second"]
        gain = (of["large"]["error"] - of["published"]["error"]) / 100 * found["test_rows"]
        assert apart == pytest.approx(gain)


def test_evaluation_counts_what_it_times(lab):
    """Kernel evaluations are those of the rows that are timed."""
    found = evaluation.evaluation(lab, "letter", {MAX_WINS: [1.0, 10.0], DAGSVM: [1.0, 10.0]}, n_rows=50, repeats=2)
    assert found["test_rows"] == 50
    assert found["rules"][DAGSVM]["kernel_evaluations"] <= found["rules"][MAX_WINS]["kernel_evaluations"]
    assert all(of["cpu_seconds"] == min(of["laps"]) for of in found["rules"].values())


def test_edge_modes_differ_at_the_edge_only(lab):
    """Beyond the edge there is 0 or the value at the edge."""
    split = sets.prepared(lab, "usps")
    constant, nearest = (sets.usps(split, 0.5, edge).X.reshape(-1, 16, 16) for edge in ("constant", "nearest"))
    np.testing.assert_allclose(constant[:, 4:12, 4:12], nearest[:, 4:12, 4:12])
    assert np.abs(constant[:, 0] - nearest[:, 0]).max() > 0.01


def test_errors_by_class_are_those_of_the_answers(lab):
    """Wrong answers of all classes together are the test error."""
    found = bounds.bounds(lab, "letter", 1.0, 10.0, 0.05)
    split = sets.prepared(lab, "letter")
    clf, _ = experiments.trained("ddag", 1.0, 10.0, split.X, split.y)
    wrong = clf.predict(split.X_test) != split.y_test
    assert found["class_rows"] == [24] * 5
    assert found["class_wrong"] == [int(wrong[split.y_test == c].sum()) for c in range(5)]


def test_growth_counts(lab):
    """Each point of the law counts the machines of its scheme, and more rows cost more."""
    found = law.growth(lab, "letter", 1.0, 10.0, [0.5, 1.0])
    small, large = found["points"]
    assert (large["rows"], large["1-v-r"]["machines"], large["1-v-1"]["machines"]) == (120, 5, 10)
    for way in ("1-v-r", "1-v-1"):
        assert small[way]["gradient_updates"] < large[way]["gradient_updates"]


# ------------------------------------------------- claims, on the real sets


def test_claims_on_letter(real_lab):
    """DAGSVM evaluates least and no rule is significantly better; pairs do less work in training than 1-v-r."""
    schemes = {rule: [row.sigma, row.C] for rule, row in TABLE1["letter"].items()}
    found = {"table1/letter": experiments.compare(real_lab, "letter", schemes)}
    results = Results(real_lab.settings, found)
    evaluations = [results.value("letter", rule, "kernel_evaluations") for rule in RULES]
    assert evaluations == sorted(evaluations, reverse=True)
    tests = [results.test("letter", rule, DAGSVM) for rule in (ONE_VS_REST, MAX_WINS)]
    assert not any(test["p"] < ALPHA and test["only_first"] > test["only_second"] for test in tests)
    assert all(results.ratio("letter", "gradient_updates", ONE_VS_REST, rule) > 2 for rule in (MAX_WINS, DAGSVM))
    assert 0.5 < results.ratio("letter", "parameters", DAGSVM, ONE_VS_REST) < 2


def test_smoothing_explains_usps(real_lab):
    """On smoothed images the published sigma suits 1-v-r, and all rules need fewer kernel evaluations."""
    schemes = {rule: [row.sigma, row.C] for rule, row in TABLE1["usps"].items()}
    plain, smoothed = (experiments.compare(real_lab, "usps", schemes, smoothing=w)["rules"] for w in (0.0, 0.8))
    assert all(smoothed[rule]["kernel_evaluations"] < 0.8 * plain[rule]["kernel_evaluations"] for rule in RULES)
    assert smoothed[ONE_VS_REST]["error"] < plain[ONE_VS_REST]["error"] - 3
    ratio = smoothed[MAX_WINS]["kernel_evaluations"] / smoothed[DAGSVM]["kernel_evaluations"]
    assert published.EVALUATION_SPEEDUP[0] < ratio < published.EVALUATION_SPEEDUP[1]


def test_orders_on_letter_make_no_difference(real_lab):
    """Random orders of the classes change no more of Letter's answers than chance."""
    row = TABLE1["letter"][DAGSVM]
    found = experiments.orders(real_lab, "letter", row.sigma, row.C, n_orders=5)
    assert found["unanimous_percent"] > 98
    assert all(other["p"] > ALPHA for other in found["orders"])
