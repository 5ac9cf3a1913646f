"""Objects that would lead native code outside its arrays, or into a loop without end.

``python attacks.py NAME ...`` tries them one after the other and prints what was raised. A hang over ten seconds is a signal.
"""

import json
import signal
import sys
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from helpers import decide, random_bank

from dagmar import _core
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data
from dagmar.problem.tasks import all_pairs
from dagmar.structures import DDAG, Bracket, MaxWins
from dagmar.structures.plans import GraphPlan, KnockoutPlan, PollPlan

N = 4  # classes
BANK = random_bank(0, N)
X = np.random.default_rng(1).normal(size=(60, BANK.vectors.shape[1]))


def ints(*values, dtype=np.int64):
    return np.array(values, dtype=dtype)


def changed(array, place, value):
    """A copy of an array with one entry changed."""
    array = array.copy()
    array[place] = value
    return array


# ----------------------------------------------------------------------- plans

DDAG_PLAN = DDAG().plan(BANK)
LISTED = GraphPlan(  # a node, and a list of three classes on either side
    N, 0, ints(0), ints(-5), ints(-6), machine_of=BANK.machine_of,
    list_begin=ints(0, 3, 6), list_classes=ints(0, 2, 3, 1, 2, 3, dtype=np.int32),
)  # fmt: skip
KNOCKOUT = MaxWins().plan(BANK)
BRACKET = Bracket().plan(BANK)
RANKED = KnockoutPlan(
    N, BANK.machine_of, rule="ranked", order=ints(0, dtype=np.int32),
    rivals=np.array([[c for c in range(N) if c != own] for own in range(N)], dtype=np.int32),
)  # fmt: skip


def follow(plan, bank=BANK, n=60):
    """Decide and trace, alone and side by side; returns the class of the sample alone, those of all, and the ends of paths."""
    alone, together = (decide(bank, plan, x) for x in (X[:1], X[:n]))
    ends = [bank.native.trace(as_data(x), plan.native, 1).answers for x in (X[:1], X[:n])]
    return alone, together, ends[1]


def graphs():
    d = replace(DDAG_PLAN, unanimous=False)
    yield "machine below zero", replace(d, machine=changed(d.machine, 2, -1)), "negative number"
    yield "machine not in the bank", replace(d, machine=changed(d.machine, 2, 6)), "asks machine 6, but the bank has 6"
    yield "machine far outside", replace(d, machine=changed(d.machine, 0, 2**62)), "asks machine"
    yield "short on_negative", replace(d, on_negative=d.on_negative[:-1]), "the same length"
    yield "short on_positive", replace(d, on_positive=d.on_positive[:2]), "the same length"
    yield (
        "no nodes",
        replace(d, machine=ints(), on_negative=ints(), on_positive=ints()),
        "root of a graph leads to node 0",
    )
    yield "root outside", replace(d, root=6), "root of a graph leads to node 6"
    yield "root far outside", replace(d, root=-(2**63)), "root of a graph leads to a class or list"
    yield (
        "edge to a node outside",
        replace(d, on_positive=changed(d.on_positive, 5, 99)),
        "on_positive of a graph leads",
    )
    yield "edge to a class outside", replace(d, on_negative=changed(d.on_negative, 5, -1 - N)), "class or list"
    yield "own cycle", replace(d, on_positive=changed(d.on_positive, 3, 3)), "a cycle through node 3"
    yield (
        "long cycle",
        replace(d, on_positive=changed(d.on_positive, 5, 0), on_negative=changed(d.on_negative, 5, 0)),
        "a cycle through node 0",
    )
    d = DDAG_PLAN
    yield "unanimous without a table", replace(d, machine_of=np.zeros((0, 0), dtype=np.int64)), "machine_of must have"
    yield "table of another shape", replace(d, machine_of=d.machine_of[:2]), "machine_of must have the shape"
    yield "flat table", replace(d, machine_of=d.machine_of.reshape(2, 8)), "machine_of must have the shape"
    yield "pair without machine", replace(d, machine_of=np.full((N, N), -1)), r"no machine for the pair \(0, 1\)"
    yield "two machines for a pair", replace(d, machine_of=changed(d.machine_of, (2, 1), 0)), r"two orders of \(1, 2\)"
    yield "table beyond the bank", replace(d, machine_of=np.full((N, N), 7)), "called unanimous|asks machine 7"
    broken = replace(d, on_negative=changed(d.on_negative, 0, -1))
    yield "broken promise of unanimity", broken, "called unanimous, but class 1 may win all its pairs"
    no_table = replace(d, unanimous=False, machine_of=np.zeros((0, 0), dtype=np.int64))
    yield "another number of classes", replace(no_table, n_classes=N + 1), "class or list|for 5 classes, the bank for 4"
    yield "no classes", replace(no_table, n_classes=0), "n_classes of a plan"
    yield "negative number of classes", replace(no_table, n_classes=-3), "n_classes of a plan"


def lists():
    plan = LISTED
    yield "list outside", replace(plan, on_positive=ints(-7)), "class or list that is not there"
    yield "lists without begin", replace(plan, list_begin=ints()), "list_begin must start at 0"
    yield "lists from one", replace(plan, list_begin=ints(1, 3, 6)), "list_begin must start at 0"
    yield "lists beyond their classes", replace(plan, list_begin=ints(0, 3, 7)), "list_begin must start at 0"
    yield "lists that go back", replace(plan, list_begin=ints(0, 9, 6)), "list_begin must ascend"
    yield "empty list", replace(plan, list_begin=ints(0, 0, 6)), "list_begin must ascend"
    yield (
        "listed class outside",
        replace(plan, list_classes=changed(plan.list_classes, 1, N)),
        "class that the plan does",
    )
    yield (
        "listed class below zero",
        replace(plan, list_classes=changed(plan.list_classes, 1, -1)),
        "class that the plan",
    )
    yield "class listed twice", replace(plan, list_classes=changed(plan.list_classes, 1, 3)), "a class twice"
    yield "lists without a table", replace(plan, machine_of=np.zeros((0, 0), dtype=np.int64)), "machine_of must have"
    missing = changed(changed(plan.machine_of, (1, 3), -1), (3, 1), -1)
    yield "listed pair without machine", replace(plan, machine_of=missing), r"no machine for the pair \(1, 3\)"


def knockouts():
    k, r = KNOCKOUT, RANKED
    yield "knockout without a table", replace(k, machine_of=np.zeros((0, 0), dtype=np.int64)), "machine_of must have"
    yield "knockout pair without machine", replace(k, machine_of=np.full((N, N), -1)), "no machine for the pair"
    yield "knockout beyond the bank", replace(k, machine_of=k.machine_of + 1), "asks machine 6"
    yield "knockout of more classes", MaxWins().plan(random_bank(0, N + 1)), "for 5 classes, the bank for 4"
    yield "bracket without order", replace(BRACKET, order=ints(dtype=np.int32)), "order of a bracket"
    yield "bracket with a class twice", replace(BRACKET, order=ints(0, 1, 1, 3, dtype=np.int32)), "order of a bracket"
    yield "bracket with a class outside", replace(BRACKET, order=ints(0, 1, 2, 4, dtype=np.int32)), "order of a bracket"
    yield "ranked without order", replace(r, order=ints(dtype=np.int32)), "order of a ranked knockout"
    yield "ranked from outside", replace(r, order=ints(N, dtype=np.int32)), "order of a ranked knockout"
    yield "ranked without rivals", replace(r, rivals=np.zeros((0, 0), dtype=np.int32)), "rivals must have the shape"
    yield "rivals on their side", replace(r, rivals=np.ascontiguousarray(r.rivals.T)), "rivals must have the shape"
    yield "rival outside", replace(r, rivals=changed(r.rivals, (2, 0), 2**30)), "rivals of class 2"
    yield "rival below zero", replace(r, rivals=changed(r.rivals, (3, 2), -1)), "rivals of class 3"
    yield "own rival", replace(r, rivals=changed(r.rivals, (1, 0), 1)), "rivals of class 1"
    yield "rival twice", replace(r, rivals=changed(r.rivals, (0, 0), 3)), "rivals of class 0"
    yield "poll over pairs", PollPlan(N), "a poll needs one machine per class"
    yield "poll of no classes", PollPlan(0), "n_classes of a plan"


def walks():
    """Walks are asked in the wrong order."""
    poll, bracket = PollPlan(N).native, BRACKET.native

    def twice():
        walking = _core.Walks(bracket, 2)
        for _ in range(100):
            walking.tell(np.ones(2, dtype=bool))
        while walking.next().max() >= 0:
            walking.next()
            for _ in range(3):
                walking.tell(np.ones(2, dtype=bool))
        if walking.answers().tolist() != [3, 3]:
            raise AssertionError("another answer")
        raise ValueError("the walk ended")

    yield "walk of a poll", lambda: _core.Walks(poll, 1), "a poll has no walk"
    yield "walk told without a question", twice, "the walk ended"
    yield "answer before the end", lambda: _core.Walks(bracket, 1).answers(), "has not ended"


# ----------------------------------------------------------------------- banks


def banks():
    b = BANK
    one_less = replace(
        b, begin=b.begin[:-1], bias=b.bias[:-1], index=b.index[: b.begin[-2]], coef=b.coef[: b.begin[-2]]
    )
    yield "fewer machines than the plan", one_less, "asks machine 5, but the bank has 5"
    yield "vector outside", replace(b, index=changed(b.index, -1, 48)), "vectors that are not there"
    yield "vector below zero", replace(b, index=changed(b.index, 0, -1)), "vectors that are not there"
    yield "begin beyond the lists", replace(b, begin=changed(b.begin, -1, 10**6)), "do not fit together"
    yield "begin that goes back", replace(b, begin=changed(b.begin, 2, 10**6)), "do not fit together"
    yield "short coef", replace(b, coef=b.coef[:-1]), "do not fit together"
    yield "short bias", replace(b, bias=b.bias[:-1]), "do not fit together"
    yield "class_start from one", replace(b, class_start=changed(b.class_start, 0, 1)), "do not fit together"
    yield "class_start below zero", replace(b, class_start=changed(b.class_start, 1, -5)), "do not fit together"
    yield "class_start too short", replace(b, class_start=b.class_start[:-1]), "do not fit together|places in support"
    yield "support vectors missing", replace(b, vectors=b.vectors[:-1]), "places in support"
    yield "NaN coefficient", replace(b, coef=changed(b.coef, 3, np.nan)), "not finite"
    yield "infinite bias", replace(b, bias=changed(b.bias, 3, np.inf)), "not finite"
    narrow = replace(b, vectors=np.ascontiguousarray(b.vectors[:, :-1]))
    yield "vectors with too few columns", narrow, "have 6 features, but the support vectors have 5"
    yield "centre of another size", replace(b, centre=np.zeros(5)), "centre that is not one number per feature"
    gammas = np.full(b.n_machines, 0.3)
    yield "gamma of zero", replace(b, gammas=changed(gammas, 0, 0.0)), "gammas of the bank must be positive"
    yield "gamma of NaN", replace(b, gammas=changed(gammas, 0, np.nan)), "gammas of the bank must be positive"
    yield "infinite gamma", replace(b, gammas=changed(gammas, 0, np.inf)), "gammas of the bank must be positive"
    yield "gammas of too few machines", replace(b, gammas=gammas[:-1]), "one number per machine"
    yield "gammas and a vector outside", replace(b, gammas=gammas, index=changed(b.index, 0, -1)), "not there"
    yield "gammas of a linear kernel", replace(b, gammas=gammas, kernel=Kernel("linear")), "kernel of a distance"
    matrix = replace(b, vectors=None, kernel=Kernel("precomputed"))
    yield "column beyond the kernel matrix", matrix, "has 6 columns, but a support vector is in column 47"
    yield "column below zero", replace(matrix, support=b.support - 1), "negative column"
    sparse = replace(b, vectors=sp.csr_matrix(b.vectors))
    yield "dense samples for sparse vectors", sparse, "samples are dense, but the support vectors are sparse"


def samples():
    decider, plan, sparse = BANK.native, DDAG_PLAN.native, replace(BANK, vectors=sp.csr_matrix(BANK.vectors)).native
    matrix = replace(BANK, vectors=None, kernel=Kernel("precomputed")).native
    for name in ("decide", "trace", "values"):
        how = False if name == "values" else plan

        def ask(x, of=decider, n_threads=1, n_answers=60, method=name, how=how):
            answers = [np.empty(n_answers, dtype=np.int64)] if method == "decide" else []
            return lambda: getattr(of, method)(x, how, *answers, n_threads)

        yield f"{name}, narrow", ask(_core.Data(X[:, :-1].copy())), "5 features, but the support vectors have 6"
        yield f"{name}, wide", ask(_core.Data(np.zeros((60, 7)))), "7 features, but the support vectors have 6"
        yield f"{name}, no columns", ask(_core.Data(np.zeros((60, 0)))), "0 features"
        yield f"{name}, sparse", ask(as_data(sp.csr_matrix(X))), "sparse, but the support vectors are dense"
        yield f"{name}, wide sparse", ask(as_data(sp.csr_matrix((60, 9))), sparse), "9 features"
        yield f"{name}, narrow matrix", ask(_core.Data(np.zeros((60, 47))), matrix), "in column 47"
        yield f"{name}, sparse matrix", ask(as_data(sp.csr_matrix((60, 48))), matrix), "must be dense"
        yield f"{name}, no threads", ask(_core.Data(X), n_threads=0), "n_threads must be 1 or more"
    yield (
        "decide, too few answers",
        ask(_core.Data(X), n_answers=59, method="decide", how=plan),
        "a place for each sample",
    )


def rows():
    data, indices, indptr = np.ones(3), ints(0, 2, 1, dtype=np.int32), ints(0, 2, 3, dtype=np.int32)

    def make(**change):
        given = {"data": data, "indices": indices, "indptr": indptr, "n_features": 3, **change}
        return lambda: _core.Data(**given)

    yield "column beyond the width", make(indices=ints(0, 3, 1, dtype=np.int32)), "indices of sparse row 0"
    yield "column far beyond", make(indices=ints(0, 2, 2**31 - 1, dtype=np.int32)), "indices of sparse row 1"
    yield "column of a row below zero", make(indices=ints(-1, 2, 1, dtype=np.int32)), "indices of sparse row 0"
    yield "columns out of order", make(indices=ints(2, 0, 1, dtype=np.int32)), "indices of sparse row 0"
    yield "column twice", make(indices=ints(2, 2, 1, dtype=np.int32)), "indices of sparse row 0"
    yield "rows beyond the entries", make(indptr=ints(0, 2, 4, dtype=np.int32)), "indptr of the sparse samples"
    yield "rows that go back", make(indptr=ints(0, 9, 3, dtype=np.int32)), "indptr of the sparse samples"
    yield "rows from one", make(indptr=ints(1, 2, 3, dtype=np.int32)), "indptr of the sparse samples"
    yield "rows below zero", make(indptr=ints(0, -2, 3, dtype=np.int32)), "indptr of the sparse samples"
    yield "no indptr", make(indptr=ints(dtype=np.int32)), "indptr of the sparse samples is empty"
    yield "fewer indices than entries", make(indices=indices[:2]), "must have the same length"


def training():
    pairs = all_pairs(3)

    def tasks(**change):
        given = {"begin": pairs.begin, "classes": pairs.classes, "sides": pairs.sides, **change}
        return lambda: _core.Tasks(**given)

    yield "task beyond its classes", tasks(begin=ints(0, 2, 4, 9)), "do not fit together"
    yield "tasks below zero", tasks(begin=ints(0, -2, 4, 6)), "do not fit together"
    yield "class twice in a task", tasks(classes=changed(pairs.classes, 1, 0)), "task 0 has a class twice"
    yield "side of zero", tasks(sides=changed(pairs.sides, 1, 0)), "sides of the tasks"
    yield "NaN in C", tasks(C=np.array([1.0, np.nan, 1.0])), "C of the tasks"
    yield "NaN in gamma", tasks(gamma=np.array([1.0, np.nan, 1.0])), "gamma of the tasks"
    yield "negative degree", lambda: _core.Kernel(_core.KernelType.poly, 1.0, 0.0, -1), "degree of a kernel"
    yield "negative gamma", lambda: _core.Kernel(_core.KernelType.rbf, -1.0, 0.0, 3), "gamma of a kernel of a distance"


def every_attack():
    """Name, call and message of each."""
    for name, plan, message in [*graphs(), *lists(), *knockouts()]:
        yield name, lambda plan=plan: follow(plan), message
    for name, bank, message in banks():
        yield name, lambda bank=bank: follow(DDAG_PLAN, bank), message
    yield from [*walks(), *samples(), *rows(), *training()]


ATTACKS = {name: (call, message) for name, call, message in every_attack()}


# What attacks change, as it is.
GOOD = {"ddag": DDAG_PLAN, "listed": LISTED, "knockout": KNOCKOUT, "bracket": BRACKET, "ranked": RANKED}

if __name__ == "__main__":
    alarm = getattr(signal, "alarm", lambda seconds: None)  # Windows has none
    for chosen in sys.argv[1:]:
        print(json.dumps(["begin", chosen]), flush=True)
        alarm(10)
        try:
            ATTACKS[chosen][0]()
            print(json.dumps(["end", chosen, "nothing", ""]), flush=True)
        except Exception as error:
            print(json.dumps(["end", chosen, type(error).__name__, str(error)]), flush=True)
        alarm(0)
