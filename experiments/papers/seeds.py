"""One report of several runs that differ in their seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .report import Claim, Report
from .rule import judge_seeds


def over_seeds(reports: Mapping[int, Report]) -> Report:
    """The report of the first seed, with verdicts that stand with all seeds.

    Parameters
    ----------
    reports : mapping of int to Report
        By seed, of one paper.

    Returns
    -------
    Report
        Where a verdict differs between seeds, the claim cannot be decided, and its numbers are those of all seeds.
    """
    first = next(iter(reports.values()))
    return replace(
        first,
        claims=_claims({seed: report.claims for seed, report in reports.items()}),
        own_claims=_claims({seed: report.own_claims for seed, report in reports.items()}),
    )


def _claims(by_seed: Mapping[int, Sequence[Claim]]) -> list[Claim]:
    seeds, lists = list(by_seed), list(by_seed.values())
    return [_claim(dict(zip(seeds, claims, strict=True))) for claims in zip(*lists, strict=True)]


def _claim(of: Mapping[int, Claim]) -> Claim:
    first = next(iter(of.values()))
    if len({claim.name for claim in of.values()}) > 1:
        raise ValueError(f"the claims of the seeds are not the same: {', '.join(claim.name for claim in of.values())}")
    shown = first.shown
    if len({claim.verdict for claim in of.values()}) > 1:
        shown = ". ".join(f"Seed {seed}: {claim.shown}" for seed, claim in of.items())
    return replace(
        first,
        judgement=judge_seeds({seed: claim.judgement for seed, claim in of.items()}),
        shown=shown,
        others={name: judge_seeds({seed: claim.others[name] for seed, claim in of.items()}) for name in first.others},
    )
