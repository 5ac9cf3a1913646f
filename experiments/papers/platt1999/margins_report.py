"""What Section 3 predicts of margins and classes, and what Section 1 says of regularization, as it was found."""

from __future__ import annotations

from functools import partial

from ...pictures import Picture
from ...statistics import holm
from ...tables import NONE, Table
from ..report import Section, Sourced
from ..rule import listed
from .pictures import draw_margins
from .published import NAMES, RULES
from .results import Results, exact, small


def margins_section(results: Results) -> Section:
    """Rank correlations of margins and errors of classes."""
    head = ["", "machines", "classes with a value", "τ, error rate of the class", "p by Holm", "τ, part of all samples"]
    head += ["p by Holm"]
    rows = []
    for hard, machines in ((False, "published C"), (True, "no training error allowed")):
        by_rate, by_part = ([results.margin_test(data, hard, joint) for data in NAMES] for joint in (False, True))
        adjusted = [holm([p for _, p, _ in of]) for of in (by_rate, by_part)]
        for place, (data, name) in enumerate(NAMES.items()):
            classes = len(results.found[f"bounds/{data}"]["class_sizes"])
            cells = [name, machines, f"{by_rate[place][2]} of {classes}"]
            for of, p in zip((by_rate, by_part), adjusted, strict=True):
                tau, _, n = of[place]
                cells += [f"{tau:.2f}", small(p[place])] if n > 1 else [NONE, NONE]
            rows.append(cells)
    return Section(
        "Margins and accuracy of a class",
        [
            "Theorem 2 bounds the errors on class j by D′ = Σ 1/γ² over the j-nodes, so that classes with large margins should "
            "have few errors. D′ has a value where all nodes of the class separate it from the others in the training rows; "
            "soft margins need not. Kendall's τ is 1 if errors grow with D′ without exception. The theorem's ε counts errors "
            "as part of all samples, so it also grows with the size of the class.",
            Picture(
                "margins",
                "Error rate of each class over the D′ of its nodes, machines with the published C and machines that allow no "
                "training error.",
                partial(draw_margins, results=results),
                (10.0, 4.0),
            ),
            Sourced(
                Table("D′ of a class and its errors (Theorem 2)", head, rows),
                "steps `bounds/...` and `bounds-hard/...`",
            ),
        ],
    )


def regularization_section(results: Results) -> Section:
    """Errors with the published C and with a very large one."""
    head = ["", "rule", "training error %, published C", "C = 1e6", "test error %, published C", "C = 1e6"]
    head += ["only published C right", "only C = 1e6 right", "p"]
    rows = []
    for data, name in NAMES.items():
        for rule in RULES:
            of = results.found[f"regularization/{data}"]["rules"][rule]
            test = exact(of["mcnemar"])
            cells = [f"{of[which][what]:.2f}" for what in ("train_error", "error") for which in ("published", "large")]
            rows.append([name, rule, *cells, f"{test['only_first']}", f"{test['only_second']}", small(test["p"])])
    tests = {name: results.found[f"regularization/{data}"]["rules"] for data, name in NAMES.items()}
    same = [
        name
        for name, of in tests.items()
        if not any(of[rule]["mcnemar"][which] for rule in RULES for which in ("only_first", "only_second"))
    ]
    return Section(
        "Without regularization",
        [
            "Section 1 says that one-vs-one overfits unless its machines are carefully regularized, as in SVMs. Here C is so "
            "large that no training error is allowed. Such a machine still has the largest margin of all that separate the "
            "rows, so this is a mild case."
            + (
                f" The answers are the same on {listed(same)}, where the published C is as large already."
                if same
                else ""
            ),
            Sourced(Table("Published C and C = 1e6 (Section 1)", head, rows), "steps `regularization/...`"),
        ],
    )
