"""Data makers, calls into the core, and banks whose values can be dialled."""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import scipy.sparse as sp

from dagmar import _core
from dagmar.machines.bank import Bank
from dagmar.machines.report import FitReport
from dagmar.machines.training import TrainSettings, assemble, train
from dagmar.problem.kernels import Kernel
from dagmar.problem.problem import Problem
from dagmar.problem.samples import ByClass, as_data
from dagmar.problem.tasks import all_pairs, each_against_rest

LEVELS = [level for level in _core.Level if level.value <= _core.best_level().value]


def blobs(seed, n_classes, per_class, n_features, spread=1.0):
    """Gaussian clouds around random means."""
    rng = np.random.default_rng(seed)
    means = 3.0 * rng.normal(size=(n_classes, n_features))
    y = np.repeat(np.arange(n_classes), per_class)
    X = means[y] + spread * rng.normal(size=(len(y), n_features))
    shuffled = rng.permutation(len(y))
    return X[shuffled], y[shuffled]


def letter_like(seed, n_classes, per_class):
    """Whole numbers 0 ... 15 in 16 features, scaled to [-1, 1]."""
    rng = np.random.default_rng(seed)
    X, y = blobs(seed, n_classes, per_class, 16, spread=2.0)
    return np.clip(np.round(X + 7.5 + rng.normal(size=X.shape)), 0, 15) / 7.5 - 1, y


def train_bank(problem, tasks, settings):
    """A bank and its report."""
    machines = train(problem, tasks, settings)
    return assemble(problem, machines), machines.report


def state(clf):
    """Which object each attribute of an estimator is."""
    return {name: id(value) for name, value in vars(clf).items()}


# ------------------------------------------------------------------ the solver


@dataclass
class Solved:
    """What the core found for one problem, in the order of its samples."""

    lam: np.ndarray
    U: np.ndarray  # the caps as the core sees them: (U t) / t is not always U to the bit
    bias: float
    objective: float
    norm2: float
    gap: float
    iterations: int
    status: int


def solve(K, s, t, U, *, tol=1e-3, max_iter=-1, level=None, precision=_core.Precision.double):
    """Solve one problem in the core, over a precomputed kernel: soft labels s * t, and caps that come out as U.

    Samples are dealt to the two classes in turn, whatever their signs: soft labels may change sides.
    """
    K = np.ascontiguousarray(K, dtype=float)
    s, t, U = (np.asarray(a, dtype=float) for a in (s, t, U))
    n = len(s)
    order = np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)]).astype(np.int64)
    problem = _core.Problem(
        x=_core.Data(K),
        order=order,
        class_start=np.array([0, (n + 1) // 2, n], dtype=np.int64),
        kernel=Kernel("precomputed").native(),
        precision=precision,
    )
    tasks = all_pairs(2)
    settings = TrainSettings(tol, max_iter, 2.0**24, level=_core.best_level() if level is None else level)
    out = _core.train(
        problem,
        _core.Tasks(begin=tasks.begin, classes=tasks.classes, sides=tasks.sides),
        _core.Variants(cap=(U * t)[order][None]),
        settings.native(1),
        soft=(s * t)[order],
    )
    lam = np.zeros(n)
    lam[order[out.sample]] = np.abs(out.coef)
    report = FitReport.from_arrays(out)
    numbers = {name: getattr(report, name)[0] for name in ("objective", "norm2", "gap", "iterations", "status")}
    seen = np.divide(U * t, t, out=np.zeros(n), where=t > 0)
    return Solved(lam=lam, U=seen, bias=out.machines["bias"][0], **numbers)


def problem_of(X, y, *, C=1.0, kernel="rbf", gamma=1.0, coef0=0.0, degree=3, precision="double", tol=1e-3, weight=None):
    """A training problem of classes y = 0 ... N-1."""
    y = np.asarray(y)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    kernel = Kernel.resolve(kernel, gamma, coef0, degree, X)
    by_class = ByClass.sort(y, int(y.max()) + 1, weight)
    return Problem.make(X, by_class, kernel, C * weight, precision, tol, rows=X)  # sparse samples stay sparse


# --------------------------------------------------------------------- banks


def _bank(tasks, members, vectors, class_start, coef, bias, kernel, **rest):
    """A bank from the list of vectors of each machine."""
    return Bank(
        tasks=tasks,
        vectors=np.ascontiguousarray(vectors),
        support=np.arange(len(vectors), dtype=np.int64),
        class_start=np.asarray(class_start, dtype=np.int64),
        begin=np.cumsum([0, *map(len, members)]).astype(np.int64),
        index=np.concatenate(members).astype(np.int32),
        coef=np.asarray(coef, dtype=float),
        bias=np.asarray(bias, dtype=float),
        kernel=kernel,
        **rest,
    )


def dialled_bank(tasks, n_classes):
    """A bank whose machine m has on sample x the value x[m], exactly.

    The kernel is linear; machine m has one vector, half of the m-th unit vector, in the first and the last class of its
    task.
    """
    n_machines = len(tasks)
    places = []
    for m in range(n_machines):
        classes = sorted(tasks.classes[tasks.begin[m] : tasks.begin[m + 1]].tolist())
        places += [(classes[0], m), (classes[-1], m)]
    places.sort()
    vectors = np.zeros((len(places), n_machines))
    members = [[] for _ in range(n_machines)]
    for v, (_, m) in enumerate(places):
        vectors[v, m] = 0.5
        members[m].append(v)
    class_start = np.searchsorted([c for c, _ in places], np.arange(n_classes + 1))
    return _bank(tasks, members, vectors, class_start, np.ones(len(places)), np.zeros(n_machines), Kernel("linear"))


def dialled_pairs(n_classes):
    """A dialled bank of all pairs."""
    return dialled_bank(all_pairs(n_classes), n_classes)


def dialled_rest(n_classes):
    """A dialled bank of every class against the rest."""
    return dialled_bank(each_against_rest(n_classes), n_classes)


def random_bank(seed, n_classes, *, per_class=12, n_features=6, kernel=None, rest=False, precision="double"):
    """Machines with random vectors, coefficients and biases: most samples have no class that wins all its pairs."""
    rng = np.random.default_rng(seed)
    kernel = kernel or Kernel("rbf", gamma=0.3)
    tasks = each_against_rest(n_classes) if rest else all_pairs(n_classes)
    vectors = rng.normal(size=(n_classes * per_class, n_features))
    members = []
    for m in range(len(tasks)):
        classes = tasks.classes[tasks.begin[m] : tasks.begin[m + 1]]
        own = np.concatenate([np.arange(c * per_class, (c + 1) * per_class) for c in np.sort(classes)])
        members.append(own[rng.random(len(own)) < 0.7])
    coef = rng.normal(size=sum(map(len, members)))
    bank = _bank(
        tasks,
        members,
        vectors,
        per_class * np.arange(n_classes + 1),
        coef,
        0.1 * rng.normal(size=len(tasks)),
        kernel,
    )
    if precision == "double":
        return bank
    return as_single(bank)


def as_single(bank):
    """The same machines, decided in single precision."""
    return replace(bank, precision="single")


def as_double(bank):
    """The same machines, decided in double precision."""
    return replace(bank, precision="double")


def core_data(X):
    """Dense or CSR samples in the form that the core reads."""
    return as_data(X if sp.issparse(X) else np.ascontiguousarray(X))


def values_of(bank, X, n_threads=1, ranked=False):
    """The value of every machine, by the core."""
    return bank.native.values(core_data(X), ranked, n_threads)


def decide(bank, plan, X, n_threads=1, level=None):
    """The class of every sample, by the core, with an instruction set of one's choice."""
    answers = np.empty(X.shape[0], dtype=np.int64)
    decider = bank.native if level is None else bank.decider(level)
    decider.decide(core_data(X), plan.native, answers, n_threads)
    return answers


def decide_one_by_one(bank, plan, X, level=None):
    """The same in a call for each sample, to one decider."""
    decider = bank.native if level is None else bank.decider(level)
    answers = np.empty(X.shape[0], dtype=np.int64)
    for i in range(len(answers)):
        decider.decide(core_data(X[i : i + 1]), plan.native, answers[i : i + 1], 1)
    return answers


def trace(bank, plan, X, n_threads=1):
    """Answers, and for every sample the list of machines consulted, by the core."""
    path = bank.native.trace(core_data(X), plan.native, n_threads)
    return path.answers, [path.machines[b:e].tolist() for b, e in pairwise(path.begin)]


# ---------------------------------------------------------------- tournaments


def verdict_of(values, n_classes):
    """The winner of two classes, from the values of all pairs on one sample; positive or zero is for the later."""
    number = {pair: m for m, pair in enumerate(map(tuple, all_pairs(n_classes).pairs.tolist()))}

    def verdict(a, b):
        i, j = min(a, b), max(a, b)
        return j if values[number[i, j]] >= 0 else i

    return verdict


def every_pattern(n_classes):
    """All outcomes of all pairs, as rows of plus and minus one."""
    return np.array(list(product([-1.0, 1.0], repeat=n_classes * (n_classes - 1) // 2)))


def random_patterns(seed, n_classes, n, zeros=0.05):
    """Random outcomes of all pairs, some of them exactly zero."""
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.0, 1.0], size=(n, n_classes * (n_classes - 1) // 2)) * rng.uniform(0.5, 2.0)
    values[rng.random(values.shape) < zeros] = 0.0
    return values


def transitive_patterns(seed, n_classes, n):
    """Outcomes that follow a hidden order of the classes; its first class beats all. Also returns that class."""
    rng = np.random.default_rng(seed)
    pairs = all_pairs(n_classes).pairs
    rank = np.array([rng.permutation(n_classes) for _ in range(n)])
    values = np.where(rank[:, pairs[:, 1]] < rank[:, pairs[:, 0]], 1.0, -1.0)
    return values, rank.argmin(axis=1)
