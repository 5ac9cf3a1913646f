"""Figure 1, the bars of Tables 2 and 3, and the curves of wrong labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .published import ACCURACY, METHODS, NAMES, SETS, VECTORS
from .results import Record, neighbourhoods, noise_steps, of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED, MEASURED, OTHER = "0.6", "tab:blue", "tab:orange"


def draw_neighbourhoods(figure: Figure, found: Record) -> None:
    """Figure 1: error and vectors against k, on all four sets."""
    fixed = found["figure1/same C and gamma"]
    for place, what, label in (
        (1, "error", "test error, %"),
        (2, "vectors_percent", "vectors stored, % of training set"),
    ):
        axes = figure.add_subplot(1, 2, place)
        for data in SETS:
            by_k = neighbourhoods(found, data)
            axes.plot(list(by_k), [one["tree"][what] for one in by_k.values()], "o-", ms=3, label=NAMES[data])
        ks = sorted(fixed, key=int)
        values = [fixed[k]["tree"][what] for k in ks]
        axes.plot([int(k) for k in ks], values, ":", color="C0", label="Letter, C and γ of k = 1")
        # The figure's values are not printed in numbers; Tables 2 and 3 have its right end.
        table = {"error": 100 - ACCURACY["letter"][-1], "vectors_percent": VECTORS["letter"][-1]}[what]
        axes.plot([11], [table], "v", color=PUBLISHED, ms=9, label="Letter, published")
        axes.set(xlabel="neighbours k", ylabel=label)
        axes.set_ylim(bottom=0)
        if place == 1:
            axes.legend(fontsize=8)


def draw_tables(figure: Figure, found: Record) -> None:
    """Tables 2 and 3: published and measured, method by method."""
    x = np.arange(len(METHODS))
    errors = {data: tuple(100 - a for a in ACCURACY[data]) for data in SETS}
    rows: list[tuple[dict[str, tuple[float, ...]], str, str]] = [
        (errors, "error", "error, %"),
        (dict(VECTORS), "vectors_percent", "vectors, %"),
    ]
    for row, (published, what, label) in enumerate(rows):
        for column, data in enumerate(SETS):
            axes = figure.add_subplot(2, len(SETS), 1 + row * len(SETS) + column)
            axes.bar(x - 0.2, published[data], 0.4, color=PUBLISHED, label="published")
            axes.bar(x + 0.2, [of(found, data, m)[what] for m in METHODS], 0.4, color=MEASURED, label="measured")
            if what == "vectors_percent":
                asked = [of(found, data, m)["asked_vectors_percent"] for m in METHODS]
                axes.plot(x + 0.2, asked, "_", color="k", ms=10, label="met by one sample")
            axes.set_xticks(x, METHODS if row else [""] * len(x), rotation=90, fontsize=8)
            if not row:
                axes.set_title(NAMES[data], fontsize=10)
            if not column:
                axes.set_ylabel(label)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9)


def draw_noise(figure: Figure, found: Record) -> None:
    """Error against the share of wrong labels."""
    steps = noise_steps(found, "pendigits")
    shares = [100 * share for share in steps]
    columns = [*next(iter(steps.values()))["k"]["1"]["errors"], "chosen"]
    top = None
    for place, C in enumerate(columns, 1):
        axes = figure.add_subplot(1, len(columns), place, sharey=top)
        top = top or axes
        for k, colour in (("1", "k"), ("3", OTHER), ("11", MEASURED)):
            ks = [step["k"][k] for step in steps.values()]
            values = [one["chosen_error"] if C == "chosen" else one["errors"][C] for one in ks]
            axes.plot(
                shares, values, "o-", color=colour, ms=4, label="canonical" if k == "1" else f"soft labels, k = {k}"
            )
        axes.set(xlabel="labels wrong, %", title="C by cross-validation" if C == "chosen" else f"C = {C}")
        if place == 1:
            axes.set_ylabel("test error, %")
            axes.legend(fontsize=8)
