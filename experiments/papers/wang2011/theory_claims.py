"""What the paper claims in Sections 1 to 3: soft labels, trees and their theory, decided by the record."""

from __future__ import annotations

from dataclasses import replace
from math import log2

from ...statistics import ALPHA
from ..report import Claim
from ..rule import ABOUT_LOG, Judgement, decided, judge_better, judge_parts, listed
from .fisher import SMALLEST, TABLE2
from .published import NAMES, SETS, c_bts_tests
from .results import RECONSTRUCTED, SMALL, Record, compared, equation_3, gains, late_in_tables, noise_steps, of


def theory_claims(found: Record) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [
        _c_bts_tests(found),
        _soft_accuracy(found),
        _robust(found),
        _regions(found),
        _equation_3(found),
        _separable_first(found),
        _best_case(found),
        _logarithmic(found),
        _reassignment(found),
    ]


def _c_bts_tests(found: Record) -> Claim:
    asked = {NAMES[data]: of(found, data, "c-BTS")["machines_consulted"] for data in SETS}
    said = {NAMES[data]: c_bts_tests(n) for data, (n, *_) in SETS.items()}
    parts = {name: asked[name] <= said[name] + ABOUT_LOG.value for name in asked}
    return Claim(
        "c-BTS asks log_{4/3}[(n+3)/4] machines on average for one classification.",
        replace(judge_parts(parts), qualified=RECONSTRUCTED),
        f"asked: {_few(asked)}; by the formula {min(said.values()):.1f} for 10 classes and {max(said.values()):.1f} for 26",
        "c-BTS asks about a logarithm of machines",
        "Section 1",
    )


def _few(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in values.items())


def _soft_accuracy(found: Record) -> Claim:
    pairs = {
        f"{kind} on {NAMES[data]}": (of(found, data, f"PPSVM {kind}"), of(found, data, kind))
        for kind in ("OAO", "OAA")
        for data in SETS
    }
    tests = compared(pairs)
    return Claim(
        "PPSVMs are more accurate than canonical SVMs.",
        replace(judge_better(tests), qualified=late_in_tables(found)),
        "accuracy of PPSVMs less that of canonical SVMs, in points: " + gains(tests),
        "PPSVMs are more accurate than SVMs",
        "Section 2",
    )


def _robust(found: Record) -> Claim:
    def judged(C: str | None) -> tuple[Judgement, str]:
        pairs, words = {}, []
        for data in ("optdigits", "pendigits"):
            for share, step in noise_steps(found, data).items():
                if share > 0:
                    soft, hard = (_at(step["k"][k], C) for k in ("11", "1"))
                    name = f"{NAMES[data]} with {100 * share:.0f} % wrong"
                    pairs[name] = soft, hard
                    words.append(f"{name} {hard['error']:.2f} % and {soft['error']:.2f} %")
        return judge_better(compared(pairs)), ", ".join(words)

    judgement, shown = judged(None)
    largest = max(next(iter(noise_steps(found, "pendigits").values()))["k"]["1"]["errors"], key=float)
    fixed, _ = judged(largest)
    return Claim(
        "PPSVMs are more robust against noise and outliers than canonical SVMs.",
        replace(judgement, qualified="shown by wrong labels only; the paper has no experiment on it"),
        f"error with hard and with soft labels (k = 11), C by cross-validation on the wrong labels: {shown}",
        "PPSVMs are more robust against noise",
        "Abstract, Section 2",
        {f"With C = {largest} for both": fixed},
    )


def _at(of_k: dict[str, dict[str, object]], C: str | None) -> dict[str, object]:
    """Error and wrong answers at one C, or at the chosen one."""
    at = str(of_k["best_C"]) if C is None else C
    return {"error": of_k["errors"][at], "wrong": of_k["wrong"][at]}


def _regions(found: Record) -> Claim:
    soft = {
        f"{method} on {NAMES[data]}": of(found, data, method)["regions"]
        for method in ("PPSVM OAO", "PPSVM OAA")
        for data in SETS
    }
    return Claim(
        "One-against-one and one-against-all of PPSVMs have unclassifiable regions.",
        judge_parts({name: region["samples"] > 0 for name, region in soft.items()}),
        "test samples in them: "
        + "; ".join(
            f"{method} " + ", ".join(str(of(found, data, method)["regions"]["samples"]) for data in SETS)
            for method in ("PPSVM OAO", "PPSVM OAA")
        )
        + f" (in the order {listed(NAMES.values())})",
        "PPSVMs have unclassifiable regions",
        "Abstract, Section 2",
    )


def _equation_3(found: Record) -> Claim:
    values = {NAMES[data]: equation_3(found, data) for data in SETS}
    return Claim(
        "The error of a tree is that of Equation 3, from the errors of its layers, which are taken as independent.",
        judge_parts({name: low <= predicted <= high for name, (predicted, _, low, high) in values.items()}),
        "Equation 3 gives this many times the measured error: "
        + ", ".join(f"{name} {p / e if e else 1.0:.2f}" for name, (p, e, _, _) in values.items()),
        "Equation 3 gives the error of a tree",
        "Section 3",
    )


def _separable_first(found: Record) -> Claim:
    trees = {NAMES[data]: found[f"ratios/{data}/PPSVM OAO"] for data in SMALL}
    tests = compared({name: (step[TABLE2], step[SMALLEST]) for name, step in trees.items()})
    return Claim(
        "To be accurate, a tree should divide the pair with the largest Fisher ratio at its upper nodes.",
        judge_better(tests),
        "accuracy less that of the tree that divides the pair with the smallest ratio first, in points: "
        + gains(tests),
        "The most separable pair belongs at the root",
        "Section 3",
    )


def _best_case(found: Record) -> Claim:
    cube = found["best case"]
    n, tests = cube["classes"], cube["machines_consulted"]
    return Claim(
        "In the best situation BTPPSVM trains n − 1 machines and asks log₂ n.",
        decided(cube["machines"] == n - 1 and abs(tests - log2(n)) < 1e-9),
        f"{n} classes at the corners of a box, nothing overlapping: {cube['machines']} machines, {tests:g} asked",
        "At best BTPPSVM has n − 1 machines",
        "Sections 3.2 and 5",
    )


def _logarithmic(found: Record) -> Claim:
    asked = {NAMES[data]: (of(found, data, "BTPPSVM")["machines_consulted"], log2(n)) for data, (n, *_) in SETS.items()}
    return Claim(
        "On average BTPPSVM asks about log₂ n machines for one classification.",
        judge_parts({name: tests <= log + ABOUT_LOG.value for name, (tests, log) in asked.items()}),
        f"asked: {_few({name: tests for name, (tests, _) in asked.items()})}; log₂ n is 3.3 for 10 classes and 4.7 for 26",
        "BTPPSVM asks about log₂ n machines",
        "Sections 3.2 and 5",
    )


def _reassignment(found: Record) -> Claim:
    def judged(threshold: str) -> tuple[Judgement, str]:
        parts, words = {}, []
        steps = {NAMES[data]: found[f"reassignment/{data}/{threshold}"] for data in SMALL}
        ends = {name: (step[max(step, key=float)], step["0"]) for name, step in steps.items()}
        tests = compared(ends)
        for name, (most, none) in ends.items():
            points, p = tests[name]
            more = most["machines"] > none["machines"] and most["trained_rows"] > none["trained_rows"]
            parts[name] = more and not (points > 0 and p < ALPHA)
            words.append(
                f"{name} {none['machines']} to {most['machines']} machines, error {none['error']:.2f} to "
                f"{most['error']:.2f} % (p = {p:.1g})"
            )
        return judge_parts(parts), ", ".join(words)

    judgement, shown = judged("0")
    other, _ = judged("0.05")
    deltas = list(found["reassignment/letter/0"])
    return Claim(
        "With reassignment, a larger threshold takes more machines and training time, and is not significantly more accurate.",
        replace(judgement, qualified=f"{RECONSTRUCTED}; training time is taken as the rows of all machines"),
        f"δ from 0 to {max(deltas, key=float)}: {shown}",
        "Reassignment costs machines without gain",
        "Section 3.2",
        {"Where 5 % of a class may fall on the other side": other},
    )
