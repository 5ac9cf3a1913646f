"""What the paper does not ask: the values of its bounds, and what training costs in counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagmar import GeneralizationBound

from ...pictures import Picture
from ...tables import NONE, Table
from ..report import Section, Sourced
from .bounds import restored
from .published import DAGSVM, NAMES
from .results import WAYS, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def bounds_section(results: Results) -> Section:
    """Both theorems, set by set, and the triangle of the set with most classes."""
    found = {data: restored(results.found[f"bounds/{data}"]) for data in NAMES}
    rows = [_row(results, data, bound) for data, bound in found.items()]
    broken = [f"{NAMES[data]} {(~bound.separable).sum()}" for data, bound in found.items() if not bound.separable.all()]
    says = [NAMES[data] for data, bound in found.items() if bound.says_anything or (bound.class_bounds < 1).any()]
    largest = max(found, key=lambda data: len(found[data].labels))
    head = ["", "samples", "nodes that separate", "margins", "D′ of these", "Theorem 1"]
    head += ["Theorem 2, classes with a value", "least and largest", "with slacks, a heuristic", "measured error %"]
    return Section(
        "Platt et al.: the values of Theorems 1 and 2",
        [
            "The theorems bound the error of a DDAG whose nodes all separate their two classes in the training data. "
            + (
                f"Nodes that do not: {', '.join(broken)}. There Theorem 1 has no value, and Theorem 2 has one for the classes "
                "whose own nodes all separate. "
                if broken
                else "All do. "
            )
            + "A bound says something if it is below 1: "
            + (f"so it is on {', '.join(says)}." if says else "none is, on any of the sets."),
            Sourced(Table("Bounds with probability 0.95", head, rows), "steps `bounds/...`"),
            Picture(
                "triangle",
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


def counts_section(results: Results) -> Section:
    """How counts of what a solver does grow with samples."""
    head = ["", "machines", "steps", "gradient entries", "kernel values"]
    rows = []
    for data, name in NAMES.items():
        for way in WAYS:
            laws = (results.law(data, way, what) for what in ("steps", "gradient_updates", "kernel_values"))
            rows.append([name, way, *(f"{law.exponent:.2f}" for law in laws)])
    return Section(
        "Platt et al.: what training costs in counts",
        [
            "Counts that no clock can blur, over the number of samples: steps of the solver, gradient entries updated (steps "
            "times samples of the machine), and kernel values computed by one bank. A time that is quadratic in samples needs "
            "steps in proportion to samples.",
            Sourced(Table("Exponents of counts over samples", head, rows), "steps `law/...`"),
        ],
    )
