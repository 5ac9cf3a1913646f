"""The parts of the benchmarks that reckon, resume and write; nothing here is timed."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.svm import SVC

import dagmar

# They lie beside the package, not in it: a test of an installed wheel may not have them.
pytest.importorskip("benchmarks", reason="the benchmarks are not beside the tests")

from experiments.benchmarks import curves, scaling, scaling_document, tuning
from experiments.experiments.benchmarks.agreement import compare_objectives, pair_objectives
from experiments.experiments.benchmarks.curves import Series
from experiments.experiments.benchmarks.memory import forget_peak, peak
from experiments.experiments.benchmarks.points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN, Point, run
from experiments.experiments.benchmarks.synthetic import clouds, text
from experiments.growth import fit_power_law

# --------------------------------------------------------------- power laws


def test_power_law_is_found_again(rng):
    """Points on a power law give back its constant and exponent, and noise shows in R² only."""
    m = np.array([1e3, 2e3, 4e3, 1.6e4])
    law = fit_power_law(m, 3e-7 * m**1.8)
    assert (law.c, law.exponent, law.r2, law.n) == pytest.approx((3e-7, 1.8, 1.0, 4))
    assert law.at(8000) == pytest.approx(3e-7 * 8000**1.8)
    noisy = fit_power_law(m, 3e-7 * m**1.8 * np.exp(0.1 * rng.normal(size=4)))
    assert noisy.exponent == pytest.approx(1.8, abs=0.2)
    assert 0.9 < noisy.r2 < 1


def test_power_law_needs_two_sizes():
    """One size, or values without a logarithm, make no law; a constant is one of exponent 0."""
    assert fit_power_law([], []) is None
    assert fit_power_law([5, 5], [1, 2]) is None
    assert fit_power_law([1, 2], [0, 3]) is None
    assert fit_power_law([1, 2, 4], [7, 7, 7]).exponent == 0


# ------------------------------------------------------------------- resume


def outcome(point, seconds):
    """What a point that took so long would tell."""
    size = point.rows or point.classes
    return {
        "status": "done",
        "case": {**clouds(3).describe(), "classes": point.classes or 26, "train_rows": size},
        "fit": [seconds],
        "first_predict": [seconds / 10],
        "next_predict": [seconds / 20],
        "accuracy": 90.0,
        "machines": 10,
        "support_vectors": 5,
        "before_mib": 100.0,
        "fit_grew_mib": size / 100,
        "grew_mib": size / 50,
    }


class Fake:
    """Measures without a clock: seconds grow with the square of the size, one-vs-rest takes three times as long."""

    def __init__(self):
        self.ran = []

    def __call__(self, point, limit):
        """As `points.measure`."""
        size = point.rows or point.classes
        self.ran.append((point.who, size))
        seconds = 1e-6 * size**2 * {ONE_VS_ONE: 1, ONE_VS_REST: 3, SCIKIT_LEARN: 9}[point.who]
        return outcome(point, seconds) if seconds <= limit else {"status": "over", "limit": limit}


def run_all(record, limit, fake=None, **options):
    fake = fake or Fake()
    for series in curves.all_series():
        asked = scaling.asked_of(series, threads=2, cache_mb=200, up_to=None)
        scaling.run_series(series, record, asked, limit, say=len, save=lambda: None, measure=fake, **options)
    return fake


@pytest.fixture
def letter():
    return Series("rows", "letter", ONE_VS_ONE)


def resume(letter, record, limit, *, again=False, cache_mb=200):
    fake = Fake()
    asked = scaling.asked_of(letter, threads=2, cache_mb=cache_mb, up_to=None)
    scaling.run_series(letter, record, asked, limit, again=again, say=len, save=lambda: None, measure=fake)
    return [size for _, size in fake.ran], [entry["status"] for entry in letter.entries(record).values()]


def test_points_on_record_are_not_run_again(letter):
    """A second run finds all points there; other parameters, another version or `again` run them anew."""
    record = scaling.new_record(threads=2)
    everything = list(letter.sizes)
    assert resume(letter, record, 900) == (everything, ["done"] * 4)
    record = json.loads(json.dumps(record))  # as it comes back from the file
    assert resume(letter, record, 900) == ([], ["done"] * 4)
    assert resume(letter, record, 900, again=True)[0] == everything
    assert resume(letter, record, 900, cache_mb=100)[0] == everything
    record["environment"]["versions"]["dagmar"] = "another"
    assert resume(letter, record, 900, cache_mb=100)[0] == everything
    del record["points"][letter.key(4000)]
    assert resume(letter, record, 900, cache_mb=100)[0] == [4000]


def test_over_the_limit_the_larger_are_skipped(letter):
    """A point over the limit is on record as such, larger ones are skipped; only a longer limit runs them again."""
    record = scaling.new_record(threads=2)
    assert resume(letter, record, 20) == ([2000, 4000, 8000], ["done", "done", "over", "skipped"])
    assert "took longer than 20 s" in letter.entries(record)[16000]["why"]
    assert resume(letter, record, 20) == ([], ["done", "done", "over", "skipped"])
    assert resume(letter, record, 10)[0] == []
    assert resume(letter, record, 100) == ([8000, 16000], ["done", "done", "done", "over"])


def test_failures_are_tried_again(letter):
    """What has failed stops its series, and has another chance in the next run."""
    record = scaling.new_record(threads=2)
    resume(letter, record, 900)
    record["points"][letter.key(2000)] = {**letter.entries(record)[2000], "status": "failed", "why": "signal 9"}
    assert resume(letter, record, 900) == ([2000], ["done"] * 4)


def test_other_machines_have_other_records():
    """Points of another processor or number of threads do not stand beside each other."""
    record = scaling.new_record(threads=2)
    assert scaling.same_conditions(record, scaling.new_record(threads=2))
    assert not scaling.same_conditions(record, scaling.new_record(threads=1))


# ----------------------------------------------------------------- document


def test_document_says_what_the_record_says():
    """Comparisons, laws, the goal and what was not run are those of the numbers."""
    record = scaling.new_record(threads=2)
    run_all(record, limit=1000)
    words = scaling_document.document(record, ["scaling-rows.png"])
    assert "one-vs-one trains 3.0 times as fast as one-vs-rest" in words
    assert "trains 9.0 times as fast as scikit-learn" in words
    assert "| Letter, one-vs-one | 1e-06 | 2.00 | 1.000 | 4 |" in words
    assert "It is met: the process grew by 0.01 GiB" in words
    assert "pictures/scaling-rows.png" in words
    assert "pictures/scaling-memory.png" not in words
    assert "- Covertype, one-vs-one, 50000 rows: stopped after 1000 s." in words
    assert "- Covertype, one-vs-one, 200000 rows: skipped, as 50000 rows took longer than 1000 s." in words


def test_document_of_few_points():
    """Without points to compare there are no comparisons, and a goal without its point says so."""
    record = scaling.new_record(threads=2)
    series = Series("rows", "letter", ONE_VS_ONE)
    point = Point("letter", ONE_VS_ONE, rows=2000)
    record["points"][series.key(2000)] = {"point": {}, "version": "", **outcome(point, 1.0)}
    words = scaling_document.document(record, [])
    assert "times as" not in words.split("## Power laws")[0]
    assert "that point has no figures here" in words


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (3, "trains 3.0 times as fast as B"),
        (0.25, "takes 4.0 times as long to train as B"),
        (1.01, "trains about as fast as B"),
    ],
)
def test_speed_in_words(ratio, words):
    """The faster of the two is called the faster."""
    assert scaling_document.speed("trains", "to train", ratio, "B") == words


def test_pictures_are_small(tmp_path):
    """All pictures are drawn, each within 100 kB."""
    pytest.importorskip("matplotlib")
    from experiments.experiments.benchmarks.scaling_pictures import PICTURES, draw

    record = scaling.new_record(threads=2)
    run_all(record, limit=1000)
    assert draw(record, tmp_path) == list(PICTURES)
    assert all((tmp_path / name).stat().st_size < 100_000 for name in PICTURES)


# --------------------------------------------------------- data and answers


def test_clouds_overlap_alike_for_any_number_of_classes():
    """Right about nine times out of ten, for few classes as for many."""
    for n in (5, 40):
        case = clouds(n)
        model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
        assert 0.86 < model.score(case.X_test, case.y_test) < 0.93


def test_text_is_like_text():
    """Sparse rows of length 1, 0.3 % full, neither easy nor hopeless; both libraries find the same machines."""
    case = text("linear", rows=600, test_rows=200)
    assert issparse(case.X_train)
    assert case.describe()["percent_full"] == pytest.approx(0.3, abs=0.03)
    np.testing.assert_allclose(case.X_train.multiply(case.X_train).sum(axis=1), 1)
    ours, theirs = (kind(**case.parameters).fit(case.X_train, case.y_train) for kind in (dagmar.SVC, SVC))
    assert 0.3 < ours.score(case.X_test, case.y_test) < 0.95
    assert abs(compare_objectives(ours, theirs, case)["objective_apart"]) < 1e-4


def test_objectives_are_those_of_the_solver():
    """What is worked out from the coefficients is what the solver reports."""
    case = clouds(4)
    model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
    np.testing.assert_allclose(pair_objectives(model, case), model.report_.objective, rtol=1e-4)


@pytest.mark.parametrize("who", [ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN])
def test_point_runs(who, monkeypatch):
    """A point tells its seconds, machines and memory."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr("experiments.benchmarks.points.MOST_REPEATS", 2)
    found = run(Point("clouds", who, classes=4))
    assert found["machines"] == (4 if who == ONE_VS_REST else 6)
    assert found["accuracy"] > 80
    assert 0 <= found["fit_grew_mib"] <= found["grew_mib"]


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux can forget a peak")
def test_memory_is_seen():
    """What is used after the peak was forgotten counts, what was freed before does not."""
    np.ones(8_000_000)
    before = forget_peak()
    np.ones(4_000_000)
    assert 15 < peak() - before < 60


# ------------------------------------------------------------------- tuning


def test_searches_are_compared_by_cell():
    """The largest difference of a cell counts, whatever the order of the cells; other cells are an error."""

    class Search:
        def __init__(self, cells):
            self.cv_results_ = {
                "params": [{"gamma": gamma, "C": C} for C, gamma, _ in cells],
                "mean_test_score": np.array([score for *_, score in cells]),
            }

    a = tuning.mean_scores(Search([(1, 0.1, 0.9), (2, 0.1, 0.8)]))
    b = tuning.mean_scores(Search([(2, 0.1, 0.803), (1, 0.1, 0.9)]))
    assert tuning.points_apart(a, b) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="same cells"):
        tuning.points_apart(a, {})


def test_searches_have_the_same_folds():
    """Every search has the grid around the set's own gamma, and the folds of all others."""
    case = clouds(3)
    ours, theirs = tuning.Shared(case, 2), tuning.GridOfScikitLearn(case, 2)
    assert len(ours.grid["C"]) * len(ours.grid["gamma"]) == 30
    assert case.gamma in ours.grid["gamma"]
    for (a, b), (c, d) in zip(ours.folds, theirs.folds, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)
