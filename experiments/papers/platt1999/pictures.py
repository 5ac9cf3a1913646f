"""The pictures of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...data import EDGE
from .published import NAMES, RULES, TABLE1
from .results import WAYS, Results, power_law
from .study import NEAREST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED, MEASURED = "0.65", "C0"
COLOURS = {"one_machine": "C3", "1-v-r": "C3", "1-v-1": "C0"}
WORDS = {"one_machine": "one 1-v-r machine", "1-v-1": "all pairs"}


def draw_figure1(figure: Figure) -> None:
    """The triangle of four classes, with the list of classes at each node."""
    axes, n = figure.subplots(), 4
    for depth in range(n):
        for place in range(depth + 1):
            # A node (i, j) has the classes i to j left, and lies where the diagonals of its leaves cross.
            first, last = 1 + place, n - depth + place
            x, y = first + last, -depth
            leaf = first == last
            words = f"{first}" if leaf else f"{first} vs {last}"
            axes.text(
                x,
                y,
                words,
                ha="center",
                va="center",
                fontsize=11,
                bbox={
                    "boxstyle": "square,pad=0.5" if leaf else "round,pad=0.6",
                    "facecolor": "white",
                    "edgecolor": "C0",
                },
            )
            if leaf:
                continue
            axes.text(
                x + 0.75, y + 0.12, " ".join(map(str, range(first, last + 1))), fontsize=9, color="0.35", va="center"
            )
            for loser, side in ((last, -1), (first, 1)):
                axes.plot([x, x + side], [y, y - 1], "-", color="0.6", zorder=0)
                axes.text(
                    x + side * 0.42,
                    y - 0.33,
                    f"not {loser}",
                    fontsize=8,
                    color="0.35",
                    ha="right" if side < 0 else "left",
                    va="center",
                )
    axes.set_xlim(1, 2 * n + 1)
    axes.set_ylim(-n + 0.6, 0.4)
    axes.axis("off")


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
    """Training time in a loop over samples, with the fitted power laws."""
    row = figure.subplots(1, len(NAMES))
    for axes, (data, name) in zip(row, NAMES.items(), strict=True):
        points = results.found[f"law-loop/dagmar/{data}"]["points"]
        rows, told = [point["rows"] for point in points], []
        for what, words in WORDS.items():
            law = results.loop_law(data, what)
            axes.loglog(rows, [point[what] for point in points], "o", color=COLOURS[what])
            axes.loglog(rows, [law.at(m) for m in rows], "-", color=COLOURS[what], label=words)
            told.append(law.exponent)
        _loglog(axes, rows, name, told, "training samples")
    _legend(figure, row[0])


def draw_classes(figure: Figure, results: Results) -> None:
    """Training time in a loop over classes; one point for each draw, and the mean power law."""
    row = figure.subplots(1, len(NAMES))
    for axes, (data, name) in zip(row, NAMES.items(), strict=True):
        draws = results.found[f"classes/{data}"]["draws"]
        numbers = [point["classes"] for point in draws[0]]
        for way in WAYS:
            means = np.exp(np.mean([[np.log(point["loop"][way]) for point in points] for points in draws], axis=0))
            for points in draws:
                axes.loglog(numbers, [point["loop"][way] for point in points], ".", color=COLOURS[way], alpha=0.5)
            law = power_law(numbers, means.tolist())
            axes.loglog(numbers, [law.at(n) for n in numbers], "-", color=COLOURS[way], label=way)
        _loglog(axes, numbers, name, [results.class_exponents(data, way).value for way in WAYS], "classes")
    _legend(figure, row[0])


def _loglog(axes: Any, ticks: list[int], name: str, exponents: list[float], label: str) -> None:
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], rotation=45)
    axes.minorticks_off()
    axes.set_title(f"{name}: exponents {' and '.join(f'{g:.2f}' for g in exponents)}", fontsize=11)
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Figure, axes: Any) -> None:
    axes.set_ylabel("training time, CPU seconds")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)


def draw_margins(figure: Figure, results: Results) -> None:
    """The error rate of each class over its D'."""
    row = figure.subplots(1, len(NAMES))
    for axes, (data, name) in zip(row, NAMES.items(), strict=True):
        for hard, words, mark in ((False, "published C", "o"), (True, "no training error allowed", "x")):
            sums, rates, _ = results.classes_with_margins(data, hard)
            axes.plot(sums, rates, mark, label=words)
        axes.set_title(name)
        axes.set_xlabel("D′ of the nodes of a class")
        axes.spines[["top", "right"]].set_visible(False)
    row[0].set_ylabel("error rate of the class, %")
    handles, labels = row[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)


def draw_smoothing(figure: Figure, results: Results) -> None:
    """Kernel evaluations on USPS over the width of smoothing, with the published numbers as lines."""
    row = figure.subplots(1, 2, sharey=True)
    for axes, (mode, name) in zip(row, ((EDGE, "smoothed"), (NEAREST, NEAREST)), strict=True):
        checks = results.checks(f"checks/usps-{name}/")
        by_width = {0.0: results.case("usps"), **{float(width): case for width, case in checks.items()}}
        widths = sorted(by_width)
        for i, rule in enumerate(RULES):
            counts = [by_width[w]["rules"][rule]["kernel_evaluations"] for w in widths]
            axes.plot(widths, counts, "o-", color=f"C{i}", label=rule)
            axes.axhline(TABLE1["usps"][rule].kernel_evaluations, color=f"C{i}", linestyle=":", linewidth=1)
        axes.plot([], [], ":", color="0.4", label="published")
        axes.set_title(f"edge mode {mode}")
        axes.set_xlabel("width of the Gaussian, pixels")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
    row[0].set_ylabel("kernel evaluations")
    row[0].legend(frameon=False)
