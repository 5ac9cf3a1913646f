"""docs/structures.md from the record: every number in it is one of the record or of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from ..tables import Table
from .report import Content, conditions
from .structures import COSTS, NEIGHBOURS, WRONG

# Platt et al., Table 1: Letter, DAGSVM with a Gaussian kernel.
PLATT_EVALUATIONS, PLATT_THOUSANDS = 3834, 223

INTRODUCTION = """
One-vs-one training gives one machine per pair of classes. A structure combines their verdicts into one answer. Some structures
train fewer machines, or others. You choose one with `dagmar.SVC(structure=...)`. `restructure` applies another structure to a
fitted model and trains no machine twice.

| `structure=` | rule | machines trained | machines consulted |
|---|---|---|---|
| `"max_wins"` (default) | the class that wins most pairs; ties go to the first class. The same answer as LIBSVM and scikit-learn | N(N−1)/2 | N−1 to N(N−1)/2: only as many as can change the answer |
| `"and_gate"` | the class that wins all its pairs; if there is none, max wins | N(N−1)/2 | N(N−1)/2 |
| `"one_vs_rest"` | the largest of N values | N, each on all samples | N |
| `"ddag"` | the first class of a list against the last; the loser leaves the list | N(N−1)/2 | N−1 |
| `"adaptive_ddag"` | the winner against the remaining class most separable from it | N(N−1)/2 | N−1 |
| `"bracket"` | a knockout tournament | N(N−1)/2 | N−1, at most ⌈log₂N⌉ of them for any one class |
| `"divide_and_conquer"` | the machine that separates most classes; every class it rules out leaves | N(N−1)/2 | at most N−1; at most ⌈log₂N⌉ if every machine divides the classes evenly |
| `"fisher_tree"` | the most separable pair divides the other classes | those its nodes need | at most N−1 |
| `"centered_tree"` | the pair nearest the centre divides the other classes; a reconstruction of c-BTS from what later papers say of it | those its nodes need | at most N−1 |

If one class wins all its pairs, then max wins, the AND gate, DDAG in any order, adaptive DDAG and the bracket all answer that
class. So choose among these structures by cost, not by accuracy.
""".strip()  # noqa: E501

DEFAULT = """
`"max_wins"` is the default because it gives the labels of scikit-learn. Divide and conquer and the trees can differ more,
because a machine of two other classes can rule out the right class.
""".strip()

COLUMNS = """
"consulted", "kernel evaluations" (distinct support vectors) and "summed vectors" (repeats counted) are means per test sample.
"build s" is the time of `restructure` with X and y from a model of all pairs; for one-vs-rest and the trees it includes
training the machines that the model lacks. "predict ms" is the time of the first `predict` after that, for all test rows.
Both are medians.
""".strip()

SOFT_LABELS = """
`soft_labels=k` trains posterior-probability machines. The label of a sample becomes a number between −1 and 1, from the shares
of the two classes among its k nearest neighbours, the sample itself included. An uncertain sample asks for a smaller margin. A
sample surrounded by the other class changes sides. With `structure="fisher_tree"` and k = 11 this is BTPPSVM. Instead of k you
can give a function that returns the soft labels of each machine, from any other estimate, and that may leave samples out: see
`dagmar.SVC`.
""".strip()

YOUR_OWN = """
A structure is a small class with one method. Write `plan` if the machines it needs are known before training: it makes a plan
from a bank of trained machines. Write `build` if they depend on the verdicts of earlier machines: it gets a workshop that
trains machines on demand. `dagmar.Structure` documents both, with an example; the files in `src/dagmar/structures/` are
further examples.
""".strip()


def document(record: Content) -> str:
    """The whole page as Markdown.

    Parameters
    ----------
    record : dict
        As `structures` writes it.

    Returns
    -------
    str
    """
    parts = [
        "# Structures",
        INTRODUCTION,
        winners(record["winners"]),
        DEFAULT,
        "## On Letter",
        f"{parameters(record['letter'])} {COLUMNS}",
        letter_table(record["letter"]).markdown(),
        "A larger `theta` gives divide and conquer shorter paths and more errors:",
        theta_table(record["letter"]["thetas"]).markdown(),
        platt(record["letter"]["structures"]["ddag"]),
        "## Soft labels",
        SOFT_LABELS,
        soft_words(record["soft"]),
        soft_table(record["soft"]["rows"]).markdown(),
        noise_introduction(record["noise"]),
        noise_table(record["noise"]["rows"]).markdown(),
        noise_words(record["noise"]["rows"]),
        "## Your own structure",
        YOUR_OWN,
        "## Where the figures come from",
        sources(record),
    ]
    return "\n\n".join(parts) + "\n"


def parameters(of: Content) -> str:
    """Rows, kernel and C in words."""
    return f"{of['train_rows']} training and {of['test_rows']} test rows, rbf kernel, gamma {of['gamma']:g}, C {of['C']:g}."


def winners(of: dict[str, Content]) -> str:
    """How often one class wins all its pairs."""
    letter, usps, pendigits, wrong = (of[name] for name in ("letter", "usps", "pendigits", "pendigits, wrong labels"))
    return (
        f"One class wins all its pairs for {letter['unanimous_percent']:.2f} % of the test samples of Letter, "
        f"{usps['unanimous_percent']:.2f} % of USPS and {pendigits['unanimous_percent']:.2f} % of Pendigits; a DDAG answers "
        f"otherwise than max wins for {letter['ddag_differs_percent']:.2f}, {usps['ddag_differs_percent']:.2f} and "
        f"{pendigits['ddag_differs_percent']:.2f} %. If many labels are wrong or classes overlap, more samples have no such "
        f"class, and the answers differ: with {100 * WRONG[-1]:.0f} % of the training labels of Pendigits changed, "
        f"{wrong['unanimous_percent']:.2f} % have one, and {wrong['ddag_differs_percent']:.2f} % of the labels of a DDAG are "
        "not those of max wins."
    )


def letter_table(letter: Content) -> Table:
    """Every structure: accuracy, counts and seconds."""
    head = ["structure", "accuracy %", "machines", "consulted", "kernel evaluations", "summed vectors"]
    head += ["thousand parameters", "build s", "predict ms"]
    rows = [
        [
            f"`{name}`",
            f"{one['accuracy']:.2f}",
            str(one["machines"]),
            f"{one['machines_consulted']:.1f}",
            f"{one['kernel_evaluations']:.0f}",
            f"{one['support_vectors']:.0f}",
            f"{one['parameters'] / 1000:.0f}",
            f"{median(one['build_seconds']):.2f}",
            f"{1000 * median(one['predict_seconds']):.0f}",
        ]
        for name, one in letter["structures"].items()
    ]
    return Table("Structures on Letter", head, rows)


def theta_table(thetas: Sequence[Content]) -> Table:
    """Divide and conquer by theta."""
    rows = [
        [f"{of['theta']:g}", f"{of['accuracy']:.2f}", f"{of['machines_consulted']:.2f}", str(of["nodes"])]
        for of in thetas
    ]
    return Table("Divide and conquer on Letter", ["theta", "accuracy %", "consulted", "nodes"], rows)


def platt(ddag: Content) -> str:
    """The published counts of the same machine."""
    evaluations = 100 * (ddag["kernel_evaluations"] / PLATT_EVALUATIONS - 1)
    thousands = 100 * (ddag["parameters"] / 1000 / PLATT_THOUSANDS - 1)
    return (
        f"For this data set Platt et al. report {PLATT_EVALUATIONS} kernel evaluations on the path of a DDAG and "
        f"{PLATT_THOUSANDS} thousand parameters. The figures above are {evaluations:+.1f} and {thousands:+.1f} % from theirs."
    )


def soft_words(soft: Content) -> str:
    """What becomes of right labels."""
    plain, eleven = (_of(soft["rows"], k=k) for k in (None, 11))
    return (
        "Wang et al. report fewer support vectors and no loss of accuracy for k = 11. On Letter "
        f"({parameters(soft)[:-1]}, max wins) the accuracy changes by {eleven['accuracy'] - plain['accuracy']:+.2f} points, "
        f"and the support vectors go from {plain['vectors_percent']:.1f} to {eleven['vectors_percent']:.1f} % of the "
        "training rows:"
    )


def soft_table(rows: Sequence[Content]) -> Table:
    """Soft labels on Letter."""
    cells = [[_label(of["k"]), f"{of['vectors_percent']:.1f}", f"{of['accuracy']:.2f}"] for of in rows]
    return Table("Soft labels on Letter", ["labels", "support vectors, % of training rows", "accuracy %"], cells)


def noise_introduction(noise: Content) -> str:
    """What was made wrong."""
    return (
        f"Soft labels are meant for labels that may be wrong. Here a part of the {noise['train_rows']} training labels of "
        f"Pendigits was changed to another class (gamma {noise['gamma']:g}, max wins); the labels of the {noise['test_rows']} "
        "test rows are right. `examples/noisy_labels.py` does the same."
    )


def noise_table(rows: Sequence[Content]) -> Table:
    """Accuracy by share of wrong labels, C and k."""
    columns = [(C, k) for C in COSTS for k in NEIGHBOURS]
    cells = [
        [f"{100 * share:.0f} %", *(f"{_of(rows, share=share, C=C, k=k)['accuracy']:.2f}" for C, k in columns)]
        for share in WRONG
    ]
    return Table("Accuracy, in percent", ["labels changed", *(f"{_label(k)}, C {C:g}" for C, k in columns)], cells)


def noise_words(rows: Sequence[Content]) -> str:
    """What the most noise costs at each C, and at the best."""
    top = WRONG[-1]

    def loss(C: float, k: int | None) -> float:
        return float(_of(rows, share=0.0, C=C, k=k)["accuracy"] - _of(rows, share=top, C=C, k=k)["accuracy"])

    best = {k: max(_of(rows, share=top, C=C, k=k)["accuracy"] for C in COSTS) for k in (None, 11)}
    low, high = COSTS[0], COSTS[-1]
    return (
        f"With {100 * top:.0f} % of the labels changed and C = {high:g}, plain machines lose {loss(high, None):.2f} points, "
        f"and machines with k = 11 {loss(high, 11):.2f}. With C = {low:g} plain machines lose {loss(low, None):.2f}. With the "
        f"best C of the three, plain machines reach {best[None]:.2f} % and machines with k = 11 {best[11]:.2f} %. So compare "
        "soft labels with a well-chosen C, not with a large one. [reproduction.md](reproduction.md) has all of Wang "
        "et al.'s tables, other readings of the soft label, and C chosen by cross-validation under noise."
    )


def sources(record: Content) -> str:
    """Command, machine, commit and date."""
    written = "This page is written by `make bench-structures` from `experiments/benchmarks/results/structures.json`."
    return f"{written} {conditions(record)}"


def _of(rows: Sequence[Content], **wanted: Any) -> Content:
    """The only row with these values."""
    (row,) = (row for row in rows if all(row[key] == value for key, value in wanted.items()))
    return row


def _label(k: int | None) -> str:
    return "plain" if k is None else f"k = {k}"
