"""Our own questions, decided by the record."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ...statistics import ALPHA, PairedTest, corrected_t_test, holm
from ..report import Claim
from ..rule import Judgement, judge_better, judge_none, listed
from ..study import Found
from .experiments import BASES, CRAMMER_SINGER, OVER_PAIRS
from .samples import NAMES

Record = Mapping[str, Found]
Key = TypeVar("Key", bound=Hashable)
WORDS = {
    "max_wins": "Max Wins",
    "ddag": "DDAG",
    "one_vs_rest": "one-vs-rest",
    "adaptive_ddag": "adaptive DDAG",
    "divide_and_conquer": "divide and conquer",
    "fisher_tree": "Fisher tree",
    CRAMMER_SINGER: "Crammer & Singer",
}
FIRST, *OTHERS = OVER_PAIRS  # all structures are compared with Max Wins


def schemes_of(found: Record, data: str) -> Mapping[str, Found]:
    """What each scheme of kernel machines found on a set, by scheme."""
    schemes: Mapping[str, Found] = found[f"direct/{data}"]["schemes"]
    return schemes


def structures_of(found: Record, data: str, base: str) -> Mapping[str, Found]:
    """What each structure over another classifier found on a set, by structure."""
    structures: Mapping[str, Found] = found[f"nodes/{data}"]["bases"][base]["structures"]
    return structures


def gain(step: Found, scheme: Found, other: Found) -> PairedTest:
    """The accuracy of one scheme less that of another, in points, over the trials of a step."""
    differences = np.subtract(scheme["accuracy"], other["accuracy"])
    return corrected_t_test(differences, step["train_rows"], step["test_rows"])


def adjusted(tests: Mapping[Key, PairedTest]) -> dict[Key, tuple[float, float]]:
    """The mean of each test, and its p-value by Holm over all of them."""
    p_values = holm([test.p for test in tests.values()])
    return {key: (test.mean, float(p)) for (key, test), p in zip(tests.items(), p_values, strict=True)}


def over_sets(found: Record, scheme: str, other: str) -> dict[str, PairedTest]:
    """The gain of one scheme of kernel machines over another, by set."""
    return {
        name: gain(found[f"direct/{data}"], schemes_of(found, data)[scheme], schemes_of(found, data)[other])
        for data, name in NAMES.items()
    }


def of_base(found: Record, base: str) -> dict[tuple[str, str], PairedTest]:
    """The gain of each structure over Max Wins with the same machines of another classifier, by set and structure."""
    tests = {}
    for data, name in NAMES.items():
        structures = structures_of(found, data, base)
        for structure in OTHERS:
            tests[name, structure] = gain(found[f"nodes/{data}"], structures[structure], structures[FIRST])
    return tests


def claims(found: Record) -> list[Claim]:
    """All of them."""
    return [
        _better(found, FIRST),
        _better(found, "one_vs_rest"),
        _kernel_machines(found),
        *(_other_machines(found, base) for base in BASES),
    ]


def _better(found: Record, other: str) -> Claim:
    """Crammer & Singer's machine against another scheme."""
    tests = over_sets(found, CRAMMER_SINGER, other)
    by_set = adjusted(tests)
    unconverged = sum(
        sum(schemes_of(found, data)[scheme]["unconverged"]) for data in NAMES for scheme in (CRAMMER_SINGER, other)
    )
    return Claim(
        f"Crammer & Singer's machine is more accurate than {WORDS[other]}",
        qualified(judge_better(by_set), unconverged),
        "accuracy gained, in points (Holm over the sets): "
        + ", ".join(f"{name} {points:+.2f} (p = {p:.2g})" for name, (points, p) in by_set.items()),
        f"Crammer & Singer against {WORDS[other]}",
    )


def _kernel_machines(found: Record) -> Claim:
    tests = {
        (name, structure): test for structure in OTHERS for name, test in over_sets(found, structure, FIRST).items()
    }
    unconverged = sum(
        sum(schemes_of(found, data)[structure]["unconverged"]) for data in NAMES for structure in OVER_PAIRS
    )
    return Claim(
        "With kernel machines, no structure over pairs differs in accuracy from Max Wins",
        qualified(judge_none(differing(tests)), unconverged),
        told(tests),
        "Structures of kernel machines",
    )


def _other_machines(found: Record, base: str) -> Claim:
    tests = of_base(found, base)
    unconverged = sum(found[f"nodes/{data}"]["bases"][base]["unconverged"] for data in NAMES)
    return Claim(
        f"With {base} at the nodes, no structure over pairs differs in accuracy from Max Wins",
        qualified(judge_none(differing(tests)), unconverged),
        told(tests),
        f"Structures of {base}",
    )


def differing(tests: Mapping[tuple[str, str], PairedTest]) -> list[str]:
    """Where a structure differs beyond chance, in words; Holm over all sets and structures."""
    return [
        f"{WORDS[structure]} on {name} {points:+.2f} (p = {p:.2g})"
        for (name, structure), (points, p) in adjusted(tests).items()
        if p < ALPHA
    ]


def told(tests: Mapping[tuple[str, str], PairedTest]) -> str:
    """What was tested, and what differs."""
    means = {structure: mean([test.mean for (_, s), test in tests.items() if s == structure]) for structure in OTHERS}
    return (
        f"by Holm over {len(tests)} tests, different from Max Wins: {listed(differing(tests))}; average over the sets, in "
        f"points: {', '.join(f'{WORDS[structure]} {points:+.2f}' for structure, points in means.items())}"
    )


def qualified(judgement: Judgement, unconverged: int) -> Judgement:
    """A judgement with the number of machines that did not converge, if any."""
    return replace(judgement, qualified=f"{unconverged} machines did not converge") if unconverged else judgement


def mean(values: Sequence[float]) -> float:
    """Of a list of numbers."""
    return float(np.mean(values))
