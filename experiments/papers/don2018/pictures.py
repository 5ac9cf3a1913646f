"""The figures of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..report import Picture
from .published import ACCURACY, METHODS, STEP_OF_VOWEL, STEPS, VECTORS
from .results import Results, method_key
from .study import CURVE, FIGURE_SETS, FINE
from .tables import WAYS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"BI": "tab:gray", "OvsO": "tab:orange", "DDAG": "tab:green", "DCSVM": "tab:blue"}


def pictures(results: Results) -> dict[str, Picture]:
    """All figures, by name."""
    return {
        "accuracy": Picture(
            "accuracy",
            "Figure 4: accuracy of the three methods, 89 % trained, θ=0.01 %; black marks are published.",
            lambda figure: draw_accuracy(figure, results),
        ),
        "cost": Picture(
            "cost",
            "Figures 5 and 6: support vectors and binary decisions per prediction, 89 % trained, θ=0.01 %; black marks: "
            "DCSVM as published.",
            lambda figure: draw_cost(figure, results),
            (9.0, 7.0),
        ),
        "times": Picture(
            "times",
            "Figure 7: how many times faster DCSVM predicts than one-versus-one that asks all machines; θ=0.01 %, one "
            "thread.",
            lambda figure: draw_times(figure, results),
        ),
        "theta": Picture(
            "theta",
            "Figure 8: accuracy and steps of DCSVM over θ, 89 % trained.",
            lambda figure: draw_theta(figure, results),
        ),
        "letter": Picture(
            "letter",
            "Figure 9: letter, accuracy over θ beside the methods without θ, 89 % trained; marks are published.",
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
        ax.bar(
            np.arange(len(names)) + (s - (len(series) - 1) / 2) * width,
            values,
            width,
            label=label,
            color=COLOURS.get(label),
        )
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right")


def draw_accuracy(figure: Figure, results: Results) -> None:
    """Figure 4."""
    ax = figure.add_subplot()
    columns = {"BI": "BI", "OvsO": "OvsO", "DCSVM": "0.01"}
    series = {
        label: [results.mean(name, 89, method_key(column)) for name in results.names]
        for label, column in columns.items()
    }
    _bars(ax, results.names, series)
    for s, column in enumerate(columns.values()):
        published = [ACCURACY[name][METHODS.index(column)] for name in results.names]
        at = np.arange(len(published)) + (s - 1) * 0.8 / 3
        ax.plot(at, published, "k_", markersize=7, label="published" if s == 0 else None)
    ax.set_ylabel("accuracy, %")
    ax.legend(ncols=4, loc="lower right", fontsize="small")


def draw_cost(figure: Figure, results: Results) -> None:
    """Figures 5 and 6."""
    panels = figure.subplots(2, 1)
    columns = {"OvsO": "OvsO", "DDAG": "DDAG", "DCSVM": method_key("0.01")}
    wanted = (("vectors", "support vectors, summed", VECTORS), ("steps", "binary decisions", STEPS))
    for ax, (key, label, published) in zip(panels, wanted, strict=True):
        series = {m: [results.mean(name, 89, column, key) for name in results.names] for m, column in columns.items()}
        _bars(ax, results.names, series)
        marks = [published[name][-1] for name in results.names]
        ax.plot(np.arange(len(marks)) + 0.8 / 3, marks, "k_", markersize=7, label="DCSVM, published")
        ax.set_yscale("log")
        ax.set_ylabel(label)
    panels[0].legend(ncols=4, fontsize="small")


def draw_times(figure: Figure, results: Results) -> None:
    """Figure 7, as ratios."""
    ax = figure.add_subplot()
    series = {
        words: [
            results.found[f"times/{name}"][way]["all"] / results.found[f"times/{name}"][way]["divided"]
            for name in results.names
        ]
        for way, words in WAYS.items()
    }
    _bars(ax, results.names, series)
    ax.axhline(1, color="black", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_ylabel("times as fast as asking all")
    ax.legend(fontsize="small")


def draw_theta(figure: Figure, results: Results) -> None:
    """Figure 8."""
    left, right = figure.subplots(1, 2)
    thetas = [float(theta) for theta in CURVE]
    for name in FIGURE_SETS:
        found = results.found[f"curve/89/{name}"]
        left.plot(thetas, found["accuracy"], ".-", label=name)
        right.plot(thetas, found["steps"], ".-", label=name)
    left.set_ylabel("accuracy, %")
    right.set_ylabel("steps per decision")
    for ax in (left, right):
        ax.set_xlabel("θ, %")
        ax.grid(alpha=0.3)
    left.legend(fontsize="small")


def draw_letter(figure: Figure, results: Results) -> None:
    """Figure 9."""
    ax = figure.add_subplot()
    found = results.found["curve/89/letter"]
    ax.plot([float(theta) for theta in CURVE], found["accuracy"], ".-", color=COLOURS["DCSVM"], label="DCSVM")
    for m, method in enumerate(("BI", "OvsO")):
        ax.axhline(found[method], color=COLOURS[method], label=method)
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
        for share, style in ((89, "-"), (80, "--")):
            found = results.found[f"curve/{share}/{name}"]
            ax.plot(
                FINE, found["separation"], style, color="tab:blue", label=f"{share} % trained", drawstyle="steps-post"
            )
        if name == "vowel":
            ax.axvspan(*STEP_OF_VOWEL, alpha=0.15, color="tab:orange", label="the step as published")
        ax.set_title(name, fontsize="medium")
        ax.set_xlabel("θ, %")
        ax.set_ylabel("decided cells, %")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
