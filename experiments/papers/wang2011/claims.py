"""What the paper claims, decided by the record."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

import numpy as np

from dagmar import McNemar

from ...statistics import ALPHA, exact_mcnemar, holm
from ..report import CLOSE, Claim, ErrorRate
from ..rule import ABOUT_LOG, SHARE_OF_VECTORS, decided, judge_better, judge_none, judge_parts, listed
from ..study import Found
from .published import METHODS, NAMES, OF_OAO, OF_PPSVM_OAO, SETS, error

Record = Mapping[str, Found]
ALL = "all sets together"
SHORT = {data: name.partition(",")[0] for data, name in NAMES.items()}


def of(found: Record, data: str, method: str) -> Found:
    """What was measured of a method."""
    return found[f"tables/{data}/{method}"]


def mean(found: Record, method: str, what: str) -> float:
    """Average over the four data sets."""
    return float(np.mean([of(found, data, method)[what] for data in SETS]))


def each(found: Record, method: str, other: str, what: str, digits: int = 1) -> str:
    """Two methods on every data set, as text."""
    cells = [
        f"{SHORT[data]} {of(found, data, method)[what]:.{digits}f} to {of(found, data, other)[what]:.{digits}f}"
        for data in SETS
    ]
    return ", ".join(cells)


def disagreements(found: Record, data: str, a: str, b: str) -> McNemar:
    """McNemar's exact test between two methods on the same test rows."""
    wrong_a, wrong_b = (set(of(found, data, method)["wrong"]) for method in (a, b))
    return exact_mcnemar(len(wrong_b - wrong_a), len(wrong_a - wrong_b))


def over_all_sets(found: Record, a: str, b: str) -> McNemar:
    """The same over the answers on all test sets together."""
    tests = [disagreements(found, data, a, b) for data in SETS]
    return exact_mcnemar(sum(test.only_a for test in tests), sum(test.only_b for test in tests))


def fewer(found: Record, a: str, b: str, what: str) -> list[bool]:
    """On which data sets method a has less of something than b."""
    return [of(found, data, a)[what] < of(found, data, b)[what] for data in SETS]


def claims(found: Record) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [*_accuracy(found), *_vectors(found), *_machines(found), *_time(found), *_figure(found), _noise(found)]


def compared(found: Record, pairs: list[tuple[str, str, str]]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """McNemar's exact tests of several comparisons, by Holm over all of them.

    Parameters
    ----------
    found : mapping of str to dict
    pairs : list of (data, method, other)

    Returns
    -------
    dict of (data, method, other) to (points, p)
        The error of the method less that of the other, and the adjusted p.
    """
    adjusted = holm([disagreements(found, *pair).p_value for pair in pairs])
    return {
        (data, a, b): (of(found, data, a)["error"] - of(found, data, b)["error"], float(p))
        for (data, a, b), p in zip(pairs, adjusted, strict=True)
    }


def _accuracy(found: Record) -> list[Claim]:
    against = compared(found, [(data, "BTPPSVM", other) for data in SETS for other in ("OAO", "OAA")])
    worse = [
        f"{SHORT[data]} against {other} (p = {p:.1g})"
        for (data, _, other), (points, p) in against.items()
        if points > 0 and p < ALPHA
    ]
    averages = {method: mean(found, method, "error") for method in METHODS}
    tree, centered = averages["BTPPSVM"], averages["c-BTS"]
    trees = compared(found, [(data, "BTPPSVM", "c-BTS") for data in SETS])
    together = over_all_sets(found, "BTPPSVM", "c-BTS")
    return [
        Claim(
            "BTPPSVM is as accurate as one-against-one and one-against-all, or more",
            judge_none(worse),
            f"by Holm over {len(against)} tests, significantly worse on {listed(worse)}; average error {tree:.2f} %, "
            f"OAO {averages['OAO']:.2f} %, OAA {averages['OAA']:.2f} %",
        ),
        Claim(
            "BTPPSVM is about 0.1 points more accurate than c-BTS",
            judge_better({ALL: (together.only_a - together.only_b, together.p_value)}),
            f"average error {tree:.2f} % and {centered:.2f} %; on all sets together p = {together.p_value:.1g}; BTPPSVM less "
            "c-BTS, by Holm over the sets: "
            + ", ".join(f"{SHORT[data]} {points:+.2f} (p = {p:.1g})" for (data, _, _), (points, p) in trees.items()),
        ),
        _most_accurate(found, averages),
    ]


def _most_accurate(found: Record, averages: dict[str, float]) -> Claim:
    """One-against-one against the best of the others."""
    kind = ("OAO", "PPSVM OAO")
    first = min(kind, key=lambda method: averages[method])
    other = min((method for method in METHODS if method not in kind), key=lambda method: averages[method])
    test = over_all_sets(found, first, other)
    return Claim(
        "One-against-one, of either kind, is the most accurate on average",
        judge_better({ALL: (test.only_a - test.only_b, test.p_value)}),
        f"average errors: {', '.join(f'{m} {e:.2f} %' for m, e in averages.items())}; on all sets together, answers that only "
        f"{first} has right {test.only_a}, only {other} {test.only_b}, p = {test.p_value:.2g}",
    )


def _vectors(found: Record) -> list[Claim]:
    what = "vectors_percent"
    couples = (("PPSVM OAO", "OAO"), ("PPSVM OAA", "OAA"), ("BTPPSVM", "c-BTS"))
    smallest = {data: min(METHODS, key=lambda m: of(found, data, m)[what]) for data in SETS}
    of_oao = 100 * mean(found, "BTPPSVM", what) / mean(found, "OAO", what)
    of_soft = 100 * mean(found, "BTPPSVM", what) / mean(found, "PPSVM OAO", what)
    least = [
        of(found, data, "BTPPSVM")[what] <= min(of(found, data, other)[what] for other in METHODS) for data in SETS
    ]
    return [
        Claim(
            "The three algorithms with posterior probabilities store fewer vectors than their canonical kin",
            judge_parts(
                {
                    f"{a} on {SHORT[data]}": less
                    for a, b in couples
                    for data, less in zip(SETS, fewer(found, a, b, what), strict=True)
                }
            ),
            "; ".join(f"{a} to {b}, percent of the training set: {each(found, a, b, what)}" for a, b in couples),
        ),
        Claim(
            "BTPPSVM stores the fewest vectors of the six",
            judge_parts({SHORT[data]: held for data, held in zip(SETS, least, strict=True)}),
            "fewest are those of " + ", ".join(f"{m} on {SHORT[data]}" for data, m in smallest.items()),
        ),
        Claim(
            f"BTPPSVM stores {OF_OAO:.0f} % of the vectors of OAO and {OF_PPSVM_OAO:.0f} % of those of PPSVM OAO",
            judge_parts(
                {
                    "OAO": of_oao <= OF_OAO + SHARE_OF_VECTORS.value,
                    "PPSVM OAO": of_soft <= OF_PPSVM_OAO + SHARE_OF_VECTORS.value,
                }
            ),
            f"{of_oao:.0f} % and {of_soft:.0f} %, on average",
        ),
    ]


def _machines(found: Record) -> list[Claim]:
    cube = found["best case"]
    n, tests = cube["classes"], cube["machines_consulted"]
    longest = {
        SHORT[data]: (of(found, data, "BTPPSVM")["machines_consulted"], log2(of(found, data, "BTPPSVM")["classes"]))
        for data in SETS
    }
    cases = [*fewer(found, "BTPPSVM", "OAO", "machines"), *fewer(found, "BTPPSVM", "c-BTS", "machines")]
    return [
        Claim(
            "In most cases BTPPSVM has fewer machines than one-against-one and c-BTS",
            decided(2 * sum(cases) > len(cases)),
            f"in {sum(cases)} of {len(cases)} cases; to OAO: {each(found, 'BTPPSVM', 'OAO', 'machines', 0)}; "
            f"to c-BTS: {each(found, 'BTPPSVM', 'c-BTS', 'machines', 0)}",
        ),
        Claim(
            "In the best case BTPPSVM trains n − 1 machines and asks log₂ n",
            decided(cube["machines"] == n - 1 and abs(tests - log2(n)) < 1e-9),
            f"{n} classes at the corners of a box, nothing overlapping: {cube['machines']} machines, {tests:g} asked",
        ),
        Claim(
            "BTPPSVM asks about log₂ n machines for one classification",
            judge_parts({name: asked <= log + ABOUT_LOG.value for name, (asked, log) in longest.items()}),
            ", ".join(f"{name}: {asked:.1f}, log₂ n = {log:.1f}" for name, (asked, log) in longest.items()),
        ),
    ]


def _time(found: Record) -> list[Claim]:
    seconds = {method: of(found, "letter", method)["test_seconds"] for method in METHODS}
    work = {method: of(found, "letter", method)["kernel_evaluations"] for method in METHODS}
    others = [method for method in METHODS if method != "BTPPSVM"]
    return [
        Claim(
            "BTPPSVM needs the shortest test time (Letter)",
            decided(all(seconds["BTPPSVM"] < seconds[other] for other in others)),
            "seconds in terms of OAO: " + ", ".join(f"{m} {s / seconds['OAO']:.2f}" for m, s in seconds.items()),
        ),
        Claim(
            "BTPPSVM computes the fewest kernel values for a classification (Letter)",
            decided(all(work["BTPPSVM"] < work[other] for other in others)),
            ", ".join(f"{m} {w:.0f}" for m, w in work.items()),
        ),
    ]


def _figure(found: Record) -> list[Claim]:
    fixed = found["figure1/same C and gamma"]
    own = {key.rsplit("/", 1)[1]: found[key] for key in found if key.startswith("figure1/own")}
    out = []
    for words, by_k in (("with one C and gamma", fixed), ("with C and gamma chosen for every k", own)):
        ks = sorted(by_k, key=int)
        first, last = by_k[ks[0]]["tree"], by_k[ks[-1]]["tree"]
        out.append(
            Claim(
                f"Error and vectors of BTPPSVM fall as k grows from 1 to 11 (Letter), {words}",
                judge_parts(
                    {
                        "the error": last["error"] < first["error"],
                        "vectors": last["vectors_percent"] < first["vectors_percent"],
                    }
                ),
                f"k = {ks[0]}: error {first['error']:.2f} %, vectors {first['vectors_percent']:.1f} %; k = {ks[-1]}: "
                f"{last['error']:.2f} %, {last['vectors_percent']:.1f} %",
            )
        )
    return out


def noise_steps(found: Record) -> dict[float, Found]:
    """What was found at each share of wrong labels, ascending."""
    shares = sorted(float(key.split("/")[1]) for key in found if key.startswith("noise/"))
    return {share: found[f"noise/{share:g}"] for share in shares}


def _noise(found: Record) -> Claim:
    wrong = {share: step["k"] for share, step in noise_steps(found).items() if share > 0}
    chosen = {share: (ks["1"]["chosen_error"], ks["11"]["chosen_error"]) for share, ks in wrong.items()}
    top = max(wrong)
    largest = max(wrong[top]["1"]["errors"], key=float)
    return Claim(
        "Machines on soft labels are more robust against wrong labels than canonical ones",
        judge_parts({f"{100 * share:.0f} % wrong": soft < plain for share, (plain, soft) in chosen.items()}),
        "C chosen on the wrong labels, Pendigits: "
        + ", ".join(
            f"{100 * share:.0f} % wrong: canonical {plain:.2f} %, k = 11 {soft:.2f} %"
            for share, (plain, soft) in chosen.items()
        )
        + f"; at C = {largest} and {100 * top:.0f} % wrong: {wrong[top]['1']['errors'][largest]:.2f} % and "
        f"{wrong[top]['11']['errors'][largest]:.2f} %",
    )


# ------------------------------------------------------------------- error rates


def error_rates(found: Record) -> list[ErrorRate]:
    """Every accuracy of Table 2 as an error, with ours."""
    return [
        ErrorRate(
            NAMES[data],
            method,
            error(data, method),
            of(found, data, method)["error"],
            _reason(found, data, method),
        )
        for data in SETS
        for method in METHODS
    ]


CANONICAL = {"PPSVM OAO": "OAO", "PPSVM OAA": "OAA", "BTPPSVM": "Fisher tree, plain"}


def _reason(found: Record, data: str, method: str) -> str:
    """Why ours may be far from the published error."""
    here = of(found, data, method)
    if here["train_rows"] < SETS[data][2]:
        return f"{here['train_rows']} of {SETS[data][2]} training rows"
    if method in CANONICAL:
        plain = of(found, data, CANONICAL[method])["error"]
        if here["error"] > error(data, method):
            whole = plain <= error(data, method) + CLOSE
            return f"{'' if whole else 'in part '}the soft labels: without them {plain:.2f} %"
        return f"ours is better, and without soft labels {plain:.2f} %"
    key = f"landscape/{data}/{'OAA' if method == 'OAA' else 'OAO'}"
    if key not in found:
        return ""
    errors = [cell["error"] for cell in found[key]["cells"]]
    published = error(data, method)
    among = "among them" if min(errors) <= published <= max(errors) else "outside them"
    return (
        f"the choice of C and gamma: {min(errors):.2f} to {max(errors):.2f} % over a grid, the published error {among}"
    )
