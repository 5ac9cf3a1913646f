"""Our own questions, decided by the record."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ...statistics import PairedTest, corrected_t_test, holm
from ..report import Claim
from ..rule import Judgement, decided, judge_better
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
IN_A_SENTENCE = {"decision tree": "decision trees"}
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
        *(_direct(found, other) for other in (FIRST, "one_vs_rest")),
        _kernel_machines(found),
        *(_other_machines(found, base) for base in BASES),
    ]


def _direct(found: Record, other: str) -> Claim:
    """Crammer & Singer's machine against another scheme."""
    tests = over_sets(found, CRAMMER_SINGER, other)
    return Claim(
        f"Crammer & Singer's machine is more accurate than {WORDS[other]}",
        qualified(judge_better(adjusted(tests)), unconverged(found, CRAMMER_SINGER, other)),
        told(tests),
        f"Crammer & Singer against {WORDS[other]}",
    )


def _kernel_machines(found: Record) -> Claim:
    return _structures("kernel machines", over_sets(found, FIRST, "ddag"), unconverged(found, FIRST, "ddag"))


def _other_machines(found: Record, base: str) -> Claim:
    tests = {}
    for data, name in NAMES.items():
        structures = structures_of(found, data, base)
        tests[name] = gain(found[f"nodes/{data}"], structures[FIRST], structures["ddag"])
    n_unconverged = sum(found[f"nodes/{data}"]["bases"][base]["unconverged"] for data in NAMES)
    return _structures(base, tests, n_unconverged)


def _structures(machines: str, tests: Mapping[str, PairedTest], n_unconverged: int) -> Claim:
    """Max Wins against the DDAG over the same kind of machines."""
    # Where every trial of every set has the same accuracy there is no difference that could be chance.
    same = all(test.mean == 0 and test.low == test.high for test in tests.values())
    return Claim(
        f"Over pairs of classes with {IN_A_SENTENCE.get(machines, machines)}, Max Wins is more accurate than a DDAG",
        qualified(decided(False) if same else judge_better(adjusted(tests)), n_unconverged),
        "the accuracy is the same in every trial of every set" if same else told(tests),
        f"Max Wins against DDAG: {machines}",
    )


def told(tests: Mapping[str, PairedTest]) -> str:
    """The gain on every set, and its p-value."""
    cells = [f"{name} {points:+.2f} (p = {p:.2g})" for name, (points, p) in adjusted(tests).items()]
    return f"accuracy gained, in points (Holm over the sets): {', '.join(cells)}"


def unconverged(found: Record, *schemes: str) -> int:
    """Machines of these schemes that did not converge, on all sets."""
    return sum(sum(schemes_of(found, data)[scheme]["unconverged"]) for data in NAMES for scheme in schemes)


def qualified(judgement: Judgement, n_unconverged: int) -> Judgement:
    """A judgement with the number of machines that did not converge, if any."""
    return replace(judgement, qualified=f"{n_unconverged} machines did not converge") if n_unconverged else judgement


def mean(values: Sequence[float]) -> float:
    """Of a list of numbers."""
    return float(np.mean(values))
