"""Our own questions: the splits, every scheme from end to end, and verdicts that follow the record."""

import copy
from math import sqrt
from pathlib import Path
from statistics import mean, variance

import numpy as np
import pytest
from helpers import blobs
from scipy.stats import t
from toy import run_quickly, small_sets

from experiments.papers import study_of
from experiments.papers.direct import experiments, samples
from experiments.papers.direct.claims import claims, gain
from experiments.papers.record import read_all
from experiments.papers.report import tables_of
from experiments.papers.rule import Verdict
from experiments.papers.study import Lab, Settings


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Small stand-ins for four of the data sets; one is larger than the rows that are drawn in a quick run."""
    path = tmp_path_factory.mktemp("data")
    kept = dict(samples.NAMES)
    for name in kept.keys() - {"iris", "wine", "glass", "vowel"}:
        del samples.NAMES[name]
    for seed, name in enumerate(samples.NAMES):
        X, y = blobs(seed, 3, 60 if name == "vowel" else 20, 3, spread=2.0)
        np.savez(path / f"{name}.npz", X=X, y=y)
    yield small_sets(path)
    # In the old order, which pages depend on; a monkeypatch would put the names back at the end.
    samples.NAMES.clear()
    samples.NAMES.update(kept)


@pytest.fixture(scope="module")
def record(sets, tmp_path_factory):
    """A quick run on them."""
    return run_quickly(study_of("direct"), sets, Settings(quick=True), tmp_path_factory.mktemp("run"))


def test_splits_are_stratified_and_standardised(sets):
    """Each class has its share of both parts, and training features have mean 0 and deviation 1; trials differ."""
    lab = Lab(sets, Settings(quick=True), 1, {})
    first, second = samples.splits(lab, "vowel", 2)
    assert len(first.y) + len(first.y_test) == samples.QUICK_ROWS
    np.testing.assert_array_equal(np.bincount(first.y_test), [15, 15, 15])
    np.testing.assert_allclose(first.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(first.X.std(axis=0), 1.0)
    assert not np.array_equal(first.y, second.y)
    np.testing.assert_array_equal(samples.splits(lab, "vowel", 1)[0].X, first.X)


def test_all_schemes_choose_among_the_same_cells(record):
    """C and gamma are cells of the grid, and everything that is compared was measured in every trial."""
    cells = experiments.grid(quick=True)
    for data in samples.NAMES:
        schemes = record[f"direct/{data}"]["schemes"]
        assert set(schemes) == {*experiments.STRUCTURES, experiments.CRAMMER_SINGER}
        for of in schemes.values():
            assert set(zip(of["C"], of["gamma"], strict=True)) <= set(cells)
            assert len(of["accuracy"]) == 2
            assert all(0 <= accuracy <= 100 for accuracy in of["accuracy"])
            assert all(0 < n <= record[f"direct/{data}"]["train_rows"] for n in of["vectors"])


def test_fits_that_do_not_converge_are_counted(monkeypatch):
    """Crammer & Singer's machines at the limit of iterations are in the record, and qualify the verdict."""
    X, y = blobs(0, 3, 30, 2, spread=3.0)
    split = experiments.Split(X, y, X, y)
    folds = [(np.arange(45), np.arange(45, 90)), (np.arange(45, 90), np.arange(45))]
    monkeypatch.setattr(
        experiments.CrammerSinger.__init__,
        "__kwdefaults__",
        {**experiments.CrammerSinger.__init__.__kwdefaults__, "max_iter": 1},
    )
    assert experiments.direct(split, folds, [(1.0, 1.0)])["unconverged"] == 3


def test_structures_over_pairs_share_their_machines(record):
    """The DDAG consults n - 1 machines, and no structure more than Max Wins."""
    for data in samples.NAMES:
        for of in record[f"nodes/{data}"]["bases"].values():
            structures = of["structures"]
            assert of["unconverged"] == 0
            assert set(structures["ddag"]["machines_consulted"]) == {2.0}
            most = structures["max_wins"]["machines_consulted"]
            for name in experiments.OVER_PAIRS:
                assert np.all(np.less_equal(structures[name]["machines_consulted"], most))


def test_everything_is_reported_as_ours(record):
    """All claims are our own, every step has its table, and the page has no cell that breaks its row."""
    report = study_of("direct").report(Settings(quick=True), record)
    assert not report.claims
    assert not report.outcome
    assert len({claim.anchor for claim in report.own_claims}) == len(report.own_claims) == 7
    assert not any(claim.where for claim in report.own_claims)
    for table in tables_of(report.findings):
        assert {len(row) for row in table.rows} == {len(table.head)}
        assert not any("|" in cell for row in table.rows for cell in row)


def test_verdicts_follow_the_record(record):
    """A machine that is better on every split by different amounts is held to be better; a single worse set is named."""
    better = {key: copy.deepcopy(value) for key, value in record.items()}
    for data in samples.NAMES:
        schemes = better[f"direct/{data}"]["schemes"]
        for of in schemes.values():
            of["accuracy"] = [80.0] * 10
        schemes["crammer_singer"]["accuracy"] = [85.0 + 0.1 * trial for trial in range(10)]
    verdicts = {claim.name: claim.judgement for claim in claims(better)}
    assert verdicts["Crammer & Singer against Max Wins"].verdict is Verdict.HELD
    better["direct/iris"]["schemes"]["crammer_singer"]["accuracy"] = [75.0 + 0.1 * trial for trial in range(10)]
    better["direct/wine"]["schemes"]["crammer_singer"]["unconverged"] = [0] * 9 + [2]
    judgement = {claim.name: claim.judgement for claim in claims(better)}["Crammer & Singer against Max Wins"]
    assert judgement.verdict is Verdict.IN_PART
    assert "not for Iris" in judgement.why
    assert judgement.qualified == "2 machines did not converge"


def test_equal_accuracies_are_no_difference_by_chance(record):
    """Max Wins is not more accurate than a DDAG that is as accurate in every trial; else the tests decide."""
    other = {key: copy.deepcopy(value) for key, value in record.items()}
    for data in samples.NAMES:
        structures = other[f"nodes/{data}"]["bases"]["decision tree"]["structures"]
        structures["ddag"]["accuracy"] = structures["max_wins"]["accuracy"] = [90.0] * 10

    def claim_of_trees():
        return next(claim for claim in claims(other) if claim.name == "Max Wins against DDAG: decision tree")

    assert claim_of_trees().verdict is Verdict.NOT_HELD
    assert "the same in every trial" in claim_of_trees().shown
    step = other["nodes/glass"]
    structures = step["bases"]["decision tree"]["structures"]
    structures["ddag"]["accuracy"] = [80.0 + 0.1 * trial for trial in range(10)]
    assert gain(step, structures["max_wins"], structures["ddag"]).mean == pytest.approx(9.55)
    assert claim_of_trees().verdict is Verdict.IN_PART
    assert "Glass +9.55" in claim_of_trees().shown


# --------------------------------------------------- the verdicts of the full runs, a second time


def full_runs():
    """The records of the full runs, one per seed."""
    folder = Path(__file__).parents[3] / "docs" / "reproduction"
    if not list(folder.glob("direct-seed*.json")):
        pytest.skip("this copy of the sources came without the records")
    return read_all("direct", folder)


def slow_verdict(comparisons):
    """By Nadeau and Bengio's test, by its formula, and Holm's correction, step by step."""
    p, gains = {}, {}
    for data, (step, a, b) in comparisons.items():
        gaps = [x - y for x, y in zip(a["accuracy"], b["accuracy"], strict=True)]
        gains[data] = mean(gaps)
        spread = sqrt((1 / len(gaps) + step["test_rows"] / step["train_rows"]) * variance(gaps))
        equal = max(gaps) - min(gaps) < 1e-9
        p[data] = float(abs(mean(gaps)) < 1e-9) if equal else 2 * t.sf(abs(mean(gaps)) / spread, len(gaps) - 1)
    better, worse, adjusted = 0, 0, 0.0
    for place, data in enumerate(sorted(p, key=lambda data: p[data])):
        adjusted = max(adjusted, (len(p) - place) * p[data])
        better += adjusted < 0.05 and gains[data] > 0
        worse += adjusted < 0.05 and gains[data] < 0
    if all(a["accuracy"] == b["accuracy"] for _, a, b in comparisons.values()):
        return Verdict.NOT_HELD
    if better:
        return Verdict.HELD if better == len(p) else Verdict.IN_PART
    return Verdict.NOT_HELD if worse else Verdict.UNDECIDED


def test_verdicts_of_the_full_runs():
    """Worked out from the records by formulas of their own, every verdict is that of the code."""
    for record in full_runs():
        judged = {claim.name: claim.verdict for claim in claims(record)}
        kernel = [(data, record[f"direct/{data}"], record[f"direct/{data}"]["schemes"]) for data in samples.NAMES]
        expected = {
            "Crammer & Singer against Max Wins": (kernel, "crammer_singer", "max_wins"),
            "Crammer & Singer against one-vs-rest": (kernel, "crammer_singer", "one_vs_rest"),
            "Max Wins against DDAG: kernel machines": (kernel, "max_wins", "ddag"),
        }
        for base in experiments.BASES:
            steps = [(data, record[f"nodes/{data}"]) for data in samples.NAMES]
            of = [(data, step, step["bases"][base]["structures"]) for data, step in steps]
            expected[f"Max Wins against DDAG: {base}"] = (of, "max_wins", "ddag")
        assert set(judged) == set(expected)
        for name, (of, a, b) in expected.items():
            assert judged[name] is slow_verdict({data: (step, found[a], found[b]) for data, step, found in of}), name
