"""What the paper says of times: those of tuning and of deciding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..report import Claim
from ..rule import judge_parts
from .published import TABLE
from .summary import Results, Runs

STRUCTURES = {"all_pairs": "all pairs (1-v-1)", "rest": "one class against the rest (1-v-a)"}


def time_claims(results: Results) -> list[Claim]:
    """The claims about times: a loop over machines decides, one bank of machines stands beside it."""
    return [_tuning_is_cheaper(results), _decides_faster(results, "all_pairs"), _decides_faster(results, "rest")]


def _tuning_is_cheaper(results: Results) -> Claim:
    loop = {row.label: loop_ratio(results, data) for data, row in TABLE.items()}
    bank = {row.label: time_ratio(results.tuning[data], "all_by_cv") for data, row in TABLE.items()}
    return Claim(
        "Gamma from the distance between classes saves the time of cross-validating it.",
        judge_parts({name: ratio > 1 for name, ratio in loop.items()}),
        f"cross-validation of gamma takes {_range(loop.values())} times as long in a loop, {_range(bank.values())} times in "
        "one bank",
        name="Gamma by distance saves time",
        where="Section 4",
        others={"One bank of machines": judge_parts({name: ratio > 1 for name, ratio in bank.items()})},
    )


def loop_ratio(results: Results, data: str) -> float:
    """How many times as long as by distance cross-validation of gamma takes, one training after the other."""
    found = results.found[f"loop/{data}"]
    validated, distance = (sum(pair["seconds"] for pair in found[way]) for way in ("validated", "distance"))
    return float(validated / distance)


def time_ratio(ways: Mapping[str, Runs], way: str) -> float:
    """How many times as long as by the protocol tuning and fitting take, in one bank."""
    totals = [sum(split["wall_seconds"] for split in ways[name].splits) for name in (way, "protocol")]
    return float(totals[0] / totals[1])


def _decides_faster(results: Results, other: str) -> Claim:
    words, _, short = STRUCTURES[other].partition(" (")
    ratios = {row.label: cost_ratios(results, data, other) for data, row in TABLE.items()}
    others = {"One bank of machines": judge_parts({name: of.bank > 1 for name, of in ratios.items()})}
    if other == "rest":  # the machines of 1-v-1 are the same
        training = {row.label: results.found[f"cost/{data}"]["training_seconds"] for data, row in TABLE.items()}
        others["Training, in a loop"] = judge_parts(
            {name: of["rest"] > of["all_pairs"] for name, of in training.items()}
        )
    return Claim(
        f"The adaptive order decides faster than {STRUCTURES[other]}.",
        judge_parts({name: of.loop > 1 for name, of in ratios.items()}),
        f"{short.strip(')')} takes {_range(of.loop for of in ratios.values())} times as long in a loop, "
        f"{_range(of.bank for of in ratios.values())} times in one bank",
        name=f"Decides faster than {words}",
        where="Sections 2.2 and 5" if other == "all_pairs" else "Section 5",
        others=others,
    )


def _range(ratios: Iterable[float]) -> str:
    values = list(ratios)
    return f"{min(values):.2f} to {max(values):.2f}"


class CostRatios(NamedTuple):
    """What another structure costs, over what the adaptive order costs."""

    machines: float
    kernel: float
    loop: float
    bank: float


def cost_ratios(results: Results, data: str, other: str) -> CostRatios:
    """Machines, kernel values and times of another structure, relative to the adaptive order."""
    found = results.found[f"cost/{data}"]
    names = ("machines_consulted", "kernel_evaluations", "loop_seconds", "wall_seconds")
    return CostRatios(*(found[other][name] / found["adaptive"][name] for name in names))
