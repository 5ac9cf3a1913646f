"""The pictures of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...pictures import Picture
from .published import ORDERS, TABLE
from .summary import Results, Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY, BLUE, RED = "0.6", "tab:blue", "tab:red"


def orders(results: Results) -> Picture:
    """Every random order of every split, with the adaptive one."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots(2, 3).ravel()
        for ax, runs in zip(axes, results.table2.values(), strict=True):
            _splits(ax, runs)
        for ax in axes[::3]:
            ax.set_ylabel("accuracy, %")
        for ax in axes[3:]:
            ax.set_xlabel("split, by its mean")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)

    n = len(results.table2["iris"])
    return Picture(
        "orders",
        f"All {n} splits, side by side by the mean over the orders: bars from the worst to the best of {ORDERS} random "
        "orders, and the adaptive order; lines where the published figures lie. (Vowel's split is always the same: what "
        "changes are the folds and the orders drawn.)",
        draw,
        (10.0, 6.0),
    )


def _splits(ax: Axes, runs: Runs) -> None:
    place = np.argsort(runs.mean, kind="stable")
    x = np.arange(len(place))
    ax.vlines(x, runs.worst[place], runs.best[place], color=GREY, linewidth=4, label="random orders, worst to best")
    ax.scatter(x, runs.mean[place], s=9, color="0.25", marker="_", label="their mean", zorder=3)
    ax.scatter(x, runs.adaptive[place], s=9, color=BLUE, label="adaptive order", zorder=4)
    ax.axhspan(runs.row.worst, runs.row.best, color=RED, alpha=0.2, linewidth=0)
    ax.axhline(runs.row.adaptive, color=RED, linewidth=1, label="published (band: random orders)")
    ax.set_title(runs.row.label)
    ax.set_xticks([])


def gains(results: Results) -> Picture:
    """Where the adaptive order stands among the random ones."""

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        named = {name: runs for name, runs in results.drawn.items() if runs.orders_matter}
        named = {"Vowel, official split": results.table2["vowel"], **named}
        for place, runs in enumerate(named.values()):
            centred = (runs.orders - runs.mean[:, None]).ravel()
            ax.boxplot(centred, positions=[place - 0.18], widths=0.3, showfliers=False, whis=(2.5, 97.5))
            box = ax.boxplot(
                runs.gain, positions=[place + 0.18], widths=0.3, showfliers=False, whis=(2.5, 97.5), patch_artist=True
            )
            for patch in box["boxes"]:
                patch.set_facecolor(BLUE)
                patch.set_alpha(0.5)
            if runs is results.speakers:
                continue  # of which nothing was published
            row = runs.row
            ax.scatter(place + 0.18, row.adaptive - row.mean, color=RED, marker="D", s=28, zorder=5)
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
        ax.set_xticks(range(len(named)), [name.replace("Vowel", "Vowel,\n").replace(",\n,", ",\n") for name in named])
        ax.set_ylabel("accuracy less mean of random orders, points")

    return Picture(
        "gains",
        "Accuracy less the mean of the random orders of the same split: random orders (white), the adaptive order (blue; "
        "boxes are quartiles, whiskers hold 95 % of the values), published for one split (red). Sets on which orders never "
        "differ are left out.",
        draw,
    )


def curve(results: Results) -> Picture:
    """Distance between classes, validation and test accuracy over gamma."""
    found = results.found["curve/vowel"]

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        gammas, chosen = np.array(found["gammas"]), np.array(found["chosen"])
        right = 100 * np.array(found["right"]) / found["n_test"]
        lines = [
            ax.semilogx(gammas, right, "o-", color=BLUE, label="test accuracy of the DDAG")[0],
            ax.semilogx(gammas, 100 * np.array(found["validated"]), "s-", color="tab:green", label="pairs, validated")[
                0
            ],
        ]
        ax.set_xscale("log", base=2)
        ax.set_xlabel("gamma, one for all pairs")
        ax.set_ylabel("accuracy, %")
        band = ax.axvspan(
            chosen[0], chosen[-1], color=GREY, alpha=0.25, linewidth=0, label="chosen for pairs by distance"
        )
        other = ax.twinx()
        lines += other.plot(gammas, found["dbtc"], "--", color=RED, label="distance between classes (right)")
        other.set_ylabel("squared distance of class means in kernel space")
        figure.legend(handles=[*lines, band], loc="outside lower center", ncols=2, frameon=False)

    return Picture(
        "curve",
        f"{TABLE['vowel'].label}: what gamma does to the mean distance between classes, to the accuracy of the pairs in "
        "cross-validation (C chosen anew at each gamma) and to the accuracy on the test speakers.",
        draw,
    )
