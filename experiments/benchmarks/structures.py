"""Every structure on Letter: accuracy, counts and seconds, as in the tables of docs/structures.md."""

from __future__ import annotations

import argparse
import time

import dagmar
from dagmar.structures import STRUCTURES
from dagmar.structures.plans import GraphPlan

from ..tables import Table
from .cases import Case, load_case
from .command import Benchmark, Screen

THETAS = (0.0, 0.0001, 0.001, 0.01, 0.02)
HEAD = [
    "structure",
    "accuracy %",
    "machines",
    "asked",
    "kernel evaluations",
    "summed vectors",
    "thousand parameters",
    "build s",
    "predict ms",
]


def row(name: str, clf: dagmar.SVC, seconds: float, case: Case) -> list[str]:
    """A row of the first table.

    Parameters
    ----------
    name : str
    clf : SVC
        Fitted.
    seconds : float
        How long it took to build the structure.
    case : Case
    """
    start = time.perf_counter()
    accuracy = clf.score(case.X_test, case.y_test)
    predict = time.perf_counter() - start
    cost = clf.decision_cost(case.X_test)
    return [
        name,
        f"{100 * accuracy:.2f}",
        str(clf.bank_.n_machines),
        f"{cost.machines.mean():.1f}",
        f"{cost.kernel_evaluations.mean():.0f}",
        f"{cost.support_vectors.mean():.0f}",
        f"{cost.size_in_parameters / 1000:.0f}",
        f"{seconds:.2f}",
        f"{1000 * predict:.0f}",
    ]


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Print both tables as Markdown."""
    case = load_case("letter")
    pairs = dagmar.SVC(C=10, gamma=2.5024, n_jobs=options.threads).fit(case.X_train, case.y_train)

    def build(structure: str | dagmar.Structure) -> tuple[dagmar.SVC, float]:
        start = time.perf_counter()
        clf = pairs.restructure(structure, case.X_train, case.y_train)
        return clf, time.perf_counter() - start

    wanted = {f"`{name}`": name for name in STRUCTURES}
    wanted |= {'`FisherTree(machines="groups")`': dagmar.FisherTree(machines="groups")}
    rows = [row(name, *build(structure), case) for name, structure in wanted.items()]
    thetas = []
    for theta in THETAS:
        clf, _ = build(dagmar.DivideAndConquer(theta=theta))
        asked = clf.decision_cost(case.X_test).machines.mean()
        accuracy = 100 * clf.score(case.X_test, case.y_test)
        n_nodes = len(clf.plan_.machine) if isinstance(clf.plan_, GraphPlan) else 0
        thetas.append([f"{theta:g}", f"{accuracy:.2f}", f"{asked:.2f}", str(n_nodes)])
    print(Table("Structures on Letter", HEAD, rows).markdown())
    print()
    print(Table("DivideAndConquer on Letter", ["theta", "accuracy %", "asked", "nodes"], thetas).markdown())
    return 0


BENCHMARK = Benchmark("structures", "Every structure on Letter.", run, repeats=None, writes=False)
