"""Kinds of call: what everyone is given, ratios and goals, checks of answers, and a run from data to files."""

import numpy as np
import pytest
from sklearn.svm import SVC

import dagmar
from experiments.benchmarks import call_kinds, calls
from experiments.benchmarks.call_kinds import FIRST, FIT, KINDS, NEXT, Kind
from experiments.benchmarks.competitors import Dagmar, ScikitLearn
from experiments.benchmarks.race import Laps
from experiments.records import read_json

OURS, THEIRS = Dagmar.name, ScikitLearn.name


@pytest.fixture
def quick(monkeypatch):
    """Everyone runs once, on little data, and only scikit-learn is a peer."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr(calls, "PACE", calls.Pace())
    monkeypatch.setattr(calls, "OVERHEAD_REPEATS", 1)
    monkeypatch.setattr(call_kinds, "ONE_ROW_CALLS", 3)
    monkeypatch.setattr(call_kinds, "line_up_of", lambda kind: (call_kinds.OurCaller, call_kinds.ScikitLearnCaller))
    monkeypatch.setattr(calls, "line_up_of", call_kinds.line_up_of)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_runs_and_agrees(name, quick):
    """All that a kind times has a ratio, and answers are those of scikit-learn."""
    call = KINDS[name].case("breast_cancer" if name == "two classes" else "digits")
    result = calls.measure(call.head(300), 1, 1, lambda line: None)
    assert result["ratios"].keys() == KINDS[name].goals.keys() == result["seconds"].keys()
    assert all(found["ratio"] > 0 and found["best_peer"] == THEIRS for found in result["ratios"].values())
    assert result["checks"]
    assert all(check["passed"] for check in result["checks"]), result["checks"]


def test_what_everyone_is_given():
    """A kernel matrix has a column per training sample, and two classes are the largest ones, within the limit of rows."""
    train, test = KINDS["precomputed"].case("breast_cancer").given
    assert train.shape == (len(train), len(train))
    assert test.shape[1] == len(train)
    np.testing.assert_array_equal(np.diag(train), 1.0)
    case = call_kinds.two_largest(KINDS["linear"].case("digits"), 200)
    assert (len(case.y_train), len(case.y_test)) == (140, 60)
    assert np.unique(case.y_train).tolist() == np.unique(case.y_test).tolist() == [0, 1]
    alone = call_kinds.OurCaller(KINDS["defaults"].case("breast_cancer"), 1).estimator()
    assert alone.get_params() == dagmar.SVC().get_params()


def laps(fit, first, later):
    """Seconds of us and of a peer."""
    found = Laps()
    for seconds, (ours, theirs) in ((found.fit, fit), (found.first, first), (found.later, later)):
        seconds |= {OURS: ours, THEIRS: theirs}
    return found


def test_least_times_count():
    """A ratio is between the least times of all repeats, for what the kind times."""
    kind = Kind("some", {FIT: None, NEXT: None})
    found = calls.ratios(kind, laps(([2.0, 1.0], [9.0, 8.0]), ([1.0], [1.0]), ([0.5, 3.0], [2.0, 1.0])))
    assert {what: (one["seconds"], one["ratio"]) for what, one in found.items()} == {FIT: (1.0, 8.0), NEXT: (0.5, 2.0)}


def test_goals_are_of_mean_and_least():
    """A goal is met if the mean and every set reach it; what has no goal is shown."""

    def result(fit, first, later):
        ratios = {what: {"ratio": ratio} for what, ratio in ((FIT, fit), (FIRST, first), (NEXT, later))}
        return {"ratios": ratios}

    lines = calls.summary({"poly": {"a": result(5.0, 1.0, 40.0), "b": result(80.0, 1.0, 4.0)}})
    assert [(line["what"], line["met"]) for line in lines] == [
        ("fit", True),
        ("first call", None),
        ("later calls", False),
    ]
    assert (lines[0]["mean"], lines[2]["least"], lines[2]["least_of"]) == (pytest.approx(20.0), 4.0, "b")


@pytest.mark.parametrize("name", ["linear", "one against the rest", "decision_function"])
def test_wrong_answers_are_found(name):
    """Labels that differ for no good reason fail the check, whatever form the answers have."""
    call = KINDS[name].case("digits").head(300)
    found = Laps()
    for caller in (call_kinds.OurCaller(call, 1), call_kinds.ScikitLearnCaller(call, 1)):
        model = found.models[caller.name] = caller.fit()
        found.labels[caller.name] = call.kind.ask(model, call.X_test)
    assert all(check.passed for check in calls.agreement(call, found))
    wrong = found.labels[OURS].copy()
    wrong[:3] = np.roll(wrong[:3], 1, axis=-1) if wrong.ndim == 2 else (wrong[:3] + 1) % 10
    found.labels[OURS] = wrong
    assert not all(check.passed for check in calls.agreement(call, found))


def test_other_local_optimum_must_not_be_worse():
    """Of the sigmoid kernel: labels that differ are a fault unless the objective of a pair of scikit-learn is the worse one."""
    call = KINDS["sigmoid"].case("digits").head(300)
    ours, theirs = (caller(call, 1).fit() for caller in (call_kinds.OurCaller, call_kinds.ScikitLearnCaller))
    right = ours.predict(call.X_test)
    wrong = (right + 1) % 10
    assert not all(
        check.passed
        for check in calls.agreement(
            call, Laps(models={OURS: ours, THEIRS: theirs}, labels={OURS: wrong, THEIRS: right})
        )
    )
    theirs.dual_coef_ = 0.5 * theirs.dual_coef_
    worse = Laps(models={OURS: ours, THEIRS: theirs}, labels={OURS: wrong, THEIRS: right})
    assert all(check.passed for check in calls.agreement(call, worse))


def test_scores_and_probabilities_are_compared():
    """Mean scores may differ by a row, log losses by little."""
    call = KINDS["cross_val_score"].case("digits").head(300)
    found = Laps(models={OURS: None, THEIRS: None}, labels={OURS: np.full(5, 0.9), THEIRS: np.full(5, 0.902)})
    assert [check.passed for check in calls.agreement(call, found)] == [True]
    found.labels[OURS] = np.full(5, 0.89)
    assert [check.passed for check in calls.agreement(call, found)] == [False]

    call = KINDS["probabilities"].case("digits").head(300)
    model = dagmar.SVC(**call.parameters).fit(call.X_train, call.y_train)
    theirs = SVC(C=call.C, gamma=call.gamma, random_state=0).fit(call.X_train, call.y_train)
    right = model.predict_proba(call.X_test)
    found = Laps(models={OURS: model, THEIRS: theirs}, labels={OURS: right, THEIRS: right})
    assert all(check.passed for check in calls.agreement(call, found))
    found.labels = {OURS: np.full_like(right, 0.1), THEIRS: right}
    assert not calls.agreement(call, found)[0].passed


def test_overhead_counts_what_is_not_the_function(monkeypatch):
    """Only support vectors are asked for at predict."""
    monkeypatch.setattr(calls, "OVERHEAD_REPEATS", 1)
    call = KINDS["callable"].case("digits").head(300)
    found = calls.overhead(call, 1)
    assert 0 < found["values"] < 300
    assert found["fit"] > 0
    assert found["predict"] > 0


def test_growth_is_an_exponent(monkeypatch):
    """Four times as many classes, in the time of a second call."""
    monkeypatch.setattr(calls, "GROWTH", (3, 12))
    monkeypatch.setattr(calls, "GROWTH_ROWS", 50)
    found = calls.growth(1, 1)
    few, many = found["seconds"]["3"], found["seconds"]["12"]
    assert 4 ** found["exponent"] == pytest.approx(many / few)
    assert f"{found['exponent']:.2f}" in calls.growth_line(found)


def test_a_part_is_added_to_the_record(tmp_path, quick, monkeypatch, capsys):
    """What was measured before stays, unless it is measured again; the page is made of the record."""
    few = {name: Kind(**{**vars(KINDS[name]), "sets": ("digits",), "rows": 300}) for name in ("linear", "one row")}
    monkeypatch.setattr(calls, "KINDS", {**KINDS, **few})
    arguments = ["--out", str(tmp_path), "--repeats", "1", "--threads", "1", "--no-growth"]
    assert calls.BENCHMARK.main([*arguments, "--kinds", "linear"]) == 0
    before = read_json(tmp_path / "calls.json")
    assert calls.BENCHMARK.main([*arguments, "--kinds", "one row"]) == 0
    report = read_json(tmp_path / "calls.json")
    assert list(report["kinds"]) == ["linear", "one row"]
    assert report["kinds"]["linear"] == before["kinds"]["linear"]
    page = (tmp_path / "calls.md").read_text(encoding="utf-8")
    assert calls.markdown(report) == page
    assert "| one row | later calls | 1 |" in page

    monkeypatch.setitem(calls.KINDS, "linear", Kind("linear", KINDS["linear"].goals, sets=("no such set",)))
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    assert calls.BENCHMARK.main([*arguments, "--kinds", "linear"]) == 1
    assert "no such set" in capsys.readouterr().out
