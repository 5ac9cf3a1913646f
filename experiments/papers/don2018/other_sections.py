"""Sections for other pages: what the paper does not ask, and other readings of its protocol and data."""

from __future__ import annotations

from ...data import EDGE
from ..report import Section
from .cost_tables import bank_table
from .published import ACCURACY
from .reading_tables import distance_table, preference_table, readings_table
from .results import OTHER, PRINTED, Results
from .tables import other_share_table


def findings(results: Results) -> list[Section]:
    """What the paper does not ask."""
    signs = {
        name: (
            results.mean(name, PRINTED, "OvsO") - results.mean(name, PRINTED, "BI"),
            round(ACCURACY[name][1] - ACCURACY[name][0], 2),
        )
        for name in results.names
        if ACCURACY[name][1] != ACCURACY[name][0]
    }
    shown = "; ".join(f"{name} {ours:+.2f} (published {theirs:+.2f})" for name, (ours, theirs) in signs.items())
    agree = sum(ours * theirs > 0 for ours, theirs in signs.values())
    return [
        Section(
            "Don & Iacob: why one-versus-one is not the built-in method",
            [
                "The built-in method of e1071 *is* one-versus-one. What differs is the scaling: it scales all classes "
                "together, a loop over pairs scales each pair by itself. With that difference and no other, OvsO less BI in "
                f"points: {shown}. The sign is the published one on {agree} of {len(signs)} sets."
            ],
        ),
        Section("Don & Iacob: one bank of machines, and stopping early", [bank_table(results)]),
    ]


def readings(results: Results) -> list[Section]:
    """Other readings of the protocol and the data."""
    return [
        Section(f"{OTHER} % trained", [other_share_table(results, table) for table in (4, 5, 6)]),
        Section(
            "Score first or purity first, and which share",
            [
                "Distances of counts are the mean of |ln(measured / published)|.",
                distance_table(results),
                preference_table(results),
            ],
        ),
        Section(
            "Which rows, which features, which scaling",
            [
                readings_table(results),
                "- **glass**: rows are sorted by class and numbered. Only with the number as a feature is the accuracy near "
                "the published one.\n- **segmentation**: one feature is constant, so e1071 scales none and nearly all "
                "kernel values vanish. All rows are then support vectors, and their number says that it was the training "
                "file.\n- **covertype**: columns of rare soil types are constant in a sample, so nothing is scaled either, "
                "and nearly all answers are the largest class. The number of rows is not given and was chosen by Table "
                "6.\n- **svmguide4, vowel, usps**: the number of support vectors tells which file it was. Whether images of "
                f"usps were smoothed (here with edge mode `{EDGE}`) depends on the share that was trained on. Our usps is "
                "that of Hastie, Tibshirani and Friedman; the one on LIBSVM's pages is processed otherwise.",
            ],
        ),
    ]
