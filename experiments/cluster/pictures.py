"""The pictures of ``docs/distributed.md``: two drawings, and the record of `experiments.cluster.measure` as curves.

``python -m experiments.cluster.pictures`` draws them from ``results/cluster.json``. It measures nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from ..images import save_small
from ..records import read_json
from .measure import RECORD

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
# Okabe and Ito's colours, which colour-blind people can tell apart.
BLUE, ORANGE, GREEN, RED, SKY, YELLOW = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#F0E442"
CLASSES = {"A": BLUE, "B": ORANGE, "C": GREEN, "D": RED}
GREY, LIGHT = "#555555", "#EEEEEE"
# What the model may be off by.
GOAL = 1.3


def _blank(width: float, height: float) -> tuple[Figure, Any]:
    """Return a figure without axes, whose unit is a tenth of an inch."""
    figure = Figure(figsize=(width, height), dpi=110)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, 10 * width), ylim=(0, 10 * height))
    ax.axis("off")
    return figure, ax


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
    options: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 12, "color": GREY, "linewidth": 1.3, **style}
    ax.add_patch(FancyArrowPatch(start, end, **options))


def _box(ax: Any, x: float, y: float, width: float, height: float, title: str, **style: Any) -> None:
    options = {"facecolor": "white", "edgecolor": GREY, "linewidth": 1.2, **style}
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=1.2", **options))
    ax.text(x + width / 2, y + height - 1.5, title, ha="center", va="top", fontsize=10, weight="bold")


def draw_blocks(_: dict[str, Any]) -> Figure:
    """Rows become class blocks, and pairs of blocks become batches of pairs."""
    figure, ax = _blank(9.4, 4.0)
    steps = ["1. rows, as they come", "2. class blocks", "3. pairs of blocks (tiles), taken in batches", "4. machines"]
    for x, step in zip((9, 26, 57, 86), steps, strict=True):
        ax.text(x, 39.2, step, ha="center", va="top", fontsize=10, weight="bold")
    rng = np.random.default_rng(4)
    rows = rng.permutation(np.repeat(list(CLASSES), [12, 8, 4, 4]))
    for k, label in enumerate(rows):
        ax.add_patch(Rectangle((5, 33.5 - 1.05 * k), 8, 0.8, color=CLASSES[label]))
    _arrow(ax, (14.2, 19), (20, 19))
    blocks = {"block 0": "A" * 12, "block 1": "B" * 8, "block 2": "CCCCDDDD"}
    top, middle = 34.0, {}
    for name, labels in blocks.items():
        height = 0.85 * len(labels) + 0.8
        ax.add_patch(Rectangle((21.5, top - height), 9, height, facecolor="white", edgecolor=GREY))
        for k, label in enumerate(labels):
            ax.add_patch(Rectangle((22, top - 1.15 - 0.85 * k), 8, 0.65, color=CLASSES[label]))
        middle[name] = top - height / 2
        ax.text(31.2, middle[name], name, fontsize=9, va="center")
        top -= height + 0.8
    ax.text(
        26,
        1.2,
        "large classes alone, small ones\ntogether: C and D share a block",
        ha="center",
        fontsize=8.5,
        color=GREY,
    )
    _arrow(ax, (37.5, 19), (42, 19))
    tiles = [
        (0, 1, "A–B", SKY, "batch 1\nworker 1"), (0, 2, "A–C, A–D", SKY, "batch 3\nworker 1"),
        (1, 2, "B–C, B–D", YELLOW, "batch 2\nworker 2"), (2, 2, "C–D", YELLOW, "batch 2\nworker 2"),
    ]  # fmt: skip
    size, left, upper = 8.6, 45.0, 31.0
    for b in range(3):
        ax.text(left + (b + 0.5) * size, upper + 0.7, f"block {b}", ha="center", fontsize=8.5, color=GREY)
        turned = {"ha": "right", "va": "center", "rotation": 90, "fontsize": 8.5, "color": GREY}
        ax.text(left - 0.6, upper - (b + 0.5) * size, f"block {b}", **turned)
    for b, label in ((0, "A alone:\nno pair"), (1, "B alone:\nno pair")):
        ax.add_patch(
            Rectangle((left + b * size, upper - (b + 1) * size), size, size, facecolor="white", edgecolor="#BBBBBB")
        )
        ax.text(
            left + (b + 0.5) * size,
            upper - (b + 0.5) * size,
            label,
            ha="center",
            va="center",
            fontsize=8,
            color="#888888",
        )
    for a, b, pairs, colour, batch in tiles:
        corner = (left + b * size, upper - (a + 1) * size)
        ax.add_patch(Rectangle(corner, size, size, facecolor=colour, edgecolor=GREY))
        ax.text(
            corner[0] + size / 2, corner[1] + 0.72 * size, pairs, ha="center", va="center", fontsize=9, weight="bold"
        )
        ax.text(corner[0] + size / 2, corner[1] + 0.32 * size, batch, ha="center", va="center", fontsize=8)
    words = "a worker gets tiles of blocks that it holds;\na batch is a part of a tile, or several tiles"
    ax.text(58, 1.2, words, ha="center", fontsize=8.5, color=GREY)
    _arrow(ax, (72, 19), (76.5, 19))
    lines = ["A–B", "A–C", "A–D", "B–C", "B–D", "C–D"]
    for k, pair in enumerate(lines):
        ax.text(78, 30.5 - 3.6 * k, pair, fontsize=9, weight="bold", va="center")
        for n in range(5 + k % 3):
            ax.add_patch(Rectangle((82.2 + 1.5 * n, 29.7 - 3.6 * k), 1.1, 1.6, color=GREY))
    words = "coefficients and row\nnumbers only, put into\norder at the end: the\nbits of a local fit"
    ax.text(78, 1.2, words, fontsize=8.5, color=GREY)
    return figure


def draw_parties(_: dict[str, Any]) -> Figure:
    """What client, scheduler and workers hold, and what moves between them."""
    figure, ax = _blank(9.0, 4.6)
    _box(ax, 2, 8, 25, 34, "client", facecolor="#F3F8FC")
    for k, line in enumerate(
        [
            "NumPy input: all rows", "Dask input: labels, weights,", "   norms (8 bytes per row each)", "",
            "which worker holds which block", "tiles that wait; measured pace", "",
            "machines as they finish:", "   coefficients, row numbers", "checkpoint, progress bar",
        ]
    ):  # fmt: skip
        ax.text(3.5, 36.5 - 2.7 * k, line, fontsize=8.5, va="center")
    _box(ax, 36, 28, 20, 14, "scheduler")
    ax.text(
        46,
        34.5,
        "names of tasks and blocks,\nwho has them; no rows,\nno machines",
        ha="center",
        va="center",
        fontsize=8.5,
    )
    for k, (y, blocks, batch) in enumerate(
        ((27, "blocks 0, 1, 2", "pairs-'A'-vs-'B'"), (8, "blocks 1, 2", "pairs-'B'-vs-'C'-and-2-more"))
    ):
        _box(ax, 64, y, 24, 15, f"worker {k + 1}", facecolor="#F6FBF6")
        for n, line in enumerate((f"holds {blocks}", "trains, one thread per batch:", batch)):
            weight = {"family": "monospace", "fontsize": 7.5} if n == 2 else {"fontsize": 8.5}
            ax.text(76, y + 9.6 - 2.9 * n, line, ha="center", va="center", **weight)
    _arrow(ax, (27.3, 38), (35.7, 38))
    ax.text(31.5, 38.8, "batches", ha="center", fontsize=8.5)
    _arrow(ax, (56.3, 37), (63.7, 37))
    _arrow(ax, (56.3, 31.5), (63.7, 20.8))
    ax.text(60, 38, "batches", ha="center", fontsize=8.5)
    _arrow(ax, (27.3, 20.5), (63.7, 28.2), color=BLUE)
    _arrow(ax, (27.3, 17.5), (63.7, 17.5), color=BLUE)
    ax.text(45.5, 18.2, "class blocks, each to one worker, once", ha="center", fontsize=8.5, color=BLUE)
    _arrow(ax, (63.7, 13.5), (27.3, 13.5), color=RED)
    ax.text(45.5, 14.2, "machines: 110 bytes each + 12 per support vector", ha="center", fontsize=8.5, color=RED)
    _arrow(ax, (63.7, 10), (27.3, 10), color=RED, linestyle="--")
    ax.text(45.5, 10.7, "support vectors, at the end (Dask input only)", ha="center", fontsize=8.5, color=RED)
    _arrow(ax, (82, 26.7), (82, 23.3), color=BLUE, arrowstyle="<|-|>")
    ax.text(81, 25, "blocks, when needed", ha="right", va="center", fontsize=8.5, color=BLUE)
    words = "Rows of Dask input stay on the workers, except about 1,100 samples and the support vectors."
    ax.text(45, 3.5, words, ha="center", fontsize=8.5, color=GREY)
    return figure


def draw_measured(record: dict[str, Any]) -> Figure:
    """Measured against predicted, in time and in bytes: on the line they agree, in the band they differ by less than 30 %."""
    names = {
        "letter": "Letter",
        "covertype": "Covertype",
        "classes": "500 classes",
        "mnist": "MNIST",
        "many": "2,000 classes",
    }
    colours = dict(zip(names, (BLUE, RED, GREEN, ORANGE, "#CC79A7"), strict=True))
    figure = Figure(figsize=(8.6, 3.9), dpi=110, layout="constrained")
    axes = figure.subplots(1, 2)
    panels = (("seconds", "model_seconds", "seconds", 1.0), ("moved", "model_moved", "megabytes moved", 1e-6))
    for ax, (measured, model, what, unit) in zip(axes, panels, strict=True):
        points = [
            (name, n, unit * found[f"workers {n}"][model], unit * found[f"workers {n}"][measured])
            for name, found in record["sets"].items()
            for n in (1, 2)
        ]
        values = [value for point in points for value in point[2:]]
        ends = np.array([min(values) / 1.8, max(values) * 1.8])
        ax.fill_between(ends, ends / GOAL, ends * GOAL, color=LIGHT, label="within 30 %")
        ax.plot(ends, ends, color=GREY, linewidth=0.8)
        for name, n, x, y in points:
            marker = {1: "o", 2: "^"}[n]
            ax.plot(x, y, marker, color=colours[name], markersize=7, markeredgecolor="white", linestyle="none")
        ax.set(
            xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel=f"{what}, by the model", ylabel=f"{what}, measured"
        )
        ax.xaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set_aspect("equal")
        ax.spines[["top", "right"]].set_visible(False)
    marks: list[Any] = [axes[0].plot([], [], "s", color=colours[name], label=names[name])[0] for name in record["sets"]]
    marks += [
        axes[0].plot([], [], m, color=GREY, label=f"{n} worker{'s' * (n > 1)}")[0] for m, n in (("o", 1), ("^", 2))
    ]
    marks.append(axes[0].fill_between([], [], color=LIGHT, label="within 30 %"))
    figure.legend(handles=marks, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def draw_scale(record: dict[str, Any]) -> Figure:
    """The simulated fit of 10,000 classes: time, bytes, memory of the client, and who is busy."""
    figure = Figure(figsize=(8.6, 6.2), dpi=110, layout="constrained")
    (time_, bytes_), (memory, busy) = figure.subplots(2, 2)
    ways = {False: ("machines go to the client", RED, "o"), True: ("shards on a shared disk", BLUE, "^")}
    lines = {way: [one for one in record["scale"] if one["sharded"] is way] for way in ways}
    workers = np.array([one["n_workers"] for one in lines[False]])
    for way, (label, colour, marker) in ways.items():
        hours = [one["seconds"] / 3600 for one in lines[way]]
        time_.plot(workers, hours, marker=marker, color=colour, label=label)
        kept = [1e-9 * (40e7 + (0.0 if way else one["returned"])) for one in lines[way]]
        memory.plot(workers, kept, marker=marker, color=colour, label=label)
    first = lines[True][0]
    ideal = first["seconds"] * first["busy"] * first["n_workers"] / 3600 / workers
    time_.plot(workers, ideal, ":", color=GREY, label="all workers always busy")
    time_.set(title="time", ylabel="hours", yscale="log")
    time_.yaxis.set_major_formatter("{x:g}")
    bytes_.plot(workers, [one["moved"] / 1e9 for one in lines[True]], "^-", color=BLUE, label="class blocks moved")
    bytes_.plot(workers, [one["returned"] / 1e9 for one in lines[True]], "s-", color=RED, label="machines")
    bytes_.set(title="bytes", ylabel="GB", ylim=(0, None))
    memory.axhline(64, color=GREY, linestyle=":", label="a client with 64 GB")
    memory.set(title="memory of the client", ylabel="GB", yscale="log")
    memory.yaxis.set_major_formatter("{x:g}")
    places, width = np.arange(len(workers)), 0.2
    parties = (
        (False, "busy", "workers", "#F6CDB0"), (False, "client_share", "client", RED),
        (True, "busy", "with shards: workers", "#B3D4E8"), (True, "disk_share", "disk", BLUE),
    )  # fmt: skip
    for k, (way, share, label, colour) in enumerate(parties):
        heights = [100 * one[share] for one in lines[way]]
        bars = busy.bar(
            places + (k - 1.5) * width, heights, width, label=label, color=colour, edgecolor=GREY, linewidth=0.5
        )
        busy.bar_label(bars, fmt="%.0f", fontsize=8)
    busy.set(title="who is busy, % of the time", ylim=(0, 135), yticks=[0, 50, 100])
    busy.set_xticks(places, [f"{n:,}" for n in workers])
    busy.legend(fontsize=8.5, frameon=False, ncols=4, loc="upper center", columnspacing=0.8, handlelength=1.0)
    for ax in (time_, bytes_, memory):
        ax.set_xscale("log")
        ax.set_xticks(workers, [f"{n:,}" for n in workers])
        ax.minorticks_off()
        ax.legend(fontsize=8.5, frameon=False)
        ax.grid(color=LIGHT)
    for ax in (time_, bytes_, memory, busy):
        ax.set_xlabel("workers")
        ax.spines[["top", "right"]].set_visible(False)
    return figure


PICTURES: dict[str, Callable[[dict[str, Any]], Figure]] = {
    "cluster-blocks.png": draw_blocks,
    "cluster-parties.png": draw_parties,
    "cluster-measured.png": draw_measured,
    "cluster-scale.png": draw_scale,
}


def draw(record: dict[str, Any], folder: Path) -> list[str]:
    """Draw all pictures.

    Parameters
    ----------
    record : dict
        As `experiments.cluster.measure` writes it.
    folder : Path

    Returns
    -------
    list of str
        Names of the files written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PICTURES.items():
        save_small(make(record), folder / name)
    return list(PICTURES)


if __name__ == "__main__":
    print("\n".join(draw(read_json(RECORD), FOLDER)))
