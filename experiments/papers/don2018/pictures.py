"""The figures of the report: Figures 4 to 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...pictures import Picture
from .cost_claims import WAYS
from .published import ACCURACY, METHODS, STEP_OF_VOWEL, STEPS, VECTORS
from .results import DIVIDED, OTHER, PRINTED, Results, method_key
from .study import CURVE, FIGURE_SETS, FINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"BI": "tab:gray", "OvsO": "tab:orange", "DAGSVM": "tab:green", "DCSVM": "tab:blue"}
AT = f"{PRINTED} % trained"


def pictures(results: Results) -> dict[str, Picture]:
    """All figures, by name."""
    return {
        "accuracy": Picture(
            "accuracy",
            f"Figure 4: accuracy of the three methods, {AT}, θ=0.01 %, with intervals; black marks are published.",
            lambda figure: draw_accuracy(figure, results),
        ),
        "cost": Picture(
            "cost",
            f"Figures 5 and 6: support vectors and binary decisions per prediction, {AT}, θ=0.01 %; black marks: DCSVM as "
            "published in Tables 5 and 6.",
            lambda figure: draw_cost(figure, results),
            (9.0, 7.0),
        ),
        "times": Picture(
            "times",
            f"Figure 7: how many times faster DCSVM predicts than one-versus-one, {AT}, θ=0.01 %, one thread, with intervals.",
            lambda figure: draw_times(figure, results),
        ),
        "theta": Picture(
            "theta",
            f"Figure 8: accuracy and steps of DCSVM over θ, {AT}.",
            lambda figure: draw_theta(figure, results),
        ),
        "letter": Picture(
            "letter",
            f"Figure 9: letter, accuracy over θ beside the methods without θ, {AT}; crosses and short lines are published.",
            lambda figure: draw_letter(figure, results),
        ),
        "separation": Picture(
            "separation",
            "Figure 10: decided cells of the all-predictions table over θ. Where a class has few rows, θ acts in steps of "
            "one row.",
            lambda figure: draw_separation(figure, results),
            (9.0, 6.5),
        ),
    }


def _bars(ax: Axes, names: list[str], series: dict[str, list[float]]) -> None:
    width = 0.8 / len(series)
    for s, (label, values) in enumerate(series.items()):
        ax.bar(_places(names, s, len(series)), values, width, label=label, color=COLOURS.get(label))
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right")


def _places(names: list[str], series: int, n_series: int) -> list[float]:
    """Where the bars of a series stand."""
    return [at + (series - (n_series - 1) / 2) * 0.8 / n_series for at in range(len(names))]


def draw_accuracy(figure: Figure, results: Results) -> None:
    """Figure 4."""
    ax = figure.add_subplot()
    columns = {"BI": "BI", "OvsO": "OvsO", "DCSVM": "0.01"}
    tests = {
        label: [results.interval(name, PRINTED, method_key(column)) for name in results.names]
        for label, column in columns.items()
    }
    _bars(ax, results.names, {label: [test.mean for test in of] for label, of in tests.items()})
    for s, (label, column) in enumerate(columns.items()):
        at = _places(results.names, s, len(columns))
        half = [min((test.high - test.low) / 2, 100.0) for test in tests[label]]
        ax.errorbar(at, [test.mean for test in tests[label]], half, fmt="none", ecolor="dimgray", elinewidth=0.8)
        published = [ACCURACY[name][METHODS.index(column)] for name in results.names]
        ax.plot(at, published, "k_", markersize=7, label="published" if s == 0 else None)
    ax.set_ylim(0, 105)
    ax.set_ylabel("accuracy, %")
    ax.legend(ncols=4, loc="lower right", fontsize="small")


def draw_cost(figure: Figure, results: Results) -> None:
    """Figures 5 and 6."""
    panels = figure.subplots(2, 1)
    columns = {"OvsO": "OvsO", "DAGSVM": "DDAG", "DCSVM": DIVIDED}
    wanted = (("vectors", "support vectors, summed", VECTORS), ("steps", "binary decisions", STEPS))
    for ax, (key, label, published) in zip(panels, wanted, strict=True):
        series = {m: [results.mean(n, PRINTED, column, key) for n in results.names] for m, column in columns.items()}
        _bars(ax, results.names, series)
        marks = [published[name][-1] for name in results.names]
        ax.plot(_places(results.names, 2, 3), marks, "k_", markersize=7, label="DCSVM, published")
        ax.set_yscale("log")
        ax.set_ylabel(label)
    panels[0].legend(ncols=4, fontsize="small")


def draw_times(figure: Figure, results: Results) -> None:
    """Figure 7, as ratios."""
    ax = figure.add_subplot()
    ratios = {words: [results.faster(name, way) for name in results.names] for way, words in WAYS.items()}
    _bars(ax, results.names, {words: [ratio.times for ratio in of] for words, of in ratios.items()})
    for s, of in enumerate(ratios.values()):
        spans = np.array([[r.times - max(r.low, r.times / 9), min(r.high, 9 * r.times) - r.times] for r in of]).T
        ax.errorbar(
            _places(results.names, s, len(ratios)),
            [ratio.times for ratio in of],
            spans,
            fmt="none",
            ecolor="dimgray",
            elinewidth=0.8,
        )
    ax.axhline(1, color="black", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_ylabel("times as fast as asking all")
    ax.legend(fontsize="small")


def draw_theta(figure: Figure, results: Results) -> None:
    """Figure 8."""
    left, right = figure.subplots(1, 2)
    thetas = [float(theta) for theta in CURVE]
    for name in FIGURE_SETS:
        left.plot(thetas, results.curve(PRINTED, name, "accuracy"), ".-", label=name)
        right.plot(thetas, results.curve(PRINTED, name, "steps"), ".-", label=name)
    left.set_ylabel("accuracy, %")
    right.set_ylabel("steps per decision")
    for ax in (left, right):
        ax.set_xlabel("θ, %")
        ax.grid(alpha=0.3)
    left.legend(fontsize="small")


def draw_letter(figure: Figure, results: Results) -> None:
    """Figure 9."""
    ax = figure.add_subplot()
    thetas, found = [float(theta) for theta in CURVE], results.found[f"curve/{PRINTED}/letter"]
    ax.plot(thetas, results.curve(PRINTED, "letter", "accuracy"), ".-", color=COLOURS["DCSVM"], label="DCSVM")
    for m, method in enumerate(("BI", "OvsO")):
        ax.axhline(float(np.mean(found[method])), color=COLOURS[method], label=method)
        ax.plot(0, ACCURACY["letter"][m], "_", color=COLOURS[method], markersize=14)
    printed = ACCURACY["letter"][2:]
    ax.plot([float(t) for t in METHODS[2:]], printed, "x", color=COLOURS["DCSVM"], label="DCSVM, published")
    ax.set_xlabel("θ, %")
    ax.set_ylabel("accuracy, %")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small")


def draw_separation(figure: Figure, results: Results) -> None:
    """Figure 10."""
    for ax, name in zip(figure.subplots(2, 2).ravel(), FIGURE_SETS, strict=True):
        for share, style in ((PRINTED, "-"), (OTHER, "--")):
            curve = results.curve(share, name, "separation")
            ax.plot(FINE, curve, style, color="tab:blue", label=f"{share} % trained", drawstyle="steps-post")
        if name == "vowel":
            ax.axvspan(*STEP_OF_VOWEL, alpha=0.15, color="tab:orange", label="the step as published")
        ax.set_title(name, fontsize="medium")
        ax.set_xlabel("θ, %")
        ax.set_ylabel("decided cells, %")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
