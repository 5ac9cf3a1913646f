"""Why machines did not converge, and their names."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import dagmar
from dagmar import _core
from dagmar.machines.convergence import Unconverged, machine_names, no_optimum, why_unconverged
from dagmar.problem.tasks import all_pairs, each_against_rest


def test_machines_are_named_by_their_labels():
    """A pair has two labels; the side of all other classes is called the rest; after ten names there are dots."""
    labels = np.array(["ant", "bee", "cat", "dog", "elk", "fly"])
    assert machine_names(all_pairs(6), labels, np.array([0, 14])) == "(ant, bee), (elk, fly)"
    assert machine_names(each_against_rest(6), labels, np.array([2])) == "(rest, cat)"
    assert machine_names(each_against_rest(3), labels, np.array([2])) == "(ant + bee, cat)"
    named = machine_names(all_pairs(6), labels, np.arange(12))
    assert named.endswith("), ...")
    assert named.count("(") == 10


@pytest.fixture
def late(seven_blobs):
    """Machines that stopped early."""
    X, y = seven_blobs
    with pytest.warns(ConvergenceWarning):
        model = dagmar.SVC(C=100, max_iter=40).fit(X, y)._model
    return Unconverged.among(model.report, model.bank.tasks, model.classes)


def test_machines_that_did_not_converge_are_selected(late):
    """Their reports, and their names."""
    assert len(late) == len(late.report.status) > 1
    assert not late.report.converged.any()
    i, j = late.tasks.pairs[late.machines[0]]
    assert late.names().startswith(f"({i}, {j})")


@pytest.mark.parametrize(
    ("status", "indefinite", "max_iter", "words"),
    [
        ("max_iter", False, 40, "Solver terminated early (max_iter=40)."),
        ("max_iter", False, -1, "The solver reached its limit of steps: the KKT gap is still"),
        ("stalled", False, -1, "The solver makes no further progress: the KKT gap is still"),
        ("stalled", True, -1, "The kernel matrix is not positive semi-definite, and the solver did not converge"),
        ("unbounded", True, 40, no_optimum(False, True, "")),
        ("unbounded", False, -1, no_optimum(False, False, "")),
    ],
)
def test_cause_is_named(late, status, indefinite, max_iter, words):
    """An overflow comes first, then a limit of the user's; the worst of several lots speaks."""
    n = len(late)
    report = replace(
        late.report,
        status=np.full(n, int(_core.Status[status].value), dtype=np.int32),
        indefinite=np.full(n, indefinite),
    )
    worse = replace(late, report=report)
    assert why_unconverged([worse], max_iter).startswith(words)
    assert why_unconverged([late, worse], max_iter).startswith(words)
