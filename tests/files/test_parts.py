"""The parts of a model file fit together, or the file is refused."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import blobs

import dagmar
from dagmar import ModelFileError
from dagmar.files.parts import BANK, LEARNED, MODEL, PLAN, REPORT, check_model
from dagmar.machines.bank import Bank
from dagmar.machines.report import FitReport
from dagmar.probabilities.sigmoid import Sigmoids
from dagmar.problem.making import Learned
from dagmar.structures.plans import GraphPlan, KnockoutPlan


@pytest.fixture(scope="module")
def model():
    X, y = blobs(0, 4, 20, 3)
    return dagmar.SVC(structure="divide_and_conquer").fit(X, y)._model


@pytest.mark.parametrize(
    ("kind", "class_", "left_out"),
    [(BANK, Bank, set()), (REPORT, FitReport, set()), (LEARNED, Learned, {"function"}), (MODEL, type(None), set()),
     (PLAN.kinds["graph"][1], GraphPlan, set()), (PLAN.kinds["knockout"][1], KnockoutPlan, set())],
)  # fmt: skip
def test_every_field_is_written(kind, class_, left_out):
    """A field that a class gets later must be written as well, in a new format."""
    from dataclasses import fields

    from dagmar.estimators.model import Model

    class_ = Model if class_ is type(None) else class_
    assert set(kind.fields) == {f.name for f in fields(class_)} - left_out


def with_bank(model, **changes):
    return replace(model, bank=replace(model.bank, **changes))


DAMAGE = {
    "index out of range": lambda m: with_bank(m, index=np.full_like(m.bank.index, 10**6)),
    "begin does not ascend": lambda m: with_bank(m, begin=m.bank.begin[::-1].copy()),
    "coefficients are not finite": lambda m: with_bank(m, coef=np.full_like(m.bank.coef, np.nan)),
    "too few biases": lambda m: with_bank(m, bias=m.bank.bias[1:]),
    "support beyond the samples": lambda m: with_bank(m, support=m.bank.support + 10**6),
    "support below zero": lambda m: with_bank(m, support=m.bank.support - 10**6),
    "a cycle": lambda m: replace(m, plan=replace(m.plan, on_negative=np.zeros_like(m.plan.on_negative))),
    "a leaf that is no class": lambda m: replace(
        m, plan=replace(m.plan, on_positive=np.full_like(m.plan.on_positive, -99))
    ),
    "a machine that is not there": lambda m: replace(m, plan=replace(m.plan, machine=m.plan.machine + 100)),
    "too many classes": lambda m: replace(m, learned=replace(m.learned, classes=np.zeros(4, dtype=int))),
    "wrong number of columns": lambda m: replace(
        m, learned=replace(m.learned, columns=replace(m.learned.columns, n_features=2))
    ),
    "no columns": lambda m: replace(m, learned=replace(m.learned, columns=None)),
    "names of other columns": lambda m: replace(
        m, learned=replace(m.learned, columns=replace(m.learned.columns, names=np.array(["a"], dtype=object)))
    ),
    "a short report": lambda m: replace(m, report=m.report.select(np.arange(2))),
    "a sigmoid too few": lambda m: replace(m, sigmoids=Sigmoids(np.ones(5), np.ones(6))),
    "a sigmoid that is no number": lambda m: replace(m, sigmoids=Sigmoids(np.full(6, np.nan), np.ones(6))),
    "rows of nodes": lambda m: replace(m, plan=replace(m.plan, node_classes=np.zeros((1, 1), dtype=bool))),
    "a table of other classes": lambda m: replace(
        m, plan=replace(m.plan, predictions_table=replace(m.plan.predictions_table, sizes=np.ones(1)))
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_parts_that_do_not_fit_are_refused(model, damage):
    check_model(model, "model")
    with pytest.raises(ModelFileError, match=r"^model"):
        check_model(damage(model), "model")
