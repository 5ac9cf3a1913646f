"""What the theorems say on the three data sets, as it stands in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagmar import GeneralizationBound

from ...tables import NONE, Table
from ..report import Picture, Section, Sourced
from .bounds import restored
from .published import DAGSVM, NAMES
from .results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def bounds_section(results: Results) -> Section:
    """Both theorems, set by set, and the triangle of the set with most classes."""
    found = {data: restored(results.found[f"bounds/{data}"]) for data in NAMES}
    rows = [_row(results, data, bound) for data, bound in found.items()]
    broken = [f"{NAMES[data]} {(~bound.separable).sum()}" for data, bound in found.items() if not bound.separable.all()]
    says = [NAMES[data] for data, bound in found.items() if bound.says_anything or (bound.class_bounds < 1).any()]
    largest = max(found, key=lambda data: len(found[data].labels))
    head = [
        "",
        "samples",
        "nodes that separate",
        "margins",
        "D′ of these",
        "Theorem 1",
        "Theorem 2, classes with a value",
    ]
    head += ["least and largest", "with slacks, a heuristic", "measured error %"]
    return Section(
        "Theorems 1 and 2",
        [
            "The theorems bound the error of a DDAG whose nodes all separate their two classes in the training data. Soft "
            "margins need not: nodes that do not separate are "
            + (
                f"{', '.join(broken)}. There Theorem 1 has no value"
                if broken
                else "none. Theorem 1 has a value on all sets"
            )
            + ", and Theorem 2 one for the classes whose own nodes all separate. A bound says something if it is below 1: "
            + (f"so it is on {', '.join(says)}." if says else "none is, on any of the sets."),
            Sourced(Table("Bounds with probability 0.95", head, rows), "steps `bounds/...`"),
            Picture(
                "margins",
                f"Margins in kernel space at the nodes of the DDAG of {NAMES[largest]}.",
                lambda figure: _draw(figure, found[largest]),
                (9.0, 5.5),
            ),
        ],
    )


def _draw(figure: Figure, bound: GeneralizationBound) -> None:
    bound.plot(figure.add_subplot())


def _row(results: Results, data: str, bound: GeneralizationBound) -> list[str]:
    apart, applies = bound.separable, bound.class_applies
    margins = bound.margins[apart]
    classes = bound.class_bounds[applies]
    return [
        NAMES[data],
        f"{bound.n_samples}",
        f"{apart.sum()} of {bound.n_nodes}",
        f"{margins.min():.2g} to {margins.max():.2g}" if len(margins) else NONE,
        f"{(1 / margins**2).sum():.3g}" if len(margins) else NONE,
        f"{bound.bound:.3g}" if apart.all() else "does not apply",
        f"{applies.sum()} of {len(applies)}",
        f"{classes.min():.3g} to {classes.max():.3g}" if len(classes) else NONE,
        f"{bound.soft_margin_heuristic:.3g}",
        f"{results.value(data, DAGSVM, 'error'):.2f}",
    ]
