"""What the paper claims of the number of neighbours, and questions of our own, decided by the record."""

from __future__ import annotations

from itertools import pairwise

from ..report import Claim
from ..rule import decided, judge_better
from .cost_claims import OTHERS
from .published import METHODS, NAMES, SETS
from .results import (
    PLAIN,
    Interval,
    Record,
    compared,
    fewer,
    judge_fewer,
    neighbourhoods,
    of,
    span,
    spread,
    spread_hard,
    tolerance_spread,
)


def neighbour_claims(found: Record) -> list[Claim]:
    """Figure 1, on Letter and on the other sets."""
    return [_falling(found), _falling_elsewhere(found)]


def _falling(found: Record) -> Claim:
    by_k = neighbourhoods(found, "letter")
    errors = compared({"the error": (by_k[11]["tree"], by_k[1]["tree"])})
    fixed = found["figure1/same C and gamma"]
    ks = sorted(fixed, key=int)
    first, last = fixed[ks[0]]["tree"], fixed[ks[-1]]["tree"]
    # As wide as the counts with a C and gamma of their own; both count copies of a row in the same way.
    before, after = (
        _shifted(
            tolerance_spread(found, "letter", method),
            one["vectors_percent"] - of(found, "letter", method)["vectors_percent"],
        )
        for method, one in ((PLAIN, first), ("BTPPSVM", last))
    )
    same = judge_better({**compared({"the error": (last, first)}), **fewer({"vectors": (after, before)})})
    words = f"with the C and gamma of k = 1, the error goes from {first['error']:.2f} to {last['error']:.2f} %"
    return Claim(
        "The error and the vectors of BTPPSVM fall as k grows from 1 to 11 (Letter).",
        judge_better({**errors, "vectors": _vectors(found, "letter")}),
        f"k = 1 and k = 11: {_ends(found, 'letter')}; {words}",
        "Error and vectors fall with k",
        "Section 4, Figure 1",
        {"One C and gamma for all k": same},
    )


def _shifted(interval: Interval, by: float) -> Interval:
    return interval[0] + by, interval[1] + by


def _falling_elsewhere(found: Record) -> Claim:
    pairs = {NAMES[data]: neighbourhoods(found, data) for data in OTHERS}
    errors = compared({f"the error on {name}": (by_k[11]["tree"], by_k[1]["tree"]) for name, by_k in pairs.items()})
    vectors = {f"vectors on {NAMES[data]}": _vectors(found, data) for data in OTHERS}
    return Claim(
        "The error and the vectors fall with k on the other three sets, too.",
        judge_better({**errors, **vectors}),
        "k = 1 and k = 11: " + "; ".join(f"{NAMES[data]} {_ends(found, data)}" for data in OTHERS),
        "They fall on the other sets",
        "Section 4",
    )


def _vectors(found: Record, data: str) -> tuple[float, float]:
    """Whether vectors fall: beyond the spread of the counts from k = 1 to k = 11, and with no rise beyond it on the way.

    Returns
    -------
    gain, p : float
        As `fewer` gives them.
    """
    ends = spread(found, data, "BTPPSVM"), spread(found, data, PLAIN)
    rise = _rise(found, data)
    if rise > max(high - low for low, high in ends):
        return -rise, 0.0
    return fewer({data: ends})[data]


def _rise(found: Record, data: str) -> float:
    """The largest rise of the vectors from one k to the next, in points."""
    shares = [float(one["tree"]["vectors_percent"]) for one in neighbourhoods(found, data).values()]
    return max(after - before for before, after in pairwise(shares))


def _ends(found: Record, data: str) -> str:
    by_k = neighbourhoods(found, data)
    errors = " and ".join(f"{by_k[k]['tree']['error']:.2f}" for k in (1, 11))
    return (
        f"error {errors} %, vectors {span(spread(found, data, PLAIN))} and {span(spread(found, data, 'BTPPSVM'))} % (largest "
        f"rise on the way: {max(0.0, _rise(found, data)):.1f} points)"
    )


# ------------------------------------------------------------------- our own


def own_claims(found: Record) -> list[Claim]:
    """What the paper does not say."""
    work = {method: of(found, "letter", method)["kernel_evaluations"] for method in METHODS}
    alone = {
        f"{soft} on {NAMES[data]}": (spread(found, data, soft), spread_hard(found, data, soft))
        for soft in ("PPSVM OAO", "PPSVM OAA")
        for data in SETS
    }
    return [
        Claim(
            "BTPPSVM computes the fewest kernel values for one classification, of the six of Wang et al. on Letter.",
            decided(min(work, key=lambda method: work[method]) == "BTPPSVM"),
            ", ".join(f"{method} {value:.0f}" for method, value in work.items()),
            "BTPPSVM computes the fewest kernel values",
        ),
        Claim(
            "At equal C and gamma, soft labels alone make the stored vectors fewer (Wang et al.).",
            judge_fewer(alone),
            "set by set in the table of vectors and errors with hard and soft labels",
            "Soft labels alone make vectors fewer",
        ),
    ]
