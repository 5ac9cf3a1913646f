"""A machine depends on its own samples and numbers only: not on threads, memory, or what else is trained."""

import numpy as np
from helpers import blobs, problem_of, train_bank
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import smo
from reference.kernels import kernel_matrix

from dagmar.machines.training import TrainSettings
from dagmar.machines.training import train as train_machines
from dagmar.problem.tasks import all_pairs

MB = 2.0**20
ARRAYS = ["begin", "index", "coef", "bias", "support", "class_start", "vectors"]

problems = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "n_classes": st.sampled_from([6, 4, 2]),
        "per_class": st.sampled_from([150, 90, 1]),
        "n_features": st.sampled_from([16, 130]),
        "spread": st.sampled_from([0.5, 2.0, 4.0]),
    }
)
Cs = st.sampled_from([0.01, 1.0, 1e4])
precisions = st.sampled_from(["single", "double"])
# Single precision alone is too coarse for some machines at 1e-5, and for most at 1e-6.
solvers = st.sampled_from([("single", 1e-5), ("single", 1e-6), ("single", 1e-3), ("double", 1e-3)])


def posed(data, *, C, precision, tol, weight=None):
    X, y = blobs(**data)
    return problem_of(X, y, C=C, gamma=0.5 / data["n_features"], precision=precision, tol=tol, weight=weight)


@settings(max_examples=60)
@given(problems, Cs, solvers, st.integers(2, 5), st.sampled_from([1e-4, 0.05, 1.0, 20.0, 200.0]))
def test_threads_and_memory_do_not_change_a_byte(data, C, solver, n_threads, megabytes):
    """All machines of a bank, refined ones among them, have the same bytes for any number of threads and any memory."""
    precision, tol = solver
    problem = posed(data, C=C, precision=precision, tol=tol)
    tasks = all_pairs(problem.n_classes)
    first, report = train_bank(problem, tasks, TrainSettings(tol))
    other, again = train_bank(problem, tasks, TrainSettings(tol, -1, megabytes * MB, n_threads))
    for name in ARRAYS:
        assert getattr(first, name).tobytes() == getattr(other, name).tobytes(), name
    assert report.iterations.tobytes() == again.iterations.tobytes()
    assert report.refined.tobytes() == again.refined.tobytes()


@settings(max_examples=60)
@given(problems, Cs, solvers, st.data())
def test_machine_is_the_same_in_any_company(data, C, solver, draw):
    """Any of the pairs, trained by themselves in any order, have the bytes they have among all pairs."""
    precision, tol = solver
    problem = posed(data, C=C, precision=precision, tol=tol)
    tasks = all_pairs(problem.n_classes)
    among_all = train_machines(problem, tasks, TrainSettings(tol, n_threads=2))
    chosen = np.array(draw.draw(st.permutations(range(len(tasks)))))[: draw.draw(st.integers(1, len(tasks)))]
    alone = train_machines(problem, tasks.select(chosen), TrainSettings(tol, memory=0.05 * MB))
    expected = among_all.select(chosen)
    for name in ("begin", "sample", "coef", "bias"):
        assert getattr(alone, name).tobytes() == getattr(expected, name).tobytes(), name


@given(problems, Cs, precisions, st.integers(0, 2**32 - 1))
def test_sample_of_weight_zero_is_absent(data, C, precision, seed):
    """It has no coefficient, and what is left is within tol of optimal for the samples that count."""
    tol = 1e-3
    X, y = blobs(**data)
    weight = np.random.default_rng(seed).choice([0.0, 0.5, 2.0], size=len(y))
    problem = posed(data, C=C, precision=precision, tol=tol, weight=weight)
    machines = train_machines(problem, all_pairs(problem.n_classes), TrainSettings(tol))
    assert (weight[problem.order[machines.sample]] > 0).all()
    here = np.flatnonzero(weight > 0)
    for m, pair in enumerate(machines.tasks.pairs):
        rows = here[np.isin(y[here], pair)]
        entries = slice(machines.begin[m], machines.begin[m + 1])
        coef = np.zeros(len(y))
        coef[problem.order[machines.sample[entries]]] = machines.coef[entries]
        s, cap = np.where(y[rows] == pair[1], 1.0, -1.0), C * weight[rows]
        K = kernel_matrix("rbf", X[rows], X[rows], problem.kernel.gamma)
        lam = s * coef[rows]
        top, bottom = smo.extremes(s, cap, lam, smo.gradient(K, s, np.ones(len(rows)), lam))
        assert lam.min(initial=0.0) >= 0
        assert (lam <= cap).all()
        assert top - bottom < tol * (1 + 1e-6) + 1e-9
