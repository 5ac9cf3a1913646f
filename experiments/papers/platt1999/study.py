"""The steps of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..report import Report
from ..study import Found, Settings, Step, Study
from .bounds import bounds
from .evaluation import evaluation
from .experiments import compare, orders
from .law import class_growth, growth, loop_growth
from .loops import loop
from .published import DAGSVM, DEGREES, NAMES, ONE_VS_REST, RULES, TABLE1
from .regularization import regularization
from .search import choose

SMOOTHED = 0.8  # pixels: the width that stands beside the images as they are
WIDTHS = (0.5, 0.65, 0.75, SMOOTHED, 0.9, 1.0, 1.2)
NEAREST = "nearest"  # another edge mode of smoothing
USPS_SIGMAS = (3.58, 5.06, 7.16, 10.1)  # for 1-v-r on the images as they are
SAMPLE = 50_000  # test rows of Covertype, for checks

# Other ways to read how Covertype was prepared, each with what it changes.
READINGS: dict[str, dict[str, Any]] = {
    "as stated": {},
    "mean and variance of all rows": {"all_rows": True},
    "indicators of 0.5": {"indicators": 0.5},
    "indicators of 0.4": {"indicators": 0.4},
    "indicators of 0.3": {"indicators": 0.3},
    "indicators of 0.2": {"indicators": 0.2},
    "without the wilderness": {"wilderness": False},
    "other training rows, draw 1": {"redrawn": 1},
    "other training rows, draw 2": {"redrawn": 2},
    "other training rows, draw 3": {"redrawn": 3},
}
COVERTYPE_SIGMAS = (0.8, 1.1, 1.4, 2.0)

TOLERANCES = (1e-2, 1e-4)  # where the solver stops, beside 1e-3: for the uncertainty of counts of vectors
HARD = 1e6  # a value of C at which no multiplier of the three sets is held back
CLASSES = {"usps": (3, 4, 5, 7, 10), "letter": (3, 5, 9, 15, 26), "covertype": (3, 4, 5, 6, 7)}
DRAWS = 6  # of classes: all on one side is beyond chance

SHARES = {  # of the training rows, for the law of training time
    "usps": (1 / 8, 1 / 4, 1 / 2, 1.0),
    "letter": (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0),
    "covertype": (1 / 8, 1 / 4, 1 / 2, 1.0),
}

CS = (1.0, 10.0, 100.0, 1000.0)
SIGMAS = {
    "usps": (2.53, 3.58, 5.06, 7.16, 10.1, 14.3),
    "letter": (0.224, 0.316, 0.447, 0.632, 0.894),
    "covertype": (0.5, 0.707, 1.0, 1.41, 2.0),
}
SEARCH_SECONDS = {"usps": 10, "letter": 70, "covertype": 150}  # for 1-v-r
TABLE_SECONDS = {"usps": 12, "letter": 6, "covertype": 60}
LIBSVM_SECONDS = {"usps": 65, "letter": 15, "covertype": 22}
FAMILIES = ("Gaussian", "homogeneous polynomial", "inhomogeneous polynomial")


class PlattStudy(Study):
    """Large margin DAGs for multiclass classification."""

    name = "platt1999"
    title = "Large margin DAGs for multiclass classification"
    reference = (
        "J. C. Platt, N. Cristianini, J. Shawe-Taylor, *Large margin DAGs for multiclass classification*, Advances in Neural "
        "Information Processing Systems 12, 1999."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """Set by set, so that each is read once."""
        steps = [step for data in NAMES for step in self._of(data, settings)]
        if settings.search:
            steps += searches("usps", settings.quick, smoothing=SMOOTHED)
            steps += [step for data in NAMES for step in searches(data, settings.quick)]
        return steps

    def _of(self, data: str, settings: Settings) -> Iterator[Step]:
        quick = settings.quick
        yield Step(f"table1/{data}", compare, table1_parameters(data, repeats=1 if quick else 3), TABLE_SECONDS[data])
        yield from tolerances(data, quick)
        yield from loops(data, quick)
        yield from {"usps": usps_checks, "letter": lambda _: (), "covertype": covertype_checks}[data](quick)
        sample = {"test_rows": SAMPLE} if data == "covertype" else {}
        yield Step(f"evaluation/{data}", evaluation, table1_parameters(data, n_rows=4000, repeats=5), 5)
        yield Step(f"regularization/{data}", regularization, table1_parameters(data, C=HARD, **sample), 8)
        row = TABLE1[data][DAGSVM]
        own: dict[str, Any] = {"data": data, "sigma": row.sigma, "C": row.C}
        yield Step(f"checks/orders/{data}", orders, {**own, "n_orders": 5 if quick else 20}, 10)
        yield Step(f"bounds/{data}", bounds, {**own, "delta": 0.05, **sample}, 3)
        yield Step(f"bounds-hard/{data}", bounds, {**own, "C": HARD, "delta": 0.05, **sample}, 3)
        numbers = {"numbers": list(CLASSES[data]), "draws": 2 if quick else DRAWS}
        yield Step(f"classes/{data}", class_growth, {**own, **numbers, "repeats": 1 if quick else 2}, 10)
        own["shares"] = list(SHARES[data][-3:] if quick else SHARES[data])
        yield Step(f"law/{data}", growth, own, 6)
        for solver, repeats in (("dagmar", 1 if quick else 3), ("libsvm", 1)):
            loop_of = {**own, "n_classes": 3, "solver": solver, "repeats": repeats}
            yield Step(f"law-loop/{solver}/{data}", loop_growth, loop_of, 10)

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """See `report.py`."""
        from .report import report

        return report(self, settings, found)


def table1_parameters(data: str, **others: Any) -> dict[str, Any]:
    """A data set, and sigma and C of every rule as published."""
    return {"data": data, "schemes": {rule: [row.sigma, row.C] for rule, row in TABLE1[data].items()}, **others}


def tolerances(data: str, quick: bool) -> Iterator[Step]:
    """The rules with solvers that stop earlier and later."""
    sample = {"test_rows": SAMPLE} if data == "covertype" else {}
    for tol in TOLERANCES[:1] if quick else TOLERANCES:
        yield Step(f"tolerance/{data}/{tol:g}", compare, table1_parameters(data, tol=tol, **sample), 8)


def loops(data: str, quick: bool) -> Iterator[Step]:
    """The machines of Table 1, trained one by one."""
    repeats = 1 if quick else 3
    yield Step(f"loop/dagmar/{data}", loop, table1_parameters(data, repeats=repeats), 6)
    yield Step(f"loop/libsvm/{data}", loop, table1_parameters(data, solver="libsvm"), LIBSVM_SECONDS[data])
    if data == "usps":
        smoothed = table1_parameters(data, repeats=repeats, smoothing=SMOOTHED)
        yield Step("loop/dagmar/usps-smoothed", loop, smoothed, 4)


def usps_checks(quick: bool) -> Iterator[Step]:
    """Smoothed images, and 1-v-r with other kernels on images as they are."""
    for width in (SMOOTHED, 1.2) if quick else WIDTHS:
        repeats = 3 if width == SMOOTHED and not quick else 1
        parameters = table1_parameters("usps", smoothing=width, repeats=repeats)
        yield Step(f"checks/usps-smoothed/{width:g}", compare, parameters, 1)
    for width in (0.9,) if quick else WIDTHS:
        parameters = table1_parameters("usps", smoothing=width, edge=NEAREST)
        yield Step(f"checks/usps-{NEAREST}/{width:g}", compare, parameters, 1)
    for sigma in USPS_SIGMAS[1::2] if quick else USPS_SIGMAS[1:]:
        parameters = {"data": "usps", "schemes": {ONE_VS_REST: [sigma, TABLE1["usps"][ONE_VS_REST].C]}}
        yield Step(f"checks/usps-sigma/{sigma:g}", compare, parameters, 1)


def covertype_checks(quick: bool) -> Iterator[Step]:
    """Other readings of the preparation, and other kernels."""
    for name, reading in READINGS.items():
        if not quick or name in ("as stated", "indicators of 0.3", "other training rows, draw 1"):
            parameters = table1_parameters("covertype", test_rows=SAMPLE, **reading)
            yield Step(f"checks/covertype/{name}", compare, parameters, 6)
    for sigma in (1.4,) if quick else COVERTYPE_SIGMAS:
        schemes = {rule: [sigma, row.C] for rule, row in TABLE1["covertype"].items()}
        parameters = {"data": "covertype", "schemes": schemes, "test_rows": SAMPLE}
        yield Step(f"checks/covertype/sigma {sigma:g}", compare, parameters, 6)


def searches(data: str, quick: bool, **reading: float) -> Iterator[Step]:
    """Every family of kernels for every rule."""
    degrees = DEGREES[1:4:2] if quick else DEGREES
    sigmas = list(SIGMAS[data][1:4] if quick else SIGMAS[data])
    if data == "covertype":
        reading = {**reading, "test_rows": SAMPLE}
    for rule in RULES:
        for family in FAMILIES:
            kernels: list[dict[str, Any]] = [{"sigmas": sigmas}]
            if family != "Gaussian":
                kernels = [{"degree": degree, "coef0": float(family.startswith("in"))} for degree in degrees]
            parameters = {
                "data": data,
                "rule": rule,
                "kernels": kernels,
                "Cs": list(CS[1:3] if quick else CS),
                **reading,
            }
            weight = SEARCH_SECONDS[data] * (1 if rule == ONE_VS_REST else 0.1)
            yield Step(search_key(data, rule, family, "smoothing" in reading), choose, parameters, weight)


def search_key(data: str, rule: str, family: str, smoothed: bool = False) -> str:
    """The step that chooses among a family of kernels."""
    return f"search/{data}{'-smoothed' if smoothed else ''}/{rule}/{family}"
