"""The choice of kernels, if it was made."""

from __future__ import annotations

from ...tables import Table
from ..report import Section, Sourced
from ..study import Found
from .published import RULES
from .results import CASES, Results
from .search import MOST_STEPS
from .study import FAMILIES

TITLE = "Choice of the kernel"


def search_section(results: Results) -> Section:
    """The best of every family for every rule; or how to get it."""
    if not results.searched:
        return Section(
            TITLE,
            ["`python -m experiments reproduce platt1999 --search` also chooses kernels and C anew; this run did not."],
        )
    rows, cells, stopped = [], 0, dict.fromkeys(FAMILIES, 0)
    for data, smoothed, name in CASES:
        for rule in RULES:
            winner = results.winner(data, rule, smoothed)
            for family in FAMILIES:
                step = results.search(data, rule, family, smoothed)
                best = step["best"]
                cells += len(step["cells"])
                stopped[family] += step["stopped"]
                row = [name, rule, family, _kernel(best), f"{best['C']:g}"]
                marked = f"{best['validation_error']:.2f}"
                rows.append([*row, f"**{marked}**" if family == winner else marked, f"{best['test_error']:.2f}"])
    head = ["", "rule", "family", "best kernel", "C", "validation error %", "test error %"]
    return Section(
        TITLE,
        [
            "For every rule, each family of kernels and C was tried as in the paper: trained on 70 % of the training rows and "
            "tested on the other 30 % (Covertype: the UCI validation part), then the best of the family trained on all "
            "training rows. Polynomials are of ⟨x, z⟩ over the mean of ⟨x, x⟩, of degrees 1 to 6, homogeneous or with 1 added. "
            "The test error of Covertype is on rows drawn at random. The best of each rule is bold.",
            f"In {sum(stopped.values())} of the {cells} cells some machine was stopped before it had converged, after "
            f"{MOST_STEPS} steps ({', '.join(f'{family}: {n}' for family, n in stopped.items())}); they count with the error "
            "they had reached.",
            Sourced(Table("Best of every family", head, rows), "steps `search/...`"),
        ],
    )


def _kernel(best: Found) -> str:
    words = f"σ = {best['sigma']:.3g}" if "sigma" in best else f"degree {best['degree']}"
    return words if best["converged"] else f"{words} (not converged)"
