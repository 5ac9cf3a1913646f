"""The checks: what explains differences from Table 1, and other orders of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...statistics import ALPHA
from ...tables import Table
from .. import rule
from ..report import CLOSE, Picture, Section, Sourced
from ..study import Found
from .pictures import draw_smoothing
from .published import DAGSVM, EVALUATION_SPEEDUP, MAX_WINS, NAMES, ONE_VS_REST, RULES, TABLE1
from .results import Results, published_ratio, small

READING = "checks/covertype/"
DRAW = "other training rows"
CLOSE_COUNTS = rule.CLOSE_COUNTS.value


def usps_section(results: Results) -> Section:
    """Smoothed images, and 1-v-r with wider kernels on images as stored."""
    by_width = {"0": results.case("usps"), **results.checks("checks/usps-smoothed/")}
    nearest = _nearest("usps", by_width)
    counts = ", ".join(
        f"{rule} {by_width[nearest]['rules'][rule]['kernel_evaluations']:.0f} (published "
        f"{TABLE1['usps'][rule].kernel_evaluations})"
        for rule in RULES
    )
    sigmas = {f"{TABLE1['usps'][ONE_VS_REST].sigma:g}": results.case("usps"), **results.checks("checks/usps-sigma/")}
    best = min(sigmas, key=lambda sigma: float(sigmas[sigma]["rules"][ONE_VS_REST]["error"]))
    rows = [[sigma, *_numbers(case["rules"][ONE_VS_REST])] for sigma, case in sigmas.items()]
    head = ["σ", "error %", "kernel evaluations", "Kparameters"]
    return Section(
        "USPS: which images",
        [
            "On the images as they are distributed, the published σ and C give "
            f"{_off('usps', by_width['0'])} times the published kernel evaluations ({', '.join(RULES)}), and 1-v-r errs on "
            f"{results.value('usps', ONE_VS_REST, 'error'):.2f} %. With the images smoothed by a Gaussian, of the widths "
            f"below {nearest} pixels comes nearest: {counts}. {_verdict(by_width[nearest], nearest)}",
            Sourced(
                _readings_table("USPS smoothed", "width, pixels", "usps", by_width),
                "steps `table1/usps` and `checks/usps-smoothed/...`",
            ),
            Picture(
                "usps-smoothed",
                "Kernel evaluations on USPS against the smoothing of its images; dotted lines are the published numbers.",
                partial(draw_smoothing, results=results),
            ),
            f"On images as stored, 1-v-r is best with σ = {best} of those below, where it errs on "
            f"{sigmas[best]['rules'][ONE_VS_REST]['error']:.2f} %"
            + (
                ": its published σ is too narrow for them."
                if float(best) > TABLE1["usps"][ONE_VS_REST].sigma
                else ", its published one."
            ),
            Sourced(
                Table("1-v-r on USPS as stored, C = 100", head, rows), "steps `table1/usps` and `checks/usps-sigma/...`"
            ),
        ],
    )


def covertype_section(results: Results) -> Section:
    """Other readings of how Covertype was prepared."""
    readings, rows = results.checks(READING), TABLE1["covertype"]
    off = [f"{results.value('covertype', rule, 'error') - row.error:+.2f}" for rule, row in rows.items()]
    draws = [case for name, case in readings.items() if name.startswith(DRAW)]
    errors = [f"{rule} {_span([case['rules'][rule]['error'] for case in draws])} %" for rule in RULES]
    nearest = nearest_reading(results)
    return Section(
        "Covertype: other readings",
        [
            f"Measured errors differ from the published ones by {', '.join(off)} points ({', '.join(RULES)}), so other "
            "readings of the paper's two sentences on preparing the data were tried, on "
            f"{readings['as stated']['test_rows']} test rows drawn at random. Of these, '{nearest}' comes nearest to the "
            f"paper's numbers taken together. There, {_apart('covertype', readings[nearest])}. "
            + (
                "The paper does not mention such a change; that one brings all its errors near is no proof of it."
                if _misfit("covertype", readings[nearest])[0] <= CLOSE
                else "What explains its errors is not settled."
            ),
            "Where other rows of the same classes are drawn from all of Covertype to train on, as many as in the UCI split, "
            f"errors are {', '.join(errors)}: so much is chance in the choice of the training rows.",
            "Max Wins needs so many times the kernel evaluations of DAGSVM: as stated "
            f"{speedup(readings['as stated']):.2f}, with '{nearest}' {speedup(readings[nearest]):.2f}; the paper's factors "
            f"begin at {EVALUATION_SPEEDUP[0]:g}.",
            Sourced(
                _readings_table("Covertype, prepared in other ways", "reading", "covertype", readings),
                "steps `checks/covertype/...`",
            ),
        ],
    )


def nearest_reading(results: Results) -> str:
    """The reading of Covertype that comes nearest to the paper; another draw of rows is no reading."""
    readings = results.checks(READING)
    return _nearest("covertype", {name: case for name, case in readings.items() if not name.startswith(DRAW)})


def covertype_reading(results: Results, rule: str) -> str:
    """In a few words, what the readings say of a rule's error."""
    nearest = nearest_reading(results)
    return f"the paper's preparation is not fully told: with {nearest}, {_error(results, nearest, rule):.2f} %"


def _error(results: Results, reading: str, rule: str) -> float:
    return float(results.found[f"{READING}{reading}"]["rules"][rule]["error"])


def orders_section(results: Results) -> Section:
    """DAGSVM with the classes in other orders."""
    rows = []
    for data, name in NAMES.items():
        check = results.found[f"checks/orders/{data}"]
        errors = [order["error"] for order in check["orders"]]
        p, adjusted = results.order_tests(data)
        cells = [name, f"{check['unanimous_percent']:.2f}", f"{check['natural_error']:.3f}", _span(errors, 3)]
        significant = [f"{sum(q < ALPHA for q in ps)} of {len(p)}" for ps in (p, adjusted)]
        rows.append([*cells, *significant, small(min(p))])
    head = [
        "",
        "a class wins all its pairs, %",
        "error %, natural order",
        "random orders",
        f"p < {ALPHA:g}",
        f"p < {ALPHA:g} by Holm",
        "smallest p",
    ]
    return Section(
        "Other orders of the classes",
        [
            "Where some class wins all its pairs, DAGSVM finds it in any order; orders can differ on the remaining samples "
            "only. Random orders are tested against the natural one by McNemar's exact test. Among many tests some are below "
            f"{ALPHA:g} by chance; Holm's correction allows for that.",
            *(_order_matters(results, data) for data in NAMES if _strictly_different(results, data)),
            Sourced(Table("DAGSVM in random orders of the classes", head, rows), "steps `checks/orders/...`"),
        ],
    )


def _strictly_different(results: Results, data: str) -> int:
    """Orders that differ from the natural one even where chance among all of them is allowed for."""
    return sum(p < ALPHA for p in results.order_tests(data)[1])


def _order_matters(results: Results, data: str) -> str:
    check = results.found[f"checks/orders/{data}"]
    errors = [order["error"] for order in check["orders"]]
    return (
        f"On {NAMES[data]}, with {check['test_rows']} test rows, {_strictly_different(results, data)} of {len(errors)} orders "
        "differ beyond that chance. In error, the order is worth between "
        f"{min(errors) - check['natural_error']:+.2f} and {max(errors) - check['natural_error']:+.2f} points."
    )


def _readings_table(title: str, what: str, data: str, cases: Mapping[str, Found]) -> Table:
    """Error, kernel evaluations and size of every rule, in every reading; published numbers below."""
    head = [what, *(f"{rule}: error %, kernel evaluations, Kparameters" for rule in RULES)]
    head += ["kernel evaluations, Max Wins / DAGSVM"]
    rows = [
        [name, *(", ".join(_numbers(case["rules"][rule])) for rule in RULES), f"{speedup(case):.2f}"]
        for name, case in cases.items()
    ]
    printed = [
        f"{row.error:.1f}, {row.kernel_evaluations}, {row.kparameters}"
        for row in (TABLE1[data][rule] for rule in RULES)
    ]
    published = published_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM)
    return Table(title, head, [*rows, ["published", *printed, f"{published:.2f}"]])


def speedup(case: Found) -> float:
    """Kernel evaluations of Max Wins over those of DAGSVM."""
    return float(case["rules"][MAX_WINS]["kernel_evaluations"] / case["rules"][DAGSVM]["kernel_evaluations"])


def _off(data: str, case: Found) -> str:
    """How many times the published kernel evaluations were needed."""
    factors = (case["rules"][rule]["kernel_evaluations"] / row.kernel_evaluations for rule, row in TABLE1[data].items())
    return ", ".join(f"{factor:.2f}" for factor in factors)


def _misfit(data: str, case: Found) -> tuple[float, float, float]:
    """How far a case is from the paper at most: errors in points, kernel evaluations and sizes as shares."""
    rows = [(row, case["rules"][rule]) for rule, row in TABLE1[data].items()]
    return (
        max(abs(float(mine["error"]) - row.error) for row, mine in rows),
        max(abs(float(mine["kernel_evaluations"]) / row.kernel_evaluations - 1) for row, mine in rows),
        max(abs(float(mine["parameters"]) / 1000 / row.kparameters - 1) for row, mine in rows),
    )


def _nearest(data: str, cases: Mapping[str, Found]) -> str:
    """The case whose worst number is least far, half a point of error counting as much as 5 percent of a count."""

    def worst(name: str) -> float:
        errors, counts, sizes = _misfit(data, cases[name])
        return max(errors / CLOSE, counts / CLOSE_COUNTS, sizes / CLOSE_COUNTS)

    return min(cases, key=worst)


def _apart(data: str, case: Found) -> str:
    errors, counts, sizes = _misfit(data, case)
    return (
        f"errors are within {errors:.2f} points, kernel evaluations within {100 * counts:.1f} % and sizes within "
        f"{100 * sizes:.1f} % of the published ones"
    )


def _verdict(case: Found, width: str) -> str:
    """Whether a width fits the paper well enough to say so."""
    errors, counts, sizes = _misfit("usps", case)
    fits = float(width) > 0 and max(counts, sizes) < CLOSE_COUNTS and errors <= CLOSE
    so = "nine numbers fit one width, so the paper's images were most likely smoothed"
    return f"There, {_apart('usps', case)}: {so if fits else 'smoothing alone does not explain them in this run'}."


def _numbers(rule: Found) -> list[str]:
    return [f"{rule['error']:.2f}", f"{rule['kernel_evaluations']:.0f}", f"{rule['parameters'] / 1000:.0f}"]


def _span(values: list[float], digits: int = 2) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"
