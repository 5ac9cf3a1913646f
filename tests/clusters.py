"""What the tests of clusters share: equal models, and problems."""

import numpy as np
import scipy.sparse as sp

from dagmar.problem.making import ProblemParameters, make_problem

ARRAYS = ("begin", "index", "coef", "bias", "support", "class_start", "vectors", "centre", "gammas")
COUNTS = ("iterations", "gap", "objective", "norm2", "rows_computed", "status", "refined", "in_double")


def equal(a, b):
    """Whether two arrays, sparse matrices or None are the same, bit for bit."""
    if a is None or b is None:
        return a is b
    if sp.issparse(a):
        return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("data", "indices", "indptr"))
    return a.dtype == b.dtype and np.array_equal(a, b)


def assert_same_model(one, other):
    """Two fitted classifiers have the same machines, the same costs and the same plan."""
    for name in ARRAYS:
        assert equal(getattr(one.bank_, name), getattr(other.bank_, name)), name
    assert one.bank_.tasks.same_as(other.bank_.tasks)
    assert one.bank_.kernel == other.bank_.kernel
    assert one.bank_.precision == other.bank_.precision
    for name in COUNTS:
        assert equal(getattr(one.report_, name), getattr(other.report_, name)), name
    assert type(one.plan_) is type(other.plan_)
    assert str(one.structure_) == str(other.structure_)


def a_problem(X, y, **parameters):
    """The problem of some data."""
    return make_problem(ProblemParameters(**parameters), X, y)[0]
