"""The choice of kernels, if it was made."""

from __future__ import annotations

from ...statistics import holm, share_interval
from ...tables import NONE, Table
from ..report import Section, Sourced
from ..study import Found
from .published import NAMES, RULES
from .results import Results, small
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
    steps = {f: [results.search(data, rule, f) for data in NAMES for rule in RULES] for f in FAMILIES}
    stopped = {family: sum(step["stopped"] for step in of) for family, of in steps.items()}
    cells = {family: sum(len(step["cells"]) for step in of) for family, of in steps.items()}
    return Section(
        TITLE,
        [
            "For every rule, each family of kernels and C was tried: trained on 70 % of the training rows and tested on the "
            "other 30 % (Covertype: on the UCI validation part), then the best of the family was trained on all training rows. "
            "Polynomials are of ⟨x, z⟩ over the mean of ⟨x, x⟩, homogeneous or with 1 added. Tests are McNemar's on the "
            "hold-out, against the best Gaussian, for the better family of polynomials. The test error of Covertype is on "
            "rows drawn at random.",
            f"Some machine was stopped after {MOST_STEPS} steps, before it had converged, in "
            + ", ".join(f"{stopped[family]} of {cells[family]} cells ({family})" for family in FAMILIES)
            + "; these count with the error that they had reached. For the tests the best machines were trained again; "
            "where they do not converge, a few answers may differ.",
            Sourced(best_of_families(results, "Best of every family (Section 5)", list(NAMES)), "steps `search/...`"),
        ],
    )


def best_of_families(results: Results, title: str, sets: list[str], smoothed: bool = False) -> Table:
    """The best cell of each family for each rule, with a test between Gaussian and polynomial.

    Parameters
    ----------
    results : Results
    title : str
    sets : list of str
    smoothed : bool
    """
    cases = [(data, rule) for data in sets for rule in RULES]
    p = dict(zip(cases, holm([results.family_test(*case, smoothed)["p"] for case in cases]), strict=True))
    rows = []
    for data, rule in cases:
        other = results.best_polynomial(data, rule, smoothed)
        test = results.family_test(data, rule, smoothed)
        for family in FAMILIES:
            best = results.chosen(data, rule, family, smoothed)
            n = best["held_out"]
            low, high = share_interval(round(best["validation_error"] * n / 100), n)
            cells = [NAMES[data], rule, family, _kernel(best), f"{best['C']:g}", f"{best['validation_error']:.2f}"]
            cells += [f"{100 * low:.2f} to {100 * high:.2f}", f"{best['test_error']:.2f}"]
            counts = [f"{test['only_first']}, {test['only_second']}", small(p[data, rule])]
            rows.append([*cells, *(counts if family == other else [NONE, NONE])])
    head = ["", "rule", "family", "best kernel", "C", "validation error %", "interval", "test error %"]
    return Table(title, [*head, "only Gaussian, only polynomial right", "p by Holm"], rows)


def _kernel(best: Found) -> str:
    words = f"σ = {best['sigma']:.3g}" if "sigma" in best else f"degree {best['degree']}"
    return words if best["converged"] else f"{words} (not converged)"
