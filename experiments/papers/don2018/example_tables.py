"""The worked example, published and measured: Tables 1 and 2, and what the text quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ...tables import NONE, Table
from ..report import Sourced
from .cells import in_text, labels_cell, measure_cells
from .example_claims import decided_range, splits_of
from .published import FIGURE2, TABLE1, TABLE2
from .results import OTHER, Results
from .study import TRIALS

SHOWN = ("1", "10")  # values of C: that of e1071, and the least with which all scores are 100 %
STEPS = "steps `example/...`"


def _range(values: Sequence[float], digits: int = 0) -> str:
    """The middle of values of all splits, and their range."""
    low, high = min(values), max(values)
    if high - low < 10**-9:
        return f"{low:.{digits}f}"
    return f"{np.mean(values):.{max(digits, 1)}f} ({low:.{digits}f} to {high:.{digits}f})"


def measures_table(results: Results, table: int) -> Sourced:
    """Table 1 or 2."""
    rows = []
    for row, pair in enumerate(TABLE1 if table == 1 else TABLE2):
        machine, *published = measure_cells(table, pair)
        cells: list[str] = [machine]
        for figure, cell in zip(("purity", "balance", "score"), published, strict=True):
            if figure == "score" and table == 2:  # the same machines as in Table 1, so the same scores
                cells.append(cell)
                continue
            digits = 1 if figure == "score" else 0
            measured = [
                _range([_of(split, table)[figure][row] for split in splits_of(results, C)], digits) for C in SHOWN
            ]
            cells += [cell, *measured]
        rows.append(cells)
    head = ["machine"]
    for figure in ("purity", "balance") if table == 2 else ("purity", "balance", "score"):
        head += [figure, *(f"C = {C}" for C in SHOWN)]
    if table == 2:
        head.append("score")
    what = "all classes" if table == 1 else "the second step, on classes 1, 2, 3 and 5"
    n = len(splits_of(results, SHOWN[0]))
    return Sourced(Table(f"Table {table}: glass at θ=0, {what}, published and on {n} splits", head, rows), STEPS)


def _of(split: dict[str, list[float]], table: int) -> dict[str, list[float]]:
    second: dict[str, list[float]] = split["second"] if table == 2 else split  # type: ignore[assignment]
    return second


def _counted(values: Iterable[object]) -> str:
    """What was found on how many splits, the most frequent first."""
    return ", ".join(f"{value} on {n}" for value, n in Counter(map(str, values)).most_common())


def _pair(of: Sequence[int]) -> str:
    return f"({', '.join(map(str, of))})"


def text_table(results: Results) -> Sourced:
    """What the text says of the example and of the protocol."""
    by_cost = {C: splits_of(results, C) for C in SHOWN}
    purity = "purity_1,6_theta_0.05"
    terms = [f"{purity}/terms_by_class_1_2_3_5_6_7/{c}" for c in range(6)]
    rows: list[list[str]] = [
        ["classes of glass", labels_cell(1), *["1, 2, 3, 5, 6, 7"] * len(SHOWN)],
        ["classes of Table 2", labels_cell(2), *["given"] * len(SHOWN)],
    ]
    for name, key in (
        ("C12(1,1)", "C_1,2(1,1)"),
        ("C12(1,2)", "C_1,2(1,2)"),
        ("C16(2,1)", "C_1,6(2,1)"),
        ("C16(2,6)", "C_1,6(2,6)"),
    ):
        cell = in_text(f"{FIGURE2[name]} %", f"figure2_known_entries_pct/{key}")
        measured = [f"{_range([of['cells'][name] for of in splits], 1)} %" for splits in by_cost.values()]
        rows.append([f"Figure 2, {name}", cell, *measured])
    rows += [
        [
            "purity of (1, 6) at θ=5 %",
            in_text("(1+0)+(1+1)+(1+0)+(1+1)+(0+1)+(1+1) - 6 = 3", *terms, f"{purity}/minus", f"{purity}/value"),
            *(_range([len(of["undecided_16"]) for of in splits]) for splits in by_cost.values()),
        ],
        [
            "classes that it leaves undecided",
            in_text("2, 5, 7", *(f"{purity}/undecided/{i}" for i in range(3))),
            *(_counted(", ".join(map(str, of["undecided_16"])) or "none" for of in s) for s in by_cost.values()),
        ],
        *(
            [
                f"balance of ({pair.replace(',', ', ')}) at θ=5 %",
                in_text(value, f"balance_theta_0.05/{pair}"),
                *(_range([of["balance_5"][pair] for of in splits]) for splits in by_cost.values()),
            ]
            for pair, value in (("1,2", "1"), ("5,6", "2"))
        ),
        [
            "score of (1, 2)",
            in_text("100 %", "score_1,2_pct"),
            *(f"{_range([of['score'][0] for of in splits], 1)} %" for splits in by_cost.values()),
        ],
        [
            "root; on its left; on its right",
            in_text(
                "(5, 6); 1, 2, 3, 5; 6, 7",
                "root/svm",
                *(f"root/left/{i}" for i in range(4)),
                *(f"root/right/{i}" for i in range(2)),
            ),
            *(_counted(_pair(of["roots"]["speed"]) for of in splits) for splits in by_cost.values()),
        ],
        [
            "machine for 1, 2, 3 and 5; its left leaf",
            in_text("(1, 2); 1", "second_left/svm", "second_left/left_leaf"),
            *(_counted(_pair(of["second"]["chosen"]) for of in splits) for splits in by_cost.values()),
        ],
        [
            "machine for 6 and 7; its leaves",
            in_text("(6, 7); 6, 7", "right_child/svm", "right_child/leaves/0", "right_child/leaves/1"),
            *["no other is possible"] * len(SHOWN),
        ],
        [
            "decided cells at θ=2 %",
            in_text(
                "58 of 15 × 6 = 80, so 72.5 % (15 × 6 is 90, so 64.4 %)",
                *(
                    f"separation_theta_2pct/{key}"
                    for key in (
                        "decided_entries",
                        "total_printed",
                        "total_correct",
                        "percent_printed",
                        "percent_correct",
                    )
                ),
            ),
            *("{} to {} of 90".format(*decided_range(results, C)) for C in SHOWN),
        ],
        [
            "protocol",
            in_text("80 % to train on, 20 % to test, 10 trials; e1071 in R 3.4.3", "protocol"),
            f"so, and {OTHER} % with {TRIALS[OTHER]} trials",
            *[NONE] * (len(SHOWN) - 1),
        ],
    ]
    title = "Numbers in the text"
    return Sourced(Table(title, ["what", "published", *(f"C = {C}" for C in SHOWN)], rows, words=True), STEPS)
