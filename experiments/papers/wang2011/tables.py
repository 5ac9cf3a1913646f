"""Tables 1 to 5, published and measured, and the numbers in the text."""

from __future__ import annotations

from ...tables import NONE, Table
from ..report import Sourced, number
from .cost_claims import OTHERS, vector_shares
from .experiments import CHOSEN
from .experiments import METHODS as RUN
from .published import (
    ACCURACY,
    AVERAGE,
    METHODS,
    NAMES,
    SAVED,
    SETS,
    c_bts_tests,
    cells,
    is_share,
    set_cells,
    setting_cells,
    text_cell,
    time_cells,
)
from .results import (
    BANK,
    LOOP,
    PLAIN,
    WORK,
    Interval,
    Record,
    accuracy_interval,
    average_interval,
    average_spread,
    cost,
    equation_3,
    gain_interval,
    mean,
    neighbourhoods,
    of,
    saved,
    spread,
)


def _interval(interval: Interval, digits: int = 2) -> str:
    low, high = (f"{value:.{digits}f}" for value in interval)
    return low if low == high else f"{low} to {high}"


def table_1(found: Record) -> Sourced:
    """Sizes of the sets."""
    rows = []
    for data in SETS:
        here = of(found, data, "OAO")
        measured = [str(here[what]) for what in ("classes", "features", "train_rows", "test_rows")]
        rows += [[NAMES[data], "published", *set_cells(data)], ["", "used", *measured]]
    head = ["data", "", "classes", "features", "training rows", "test rows"]
    return Sourced(Table("Table 1: data sets", head, rows), "steps `tables/...`")


def table_2(found: Record) -> Sourced:
    """Accuracies."""
    rows = []
    for data in SETS:
        rows += [
            [NAMES[data], "published", *cells(2, data)],
            ["", "measured", *(number(100 - of(found, data, m)["error"]) for m in METHODS)],
            ["", "interval", *(_interval(accuracy_interval(found, data, m)) for m in METHODS)],
        ]
    rows += [
        ["average", "published", *cells(2, AVERAGE)],
        ["", "measured", *(number(100 - mean(found, m, "error")) for m in METHODS)],
        ["", "interval", *(_interval(average_interval(found, m)) for m in METHODS)],
    ]
    return Sourced(Table("Table 2: accuracy in percent", ["data", "", *METHODS], rows), "steps `tables/...`")


def possible_shares() -> Table:
    """Which entries of Table 2 are numbers of right answers in the stated test sets."""
    rows = []
    for data, (*_, n) in SETS.items():
        row = []
        for accuracy in ACCURACY[data]:
            right = int(accuracy * n / 100)
            nearest = " or ".join(f"{100 * k / n:.2f}" for k in (right, right + 1))
            row.append("yes" if is_share(accuracy, n) else f"no: {nearest}")
        rows.append([NAMES[data], str(n), *row])
    return Table("Table 2: entries that are k of n test rows", ["data", "n", *METHODS], rows)


def on_shares() -> str:
    """How many entries are no shares."""
    entries = [(value, SETS[data][3]) for data in SETS if data != "mnist7x7" for value in ACCURACY[data]]
    impossible = sum(not is_share(value, n) for value, n in entries)
    return (
        f"{impossible} of the {len(entries)} published accuracies of Letter, Optdigits and Pendigits are not a whole number of "
        "right answers in the stated test set, to the digits printed; the nearest possible ones are below. (Of "
        "10000 rows, as in MNIST, every printed number is possible.) Averages over several runs would explain this, but the "
        "paper mentions none."
    )


def table_3(found: Record) -> Sourced:
    """Shares of vectors."""
    rows = []
    for data in SETS:
        rows += [
            [NAMES[data], "published", *cells(3, data)],
            ["", "stored", *(number(of(found, data, m)["vectors_percent"], 1) for m in METHODS)],
            ["", "spread of the counts", *(_interval(spread(found, data, m), 1) for m in METHODS)],
            ["", "met by one sample", *(number(of(found, data, m)["asked_vectors_percent"], 1) for m in METHODS)],
        ]
    rows += [
        ["average", "published", *cells(3, AVERAGE)],
        ["", "stored", *(number(mean(found, m, "vectors_percent"), 1) for m in METHODS)],
        ["", "spread of the counts", *(_interval(average_spread(found, m), 1) for m in METHODS)],
        ["", "met by one sample", *(number(mean(found, m, "asked_vectors_percent"), 1) for m in METHODS)],
    ]
    title = "Table 3: support vectors in percent of the training set"
    return Sourced(Table(title, ["data", "", *METHODS], rows), "steps `tables/...`, `counts/...`")


def table_4(found: Record) -> Sourced:
    """Numbers of machines."""
    rows = []
    for data in SETS:
        rows += [
            [NAMES[data], "published", *cells(4, data)],
            ["", "stored", *(str(of(found, data, m)["machines"]) for m in METHODS)],
            ["", "asked, on average", *(number(of(found, data, m)["machines_consulted"], 1) for m in METHODS)],
        ]
    return Sourced(Table("Table 4: binary classifiers", ["data", "", *METHODS], rows), "steps `tables/...`")


def table_5(found: Record) -> Sourced:
    """Times on Letter."""
    rows = []
    for method in RUN:
        here = of(found, "letter", method)
        train, test = time_cells(method) if method in METHODS else (NONE, NONE)
        rows.append(
            [
                method if method in METHODS else f"{method} (ours)",
                train,
                number(here["wall_seconds"]),
                test,
                f"{here[LOOP]:.3f}",
                f"{here[BANK]:.3f}",
                f"{cost(found, 'letter', method, WORK):.0f}",
                f"{here['kernel_evaluations']:.0f}",
            ]
        )
    head = ["algorithm", "training, published", "measured", "test, published", "loop", "one bank"]
    head += ["kernel values per sample, loop", "one bank"]
    return Sourced(Table("Table 5: seconds on Letter", head, rows), "steps `tables/letter/...`")


def table_5_elsewhere(found: Record) -> Sourced:
    """Times on the other sets, which the paper leaves out."""
    rows = [
        [
            method,
            *(
                cell
                for data in OTHERS
                for cell in (
                    number(of(found, data, method)["wall_seconds"]),
                    f"{of(found, data, method)[LOOP]:.3f}",
                    f"{of(found, data, method)[BANK]:.4f}",
                )
            ),
        ]
        for method in METHODS
    ]
    head = ["algorithm", *(f"{NAMES[data]}, {what}" for data in OTHERS for what in ("training", "loop", "one bank"))]
    return Sourced(Table("Table 5 on the other three sets: seconds", head, rows), "steps `tables/...`")


def in_the_text(found: Record) -> Sourced:
    """Numbers in the text."""
    settings = setting_cells()
    rows = [["neighbours k", settings["k"], "the same"], ["folds of the search", settings["folds"], "the same"]]
    for other, share in vector_shares(found).items():
        rows.append([f"vectors of BTPPSVM, of {other}'s", text_cell("vectors", other), f"{_interval(share, 1)} %"])
    for other in SAVED:
        loop, bank = (saved(found, "letter", other, what) for what in (LOOP, BANK))
        rows.append(
            [
                f"test time saved against {other}, Letter",
                text_cell("saved", other),
                f"{loop:.1f} % (bank: {bank:.1f} %)",
            ]
        )
    gain, (low, high) = (
        mean(found, "c-BTS", "error") - mean(found, "BTPPSVM", "error"),
        gain_interval(found, "BTPPSVM", "c-BTS"),
    )
    rows.append(["accuracy of BTPPSVM less c-BTS's, points", "0.1", f"{gain:+.2f} ({low:+.2f} to {high:+.2f})"])
    formula = " and ".join(f"{c_bts_tests(n):.1f} for n = {n}" for n in (10, 26))
    rows.append(["machines that c-BTS asks", settings["tests"], f"{formula}, by the formula; asked: Table 4"])
    return Sourced(
        Table("Numbers in the text", ["what", "published", "measured"], rows, words=True),
        "steps `tables/...`, `counts/...`",
    )


def choices(found: Record) -> Sourced:
    """C and gamma."""
    rows = [
        [NAMES[data]] + [f"{c['C']:g}, {c['gamma']:g}" for m in CHOSEN for c in [found[f"choice/{data}/{m}"]]]
        for data in SETS
    ]
    return Sourced(Table("C and γ by cross-validation", ["data", *CHOSEN], rows), "steps `choice/...`")


def region_table(found: Record) -> Sourced:
    """Unclassifiable regions."""
    rows = []
    for data in SETS:
        for method in ("OAO", "PPSVM OAO", "OAA", "PPSVM OAA"):
            here = of(found, data, method)
            region, n = here["regions"], here["test_rows"]
            inside = region["samples"]
            several = region.get("tied", region.get("several"))
            rows.append(
                [
                    NAMES[data],
                    method,
                    f"{100 * inside / n:.2f}",
                    f"{several:.2f}",
                    f"{region['wrong_there']} of {inside}",
                    f"{region['wrong_elsewhere']} of {n - inside}",
                ]
            )
    head = ["data", "method", "test samples in the region %", "ties or several classes %", "wrong there", "elsewhere"]
    return Sourced(Table("Unclassifiable regions", head, rows), "steps `tables/...`")


def figure_rows(found: Record) -> Table:
    """Figure 1 in numbers."""
    fixed = found["figure1/same C and gamma"]
    by_set = {data: neighbourhoods(found, data) for data in SETS}
    rows = []
    for k in sorted({int(k) for k in fixed} | {k for by_k in by_set.values() for k in by_k}):
        row = [str(k)]
        for by_k in by_set.values():
            here = by_k.get(k)
            row += [number(here["tree"][what] if here else None) for what in ("error", "vectors_percent")]
        one = fixed.get(str(k))
        row += [number(one["tree"][what] if one else None) for what in ("error", "vectors_percent")]
        rows.append(row)
    head = ["k", *(f"{NAMES[data]}: {what}" for data in SETS for what in ("error %", "vectors %"))]
    head += ["Letter, C and γ of k = 1: error %", "vectors %"]
    return Table("Figure 1: BTPPSVM with k neighbours", head, rows)


def layer_table(found: Record) -> Sourced:
    """Equation 3."""
    rows = []
    for data in SETS:
        for method in (PLAIN, "BTPPSVM"):
            predicted, measured, low, high = equation_3(found, data, method)
            errors = of(found, data, method)["layers"]["errors"]
            rows.append(
                [
                    NAMES[data],
                    method,
                    str(len(errors)),
                    number(errors[0]),
                    number(max(errors)),
                    number(predicted),
                    number(measured),
                    f"{low:.2f} to {high:.2f}",
                ]
            )
    head = ["data", "tree", "layers", "error of the first %", "largest of a layer %", "by Equation 3 %", "measured %"]
    return Sourced(Table("Equation 3: errors of layers", [*head, "interval"], rows), "steps `tables/...`")
