"""The worked example: glass at theta 0 (Tables 1 and 2, Figures 2 and 3), on many splits."""

from __future__ import annotations

from typing import Any

import numpy as np

from dagmar.base.typing import Index
from dagmar.structures.divide_and_conquer import PredictionsTable, balance, purity, score
from dagmar.structures.plans import GraphPlan

from ..study import Found, Lab
from .machines import divide, fit_pairs, follow, sizes_of, table_of, unconverged
from .published import GLASS, LEFT
from .sources import SOURCES, rows_of, split

# The cells that the text quotes: the two classes of the machine, the class whose rows they are, and what it calls them.
CELLS = {"C12(1,1)": (1, 2, 1, 1), "C12(1,2)": (1, 2, 1, 2), "C16(2,1)": (1, 6, 2, 1), "C16(2,6)": (1, 6, 2, 6)}


def example(lab: Lab, C: float, share: int, n_splits: int) -> Found:
    """The measures of all machines on glass.

    Parameters
    ----------
    lab : Lab
    C : float
        Of the machines.
    share : int
        Percent of the rows to train on.
    n_splits : int

    Returns
    -------
    dict
        "pairs" of labels, and "splits": for each what `measures` finds, and "unconverged" machines. "first": of the first
        split the shares of all cells that go to the later class, and the tree with the path of a test sample, one of the
        longest.
    """
    X, y = rows_of(lab, SOURCES["glass"])
    splits: list[Found] = []
    first: Found = {}
    for n in range(1, n_splits + 1):
        train, test = split(y, share / 100, lab.rng("example", n))
        clf = fit_pairs(X[train], y[train], "e1071", lab.n_jobs, C)
        table = table_of(clf, X[train], y[train])
        splits.append({**measures(table), "unconverged": unconverged(clf)})
        if not first:
            plan, values = divide(table, "0", "speed"), clf.pair_decisions(X[test])
            longest = int(np.argmax(follow(plan, values, sizes_of(clf)).steps))
            first = {
                "later": table.shares[:, :, 1].tolist(),
                "tree": tree_of(plan),
                "path": path_of(plan, values[longest]),
            }
            first |= {"truth": GLASS[int(y[test[longest]])], "class_rows": np.bincount(y[train]).tolist()}
    return {"pairs": [list(pair) for pair in pairs_of(table)], "splits": splits, "first": first}


def pairs_of(table: PredictionsTable) -> list[tuple[int, int]]:
    """The labels of each machine."""
    return [(GLASS[i], GLASS[j]) for i, j in table.pairs.tolist()]


def measures(table: PredictionsTable) -> Found:
    """What Tables 1 and 2 and the text say of a table, from this one.

    Returns
    -------
    dict
        "purity", "balance" and "score" (percent) of all machines at theta 0; "decided" cells at 0 and 2 %; the "roots" by
        preference; "second": the same of the machines of classes 1, 2, 3 and 5 over these, and the one that is chosen;
        "cells" in percent; "undecided_16", the classes that (1, 6) leaves undecided at 5 %, and "balance_5" of (1, 2) and
        (5, 6) there.
    """
    pairs = pairs_of(table)
    within = np.isin(GLASS, LEFT)
    rows = [row for row, (i, j) in enumerate(pairs) if i in LEFT and j in LEFT]
    found: Found = {name: of(table, 0.0).tolist() for name, of in (("purity", purity), ("balance", balance))}
    found["score"] = (100 * score(table)).tolist()
    found["decided"] = {percent: _decided(table, percent) for percent in ("0", "2")}
    found["roots"] = {prefer: _root(table, prefer) for prefer in ("accuracy", "speed")}
    second = {"purity": purity(table, 0.0, within)[rows], "balance": balance(table, 0.0, within)[rows]}
    # As in the paper: purity, then balance, then the score, then the first.
    order = np.lexsort([np.array(rows), -np.round(score(table)[rows], 9), -second["balance"], second["purity"]])
    found["second"] = {
        "pairs": [list(pairs[row]) for row in rows],
        **{key: of.tolist() for key, of in second.items()},
        "chosen": list(pairs[rows[int(order[0])]]),
    }
    shares = 100 * table.shares
    found["cells"] = {
        name: float(shares[pairs.index((i, j)), GLASS.index(of), int(called == j)])
        for name, (i, j, of, called) in CELLS.items()
    }
    earlier, later = table.decided(0.05)
    row = pairs.index((1, 6))
    found["undecided_16"] = [label for c, label in enumerate(GLASS) if not (earlier | later)[row, c]]
    found["balance_5"] = {f"{i},{j}": int(balance(table, 0.05)[pairs.index((i, j))]) for i, j in ((1, 2), (5, 6))}
    return found


def _decided(table: PredictionsTable, percent: str) -> int:
    earlier, later = table.decided(float(percent) / 100)
    return int(np.sum(earlier | later))


def _root(table: PredictionsTable, prefer: str) -> list[int]:
    plan = divide(table, "0", prefer)
    return list(pairs_of(table)[int(plan.machine[plan.root])])


def tree_of(plan: GraphPlan) -> Any:
    """A graph as nested lists [machine, left, right], the leaves being labels; left is the earlier class of the machine."""

    def below(edge: int) -> Any:
        if edge < 0:
            return GLASS[-1 - edge]
        return [int(plan.machine[edge]), below(int(plan.on_negative[edge])), below(int(plan.on_positive[edge]))]

    return below(int(plan.root))


def path_of(plan: GraphPlan, values: Index) -> Found:
    """The machines that a sample meets, whether it goes right at each, and the label it gets."""
    edge, machines, right = int(plan.root), [], []
    while edge >= 0:
        machines.append(int(plan.machine[edge]))
        right.append(bool(values[machines[-1]] >= 0))
        edge = int((plan.on_positive if right[-1] else plan.on_negative)[edge])
    return {"machines": machines, "right": right, "answer": GLASS[-1 - edge]}
