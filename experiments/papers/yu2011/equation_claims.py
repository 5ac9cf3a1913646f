"""What the paper says of its equations: that they are the distance of class means, and equivalent to Fisher's criterion."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from ..report import Claim
from ..rule import Judgement, decided, judge_parts
from .published import TABLE
from .summary import Results

EQUAL = 1e-6  # relative: equal but for rounding


def equation_claims(results: Results) -> list[Claim]:
    """The claims of Section 3 about its equations."""
    return [_equations(results), _fisher(results)]


def _equations(results: Results) -> Claim:
    worst = {name: max(off(results, data, name) for data in TABLE) for name in ("equation_6", "halved", "equation_9")}
    return Claim(
        "Equations 6 and 9 are the squared distance between the means of two classes in kernel space.",
        judge_parts(
            {
                "Equation 6": worst["equation_6"] < EQUAL,
                "Equation 9, first line": worst["halved"] < EQUAL,
                "Equation 9, last line": worst["equation_9"] < EQUAL,
            }
        ),
        f"largest deviation, relative to that distance: Equation 6 {deviation(worst['equation_6'])}; Equation 9, first line "
        f"{deviation(worst['halved'])}, last line {deviation(worst['equation_9'])}",
        name="Equations 6 and 9 are right",
        where="Section 3",
        others={
            "With 1/n² in Equation 6 and halves in the last line of Equation 9": decided(
                max(off(results, data, name) for data in TABLE for name in ("squared", "halved")) < EQUAL
            )
        },
    )


def deviation(relative: float) -> str:
    """A relative deviation in words."""
    return "none" if relative < EQUAL else f"{relative:.{0 if relative >= 10 else 1}f}"


def off(results: Results, data: str, formula: str) -> float:
    """How far a formula is from the distance of the means, relative to it; the largest over all pairs of classes."""
    found = results.found[f"equations/{data}"]
    distance = np.array(found["distance"])
    return float(np.max(np.abs(np.array(found["own"][formula]) - distance) / distance))


def _fisher(results: Results) -> Claim:
    def same(at: str, formula: str) -> Judgement:
        return judge_parts({row.label: same_order(results, data, at, formula) for data, row in TABLE.items()})

    chosen = {row.label: same_gammas(results, data) for data, row in TABLE.items()}
    taus = [agreement(results, data, "own") for data in TABLE]
    return Claim(
        "With an RBF kernel the distance between two classes is equivalent to Fisher's criterion (read as: it puts all pairs "
        "of classes into the same order).",
        same("own", "fisher"),
        f"Kendall's rank correlation over the pairs of classes, by set: {min(taus):.2f} to {max(taus):.2f}",
        name="Distance is equivalent to Fisher's criterion",
        where="Section 3",
        others={
            "At one gamma for all pairs": same("shared", "fisher"),
            "With classes weighted by their samples": same("own", "weighted_fisher"),
            "In the gamma that they choose": judge_parts({name: count == of for name, (count, of) in chosen.items()}),
        },
    )


def same_order(results: Results, data: str, at: str, formula: str) -> bool:
    """Whether a formula puts the pairs of classes into the order of their distances."""
    found = results.found[f"equations/{data}"][at]
    return bool(np.array_equal(np.argsort(found["squared"]), np.argsort(found[formula])))


def agreement(results: Results, data: str, at: str) -> float:
    """Kendall's rank correlation of distances and Fisher's criterion over the pairs of classes."""
    found = results.found[f"equations/{data}"][at]
    return float(kendalltau(found["squared"], found["fisher"]).statistic)


def same_gammas(results: Results, data: str) -> tuple[int, int]:
    """For how many pairs of classes distance and Fisher's criterion choose the same gamma of a grid, and of how many."""
    chosen = results.found[f"equations/{data}"]["chosen"]
    return sum(a == b for a, b in zip(chosen["squared"], chosen["fisher"], strict=True)), len(chosen["squared"])
