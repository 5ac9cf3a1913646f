"""Wang et al. 2011: published figures, readings of soft labels, the study from end to end, and what holds on real data."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from helpers import blobs
from toy import small_sets

import dagmar
from experiments.data import Split
from experiments.papers import study_of
from experiments.papers.document import alone, places
from experiments.papers.printed import numbers_in, published_numbers, read_cell
from experiments.papers.record import Record
from experiments.papers.report import tables_of
from experiments.papers.rule import Verdict
from experiments.papers.run import run
from experiments.papers.study import Lab, Settings
from experiments.papers.wang2011 import checks, experiments, fisher, published, tables
from experiments.papers.wang2011.claims import claims
from experiments.papers.wang2011.counts import Remembered
from experiments.papers.wang2011.grown import Pairs
from experiments.papers.wang2011.layers import layer_errors, layers
from experiments.papers.wang2011.loops import looped
from experiments.papers.wang2011.readings import Neighbours, Reading, nearest, windowed
from experiments.papers.wang2011.regions import regions
from experiments.papers.wang2011.results import judge_fewer, spread
from experiments.papers.wang2011.samples import LARGEST, samples
from experiments.pictures import write_pictures

# ------------------------------------------------------------------- published figures


@pytest.mark.parametrize(
    ("table", "tolerance"),
    [
        (published.ACCURACY, 0.011),
        (published.VECTORS, 0.051),
    ],
)
def test_published_averages_are_those_of_their_columns(table, tolerance):
    """The last row of Tables 2 and 3 is the mean of the others, to the printed digits."""
    columns = [table[data] for data in published.SETS]
    np.testing.assert_allclose(np.mean(columns, axis=0), table[published.AVERAGE], atol=tolerance)


def test_published_machines_are_possible():
    """One-against-one has n(n-1)/2 machines, one-against-all n, and the trees lie between n-1 and all pairs."""
    for data, (n, _, _, _) in published.SETS.items():
        pairs, rest, *_ = counts = published.MACHINES[data]
        assert (pairs, rest) == (n * (n - 1) // 2, n)
        assert all(n - 1 <= counts[place] <= pairs for place in (2, 5))


def test_the_text_says_what_the_tables_say():
    """BTPPSVM's share of vectors and its saving of time follow from Tables 3 and 5."""
    vectors = dict(zip(published.METHODS, published.VECTORS[published.AVERAGE], strict=True))
    for other, said in published.OF_VECTORS.items():
        assert 100 * vectors["BTPPSVM"] / vectors[other] == pytest.approx(said, abs=0.6)
    seconds = dict(zip(published.METHODS, published.TEST_SECONDS, strict=True))
    for other, said in published.SAVED.items():
        assert 100 * (1 - seconds["BTPPSVM"] / seconds[other]) == pytest.approx(said, abs=0.06)


def test_entries_of_table_2_that_are_no_shares():
    """Ten of 18 are not a number of right answers in the test set; looked for among all numbers."""
    possible = {data: {f"{100 * k / n:.2f}" for k in range(n + 1)} for data, (*_, n) in published.SETS.items()}
    for data, (*_, n) in published.SETS.items():
        for value in published.ACCURACY[data]:
            assert published.is_share(value, n) == (f"{value:.2f}" in possible[data]), (data, value)
    small = [d for d in published.SETS if d != "mnist7x7"]
    missing = [(d, v) for d in small for v in published.ACCURACY[d] if f"{v:.2f}" not in possible[d]]
    assert len(missing) == 10
    assert "10 of the 18" in tables.on_shares()
    assert sum(cell.startswith("no") for row in tables.possible_shares().rows for cell in row) == 10


def test_c_bts_formula():
    """The number of steps n' = 3/4 (n - 1) from n classes to one."""
    n, steps = 26.0, 0
    while n > 1.0 + 1e-9:
        n, steps = 0.75 * (n - 1), steps + 1
    assert published.c_bts_tests(26) == pytest.approx(steps, abs=1)
    assert published.c_bts_tests(1) == 0


# ------------------------------------------------------------------- readings


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest", "fisher_tree"])
@pytest.mark.parametrize("depth", [1, 200])
def test_the_first_reading_is_soft_labels_of_the_library(structure, depth, letters):
    """Neighbours found once for all machines give the labels that soft_labels=k gives, ties included."""
    X, y = letters
    told = dagmar.SVC(gamma=1.0, structure=structure, soft_labels=Reading(5, Neighbours(depth=depth))).fit(X, y)
    plain = dagmar.SVC(gamma=1.0, structure=structure, soft_labels=5).fit(X, y)
    np.testing.assert_array_equal(told.bank_.coef, plain.bank_.coef)


def test_nearest_are_those_of_brute_force(rng):
    """Itself first, then by distance, ties to the earlier."""
    X = rng.integers(0, 3, size=(60, 3)).astype(float)
    distance = ((X[:, None] - X) ** 2).sum(axis=2)
    distance[np.arange(60), np.arange(60)] = -1
    np.testing.assert_array_equal(nearest(X, 9), np.argsort(distance, axis=1, kind="stable")[:, :9])


def test_neighbours_of_another_fold_are_others(rng):
    """Samples that agree in shape, first and last row are distinguished."""
    X = rng.normal(size=(30, 2))
    other = X.copy()
    other[1:-1] = X[1:-1][::-1]
    neighbours = Neighbours()
    first = neighbours.among(X, np.arange(30)).copy()
    assert not np.array_equal(first, neighbours.among(other, np.arange(30)))
    np.testing.assert_array_equal(first, neighbours.among(X, np.arange(30)))


def test_readings_differ_as_they_say(three_blobs):
    """Each option does to the label what its name says."""
    X, y = three_blobs
    rows = np.flatnonzero(y < 2)
    sign = np.where(y[rows] == 1, 1.0, -1.0)
    near = Neighbours()
    soft = Reading(7, near)(X, rows, sign)
    assert (soft * sign < 0).any()
    np.testing.assert_allclose(Reading(7, near, flipped="unflipped")(X, rows, sign), sign * np.abs(soft))
    np.testing.assert_allclose(Reading(7, near, flipped="dropped")(X, rows, sign), np.where(soft * sign > 0, soft, 0))
    edited = Reading(7, near, flipped="dropped", hard=True)(X, rows, sign)
    np.testing.assert_array_equal(edited, np.where(soft * sign > 0, sign, 0))
    # Without itself, seven others: eight with itself, less itself.
    eight = Reading(8, near)(X, rows, sign)
    np.testing.assert_allclose(Reading(7, near, itself=False)(X, rows, sign), (8 * eight - sign) / 7)
    everywhere = Reading(7, near, everywhere=True)(X, rows, sign)
    side = np.zeros(len(y))
    side[rows] = sign
    around = side[nearest(X, 7)[rows]]
    np.testing.assert_allclose(everywhere, around.sum(axis=1) / np.abs(around).sum(axis=1))


def test_windows_are_weighted_means(rng):
    """A wide window gives all samples the mean sign, a narrow one each its own."""
    X, sign = rng.normal(size=(20, 2)), np.where(np.arange(20) < 6, 1.0, -1.0)
    np.testing.assert_allclose(windowed(X, sign, 0.0), sign.mean())
    np.testing.assert_allclose(windowed(X, sign, 1e9), sign)


def test_wrong_labels_are_other_classes(rng):
    """About the share asked for is wrong, and nothing at 0."""
    y = np.arange(4000) % 10
    assert np.mean(checks.with_wrong(y, 0.2, rng) != y) == pytest.approx(0.2, abs=0.03)
    np.testing.assert_array_equal(checks.with_wrong(y, 0.0, rng), y)


# ------------------------------------------------------------------- from end to end


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small stand-ins for the four data sets."""
    path = tmp_path_factory.mktemp("data")
    for seed, (name, largest) in enumerate(LARGEST.items()):
        X, y = blobs(seed, 4, 40, 5, spread=1.0)
        X = largest * (X - X.min()) / (X.max() - X.min())
        order = np.random.default_rng(seed).permutation(len(y))
        X, y = X[order], y[order]
        np.savez(path / f"{name}.npz", X_train=X[:110], y_train=y[:110], X_test=X[110:], y_test=y[110:])
    return small_sets(path)


@pytest.fixture(scope="module")
def record(folder, tmp_path_factory):
    """A quick run on them; Letter is cut early enough to have a test part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("experiments.papers.wang2011.samples.LETTER_CUT", 110)
        return run(study_of("wang2011"), folder, Settings(quick=True), tmp_path_factory.mktemp("run"), n_jobs=1)


@pytest.fixture(scope="module")
def report(record):
    """What is said of this run."""
    return study_of("wang2011").report(Settings(quick=True), record)


def test_every_step_is_reported(record, report, tmp_path):
    """All steps are run and named, every claim is judged once, and the pictures are drawn."""
    text = alone(report)
    names = [claim.name for claim in (*report.claims, *report.own_claims)]
    assert len(set(names)) == len(names)
    assert all(3 <= len(name.split()) <= 9 for name in names)
    assert all(claim.where for claim in report.claims)
    assert not any(claim.where for claim in report.own_claims)
    assert len(report.errors) == 24
    prefixes = {key.split("/")[0] for key in record}
    assert all(f"`{prefix}" in text for prefix in prefixes - {"best case"})
    assert len(write_pictures(report.pictures, tmp_path)) == 3
    # A cell that holds the sign between cells would break its row.
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = [i for i, line in enumerate(lines) if set(line) <= set("|-: ")]
    for begin, end in zip(heads, [*(h - 1 for h in heads[1:]), len(lines)], strict=True):
        assert {line.count("|") for line in lines[begin - 1 : end]} == {lines[begin].count("|")}


def test_tables_have_titles_of_their_own(report):
    """On the page, and on the two pages that all papers share."""
    for all_tables in (report.tables(), tables_of(report.findings), tables_of(report.readings)):
        titles = [table.title for table in all_tables]
        assert len(set(titles)) == len(titles)


def test_every_published_number_has_a_cell(report):
    """By its pointer in the file of all papers, with the digits as printed."""
    file = os.environ.get("DAGMAR_PAPER_TABLES")
    if not file:
        pytest.skip("DAGMAR_PAPER_TABLES does not name the file of published numbers")
    content = json.loads(Path(file).read_text(encoding="utf-8"), parse_int=str, parse_float=str)
    numbers = {p: n for p, n in published_numbers(content).items() if p.startswith(published.POINTER)}
    assert len(numbers) == 122
    page = report.markdown()
    where = places([report])
    assert {p: n for p, n in numbers.items() if p not in where} == {}
    for pointer, printed in numbers.items():
        assert set(printed) <= set(numbers_in(read_cell(page, where[pointer]))), pointer


def test_a_second_run_takes_up_the_first(record, folder):
    """Nothing is run twice, and the record says the same."""
    before = dict(record)
    again = Record(record.file, "wang2011", Settings(quick=True), 1)
    assert dict(again) == before
    assert all(again.has(step) for step in study_of("wang2011").steps(Settings(quick=True)))


def changed(record, **changes):
    """A copy of the record in which BTPPSVM has other figures on all sets."""
    out = {key: dict(value) for key, value in record.items()}
    for key, value in out.items():
        if key.startswith("tables/") and key.endswith("/BTPPSVM"):
            value.update(changes)
        if key.startswith("counts/") and "vectors_percent" in changes:
            shares = value["vectors_percent"]
            value["vectors_percent"] = {
                m: dict.fromkeys(of, changes["vectors_percent"]) if m == "BTPPSVM" else of for m, of in shares.items()
            }
    return out


def verdict_of(record, name):
    """The verdict of a claim, by its name."""
    (claim,) = [claim for claim in claims(record) if claim.name == name]
    return claim.verdict


@pytest.mark.parametrize(
    ("name", "better", "worse"),
    [
        ("BTPPSVM stores the fewest vectors", {"vectors_percent": 0.1}, {"vectors_percent": 99.0}),
        ("BTPPSVM stores 60 and 78 % of vectors", {"vectors_percent": 0.1}, {"vectors_percent": 99.0}),
        ("BTPPSVM has fewer machines", {"machines": 1}, {"machines": 100}),
        ("Trees use fewer machines than OAO", {"machines_consulted": 1.0}, None),
        ("BTPPSVM asks about log₂ n machines", {"machines_consulted": 1.0}, {"machines_consulted": 9.0}),
        ("BTPPSVM has the shortest test time", {"loop_seconds": 1e-9}, {"loop_seconds": 1e9}),
        ("BTPPSVM saves a fifth to a half of time", {"loop_seconds": 1e-9}, {"loop_seconds": 1e9}),
        ("Test times elsewhere are similar", {"loop_seconds": 1e-9}, {"loop_seconds": 1e9}),
        ("BTPPSVM is as accurate as OAO and OAA", {"error": 0.0, "wrong": []}, None),
    ],
)
def test_claims_follow_the_record(record, name, better, worse):
    """A claim on BTPPSVM holds where it is far better, and does not where it is far worse."""
    best = changed(record, **better)
    if name.startswith("Trees"):
        for data in published.SETS:
            best[f"tables/{data}/c-BTS"].update(better)
    assert verdict_of(best, name) is Verdict.HELD
    if worse:
        assert verdict_of(changed(record, **worse), name) is Verdict.NOT_HELD


def test_vectors_within_the_spread_decide_nothing(record):
    """Where the counts of two methods overlap, neither has fewer."""
    overlap = {"a": ((10.0, 11.0), (10.9, 12.0))}
    assert judge_fewer(overlap).verdict is Verdict.UNDECIDED
    assert judge_fewer({**overlap, "b": ((1.0, 2.0), (3.0, 4.0))}).verdict is Verdict.IN_PART
    assert judge_fewer({**overlap, "b": ((3.0, 4.0), (1.0, 2.0))}).verdict is Verdict.NOT_HELD
    low, high = spread(record, "letter", "BTPPSVM")
    assert low <= record["tables/letter/BTPPSVM"]["vectors_percent"] <= high


def test_an_advantage_of_a_tenth_is_more_than_a_sign(record):
    """Better beyond chance by a point holds; equal errors decide nothing; worse does not hold."""
    name = "BTPPSVM gains 0.1 points over c-BTS"
    for wrong, other, verdict in (
        ([], [0, 1, 2], Verdict.HELD),
        ([0], [1], Verdict.UNDECIDED),
        ([0, 1, 2], [], Verdict.NOT_HELD),
    ):
        out = {key: dict(value) for key, value in record.items()}
        for data in published.SETS:
            n = out[f"tables/{data}/c-BTS"]["test_rows"]
            out[f"tables/{data}/BTPPSVM"].update(wrong=wrong, error=100 * len(wrong) / n)
            out[f"tables/{data}/c-BTS"].update(wrong=other, error=100 * len(other) / n)
        assert verdict_of(out, name) is verdict


# ------------------------------------------------------------------- counts, loops, regions, layers


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest"])
def test_remembered_labels_are_those_of_the_library(structure, three_blobs):
    """In the order of the rows, and in another."""
    X, y = three_blobs
    labels = Remembered(X, y, structure, 5, n_jobs=1)
    clf = dagmar.SVC(gamma=1.0, structure=structure, soft_labels=labels)
    plain = dagmar.SVC(gamma=1.0, structure=structure, soft_labels=5).fit(X, y)
    np.testing.assert_array_equal(clf.fit(X, y).bank_.coef, plain.bank_.coef)
    labels.order = np.random.default_rng(0).permutation(len(y))
    clf.fit(X[labels.order], y[labels.order])
    np.testing.assert_array_equal(np.sort(labels.order[clf.support_]), np.sort(plain.support_))


def test_vectors_are_counted_at_all_tolerances(record):
    """Every method of Table 3 has a count at each tolerance, near that of the usual one."""
    for data in published.SETS:
        counted = {m: s for c in experiments.CHOSEN for m, s in record[f"counts/{data}/{c}"]["vectors_percent"].items()}
        assert set(counted) == set(experiments.METHODS)
        for method, shares in counted.items():
            assert {"0.01", "0.0001", "shuffled"} <= set(shares)
            usual = record[f"tables/{data}/{method}"]["vectors_percent"]
            assert max(abs(share - usual) for share in shares.values()) < 10, (data, method)


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest", "fisher_tree"])
def test_a_loop_over_machines_answers_as_the_bank(structure, letters):
    """Labels agree, whichever way they are found."""
    X, y = letters
    clf = dagmar.SVC(gamma=1.0, structure=structure, soft_labels=3).fit(X, y)
    found = looped(clf, X, 1)
    assert found["loop_agrees"] == 1.0
    assert found["loop_seconds"] > 0


def test_regions_are_counted_sample_by_sample(letters):
    """Against the definition, one sample after another."""
    X, y = letters
    split = Split(X, y, X, y)
    pairs = dagmar.SVC(gamma=0.01).fit(X, y)
    found = regions(pairs, split)
    n = len(pairs.classes_)
    votes = np.zeros((len(y), n), dtype=int)
    for value, (i, j) in zip(pairs.pair_decisions(X).T, pairs.bank_.pairs, strict=True):
        votes[np.arange(len(y)), np.where(value >= 0, j, i)] += 1
    ranked = np.sort(votes, axis=1)
    assert found["samples"] == sum(ranked[:, -1] < n - 1)
    assert found["tied"] == pytest.approx(100 * np.mean(ranked[:, -1] == ranked[:, -2]))
    rest = dagmar.SVC(gamma=0.01, structure="one_vs_rest").fit(X, y)
    found = regions(rest, split)
    positive = (rest.pair_decisions(X) > 0).sum(axis=1)
    assert (found["none"], found["several"]) == (100 * np.mean(positive == 0), 100 * np.mean(positive > 1))
    assert found["wrong_there"] + found["wrong_elsewhere"] == np.sum(rest.predict(X) != y)


def test_layers_err_where_the_tree_errs(letters):
    """Samples wrong in some layer are those that the tree gets wrong."""
    X, y = letters
    clf = dagmar.SVC(gamma=0.1, structure="fisher_tree").fit(X[::2], y[::2])
    codes = np.searchsorted(clf.classes_, y)
    wrong = layers(clf.plan_, clf.pair_decisions(X) >= 0, codes)
    np.testing.assert_array_equal(wrong.any(axis=0), clf.predict(X) != y)
    found = layer_errors(clf, Split(X, codes, X, codes))
    assert (found["wrong"], len(found["errors"])) == (wrong.any(axis=0).sum(), len(wrong))


# ------------------------------------------------------------------- trees


@pytest.fixture(scope="module")
def pairs(letters):
    """The machines of all pairs, and their training data."""
    X, y = letters
    codes = np.unique(y, return_inverse=True)[1]
    return Pairs(dagmar.SVC(gamma=1.0).fit(X, codes), X, codes), X, codes


@pytest.mark.parametrize("tree", ["fisher_tree", "centered_tree"])
@pytest.mark.parametrize("threshold", [0.0, 0.1])
def test_trees_are_those_of_the_library(tree, threshold, pairs):
    """The same machines, paths and answers."""
    over, X, y = pairs
    kind = {"fisher_tree": dagmar.FisherTree, "centered_tree": dagmar.CenteredTree}[tree]
    clf = over.clf.restructure(kind(threshold=threshold), X, y)
    plan = over.grow(fisher.by_trace(over.moments) if tree == "fisher_tree" else None, threshold)
    found = over.measure(plan, X, y)
    assert found["machines"] == clf.bank_.n_machines
    assert found["machines_consulted"] == clf.decision_cost(X).machines.mean()
    assert found["wrong"] == np.flatnonzero(clf.predict(X) != y).tolist()
    assert found["vectors_percent"] == 100 * len(clf.support_) / len(y)


def test_reassignment_makes_trees_larger(pairs):
    """A sample near the boundary counts for both sides; if all do, all classes stay in both children."""
    over, X, y = pairs
    counts = [over.measure(over.grow(None, 0.05, band), X, y)["machines"] for band in (0.0, 0.2, 1e9)]
    assert counts == sorted(counts)
    n = over.n_classes
    assert counts[-1] == n * (n - 1) // 2


def test_fisher_ratios_of_numbers_are_equation_4(rng):
    """With one feature all readings but that of deviations are the same."""
    y = np.repeat([0, 1, 2], 50)
    X = (rng.normal(size=150) + y)[:, None]
    a, b = X[y == 0], X[y == 1]
    plain = (a.mean() - b.mean()) ** 2 / (a.var() + b.var())
    moments = fisher.Moments.of(X, y)
    for reading in (fisher.by_trace, fisher.by_sum, fisher.by_largest, fisher.by_line, fisher.by_direction):
        assert reading(moments)[0, 1] == pytest.approx(plain, rel=1e-5)
    assert fisher.by_deviations(moments)[0, 1] == pytest.approx((a.mean() - b.mean()) ** 2 / (a.std() + b.std()))
    # A kernel so wide that it is linear.
    assert fisher.by_kernel(X, y, 1e-6)[0, 1] == pytest.approx(plain, rel=1e-3)


# ------------------------------------------------------------------- what holds on real data


def lab_of(data, found=None):
    """A lab over the real data."""
    return Lab(data, Settings(), 1, found or {})


def test_features_go_from_minus_one_to_one(real_data):
    """The whole range of a set is used, and nothing lies outside."""
    for data in ("letter", "optdigits", "pendigits"):
        split = samples(lab_of(real_data), data)
        assert (split.X.min(), split.X.max()) == (-1.0, 1.0)
        assert np.abs(split.X_test).max() <= 1.0
        assert (len(split.y), len(split.y_test)) == published.SETS[data][2:]


def test_canonical_errors_are_the_published_ones(real_data):
    """One-against-one and c-BTS on Optdigits err as often as the paper says, to half a point."""
    choice = {"choice/optdigits/OAO": {"C": 16.0, "gamma": 1 / 16}}
    for method in ("OAO", "c-BTS"):
        found = experiments.tabled(lab_of(real_data, choice), "optdigits", method)
        assert found["error"] == pytest.approx(published.error("optdigits", method), abs=0.5)


@pytest.mark.slow
def test_soft_labels_mend_wrong_ones_at_a_large_C(real_data):
    """With a fifth of the labels wrong and C = 100, eleven neighbours more than halve the error."""
    choice = {"choice/pendigits/OAO": {"C": 16.0, "gamma": 0.25}}
    found = checks.noise(lab_of(real_data, choice), "pendigits", 0.2, [100.0], [1, 11], rows=2000)
    assert found["k"]["11"]["errors"]["100"] < 0.5 * found["k"]["1"]["errors"]["100"]


def test_the_best_case_is_a_balanced_tree(folder):
    """Where nothing overlaps, the Fisher tree has n - 1 machines and asks log2 n."""
    found = checks.best_case(Lab(folder, Settings(), 1, {}))
    assert (found["machines"], found["machines_consulted"], found["error"]) == (7, 3.0, 0.0)
