"""What came out, for the page of our own findings."""

from __future__ import annotations

from statistics import median

from ...statistics import ALPHA
from ...tables import Table
from ..report import Report, Section, Sourced
from ..study import Study
from .claims import FIRST, OTHERS, WORDS, Record, adjusted, claims, mean, of_base, over_sets, schemes_of, structures_of
from .experiments import BASES, CRAMMER_SINGER, CS, FOLDS, GAMMAS, OVER_PAIRS, SEARCH_TOL, STRUCTURES
from .samples import MAX_ROWS, NAMES, TEST_SHARE

MARK = "*"  # a difference beyond chance


def report(study: Study, found: Record) -> Report:
    """All that is said of these questions.

    Parameters
    ----------
    study : Study
    found : mapping of str to dict
        The record.

    Returns
    -------
    Report
    """
    findings = [
        Section(
            "One machine for all classes: Crammer & Singer",
            [
                why(),
                protocol(found),
                Sourced(accuracies(found), "steps `direct/...`"),
                Sourced(gains(found), "steps `direct/...`"),
                Sourced(costs(found), "steps `direct/...`"),
                on_costs(),
                on_the_grid(found),
                other_machine(),
            ],
        ),
        Section(
            "Other classifiers at the nodes",
            [
                on_nodes(),
                Sourced(differences(found), "steps `nodes/...`"),
                Sourced(consulted(found), "steps `nodes/...`"),
                on_ties(found),
            ],
        ),
    ]
    return Report(study.name, study.title, study.reference, (), (), (), own_claims=claims(found), findings=findings)


def why() -> str:
    """The question."""
    return (
        "Don & Iacob (Section 2.1) name a direct formulation as the alternative to binary machines: that of Crammer & Singer "
        "(Journal of Machine Learning Research 2, 2001), one problem with a weight vector per class and one slack per row. "
        "Here it is solved by scikit-learn's `LinearSVC`. Its features are a factor F of the kernel matrix, K = F Fᵀ by "
        "Cholesky's method with pivots, so that inner products are kernel values. There is no intercept, because the "
        "formulation has none."
    )


def protocol(found: Record) -> str:
    """How it was done."""
    trials = {len(schemes_of(found, data)[FIRST]["accuracy"]) for data in NAMES}
    return (
        f"The sets are those of the papers with at most 2400 rows, without winequality-red, whose rarest class has too few "
        f"rows. Of larger sets {MAX_ROWS} rows are drawn. There are {' or '.join(map(str, sorted(trials)))} "
        f"random splits per set with {100 * TEST_SHARE:.0f} % of each class for the test; features are standardised on the "
        f"training rows. Every scheme chooses its own C ({', '.join(f'{C:g}' for C in CS)}) and gamma "
        f"({', '.join(f'{gamma:g}' for gamma in GAMMAS)}, divided by the number of features) by the same {FOLDS} folds of the "
        f"training rows. Crammer & Singer's machine is searched with tolerance {SEARCH_TOL:g}; the final fits of all schemes "
        "have 0.001. Intervals and p-values are of the corrected t-test over the splits."
    )


def accuracies(found: Record) -> Table:
    """Mean accuracy of all schemes."""
    rows = []
    for data, name in NAMES.items():
        step, schemes = found[f"direct/{data}"], schemes_of(found, data)
        cells = [f"{mean(schemes[scheme]['accuracy']):.2f}" for scheme in (*STRUCTURES, CRAMMER_SINGER)]
        rows.append([name, str(step["train_rows"]), str(step["test_rows"]), str(step["classes"]), *cells])
    head = ["data", "training rows", "test rows", "classes", *(WORDS[s] for s in (*STRUCTURES, CRAMMER_SINGER))]
    return Table("Accuracy with kernel machines, in percent, mean over the splits", head, rows)


def gains(found: Record) -> Table:
    """Crammer & Singer's machine against Max Wins and one-vs-rest, with intervals."""
    rows, columns = [], [over_sets(found, CRAMMER_SINGER, other) for other in (FIRST, "one_vs_rest")]
    p_values = [adjusted(tests) for tests in columns]
    for name in NAMES.values():
        row = [name]
        for tests, adjusted_p in zip(columns, p_values, strict=True):
            test = tests[name]
            row += [f"{test.mean:+.2f}", f"{test.low:+.2f} to {test.high:+.2f}", f"{adjusted_p[name][1]:.2g}"]
        rows.append(row)
    head = ["data", "less Max Wins", "95 % interval", "p (Holm)", "less one-vs-rest", "95 % interval", "p (Holm)"]
    return Table("Accuracy of Crammer & Singer's machine less that of others, in points", head, rows)


def costs(found: Record) -> Table:
    """Seconds and vectors of Max Wins, one-vs-rest and Crammer & Singer's machine."""
    shown = (FIRST, "one_vs_rest", CRAMMER_SINGER)
    rows = []
    for data, name in NAMES.items():
        schemes = schemes_of(found, data)
        fits = [f"{1000 * median(schemes[scheme]['fit_seconds']):.1f}" for scheme in shown]
        searches = [f"{median(schemes[scheme]['search_seconds']):.2f}" for scheme in shown]
        vectors = [f"{mean(schemes[scheme]['vectors']):.0f}" for scheme in shown]
        rows.append([name, *fits, *searches, *vectors])
    head = ["data", *(f"{WORDS[s]}: fit, ms" for s in shown), *(f"{WORDS[s]}: search, s" for s in shown)]
    head += [f"{WORDS[s]}: vectors" for s in shown]
    return Table("Training times (median) and support vectors (mean)", head, rows)


def on_costs() -> str:
    """What the costs can and cannot show."""
    return (
        "Times are of one thread, beside other work on the machine. They are of different programs, LIBLINEAR and this "
        "library, and include the factor; they say what the detour costs here and nothing about the formulation. The vectors "
        "of Crammer & Singer's machine are the rows with a margin of at most 1, an upper bound. The tolerance of the solvers "
        "was not varied, so nothing is concluded from the numbers of vectors."
    )


def on_the_grid(found: Record) -> str:
    """How often the largest C or the smallest gamma was chosen."""
    counts = {}
    for scheme in (FIRST, "one_vs_rest", CRAMMER_SINGER):
        chosen = [
            CS[-1] == C or GAMMAS[0] == gamma
            for data in NAMES
            for of in [schemes_of(found, data)[scheme]]
            for C, gamma in zip(of["C"], of["gamma"], strict=True)
        ]
        counts[WORDS[scheme]] = f"{sum(chosen)} of {len(chosen)}"
    return (
        "The grid limits all schemes: the largest C or the smallest gamma was chosen in "
        + ", ".join(f"{count} searches ({name})" for name, count in counts.items())
        + ". Larger values of C were left out, because the time of LIBLINEAR grows with C."
    )


def other_machine() -> str:
    """Why Gönen's machine is not here."""
    return (
        "Gönen et al.'s single machine of soft labels, which Wang et al. name, is not run: Wang et al. neither describe nor "
        "measure it, its constraints differ from row to row with the soft labels, which `LinearSVC` cannot express, and we "
        "know of no public implementation."
    )


# -------------------------------------------------------- other classifiers at the nodes


def on_nodes() -> str:
    """The question, and how it was done."""
    return (
        "Does the structure change the accuracy if the machines at its nodes are no support vector machines? "
        "`dagmar.PairwiseClassifier` trains one classifier per pair of classes on the splits above, and all structures "
        "consult the same machines. The classifiers are scikit-learn's, with its default parameters (logistic regression with "
        f"up to 1000 iterations). {MARK} marks a difference beyond chance, by Holm over all sets and structures of a "
        f"classifier at the level {ALPHA:g}."
    )


def differences(found: Record) -> Table:
    """Accuracy of Max Wins, and of the other structures less that, in points."""
    rows = []
    for base in BASES:
        by_set = adjusted(of_base(found, base))
        for data, name in NAMES.items():
            first = mean(structures_of(found, data, base)[FIRST]["accuracy"])
            cells = [_marked(*by_set[name, structure]) for structure in OTHERS]
            rows.append([base, name, f"{first:.2f}", *cells])
    head = ["classifier", "data", "Max Wins, accuracy %", *(f"{WORDS[structure]}, points" for structure in OTHERS)]
    return Table("Structures of other classifiers, less Max Wins", head, rows)


def _marked(points: float, p: float) -> str:
    return f"{points:+.2f}{MARK if p < ALPHA else ''}"


def consulted(found: Record) -> Table:
    """Machines consulted, on average over the sets."""
    rows = []
    for base in BASES:
        cells = [
            f"{mean([mean(structures_of(found, data, base)[s]['machines_consulted']) for data in NAMES]):.1f}"
            for s in OVER_PAIRS
        ]
        rows.append([base, *cells])
    head = ["classifier", *(WORDS[structure] for structure in OVER_PAIRS)]
    return Table("Machines consulted for one answer, mean over the sets", head, rows)


def on_ties(found: Record) -> str:
    """For which classifiers the DDAG has Max Wins' accuracy on every split."""
    same = [
        base
        for base in BASES
        if all(
            structures_of(found, data, base)["ddag"]["accuracy"] == structures_of(found, data, base)[FIRST]["accuracy"]
            for data in NAMES
        )
    ]
    if not same:
        return "No classifier gives DDAG and Max Wins the same accuracy on every split."
    return (
        f"With {' and '.join(same)}, DDAG and Max Wins have the same accuracy on every split. Where verdicts of pairs come "
        "from one score per class (naive Bayes: the likelihood; five nearest neighbours: the distance to the third nearest row "
        "of the class), they never form a cycle, and every order of eliminations ends with the same class."
    )
