"""What a model should answer: its machines evaluated in long double from the arrays of the bank, and slow walks of its plan.

Nothing here calls the core. Kernels are computed from differences and products of the samples as given, every structure is
followed step by step. Each value comes with two bounds on its rounding error: that of this evaluation, and that of a careful
evaluation in double precision. They sort every answer into one of five kinds; see `Tally`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Long: TypeAlias = NDArray[np.longdouble]

LONG_UNIT = float(np.finfo(np.longdouble).eps) / 2
DOUBLE_UNIT = 2.0**-53
SMALLEST = np.longdouble(2.0**-1074)  # what underflow in double may lose per operation
LARGEST = np.longdouble(1e307)  # beyond it, a sum in double may overflow
MOST_BRANCHES = 256


class NoMeaning(Exception):
    """The arrays of a model contradict each other, so they have no answer."""


@dataclass(frozen=True)
class Values:
    """The values of all machines on all samples.

    Attributes
    ----------
    value : ndarray of shape (n_samples, n_machines), long double
    long_error, double_error : ndarrays of the same shape
        Bounds on the rounding error in long double, and of a careful evaluation in double.
    beyond : ndarray of the same shape, bool
        Whether the sum leaves the range of double on the way.
    """

    value: Long
    long_error: Long
    double_error: Long
    beyond: NDArray[np.bool_]


@dataclass
class Tally:
    """How many labels were compared, and what came of it.

    Attributes
    ----------
    agreed : int
        The label is the only one that long double allows.
    tied : int
        Even long double cannot tell (an exact tie, mostly); the label is one of those possible.
    near : int
        Long double can tell, double cannot; the label is another one. Allowed, but counted.
    beyond : int
        The label is another one, but the values leave the range of double.
    wrong : list
        Samples with any other label: the sample's number, its label, and the labels that are possible.
    """

    agreed: int = 0
    tied: int = 0
    near: int = 0
    beyond: int = 0
    wrong: list[tuple[int, Any, list[Any]]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Return the counts by name."""
        return {
            "labels": self.agreed + self.tied + self.near + self.beyond + len(self.wrong),
            "tied": self.tied,
            "near": self.near,
            "beyond": self.beyond,
        }


# ------------------------------------------------------------------------- values


def values_of(bank: Any, X: Any) -> Values:
    """Evaluate every machine of a bank on checked samples.

    Parameters
    ----------
    bank : Bank
    X : ndarray or CSR matrix of shape (n_samples, n_features); for a precomputed kernel, kernel rows

    Returns
    -------
    Values
    """
    n, m = X.shape[0], len(bank.bias)
    value, long_error, double_error = (np.zeros((n, m), dtype=np.longdouble) for _ in range(3))
    beyond = np.zeros((n, m), dtype=bool)
    kept: dict[float, tuple[Any, ...]] = {}
    if len(bank.begin) != m + 1 or len(bank.index) != len(bank.coef):
        raise NoMeaning("the lists of the bank have different lengths")
    with np.errstate(all="ignore"):
        for k in range(m):
            gamma = float(bank.kernel.gamma if bank.gammas is None else bank.gammas[k])
            if gamma not in kept:
                kept[gamma] = _kernel(bank, gamma, X)
            K, long_K, double_K, huge = kept[gamma]
            here = slice(int(bank.begin[k]), int(bank.begin[k + 1]))
            index = np.asarray(bank.index[here])
            if here.start < 0 or here.stop < here.start or here.stop > len(bank.index) or (index < 0).any():
                raise NoMeaning("a machine names entries that are not there")
            coef, bias = np.asarray(bank.coef[here], dtype=np.longdouble), np.longdouble(bank.bias[k])
            terms = coef * K[:, index]
            size = np.abs(terms).sum(axis=1) + np.abs(bias)
            value[:, k] = terms.sum(axis=1) + bias
            roundings = len(index) + 2
            long_error[:, k] = LONG_UNIT * roundings * size + long_K[:, index] @ np.abs(coef)
            double_error[:, k] = (
                DOUBLE_UNIT * roundings * size + double_K[:, index] @ np.abs(coef) + roundings * SMALLEST
            )
            beyond[:, k] = huge[:, index].any(axis=1) | ~(size < LARGEST)
    beyond |= ~np.isfinite(value) | ~np.isfinite(double_error)
    long_error, double_error = (np.where(np.isfinite(e), e, np.inf) for e in (long_error, double_error))
    return Values(value, long_error, double_error, beyond)


def double_values_of(bank: Any, X: Any) -> Values:
    """Evaluate every machine of a bank of a linear, poly, rbf or Laplacian kernel in double: for many samples.

    Samples are centred, so that distances from products keep their digits, and `double_error` is the bound for this.
    """
    A, V = (np.asarray(part.toarray() if sp.issparse(part) else part, dtype=np.float64) for part in (X, bank.vectors))
    # Without a centre of its own, a kernel of products is not centred: its values would change.
    name = bank.kernel.name
    of_products = name in ("linear", "poly")
    centre = V.mean(axis=0) if not of_products else np.zeros(V.shape[1]) if bank.centre is None else bank.centre
    A, V = A - centre, V - centre
    a, v = (A * A).sum(axis=1), (V * V).sum(axis=1)
    coef = np.zeros((len(V), len(bank.bias)))
    for m in range(len(bank.bias)):
        here = slice(int(bank.begin[m]), int(bank.begin[m + 1]))
        coef[bank.index[here], m] = bank.coef[here]
    value = np.empty((len(A), len(bank.bias)))
    for first in range(0, len(A), 512):
        here = slice(first, first + 512)
        K = cdist(A[here], V, "cityblock") if name == "laplacian" else A[here] @ V.T
        if name == "laplacian":
            K = np.exp(-bank.kernel.gamma * K)
        elif name == "rbf":
            K = np.exp(-bank.kernel.gamma * np.maximum(a[here, None] + v - 2 * K, 0))
        elif name == "poly":
            K = (bank.kernel.gamma * K + bank.kernel.coef0) ** bank.kernel.degree
        value[here] = K @ coef + bank.bias
    largest = max(a.max(initial=0.0), v.max(initial=0.0))
    if name == "laplacian":  # no distance is above this
        largest = 2 * np.sqrt(A.shape[1] * largest)
    scale = largest if name == "linear" else 1 + bank.kernel.gamma * largest
    if name == "poly":
        scale = bank.kernel.degree * (bank.kernel.gamma * largest + abs(bank.kernel.coef0)) ** bank.kernel.degree
    roundings = np.sqrt(A.shape[1]) + 8  # a standard error, not the worst case, which would hide what is looked for
    error = DOUBLE_UNIT * roundings * scale * np.abs(coef).sum(axis=0) * np.ones_like(value)
    error = error.astype(np.longdouble)
    return Values(value.astype(np.longdouble), error, error, ~np.isfinite(value))


def _tanimoto(A: Long, V: Long, dots: Long, sizes: Long) -> tuple[Long, Long, Long, NDArray[np.bool_]]:
    """Return what `_kernel` returns; no sample has a negative value, so that all sums are of terms of one sign."""
    squares = np.zeros_like(dots)
    for f in range(A.shape[1]):
        squares += (A[:, f, None] - V[None, :, f]) ** 2
    either, roundings = dots + squares, 2 * A.shape[1] + 8
    K = np.where(either == 0, 1, dots / np.where(either == 0, 1, either))
    # What underflow loses is a share of the denominator.
    lost = np.where(either == 0, 0, roundings * SMALLEST / np.where(either == 0, 1, either))
    return K, LONG_UNIT * roundings * K, DOUBLE_UNIT * roundings * K + lost, ~(sizes + squares < LARGEST)


def _kernel(bank: Any, gamma: float, X: Any) -> tuple[Long, Long, Long, NDArray[np.bool_]]:
    """Return kernel values with all vectors, their errors in long double and in double, and where double overflows."""
    name = bank.kernel.name
    if name == "precomputed":
        if bank.support.min(initial=0) < 0:
            raise NoMeaning("a support vector has no column in the kernel matrix")
        K = np.asarray(X, dtype=np.longdouble)[:, bank.support]
        return K, np.zeros_like(K), np.zeros_like(K), np.zeros(K.shape, dtype=bool)
    A, V = _as_long(X, bank.vectors)
    if bank.centre is not None and not bank.kernel.sees_differences_only:
        A, V = A - np.asarray(bank.centre, np.longdouble), V - np.asarray(bank.centre, np.longdouble)
    d, g, coef0 = A.shape[1], np.longdouble(gamma), np.longdouble(bank.kernel.coef0)
    if name in ("rbf", "laplacian", "chi2"):
        distance = np.zeros((len(A), len(V)), dtype=np.longdouble)
        for f in range(d):
            distance += _term(name, A[:, f, None], V[None, :, f])
        K = np.exp(-g * distance)
        relative = (d + 6) * g * distance + 3
        huge = (distance > LARGEST) & (K > SMALLEST)
        return K, LONG_UNIT * relative * K, DOUBLE_UNIT * relative * K + d * SMALLEST * (1 + g), huge
    dots = np.zeros((len(A), len(V)), dtype=np.longdouble)
    sizes = dots.copy()
    for f in range(d):
        product = A[:, f, None] * V[None, :, f]
        dots += product
        sizes += np.abs(product)
    if name == "tanimoto":
        return _tanimoto(A, V, dots, sizes)
    if name == "linear":
        return dots, (d + 2) * LONG_UNIT * sizes, (d + 2) * DOUBLE_UNIT * sizes + d * SMALLEST, sizes > LARGEST
    base, base_size = g * dots + coef0, (d + 4) * np.abs(g) * sizes + 2 * np.abs(coef0)
    huge = ~(sizes < LARGEST) | ~(base_size < LARGEST)
    lost = d * SMALLEST * (1 + np.abs(g))
    if name == "sigmoid":
        K = np.tanh(base)
        errors = [_tanh_error(base, unit * base_size + lost) + 2 * unit for unit in (LONG_UNIT, DOUBLE_UNIT)]
        return K, errors[0], errors[1], huge
    if name == "poly":
        degree = int(bank.kernel.degree)
        K = base**degree
        size = np.abs(base)
        errors = [
            (size + unit * base_size) ** degree - np.abs(K) + (degree + 2) * unit * np.abs(K)
            for unit in (LONG_UNIT, DOUBLE_UNIT)
        ]
        step = np.maximum(np.abs(K) / np.maximum(size, SMALLEST), 1) * degree
        return K, errors[0], errors[1] + lost * step + SMALLEST, huge | ~(np.abs(K) < LARGEST)
    raise NoMeaning(f"there is no kernel {name!r}")


def _term(name: str, x: Long, z: Long) -> Long:
    """Return what a feature adds to a distance."""
    difference: Long = x - z
    if name == "rbf":
        return difference**2
    if name == "laplacian":
        return np.abs(difference)
    found: Long = difference**2 / np.where(x + z > 0, x + z, np.longdouble(1))
    return found


def _tanh_error(base: Long, error: Long) -> Long:
    slope = 1 - np.tanh(np.maximum(np.abs(base) - error, 0)) ** 2
    bounded: Long = np.minimum(error * slope, 2)
    return bounded


def _as_long(X: Any, V: Any) -> tuple[Long, Long]:
    """Return samples and vectors as dense long doubles; of sparse ones, only the columns that are used."""
    if sp.issparse(V):
        if X.shape[1] != V.shape[1]:
            raise NoMeaning("samples and vectors have different numbers of features")
        X, V = sp.csr_matrix(X), sp.csr_matrix(V)
        columns = np.union1d(X.indices, V.indices)
        X, V = (_columns(part, columns) for part in (X, V))
    A, B = np.asarray(X, dtype=np.longdouble), np.asarray(V, dtype=np.longdouble)
    if A.ndim != 2 or B.ndim != 2 or A.shape[1] != B.shape[1]:
        raise NoMeaning("samples and vectors have different numbers of features")
    return A, B


def _columns(part: Any, columns: NDArray[Any]) -> Long:
    out = np.zeros((part.shape[0], len(columns)), dtype=np.longdouble)
    row = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
    np.add.at(out, (row, np.searchsorted(columns, part.indices)), part.data)
    return out


# -------------------------------------------------------------------------- plans


class _Branch(Exception):
    """A walk asked a machine whose sign is not known."""


def answers(plan: Any, value: Long, error: Long) -> set[int]:
    """Return every class that a plan may answer, if values that are within their error of 0 may have either sign.

    Parameters
    ----------
    plan : Plan
    value, error : ndarrays of shape (n_machines,)

    Returns
    -------
    set of int
    """
    if not hasattr(plan, "machine_of"):  # a poll
        reach = (value - error).max()
        return set(np.flatnonzero(value + error >= reach).tolist())
    walk = _walk_graph if hasattr(plan, "on_positive") else _KNOCKOUTS[plan.rule]
    sure, positive = np.abs(value) > error, value >= 0
    found: set[int] = set()
    pending: list[dict[int, bool]] = [{}]
    for _ in range(MOST_BRANCHES):
        if not pending:
            return found
        chosen = pending.pop()

        def ask(machine: int, chosen: dict[int, bool] = chosen) -> bool:
            machine = int(machine)
            if not 0 <= machine < len(value):
                raise NoMeaning(f"the plan asks machine {machine} of {len(value)}")
            if sure[machine]:
                return bool(positive[machine])
            if machine not in chosen:
                raise _Branch(machine)
            return chosen[machine]

        try:
            found.add(int(walk(plan, ask)))
        except _Branch as branch:
            pending += [{**chosen, branch.args[0]: outcome} for outcome in (False, True)]
    return set(range(plan.n_classes))


Ask: TypeAlias = Callable[[int], bool]


def _walk_graph(plan: Any, ask: Ask) -> int:
    edge, n = int(plan.root), int(plan.n_classes)
    for _ in range(len(plan.machine) + 1):
        if edge < 0:
            break
        if edge >= len(plan.machine):
            raise NoMeaning("an edge leads to a node that is not there")
        edge = int(plan.on_positive[edge] if ask(plan.machine[edge]) else plan.on_negative[edge])
    else:
        raise NoMeaning("the graph has a cycle")
    if -edge - 1 < n:
        return -edge - 1
    number = -edge - 1 - n
    if number + 1 >= len(plan.list_begin):
        raise NoMeaning("an edge leads to a list that is not there")
    left = [int(c) for c in plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]]]
    if not left:
        raise NoMeaning("a list is empty")
    while len(left) > 1:
        left.remove(_loser(plan, ask, left[0], left[-1]))
    return left[0]


def _loser(plan: Any, ask: Ask, a: int, b: int) -> int:
    lower, later = min(a, b), max(a, b)
    if lower < 0 or later >= len(plan.machine_of):
        raise NoMeaning("the plan names a class that is not there")
    return lower if ask(plan.machine_of[lower, later]) else later


def _vote(plan: Any, ask: Ask) -> int:
    losses = [0] * plan.n_classes
    for a, b in combinations(range(plan.n_classes), 2):
        losses[_loser(plan, ask, a, b)] += 1
    return losses.index(min(losses))


def _ranked(plan: Any, ask: Ask) -> int:
    champion, alive = int(plan.order[0]), set(range(plan.n_classes))
    while len(alive) > 1:
        rivals = [int(c) for c in plan.rivals[champion] if int(c) in alive and int(c) != champion]
        if not rivals:
            raise NoMeaning("a class has no rival left, but others are alive")
        loser = _loser(plan, ask, champion, rivals[0])
        alive.remove(loser)
        champion = rivals[0] if loser == champion else champion
    return champion


def _bracket(plan: Any, ask: Ask) -> int:
    left = [int(c) for c in plan.order]
    if sorted(left) != list(range(plan.n_classes)):
        raise NoMeaning("the list of a bracket must have every class once")
    while len(left) > 1:
        games = [(left[k], left[-1 - k]) for k in range(len(left) // 2)]
        middle = [left[len(left) // 2]] if len(left) % 2 else []
        left = [a if _loser(plan, ask, a, b) == b else b for a, b in games] + middle
    return left[0]


_KNOCKOUTS: dict[str, Callable[[Any, Ask], int]] = {
    "fewest_losses": _vote,
    "everyone": _vote,
    "ranked": _ranked,
    "bracket": _bracket,
}


# ------------------------------------------------------------------------- labels


def check_labels(bank: Any, plan: Any, classes: Any, X: Any, labels: Any, values: Values | None = None) -> Tally:
    """Compare labels with what the arrays of a model allow.

    Parameters
    ----------
    bank : Bank
    plan : Plan
    classes : ndarray of shape (n_classes,)
    X : ndarray or CSR matrix
        Samples as `Learned.check` returns them.
    labels : ndarray of shape (n_samples,)
    values : Values, optional
        The result of `values_of` for these samples, if it is known.

    Returns
    -------
    Tally
    """
    values = values_of(bank, X) if values is None else values
    tally = Tally()
    seen: dict[bytes, set[int]] = {}  # answers by signs: a walk in Python is slow
    for i, label in enumerate(labels):
        value, error = values.value[i], values.long_error[i]
        if values.beyond[i].any():
            value = np.where(np.isfinite(value), value, 0)
            error = np.where(values.beyond[i], np.inf, error)
        signs = (np.sign(value) * (np.abs(value) > error)).astype(np.int8).tobytes()
        if signs not in seen or not hasattr(plan, "machine_of"):
            seen[signs] = answers(plan, value, error)
        possible = seen[signs]
        if _is_one_of(label, classes, possible):
            if values.beyond[i].any():
                tally.beyond += 1
            elif len(possible) == 1:
                tally.agreed += 1
            else:
                tally.tied += 1
        elif _is_one_of(label, classes, answers(plan, value, values.double_error[i])):
            tally.near += 1
        else:
            tally.wrong.append((i, label, [classes[c] for c in sorted(possible)]))
    return tally


def _is_one_of(label: Any, classes: Any, possible: set[int]) -> bool:
    return any(bool(classes[c] == label) for c in possible if c < len(classes))
