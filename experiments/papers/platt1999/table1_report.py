"""Section 5 of the paper as it was found: data, Table 1, numbers in the text, shared vectors, orders; and Figure 1."""

from __future__ import annotations

from functools import partial

from ...pictures import Picture
from ...statistics import ALPHA, holm, share_interval
from ...tables import NONE, Table
from ..printed import Printed
from ..report import CLOSE, Section, Sourced
from .pictures import draw_figure1, draw_table1
from .published import (
    DAGSVM,
    DATA,
    DEGREES,
    EVALUATION_SPEEDUP,
    HOLD_OUT,
    LEVEL,
    MAX_WINS,
    NAMES,
    ONE_VS_REST,
    RULES,
    TABLE1,
    TRAINING_SPEEDUP,
    pointer,
)
from .results import PAIRS, Results, small
from .spans import Span

COUNTS = "steps `table1/...` and `tolerance/...`; Covertype also `checks/covertype/as stated`"


def data_section(results: Results) -> Section:
    """What the paper says of its data, and what was read."""
    head = [
        "",
        "classes, published",
        "here",
        "training rows, published",
        "here",
        "test rows, published",
        "here",
        "inputs",
    ]
    rows = []
    for place, (data, name) in enumerate(NAMES.items()):
        said, case, at = DATA[data], results.case(data), f"/platt1999/data/{place}"
        cells = [name, Printed(f"{said.classes}", f"{at}/classes"), f"{results.found[f'law/{data}']['classes']}"]
        cells += [Printed(f"{said.train}", f"{at}/train"), f"{case['train_rows']}"]
        cells += [Printed(f"{said.test}", f"{at}/test"), f"{case['test_rows']}", Printed(said.inputs, f"{at}/inputs")]
        rows.append(cells)
    return Section("Data", [Sourced(Table("Data sets (Section 5)", head, rows), "steps `table1/...` and `law/...`")])


def figure1_section() -> Section:
    """The graph of four classes."""
    caption = (
        "Figure 1(a): the DDAG of four classes. Each node compares the first and the last class of its list, and strikes out "
        "the one that loses."
    )
    return Section("Figure 1", [Picture("figure1", caption, draw_figure1, (6.5, 4.0))])


def table1_section(results: Results) -> Section:
    """Errors, counts and sizes, and McNemar's tests."""
    off = {name: _off(results, data) for data, name in NAMES.items()}
    far = "; ".join(f"{name} {', '.join(points)} points ({', '.join(RULES)})" for name, points in off.items() if points)
    return Section(
        "Table 1",
        [
            "Intervals of errors are Wilson's at 95 % for one test set; ranges of counts are over the places where the solver "
            "stops.",
            Sourced(_errors(results), "steps `table1/...`"),
            (f"Errors that differ by more than {CLOSE:g} points: {far}. " if far else "")
            + "The page of other readings looks for reasons: smoothed images for USPS, other preparations for Covertype.",
            Sourced(_counts(results), COUNTS),
            Picture(
                "table1",
                "Kernel evaluations and sizes of Table 1, published and measured.",
                partial(draw_table1, results=results),
                (10.0, 6.0),
            ),
            "The paper tests at 0.05 on USPS and Letter. On Covertype it makes no test; with so many rows, hundredths of a "
            "point can be beyond chance.",
            Sourced(mcnemar_table(results, "McNemar's tests (Section 5)", list(NAMES)), "steps `table1/...`"),
        ],
    )


def _off(results: Results, data: str) -> list[str]:
    """How far the errors of a set are from the published ones, if any is far."""
    points = [results.value(data, rule, "error") - TABLE1[data][rule].error for rule in RULES]
    return [f"{p:+.2f}" for p in points] if max(map(abs, points)) > CLOSE else []


def _errors(results: Results) -> Table:
    head = ["", "rule", "σ", "C", "error %, published", "measured", "interval"]
    rows = []
    for data, name in NAMES.items():
        for rule, row in TABLE1[data].items():
            low, high = share_interval(*results.wrong(data, rule))
            # "1-v-r" has a number, too.
            method = Printed(rule, pointer(data, rule, "method")) if rule == ONE_VS_REST else rule
            cells = [name, method, Printed(f"{row.sigma:g}", pointer(data, rule, "sigma"))]
            cells += [Printed(f"{row.C:g}", pointer(data, rule, "C"))]
            cells += [Printed(f"{row.error:.1f}", pointer(data, rule, "error_rate_pct"))]
            rows.append([*cells, f"{results.value(data, rule, 'error'):.2f}", f"{100 * low:.2f} to {100 * high:.2f}"])
    return Table("Table 1: error rates", head, rows)


def _counts(results: Results) -> Table:
    head = ["", "rule", "kernel evaluations, published", "measured", "range"]
    head += ["Kparameters, published", "measured", "range"]
    rows = []
    for data, name in NAMES.items():
        for rule, row in TABLE1[data].items():
            evaluations, size = (results.count(data, rule, what) for what in ("kernel_evaluations", "parameters"))
            cells = [name, rule, Printed(f"{row.kernel_evaluations}", pointer(data, rule, "kernel_evaluations"))]
            cells += [f"{evaluations.value:.0f}", _range(evaluations)]
            cells += [Printed(f"{row.kparameters}", pointer(data, rule, "size_kparameters"))]
            thousands = Span(size.value / 1000, size.low / 1000, size.high / 1000)
            rows.append([*cells, f"{thousands.value:.0f}", _range(thousands)])
    return Table("Table 1: kernel evaluations and sizes", head, rows)


def _range(span: Span, digits: int = 0) -> str:
    return f"{span.low:.{digits}f} to {span.high:.{digits}f}"


def mcnemar_table(results: Results, title: str, sets: list[str], smoothed: bool = False) -> Table:
    """Tests between the rules, with p adjusted by Holm for all of them.

    Parameters
    ----------
    results : Results
    title : str
    sets : list of str
    smoothed : bool
    """
    cases = [(data, a, b) for data in sets for a, b in PAIRS]
    tests = [results.test(*case, smoothed) for case in cases]
    rows = []
    for (data, a, b), test, p in zip(cases, tests, holm([test["p"] for test in tests]), strict=True):
        better = a if test["only_first"] > test["only_second"] else b
        counts = [f"{test['only_first']}", f"{test['only_second']}", small(test["p"]), small(p)]
        same = test["only_first"] == test["only_second"] == 0
        verdict = "same answers" if same else f"{better} is better" if p < ALPHA else "may be chance"
        rows.append([NAMES[data], f"{a}, {b}", *counts, verdict])
    head = ["", "rules", "only the first right", "only the second right", "p", "p by Holm", f"at {ALPHA:g}"]
    return Table(title, head, rows)


def text_section(results: Results) -> Section:
    """Numbers that the text names, beside those measured."""
    ratios = {data: results.count_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM) for data in NAMES}
    training = {data: results.speedup(data, ONE_VS_REST, DAGSVM) for data in TRAINING_SPEEDUP}
    band = "/platt1999/in_text/evaluation_speedup_over_max_wins"
    factors = {"letter": 0, "usps": 1}
    rows = [
        [
            "kernel evaluations, Max Wins / DAGSVM",
            Printed(f"{EVALUATION_SPEEDUP[0]} to {EVALUATION_SPEEDUP[1]}", f"{band}/0", f"{band}/1"),
            ", ".join(f"{NAMES[data]} {span.value:.2f}" for data, span in ratios.items()),
        ]
    ]
    rows += [
        [
            f"training time, 1-v-r / DAGSVM, {NAMES[data]}",
            Printed(f"{TRAINING_SPEEDUP[data]}", f"/platt1999/in_text/training_speedup_over_1vr/{place}"),
            training[data].words(1),
        ]
        for data, place in factors.items()
    ]
    rows += [
        ["level of McNemar's tests", Printed(f"{LEVEL}", "/platt1999/in_text/mcnemar_level"), f"{ALPHA:g}"],
        [
            "training rows to train on, and to choose the kernel by",
            Printed("70 % and 30 %", "/platt1999/in_text/validation_split"),
            f"{100 * (1 - HOLD_OUT):.0f} % and {100 * HOLD_OUT:.0f} %",
        ],
        [
            "degrees of the polynomials tried",
            Printed(f"{DEGREES[0]} to {DEGREES[-1]}", "/platt1999/in_text/kernels_tried"),
            _degrees(results),
        ],
    ]
    return Section(
        "Numbers in the text",
        [
            "Times are those of a loop, with the range over its rounds.",
            Sourced(
                Table(
                    "Numbers in the text (Section 5)",
                    ["what", "published", "measured, or done"],
                    rows,
                    words=True,
                ),
                "steps `table1/...`, `loop/dagmar/...` and `search/...`",
            ),
        ],
    )


def _degrees(results: Results) -> str:
    if not results.searched:
        return NONE
    cells = [
        cell
        for family in ("homogeneous polynomial", "inhomogeneous polynomial")
        for cell in results.search("letter", DAGSVM, family)["cells"]
    ]
    degrees = sorted({cell["degree"] for cell in cells})
    return f"{degrees[0]} to {degrees[-1]}"


def evaluation_section(results: Results) -> Section:
    """Kernel evaluations against the time to answer."""
    rows = []
    for data, name in NAMES.items():
        for a, b in PAIRS:
            counts, times = results.evaluation(data, a, b)
            rows.append([name, f"{a} / {b}", f"{counts:.2f}", times.words()])
    n = {name: results.found[f"evaluation/{data}"]["test_rows"] for data, name in NAMES.items()}
    told = ", ".join(f"{name} {rows_}" for name, rows_ in n.items())
    return Section(
        "Evaluation time",
        [
            "The paper takes kernel evaluations as a measure of evaluation time. Here test rows "
            f"({told}) are answered all at once by one thread: Max Wins then computes one large block of kernel values, and "
            "DAGSVM many small ones, which is another program than one that evaluates kernels row by row. Row by row, the call "
            "from Python would take longer than the answer. Ranges are over rounds.",
            Sourced(
                Table("Kernel evaluations and time to answer", ["", "rules", "kernel evaluations", "CPU time"], rows),
                "steps `evaluation/...`",
            ),
        ],
    )


def sharing_section(results: Results) -> Section:
    """Distinct vectors against those of all machines together."""
    head = ["", "machines", "vectors of all machines", "distinct vectors", "uses of a vector"]
    head += ["range of distinct vectors", "size without sharing / with it"]
    rows = []
    for data, name in NAMES.items():
        for rule in RULES:
            if rule == DAGSVM and (TABLE1[data][rule].sigma, TABLE1[data][rule].C) == (
                TABLE1[data][MAX_WINS].sigma,
                TABLE1[data][MAX_WINS].C,
            ):
                continue  # the machines of Max Wins
            of = results.case(data)["rules"][rule]
            cells = [f"{name} {rule}", f"{of['machines']}", f"{of['summed_vectors']}", f"{of['distinct_vectors']}"]
            cells += [f"{of['summed_vectors'] / of['distinct_vectors']:.1f}"]
            cells += [_range(results.count(data, rule, "distinct_vectors")), f"{results.unshared(data, rule):.1f}"]
            rows.append(cells)
    return Section(
        "Shared support vectors",
        [
            "A support vector of several machines is stored, and its kernel value computed, once. Where DAGSVM has no row, its "
            "machines are those of Max Wins.",
            Sourced(Table("Support vectors with and without sharing", head, rows), COUNTS),
        ],
    )


def orders_section(results: Results) -> Section:
    """DAGSVM with the classes in other orders."""
    rows = []
    for data, name in NAMES.items():
        check = results.found[f"checks/orders/{data}"]
        errors = [order["error"] for order in check["orders"]]
        p, adjusted = results.order_tests(data)
        cells = [name, f"{check['unanimous_percent']:.2f}", f"{check['natural_error']:.3f}"]
        cells += [f"{min(errors):.3f} to {max(errors):.3f}", f"{sum(q < ALPHA for q in p)} of {len(p)}"]
        rows.append([*cells, f"{sum(q < ALPHA for q in adjusted)} of {len(p)}", small(min(p))])
    head = ["", "a class wins all its pairs, %", "error %, natural order", "random orders"]
    head += [f"p < {ALPHA:g}", f"p < {ALPHA:g} by Holm", "smallest p"]
    return Section(
        "Orders of the classes",
        [
            "Where a class wins all its pairs, DAGSVM finds it in any order; orders can differ on the other samples only. Each "
            "random order is tested against the natural one.",
            Sourced(Table("DAGSVM in random orders of the classes", head, rows), "steps `checks/orders/...`"),
        ],
    )
