"""Every structure on Letter: accuracy, counts and seconds, as the tables of docs/structures.md.

Run as ``python -m experiments.benchmarks.structures``; prints Markdown. Data as for ``python -m benchmarks``.
"""

from __future__ import annotations

import time

import dagmar
from dagmar.structures import STRUCTURES

from .cases import load_case

THETAS = (0.0, 0.0001, 0.001, 0.01, 0.02)


def row(name: str, clf: dagmar.SVC, seconds: float, X: object, y: object) -> str:
    """A line of the table."""
    start = time.perf_counter()
    accuracy = clf.score(X, y)
    predict = time.perf_counter() - start
    cost = clf.decision_cost(X)
    cells = [
        f"{100 * accuracy:.2f}",
        str(clf.bank_.n_machines),
        f"{cost.machines.mean():.1f}",
        f"{cost.kernel_evaluations.mean():.0f}",
        f"{cost.support_vectors.mean():.0f}",
        f"{cost.size_in_parameters / 1000:.0f}",
        f"{seconds:.2f}",
        f"{1000 * predict:.0f}",
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print both tables."""
    case = load_case("letter")
    heads = [
        "accuracy %",
        "machines",
        "asked",
        "kernel evaluations",
        "summed vectors",
        "thousand parameters",
        "build s",
    ]
    print("| structure | " + " | ".join([*heads, "predict ms"]) + " |")
    print("|---" + "|---:" * (len(heads) + 1) + "|")
    pairs = dagmar.SVC(C=10, gamma=2.5024, n_jobs=2).fit(case.X_train, case.y_train)

    def build(structure: str | dagmar.Structure) -> tuple[dagmar.SVC, float]:
        start = time.perf_counter()
        clf = pairs.restructure(structure, case.X_train, case.y_train)
        return clf, time.perf_counter() - start

    for name in STRUCTURES:
        print(row(f"`{name}`", *build(name), case.X_test, case.y_test), flush=True)
    groups = dagmar.FisherTree(machines="groups")
    print(row('`FisherTree(machines="groups")`', *build(groups), case.X_test, case.y_test))

    print("\n| theta | accuracy % | asked | nodes |\n|---:|---:|---:|---:|")
    for theta in THETAS:
        clf, _ = build(dagmar.DivideAndConquer(theta=theta))
        asked = clf.decision_cost(case.X_test).machines.mean()
        accuracy = 100 * clf.score(case.X_test, case.y_test)
        print(f"| {theta:g} | {accuracy:.2f} | {asked:.2f} | {len(clf.plan_.machine)} |")


if __name__ == "__main__":
    main()
