"""What the paper claims of vectors, machines and times, decided by the record."""

from __future__ import annotations

from dataclasses import replace

from ..report import Claim
from ..rule import (
    FEWER_MACHINES,
    SHARE_OF_VECTORS,
    Judgement,
    decided,
    judge_parts,
    listed,
)
from .fisher import SMALLEST, TABLE2
from .published import METHODS, NAMES, OF_VECTORS, SAVED, SETS
from .results import (
    BANK,
    LOOP,
    RECONSTRUCTED,
    SMALL,
    WORK,
    Interval,
    Record,
    average_spread,
    cost,
    fastest,
    judge_fewer,
    of,
    saved,
    span,
    spread,
)

KIN = {"PPSVM OAO": "OAO", "PPSVM OAA": "OAA", "BTPPSVM": "c-BTS"}
READINGS = {"One bank": BANK, "Kernel values of the loop": WORK}
OTHERS = ("optdigits", "pendigits", "mnist7x7")  # what the paper leaves out for brevity


def cost_claims(found: Record) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [
        _soft_vectors(found),
        _fewest(found),
        _shares(found),
        _machines(found),
        _because_of_fisher(found),
        _for_one(found),
        _shortest(found),
        _savings(found),
        _shortest_elsewhere(found),
    ]


# ------------------------------------------------------------------- Table 3


def _soft_vectors(found: Record) -> Claim:
    pairs = {
        f"{soft} on {NAMES[data]}": (spread(found, data, soft), spread(found, data, hard))
        for soft, hard in KIN.items()
        for data in SETS
    }
    return Claim(
        "The three algorithms with PPSVMs store significantly fewer vectors (than OAO, OAA and c-BTS in turn).",
        judge_fewer(pairs),
        "average percent of the training set, with soft and with hard labels: "
        + ", ".join(
            f"{soft} {span(average_spread(found, soft))} and {span(average_spread(found, hard))}"
            for soft, hard in KIN.items()
        )
        + "; set by set in Table 3",
        "PPSVMs store fewer vectors",
        "Sections 2 and 4",
    )


def _fewest(found: Record) -> Claim:
    others = [method for method in METHODS if method != "BTPPSVM"]
    best = {data: min(others, key=lambda method: spread(found, data, method)[0]) for data in SETS}
    pairs = {NAMES[data]: (spread(found, data, "BTPPSVM"), spread(found, data, best[data])) for data in SETS}
    return Claim(
        "BTPPSVM stores fewer vectors than all other algorithms.",
        judge_fewer(pairs),
        "the fewest of the others are those of "
        + ", ".join(f"{other} on {NAMES[data]}" for data, other in best.items())
        + " (Table 3)",
        "BTPPSVM stores the fewest vectors",
        "Abstract, Sections 2 and 5",
    )


def vector_shares(found: Record) -> dict[str, Interval]:
    """BTPPSVM's average share of vectors in percent of another method's: the least and the largest."""
    low, high = average_spread(found, "BTPPSVM")
    out = {}
    for other in OF_VECTORS:
        least, most = average_spread(found, other)
        out[other] = 100 * low / most, 100 * high / least
    return out


def _shares(found: Record) -> Claim:
    shares = vector_shares(found)
    limits = {other: said + SHARE_OF_VECTORS.value for other, said in OF_VECTORS.items()}
    (first, less), (second, more) = OF_VECTORS.items()
    return Claim(
        f"In general, BTPPSVM stores {less} % of the vectors of {first} and {more} % of those of {second}.",
        judge_fewer({other: (share, (limits[other], limits[other])) for other, share in shares.items()}),
        ", ".join(f"{span(share)} % of {other}" for other, share in shares.items()),
        "BTPPSVM stores 60 and 78 % of vectors",
        "Section 4",
    )


# ------------------------------------------------------------------- Table 4


def _machines(found: Record) -> Claim:
    def judged(what: str) -> Judgement:
        return decided(2 * sum(_fewer_than_both(found, data, what) for data in SETS) > len(SETS))

    return Claim(
        "In most cases BTPPSVM has fewer machines than both OAO and c-BTS.",
        replace(judged("machines"), qualified=RECONSTRUCTED),
        "fewer than both, of those stored, on "
        + listed(NAMES[data] for data in SETS if _fewer_than_both(found, data, "machines"))
        + " (Table 4)",
        "BTPPSVM has fewer machines",
        "Section 4",
        {"Machines asked": judged("machines_consulted")},
    )


def _fewer_than_both(found: Record, data: str, what: str) -> bool:
    """Whether BTPPSVM has fewer machines than one-against-one, which asks all of its own, and than c-BTS."""
    others = of(found, data, "OAO")["machines"], of(found, data, "c-BTS")[what]
    return bool(of(found, data, "BTPPSVM")[what] < min(others))


def _because_of_fisher(found: Record) -> Claim:
    trees = {NAMES[data]: found[f"ratios/{data}/PPSVM OAO"] for data in SMALL}
    counts = {name: (step[TABLE2]["machines"], step[SMALLEST]["machines"]) for name, step in trees.items()}
    return Claim(
        "BTPPSVM has fewer machines because the Fisher ratio chooses its pairs.",
        judge_parts({name: largest < smallest for name, (largest, smallest) in counts.items()}),
        "machines where the pair with the largest ratio is divided first, and where that with the smallest is: "
        + ", ".join(f"{name} {largest}, {smallest}" for name, (largest, smallest) in counts.items()),
        "The Fisher ratio makes machines fewer",
        "Section 4",
    )


def _for_one(found: Record) -> Claim:
    def judged(what: str) -> Judgement:
        return judge_parts(
            {
                f"{tree} on {NAMES[data]}": of(found, data, tree)[what]
                <= FEWER_MACHINES.value * of(found, data, "OAO")["machines"]
                for tree in ("c-BTS", "BTPPSVM")
                for data in SETS
            }
        )

    return Claim(
        "c-BTS and BTPPSVM use significantly fewer machines than OAO for one classification.",
        replace(judged("machines_consulted"), qualified=RECONSTRUCTED),
        "on a set, the trees ask "
        + " to ".join(f"{100 * end(_asked_shares(found)):.0f}" for end in (min, max))
        + " % of OAO's machines (Table 4)",
        "Trees use fewer machines than OAO",
        "Section 4",
        {"Machines stored, as Table 4 must count them": judged("machines")},
    )


def _asked_shares(found: Record) -> list[float]:
    return [
        of(found, data, tree)["machines_consulted"] / of(found, data, "OAO")["machines"]
        for tree in ("c-BTS", "BTPPSVM")
        for data in SETS
    ]


# ------------------------------------------------------------------- Table 5


def _shortest(found: Record) -> Claim:
    return Claim(
        "BTPPSVM needs the shortest test time (Letter).",
        decided(fastest(found, "letter", LOOP) == "BTPPSVM"),
        "in terms of OAO, loop and one bank: "
        + ", ".join(
            f"{method} {_ratio(found, method, LOOP):.2f} and {_ratio(found, method, BANK):.2f}" for method in METHODS
        ),
        "BTPPSVM has the shortest test time",
        "Abstract, Section 4",
        {name: decided(fastest(found, "letter", what) == "BTPPSVM") for name, what in READINGS.items()},
    )


def _ratio(found: Record, method: str, what: str) -> float:
    return cost(found, "letter", method, what) / cost(found, "letter", "OAO", what)


def _savings(found: Record) -> Claim:
    def judged(what: str) -> Judgement:
        return judge_parts({other: saved(found, "letter", other, what) >= said for other, said in SAVED.items()})

    said = ", ".join(f"{value:g} % against {other}" for other, value in SAVED.items())
    return Claim(
        f"BTPPSVM saves test time on Letter: {said}.",
        judged(LOOP),
        "; ".join(
            f"{words}: {_least_and_most(found, what)} saved" for words, what in (("loop", LOOP), ("one bank", BANK))
        )
        + " (each below, in the numbers of the text)",
        "BTPPSVM saves a fifth to a half of time",
        "Section 4",
        {name: judged(what) for name, what in READINGS.items()},
    )


def _least_and_most(found: Record, what: str) -> str:
    shares = [saved(found, "letter", other, what) for other in SAVED]
    return f"{min(shares):.0f} to {max(shares):.0f} %"


def _shortest_elsewhere(found: Record) -> Claim:
    def judged(what: str) -> Judgement:
        return judge_parts({NAMES[data]: fastest(found, data, what) == "BTPPSVM" for data in OTHERS})

    return Claim(
        "Test times on the other three sets are similar.",
        judged(LOOP),
        "read as: BTPPSVM is the fastest; fastest in a loop and in one bank: "
        + ", ".join(f"{NAMES[data]} {fastest(found, data, LOOP)} and {fastest(found, data, BANK)}" for data in OTHERS),
        "Test times elsewhere are similar",
        "Section 4",
        {name: judged(what) for name, what in READINGS.items()},
    )
