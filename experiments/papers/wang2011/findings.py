"""What the paper does not ask: wrong labels at several C, and what soft labels do by themselves."""

from __future__ import annotations

from functools import partial

from ...pictures import Picture
from ...tables import Table
from ..report import Section, Sourced, number
from .pictures import draw_noise
from .published import NAMES, SETS
from .results import Record, noise_steps, of, span, spread, spread_hard

NOISY = ("optdigits", "pendigits")


def findings(found: Record) -> list[Section]:
    """Sections for the page of our own findings."""
    return [
        Section("Fewer vectors: by soft labels, or by C and γ? (Wang et al.)", [*labels_or_choice(found)]),
        Section("A tree with machines of groups (Wang et al.)", [groups(found)]),
    ]


def labels_or_choice(found: Record) -> list[str | Sourced | Picture]:
    """What soft labels do to vectors and errors, and what only their C and gamma do."""
    rows, moved = [], 0
    for data in SETS:
        for soft, hard in (("PPSVM OAO", "OAO"), ("PPSVM OAA", "OAA")):
            same = found[f"hard/{data}/{soft}"]
            shares = [spread(found, data, hard), spread_hard(found, data, soft), spread(found, data, soft)]
            moved += shares[1][1] < shares[2][0] or shares[2][1] < shares[1][0]
            errors = (one["error"] for one in (of(found, data, hard), same, of(found, data, soft)))
            rows.append([NAMES[data], hard, *(span(share) for share in shares), *(number(error) for error in errors)])
    ways = ["hard labels", "hard, C and γ of the soft", "soft labels"]
    head = ["data", "method", *(f"vectors %, {way}" for way in ways), *(f"error %, {way}" for way in ways)]
    return [
        "Cross-validation with soft labels chooses another C and γ, and these alone change the number of vectors. Hard labels "
        "with the C and γ of the soft ones tell the two apart. Shares of vectors are given with the spread of their counts.",
        Sourced(
            Table("Vectors and errors with hard and soft labels", head, rows),
            "steps `tables/...`, `hard/...`, `counts/...`",
        ),
        f"The labels by themselves move the vectors by more than the spread in {moved} of {len(rows)} rows. On MNIST hard "
        "labels of one-against-all were counted once with the C and γ of the soft ones; their spread is taken from the soft.",
    ]


def groups(found: Record) -> str:
    """The other form of the Fisher tree."""
    tree, pairs = found["trees/letter/fisher_tree"], of(found, "letter", "OAO")
    return (
        f"On Letter, a Fisher tree over hard labels whose machines divide groups of classes has {tree['groups']['machines']} "
        f"machines, asks {tree['groups']['machines_consulted']:.1f} and errs on {tree['groups']['error']:.2f} %; the tree of "
        f"pairs has {tree['0']['machines']}, asks {tree['0']['machines_consulted']:.1f} and errs on {tree['0']['error']:.2f} % "
        f"(one-against-one: {pairs['error']:.2f} %). *Record of wang2011, steps `trees/letter/...`*"
    )


def noise(found: Record) -> list[str | Sourced | Picture]:
    """Wrong labels."""
    rows = []
    steps = {data: noise_steps(found, data) for data in NOISY}
    first = next(iter(steps["pendigits"].values()))
    Cs, ks = list(first["k"]["1"]["errors"]), list(first["k"])
    for data, by_share in steps.items():
        for share, step in by_share.items():
            for k in ks:
                here = step["k"][k]
                rows.append(
                    [NAMES[data], f"{100 * share:.0f} %", "hard" if k == "1" else f"k = {k}"]
                    + [number(here["errors"][C]) for C in Cs]
                    + [f"{here['chosen_error']:.2f} (C = {here['best_C']})", number(here["vectors"][here["best_C"]], 1)]
                )
    pairs = [step["k"] for by_share in steps.values() for share, step in by_share.items() if share > 0]
    top = max(Cs, key=float)
    at_top = sum(ks["11"]["errors"][top] < ks["1"]["errors"][top] for ks in pairs)
    chosen = sum(ks["11"]["chosen_error"] < ks["1"]["chosen_error"] for ks in pairs)
    head = ["data", "labels wrong", "labels", *(f"C = {C}" for C in Cs), "C by cross-validation", "vectors % then"]
    return [
        "The paper says that PPSVMs are robust against noise, and has no experiment on it. Here a share of the training labels "
        "becomes any other class; the test labels stay right (one-against-one, the γ of Table 2). With 11 neighbours the error "
        f"is smaller than with hard labels in {at_top} of {len(pairs)} cases at C = {top}, and in {chosen} where C is chosen "
        "by cross-validation on the wrong labels.",
        Picture(
            "noise",
            "Test error where training labels are wrong, Pendigits.",
            partial(draw_noise, found=found),
            (11.0, 3.6),
        ),
        Sourced(Table("Test error % where training labels are wrong", head, rows), "steps `noise/...`"),
    ]
