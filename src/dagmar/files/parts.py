"""The parts of a model file: which fields each object has, and of what kind they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.parameters import KERNELS
from ..estimators.model import Model
from ..machines.bank import Bank
from ..machines.report import FitReport
from ..probabilities.sigmoid import Sigmoids
from ..problem.kernels import Kernel
from ..problem.making import Learned
from ..problem.tasks import Tasks
from ..problem.validation import Columns
from ..structures.divide_and_conquer import DividePlan, PredictionsTable
from ..structures.plans import GraphPlan, KnockoutPlan, PollPlan
from .kinds import Ints, Kind, Names, Numbers, OneOf, Optional, Part, Plain, Rows, refuse
from .parameters import STRUCTURE

INT, FLOAT, TEXT, TRUTH = Plain(int), Plain(float), Plain(str), Plain(bool)
PLACES, FLOATS, TRUTHS = Numbers(np.int64), Numbers(np.float64), Numbers(np.bool_)
SHORT_PLACES = Numbers(np.int32)
TABLE = Numbers(np.int64, ndim=2)

KERNEL = Part(
    Kernel,
    name=Plain(str, tuple(KERNELS)),
    gamma=FLOAT,
    coef0=FLOAT,
    degree=INT,
    scale=FLOAT,
    by_differences=TRUTH,
)
TASKS = Part(Tasks, begin=PLACES, classes=SHORT_PLACES, sides=Numbers(np.int8))
BANK = Part(
    Bank,
    tasks=TASKS,
    vectors=Optional(Rows()),
    support=PLACES,
    class_start=PLACES,
    begin=PLACES,
    index=SHORT_PLACES,
    coef=FLOATS,
    bias=FLOATS,
    kernel=KERNEL,
    centre=Optional(FLOATS),
    precision=Plain(str, ("single", "double")),
    gammas=Optional(FLOATS),
)
GRAPH: dict[str, Kind] = {
    "n_classes": INT,
    "root": INT,
    "machine": PLACES,
    "on_negative": PLACES,
    "on_positive": PLACES,
    "machine_of": TABLE,
    "unanimous": TRUTH,
    "node_classes": Numbers(np.bool_, ndim=2),
    "list_begin": PLACES,
    "list_classes": SHORT_PLACES,
}
PREDICTIONS = Part(PredictionsTable, pairs=TABLE, for_later=Numbers(np.float64, ndim=2), sizes=FLOATS, labels=Names())
PLAN = OneOf(
    graph=(GraphPlan, Part(GraphPlan, **GRAPH)),
    divide=(DividePlan, Part(DividePlan, **GRAPH, predictions_table=Optional(PREDICTIONS))),
    knockout=(
        KnockoutPlan,
        Part(
            KnockoutPlan,
            n_classes=INT,
            machine_of=TABLE,
            rule=Plain(str, ("fewest_losses", "ranked", "bracket", "everyone")),
            order=SHORT_PLACES,
            rivals=Numbers(np.int32, ndim=2),
        ),
    ),
    poll=(PollPlan, Part(PollPlan, n_classes=INT)),
)
REPORT = Part(
    FitReport,
    iterations=PLACES,
    gap=Optional(FLOATS),
    objective=Optional(FLOATS),
    norm2=Optional(FLOATS),
    rows_computed=PLACES,
    rows_reused=PLACES,
    seconds=Optional(FLOATS),
    status=SHORT_PLACES,
    refined=TRUTHS,
    in_double=TRUTHS,
    indefinite=TRUTHS,
)
LEARNED = Part(
    Learned,
    classes=Names(),
    class_weight=FLOATS,
    shape_fit=Ints(),
    columns=Optional(Part(Columns, owner=TEXT, n_features=Optional(INT), names=Optional(Names()))),
    target=Optional(TEXT),
)
MODEL = Part(
    Model,
    learned=LEARNED,
    bank=BANK,
    plan=PLAN,
    structure=STRUCTURE,
    report=Optional(REPORT),
    cannot_train=Optional(TEXT),
    sigmoids=Optional(Part(Sigmoids, slope=FLOATS, offset=FLOATS)),
)


def check_model(model: Model, field: str) -> None:
    """Raise ModelFileError unless the parts of a model that was read fit together and can decide.

    The core checks the arrays of bank and plan when it makes its own form of them: their sizes, that places are in range, that
    a plan ends, and that its ends are classes. What only Python reads is checked here.

    Parameters
    ----------
    model : Model
    field : str
        For messages.
    """
    bank, plan, learned = model.bank_as(Bank), model.plan, model.learned
    try:
        bank.check()
        plan.native.check(bank.n_classes, bank.n_machines)
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        raise refuse(field, str(error)) from error
    if not bank.finite:
        raise refuse(f"{field}.bank", "coefficients and biases must be finite")
    n_fitted = learned.shape_fit[0] if learned.shape_fit else 0
    # Where the vectors come from is -1 for all of them in a model of LIBSVM, which does not tell.
    told = bank.vectors is None or bool((bank.support != -1).any())
    if told and len(bank.support) and not 0 <= bank.support.min() <= bank.support.max() < n_fitted:
        raise refuse(f"{field}.bank.support", f"must be places among {n_fitted} training samples")
    if len(np.unique(learned.classes)) != len(learned.classes):
        raise refuse(f"{field}.learned.classes", "labels must differ")
    _check_columns(learned, None if bank.vectors is None else bank.vectors.shape[1], field)
    if model.report is not None:
        arrays = [getattr(model.report, name) for name in REPORT.fields]
        if any(a is not None and len(a) != bank.n_machines for a in arrays):
            raise refuse(f"{field}.report", f"every array must have {bank.n_machines} entries, one per machine")
    if model.sigmoids is not None:
        pair = (model.sigmoids.slope, model.sigmoids.offset)
        if any(len(a) != bank.n_machines or not np.isfinite(a).all() for a in pair):
            raise refuse(
                f"{field}.sigmoids", f"slope and offset must be {bank.n_machines} finite numbers, one per machine"
            )
    if isinstance(plan, GraphPlan):
        shapes = {(0, 0), (0, bank.n_classes), (len(plan.machine), bank.n_classes)}
        if plan.node_classes.shape not in shapes:
            raise refuse(f"{field}.plan.node_classes", "must have a row per node and a column per class")
    if isinstance(plan, DividePlan) and plan.predictions_table is not None:
        table, n = plan.predictions_table, bank.n_classes
        fits = table.for_later.shape == (len(table.pairs), n) and table.pairs.shape[1:] == (2,)
        if not fits or len(table.sizes) != n or len(table.labels) != n:
            raise refuse(f"{field}.plan.predictions_table", "must have a row per machine and a column per class")


def _check_columns(learned: Learned, n_features: Any, field: str) -> None:
    columns = learned.columns
    if columns is None:
        raise refuse(f"{field}.learned.columns", "must be there")
    known = columns.n_features
    if n_features is not None and known != n_features:
        raise refuse(f"{field}.learned.columns.n_features", f"must be {n_features}, as the vectors have")
    if columns.names is not None and len(columns.names) != known:
        raise refuse(f"{field}.learned.columns.names", f"must be {known} names")
