"""What fitting cost."""

import pickle
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

import dagmar
from dagmar import _core
from dagmar.machines.report import FitReport


@pytest.fixture
def report():
    machines = np.zeros(2, dtype=_core.MACHINE_RECORD)
    machines["objective"], machines["norm2"] = [-1.0, -2.0], [1.0, 4.0]
    machines["gap"], machines["seconds"] = [1e-4, 9e-4], [0.25, 0.5]
    machines["iterations"], machines["rows_computed"], machines["rows_reused"] = [3, 5], [4, 6], [2, 4]
    machines["status"] = [int(_core.Status.converged), int(_core.Status.max_iter)]
    machines["refined"] = [False, True]
    return FitReport.from_arrays(SimpleNamespace(machines=machines))


def test_choices_stay_with_the_report(report):
    """A pickle has them, and so has a report with other names; a report that nobody gave choices has none."""
    assert report.choices == {}
    told = report.with_choices({"precision": "single"})
    assert told.choices == pickle.loads(pickle.dumps(told)).choices == told.named(None).choices
    assert told.choices["precision"] == "single"
    assert told.choices["rows"] == "all at once for 2 machines"
    assert report.choices == pickle.loads(pickle.dumps(report)).choices == {}


def test_totals_add_up(report):
    """Counts and seconds are added up; of the gaps the largest is kept."""
    assert report.totals == {
        "machines": 2,
        "iterations": 8,
        "largest_gap": 9e-4,
        "rows_computed": 10,
        "rows_reused": 6,
        "solver_seconds": 0.75,
        "refined": 1,
    }
    np.testing.assert_array_equal(report.converged, [True, False])
    assert not report.all_converged
    assert report.select(np.array([0])).all_converged


def test_report_reads_as_a_sentence(report):
    """The words hold the totals."""
    assert str(report) == (
        "2 machines in 8 steps, largest gap 0.0009; 10 kernel rows computed, 6 reused; "
        "1 refined in double precision; 0.75 s of solving"
    )


def test_fitted_report_has_an_entry_per_machine(seven_blobs):
    """Every array has one entry per machine, within what the fit promised."""
    X, y = seven_blobs
    clf = dagmar.SVC(tol=1e-4).fit(X, y)
    for field in fields(clf.report_):
        assert getattr(clf.report_, field.name).shape == (21,), field.name
    assert (clf.report_.gap < 1e-4).all()
    assert (clf.report_.objective < 0).all()
    np.testing.assert_array_equal(clf.n_iter_, clf.report_.iterations)


def test_norm_is_that_of_the_machine(two_moons):
    """norm2 is the squared norm of the weight vector, seen here with a linear kernel."""
    X, y = two_moons
    clf = dagmar.SVC(kernel="linear").fit(X, y)
    assert clf.report_.norm2[0] == pytest.approx((clf.coef_**2).sum(), rel=1e-9)


def test_what_is_not_known_is_none(report):
    """Without gap and seconds the totals have None, a selection keeps that, and the words have no nan."""
    foreign = replace(report, gap=None, objective=None, norm2=None, seconds=None)
    for unknown in (foreign, foreign.select(np.array([0])), FitReport.join([report, foreign])):
        assert unknown.gap is None
        assert unknown.totals["largest_gap"] is unknown.totals["solver_seconds"] is None
        assert "nan" not in str(unknown)
        assert "not known" in str(unknown)
    assert FitReport.join([report, foreign]).converged.tolist() == [True, False, True, False]


def test_report_of_another_library():
    """What is known is kept; the machines count as converged unless they are said not to be."""
    steps = np.array([7, 0])
    foreign = FitReport.foreign(steps, np.array([0.25, 0.5]))
    assert foreign.converged.all()
    assert foreign.totals["iterations"] == 7
    assert str(foreign) == (
        "2 machines, some of them trained by another library; 7 known steps; 0.75 s of fitting; gap not known"
    )
    assert not FitReport.foreign(steps, status=_core.Status.max_iter).converged.any()


# ------------------------------------------------------------------ showing


def test_report_shows_itself(report):
    """The representation is the sentence; the frame has a row per machine and a column for everything that is known."""
    assert repr(report) == f"FitReport({report})"
    frame = report.to_frame()
    assert frame.index.tolist() == [0, 1]
    assert frame.iterations.tolist() == [3, 5]
    assert frame.converged.tolist() == [True, False]
    assert "negative" not in frame
    assert "gap" not in FitReport.foreign(np.array([7, 0])).to_frame()
    page = report._repr_html_()
    assert page.index(">5</td>") < page.index(">3</td>")  # most steps first
    assert str(report) in page


def test_report_of_a_fit_has_the_labels(three_blobs):
    """The frame names the sides of each machine; a pickle keeps them, and so does one of the estimator."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, np.array(["ant", "<b>", "cat"])[y])
    for shown in (clf.report_, pickle.loads(pickle.dumps(clf.report_)), pickle.loads(pickle.dumps(clf)).report_):
        frame = shown.to_frame()
        assert frame.negative.tolist() == ["<b>", "<b>", "ant"]
        assert frame.positive.tolist() == ["ant", "cat", "cat"]
        assert "<b>" not in shown._repr_html_()
    assert clf.restructure("ddag").report_.to_frame().negative.tolist() == ["<b>", "<b>", "ant"]
