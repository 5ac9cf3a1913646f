"""The pictures of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .published import NAMES, RULES, TABLE1
from .results import WAYS, Results
from .study import SMOOTHED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED, MEASURED, SMOOTH = "0.65", "C0", "C1"
COLOURS = {"1-v-r": "C3", "1-v-1": "C0"}


def draw_table1(figure: Figure, results: Results) -> None:
    """Kernel evaluations and sizes, published beside measured."""
    top, bottom = figure.subplots(2, len(NAMES))
    for column, (data, name) in enumerate(NAMES.items()):
        top[column].set_title(name)
        _bars(top[column], results, data, "kernel_evaluations", 1, "kernel evaluations", column == 0)
        _bars(bottom[column], results, data, "parameters", 1000, "thousand parameters", column == 0)
    handles, labels = top[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)


def _bars(axes: Any, results: Results, data: str, what: str, unit: float, label: str, first: bool) -> None:
    printed = {"kernel_evaluations": "kernel_evaluations", "parameters": "kparameters"}[what]
    groups = [
        ("published", PUBLISHED, [getattr(TABLE1[data][rule], printed) for rule in RULES]),
        ("measured", MEASURED, [results.value(data, rule, what) / unit for rule in RULES]),
    ]
    if data == "usps":
        smoothed = [results.value(data, rule, what, smoothed=True) / unit for rule in RULES]
        groups.append((f"measured, images smoothed by {SMOOTHED:g} pixels", SMOOTH, smoothed))
    width = 0.8 / len(groups)
    for place, (name, colour, heights) in enumerate(groups):
        axes.bar(
            np.arange(len(RULES)) + (place - (len(groups) - 1) / 2) * width, heights, width, color=colour, label=name
        )
    axes.set_xticks(range(len(RULES)), RULES)
    if first:
        axes.set_ylabel(label)
    axes.spines[["top", "right"]].set_visible(False)


def draw_law(figure: Figure, results: Results) -> None:
    """Training time against samples, with the fitted power laws."""
    row = figure.subplots(1, len(NAMES))
    for axes, (data, name) in zip(row, NAMES.items(), strict=True):
        points = results.found[f"law/{data}"]["points"]
        rows = [point["rows"] for point in points]
        for way in WAYS:
            law = results.law(data, way)
            axes.loglog(rows, [point[way]["cpu_seconds"] for point in points], "o", color=COLOURS[way])
            label = f"{way}: exponent {law.exponent:.2f}"
            axes.loglog(rows, [law.at(m) for m in rows], "-", color=COLOURS[way], label=label)
        axes.set_xticks(rows, [f"{m:,}" for m in rows], rotation=45)
        axes.minorticks_off()
        axes.set_title(name)
        axes.set_xlabel("training samples")
        axes.legend(frameon=False, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    row[0].set_ylabel("training time, CPU seconds")


def draw_smoothing(figure: Figure, results: Results) -> None:
    """Kernel evaluations on USPS over the width of smoothing, with the published numbers as lines."""
    axes = figure.subplots()
    by_width = {0.0: results.case("usps"), **{float(w): c for w, c in results.checks("checks/usps-smoothed/").items()}}
    widths = sorted(by_width)
    for i, rule in enumerate(RULES):
        counts = [by_width[w]["rules"][rule]["kernel_evaluations"] for w in widths]
        axes.plot(widths, counts, "o-", color=f"C{i}", label=rule)
        axes.axhline(TABLE1["usps"][rule].kernel_evaluations, color=f"C{i}", linestyle=":", linewidth=1)
    axes.plot([], [], ":", color="0.4", label="published")
    axes.set_xlabel("width of the Gaussian that smooths the images, pixels")
    axes.set_ylabel("kernel evaluations")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
