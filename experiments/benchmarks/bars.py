"""The results of `peers` and `census` as bars: the headlines, and beside them the means and the worst of many sets.

`make bench-bars` draws ``docs/pictures/benchmark-bars.png`` from ``results/bench.json`` and ``results/census.json``. It
measures nothing.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from ..images import save_small
from ..records import read_json
from .census import ratio_of, summary
from .command import RESULTS, Benchmark, Screen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "benchmark-bars.png"
# Okabe and Ito's colours, which colour-blind people can tell apart.
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
COLOURS = {"fit": "#0072B2", "predict": "#E69F00"}
TITLES = {"letter": "Letter", "pendigits": "Pendigits", "usps": "USPS", "mnist": "MNIST"}


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes
    ----------
    of : str
        What is compared: the name of a data set or of a group of sets.
    what : {"fit", "predict"}
    ratio : float
        How many times as long the best peer takes; for a group, the geometric mean.
    worst : float or None
        The smallest ratio of a group.
    """

    of: str
    what: str
    ratio: float
    worst: float | None = None


def headlines(bench: dict[str, Any]) -> list[Bar]:
    """The sets of `peers`, in fit and in predict.

    Parameters
    ----------
    bench : dict
        As in ``bench.json``.
    """
    bars = []
    for name, result in bench["sets"].items():
        case = result["case"]
        of = f"{TITLES.get(name, name)}\n{case['train_rows']:,} × {case['features']}, {case['classes']} classes"
        for what, shown in (("fit", "fit"), ("max_wins", "predict")):
            bars.append(Bar(of, shown, float(ratio_of(result, what)["ratio"])))
    return bars


def groups(census: dict[str, Any]) -> list[Bar]:
    """The groups of the census, in fit and in predict.

    Parameters
    ----------
    census : dict
        As in ``census.json``.
    """
    return [
        Bar(f"{line['group'].replace(', ', chr(10))}\n({line['sets']} runs)", line["what"], line["mean"], line["least"])
        for line in summary(census["sets"])
    ]


def draw(bench: dict[str, Any], census: dict[str, Any]) -> Figure:
    """Draw both kinds of bars on one logarithmic scale, from the time of the best peer, which is 1.

    Parameters
    ----------
    bench, census : dict
        As in ``bench.json`` and ``census.json``.

    Returns
    -------
    matplotlib.figure.Figure
        Its two axes have one container of bars for fit and one for predict.
    """
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    figure = Figure(figsize=(9.2, 3.9), dpi=160, layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    ratios = []
    for ax, bars, title in [
        (left, headlines(bench), "Well-known sets"),
        (right, groups(census), f"Census of {len(census['sets'])} runs: mean, and the worst (|)"),
    ]:
        _panel(ax, bars)
        ax.set_title(title, fontsize=10, loc="left")
        ratios += [ratio for bar in bars for ratio in (bar.ratio, bar.worst) if ratio is not None]
    # Room for the numbers at the ends of the bars.
    left.set(xscale="log", xlim=(min(0.8, 0.8 * min(ratios)), 3 * max(ratios)))
    for ax in (left, right):
        ticks = [tick for tick in TICKS if tick < 1.5 * max(ratios)]
        ax.set_xticks(ticks, ["1\nas fast" if tick == 1 else str(tick) for tick in ticks], fontsize=9)
        ax.minorticks_off()
    figure.supxlabel("times as fast as the fastest of scikit-learn, scikit-learn-intelex and LIBSVM", fontsize=10)
    handles, labels = left.get_legend_handles_labels()
    left.legend(handles, labels, loc="lower right", frameon=False, fontsize=9, handlelength=1.2, borderpad=0)
    return figure


def _panel(ax: Any, bars: list[Bar]) -> None:
    names = list(dict.fromkeys(bar.of for bar in bars))
    for offset, what in ((-0.2, "fit"), (0.2, "predict")):
        mine = [bar for bar in bars if bar.what == what]
        at = [names.index(bar.of) + offset for bar in mine]
        ax.barh(at, [bar.ratio - 1 for bar in mine], left=1, height=0.36, color=COLOURS[what], label=what)
        for y, bar in zip(at, mine, strict=True):
            worst = "" if bar.worst is None else f"  (worst {bar.worst:.1f})"
            ax.annotate(
                f"{bar.ratio:.1f} ×{worst}",
                (max(bar.ratio, 1), y),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
            if bar.worst is not None:
                ax.plot([bar.worst, bar.worst], [y - 0.18, y + 0.18], color="black", linewidth=2.0)
    ax.axvline(1, color="0.3", linewidth=1.0)  # as fast as the best peer
    ax.set_yticks(range(len(names)), names, fontsize=9)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where to read and to write."""
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of bench.json and census.json")
    parser.add_argument(
        "--picture", type=Path, default=PICTURE, help=f"file to write (default: {PICTURE.name} of the docs)"
    )


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Draw the picture.

    Parameters
    ----------
    options : Namespace
    screen : Screen

    Returns
    -------
    int
        0.
    """
    files = [options.results / f"{name}.json" for name in ("bench", "census")]
    for file in files:
        if not file.exists():
            raise DataError(f"{file} is not there: run `make bench` and `make bench-census` first")
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    save_small(draw(*map(read_json, files)), options.picture)
    screen.say(f"{options.picture} ({options.picture.stat().st_size / 1000:.0f} kB)")
    return 0


BENCHMARK = Benchmark("bars", "The results of peers and census as bars.", run, add_options, repeats=None, writes=False)
