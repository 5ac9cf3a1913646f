"""Platt, Cristianini & Shawe-Taylor's bounds on the error of a DDAG, from the margins of its nodes.

Let each of K nodes separate its two classes on m samples, with margins g_1 ... g_K in kernel space, and let a ball of radius R
hold the images of all samples that can occur. Each theorem holds with probability 1 - delta over the draw of the samples:

    Theorem 1   P(error)               <  130 R^2 / m (D' log(4em) log(4m) + log(2 (2m)^K / delta)),      D' = sum of 1 / g^2
    Theorem 2   P(class j, and error)  <= 130 R^2 / m (D' log(4em) log(4m) + log(2 (2m)^(N-1) / delta)),  D' over the nodes of j

Theorem 2 bounds a joint probability: for the error rate of a class, divide by the frequency of the class. The paper does not
name the base of its logarithms; the proofs it builds on count in powers of 2.

The theorems are computed as printed. There R^2 multiplies both terms; in the proof it multiplies only the first. For R = 1 this
makes no difference, and for larger R the bound is only larger. For small R the second term becomes too small, but it is then
negligible: a margin cannot be wider than R, so R^2 D' is at least the number of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.exceptions import InvalidParameterError
from ..base.frozen import FrozenArrays
from ..base.showing import MOST_LINES, frame, html_table
from ..base.typing import Array, Features, Index, Labels
from ..machines.bank import Bank
from ..problem.kernels import Kernel
from .enclosing_ball import Images, enclosing_ball
from .margins import margins_of


def theorem1(n_samples: int, margins: ArrayLike, radius: float = 1.0, delta: float = 0.05, base: float = 2.0) -> float:
    """Return the bound of Theorem 1 on the probability of an error.

    Parameters
    ----------
    n_samples : int
        Number of samples of all classes, m.
    margins : array-like of shape (n_nodes,)
        The margin of every node.
    radius : float, default=1.0
        Radius R of the ball in kernel space.
    delta : float, default=0.05
        The probability that the bound does not hold.
    base : float, default=2.0
        Base of the logarithms.

    Returns
    -------
    float
        NaN if a margin is not positive, because then the theorem does not apply.

    Examples
    --------
    >>> from dagmar.analysis.bounds import theorem1
    >>> round(theorem1(1000, [0.5, 0.25, 0.2]), 4)
    943.5599
    """
    return float(_bound(n_samples, radius**2 * _inverse_squares(margins).sum(), np.size(margins), radius, delta, base))


def theorem2(
    n_samples: int,
    margins: ArrayLike,
    pairs: ArrayLike,
    radius: float = 1.0,
    delta: float = 0.05,
    base: float = 2.0,
) -> Array:
    """Return the bound of Theorem 2 for every class.

    Parameters
    ----------
    n_samples : int
        Number of samples of all classes, m.
    margins : array-like of shape (n_nodes,)
        The margin of every node.
    pairs : array-like of shape (n_nodes, 2)
        The two classes of every node.
    radius, delta, base : float
        As for `theorem1`.

    Returns
    -------
    ndarray of shape (n_classes,)
        Bound on the probability that a sample belongs to the class and is misclassified; NaN for classes with a margin that
        is not positive.

    Examples
    --------
    >>> from dagmar.analysis.bounds import theorem2
    >>> theorem2(1000, [0.5, 0.25, 0.2], [(0, 1), (0, 2), (1, 2)]).round(4).tolist()
    [420.6947, 608.413, 858.704]
    """
    per_class = class_sums(_inverse_squares(margins), pairs)
    bounds: Array = _bound(n_samples, radius**2 * per_class, len(per_class) - 1, radius, delta, base)
    return bounds


def class_sums(values: Array, pairs: ArrayLike) -> Array:
    """Return the sum of `values` over the nodes of each class, shape (n_classes,)."""
    pairs = np.asarray(pairs)
    sums: Array = np.zeros(pairs.max() + 1)
    np.add.at(sums, pairs, values[:, None])
    return sums


def _inverse_squares(margins: ArrayLike) -> Array:
    """Return 1 / margin^2, NaN where the margin is not positive."""
    margins = np.asarray(margins, dtype=np.float64)
    inverse: Array = np.divide(1.0, margins**2, out=np.full(margins.shape, np.nan), where=margins > 0)
    return inverse


def _bound(m: int, spread: Any, n_nodes: int, radius: float, delta: float, base: float) -> Any:
    """Return the formula of both theorems, with R^2 D' given as `spread`.

    The last logarithm is computed as a sum of logarithms, because its argument would overflow.
    """
    first = spread * (np.log(4 * m) + 1.0) * np.log(4 * m) / np.log(base) ** 2
    second = (np.log(2.0) + n_nodes * np.log(2.0 * m) - np.log(delta)) / np.log(base)
    return 130.0 / m * (first + radius**2 * second)


@dataclass(frozen=True, eq=False)
class GeneralizationBound(FrozenArrays):
    """Bounds on the error of a DDAG from the margins of its nodes.

    Made by `SVC.generalization_bound`. Print it for a summary; `plot` draws the margins.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        The labels of the classes.
    pairs : ndarray of shape (n_nodes, 2), int64
        The two classes of every node, as indices into `labels`; there is one node per pair of classes.
    margins : ndarray of shape (n_nodes,)
        The smallest distance, in kernel space, of a sample of the two classes from the hyperplane of the node; negative if
        the sample is on the wrong side.
    margins_placed : ndarray of shape (n_nodes,)
        The smallest distance among the samples on the right side, NaN if there are none. Equal to `margins` if all samples
        are on the right side.
    misplaced : ndarray of shape (n_nodes,), int64
        Number of samples of the two classes that are not on the right side.
    norms : ndarray of shape (n_nodes,)
        Length of the weight vector; for a hard-margin machine 1 / margin.
    slacks : ndarray of shape (n_nodes,)
        Length of the vector of slacks max(0, 1 - s v(x)).
    class_sizes : ndarray of shape (n_classes,), int64
        Number of samples of each class.
    radius : float
        R, the radius of a ball in kernel space that holds all samples.
    radius_from : {"kernel", "origin", "ball", "given"}
        How R was found. "kernel": the rbf kernel maps every sample to distance 1 from the origin. "origin": distance of the
        farthest training sample from the origin. "ball": a ball around the training samples. "given": by the user. "origin"
        and "ball" are estimates, because new samples may be outside.
    radius_at_least : float
        For "ball", a lower bound on the radius of a ball around the samples; otherwise `radius`.
    delta : float
        The probability that the bound does not hold.
    base : float
        Base of the logarithms.
    order : ndarray of shape (n_classes,), int64
        The list of classes at the start of the DDAG. Only the picture depends on it.

    See Also
    --------
    SVC.generalization_bound : Makes one.
    DDAG : The structure whose error is bounded.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = dagmar.SVC(C=10, structure="ddag").fit(X, y).generalization_bound(X, y)
    >>> bound.n_nodes, bound.says_anything
    (3, False)
    """

    labels: Labels
    pairs: Index
    margins: Array
    margins_placed: Array
    misplaced: Index
    norms: Array
    slacks: Array
    class_sizes: Index
    radius: float
    radius_from: str
    radius_at_least: float
    delta: float
    base: float
    order: Index

    @property
    def n_samples(self) -> int:
        """Number of samples of all classes, m."""
        return int(self.class_sizes.sum())

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the DDAG, K."""
        return len(self.margins)

    @property
    def separable(self) -> NDArray[np.bool_]:
        """Whether each node has all samples of its two classes on the right side, as the theorems assume."""
        return self.margins > 0

    @property
    def not_separating(self) -> list[tuple[Any, Any]]:
        """The nodes that do not separate their two classes, as pairs of labels."""
        labels = self.labels.tolist()
        return [(labels[i], labels[j]) for i, j in self.pairs[~self.separable]]

    # ------------------------------------------------------------ Theorem 1

    @property
    def D_prime(self) -> float:
        """Sum of 1 / margin^2 over all nodes; NaN unless all nodes are separable."""
        return float(_inverse_squares(self.margins).sum())

    @property
    def bound(self) -> float:
        """Theorem 1's bound on the probability of error; NaN unless all nodes are separable."""
        return theorem1(self.n_samples, self.margins, self.radius, self.delta, self.base)

    @property
    def says_anything(self) -> bool:
        """Whether the bound is below 1. A bound of 1 or more says nothing about a probability."""
        return self.bound < 1.0

    # ------------------------------------------------------------ Theorem 2

    @property
    def class_D_prime(self) -> Array:
        """Sum of 1 / margin^2 over the nodes of each class; NaN unless all of them are separable."""
        return class_sums(_inverse_squares(self.margins), self.pairs)

    @property
    def class_bounds(self) -> Array:
        """Theorem 2's bound on P(in the class and misclassified), per class; NaN unless all its nodes are separable."""
        return theorem2(self.n_samples, self.margins, self.pairs, self.radius, self.delta, self.base)

    @property
    def class_rates(self) -> Array:
        """`class_bounds` divided by the share of the class in the samples, an estimate of a bound on its error rate."""
        return self.class_bounds * self.n_samples / self.class_sizes

    @property
    def class_applies(self) -> NDArray[np.bool_]:
        """Which classes have only separable nodes."""
        return np.isfinite(self.class_D_prime)

    # --------------------------------------------------------- soft margins

    @property
    def soft_margin_heuristic(self) -> float:
        """Theorem 1's formula with the sum of ``(R |w| + |slacks|)^2`` in place of ``R^2 D'``.

        A heuristic for soft margins, not a bound from the paper. It also has a value if nodes do not separate their classes.
        Without slacks it is the bound for margins ``1 / |w|``.
        """
        spread = ((self.radius * self.norms + self.slacks) ** 2).sum()
        return float(_bound(self.n_samples, spread, self.n_nodes, self.radius, self.delta, self.base))

    # ----------------------------------------------------------------- text

    def __str__(self) -> str:
        return "\n".join([*self._theorem1_in_words(), self._theorem2_in_words(), self._rest_in_words()])

    def _theorem1_in_words(self) -> list[str]:
        apart = self.separable
        shown = f"{self.n_nodes} nodes" if apart.all() else f"the {apart.sum()} nodes that do"
        margins = (
            f"Margins of {shown}: {self.margins[apart].min():.3g} to {self.margins[apart].max():.3g}, "
            f"sum of 1 / margin^2 {_inverse_squares(self.margins[apart]).sum():.4g}."
            if apart.any()
            else "There is no margin at any node."
        )
        if apart.all():
            worth = "" if self.says_anything else " That is above 1, so it says nothing."
            head = f"Theorem 1: with probability {1 - self.delta:.4g}, error < {self.bound:.4g}.{worth}"
        else:
            few, n = self.not_separating[:3], int((~apart).sum())
            named = ", ".join(f"({i}, {j})" for i, j in few)
            head = (
                f"The theorem does not apply: {n} of {self.n_nodes} nodes "
                f"{'do not separate their' if n > 1 else 'does not separate its'} classes, "
                f"{'e.g. ' if n > len(few) else ''}{named}. "
                f"Samples on the wrong side, over all nodes: {self.misplaced.sum()}."
            )
        return [head, margins]

    def _theorem2_in_words(self) -> str:
        applies, bounds = self.class_applies, self.class_bounds
        if not applies.any():
            return "Theorem 2: no class has nodes that all separate."
        best, worst = int(np.nanargmin(bounds)), int(np.nanargmax(bounds))
        says = int((bounds[applies] < 1).sum())
        return (
            f"Theorem 2: a bound for {applies.sum()} of {len(applies)} classes, {bounds[best]:.4g} ({self.labels[best]}) to "
            f"{bounds[worst]:.4g} ({self.labels[worst]}); {says or 'none'} below 1."
        )

    def _rest_in_words(self) -> str:
        where = {
            "kernel": "holds for all samples with the rbf kernel",
            "origin": "an estimate: the largest norm of a sample",
            "ball": "an estimate: a ball around the samples",
            "given": "as given",
        }[self.radius_from]
        return (
            f"With the slacks of soft margins: {self.soft_margin_heuristic:.4g} (a heuristic, not a theorem).\n"
            f"m = {self.n_samples}, R = {self.radius:.4g} ({where}), delta = {self.delta:g}, logs of base {self.base:.4g}."
        )

    def __repr__(self) -> str:
        said = f"error < {self.bound:.4g}" if self.separable.all() else "the theorem does not apply"
        return (
            f"GeneralizationBound({said}, {int(self.separable.sum())} of {self.n_nodes} nodes separable, "
            f"{self.n_samples} samples, R = {self.radius:.4g})"
        )

    # ----------------------------------------------------------------- tables

    def to_frame(self, of: str = "nodes") -> Any:
        """Return the margins of the nodes, or the bounds of the classes, as a pandas DataFrame with the user's labels.

        Parameters
        ----------
        of : {"nodes", "classes"}, default="nodes"
            "nodes": one row per pair of classes. "classes": one row per class, with the bounds of Theorem 2.

        Returns
        -------
        pandas.DataFrame
        """
        if of not in ("nodes", "classes"):
            raise InvalidParameterError(f"of must be 'nodes' or 'classes'; got {of!r}")
        if of == "classes":
            columns = {"class": self.labels, "samples": self.class_sizes, "D_prime": self.class_D_prime}
            return frame(columns | {"bound": self.class_bounds, "rate": self.class_rates}, index="class")
        return frame(self._columns(np.arange(self.n_nodes)), index=("i", "j"))

    def _columns(self, nodes: Index) -> dict[str, Any]:
        i, j = self.pairs[nodes].T
        names = ("margins", "margins_placed", "misplaced", "norms", "slacks", "separable")
        return {"i": self.labels[i], "j": self.labels[j]} | {name: getattr(self, name)[nodes] for name in names}

    def _repr_html_(self) -> str:
        closest = np.argsort(self.margins, kind="stable")[:MOST_LINES]
        return html_table("Smallest margins first", self._columns(closest), self.n_nodes, str(self).splitlines())

    # --------------------------------------------------------------- pictures

    def plot(self, ax: Any = None) -> Any:
        """Draw the triangle of the DDAG with its nodes coloured by their margins.

        The root is at the top. Node (i, j) is where the diagonals from the leaves i and j cross. Nodes that do not separate
        their classes are grey and crossed.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from .triangle import draw_margins

        return draw_margins(self, ax)


def measure(
    bank: Bank,
    X: Features,
    class_index: Index,
    labels: Labels,
    order: Index,
    delta: float = 0.05,
    radius: str | float = "origin",
    base: float = 2.0,
    n_threads: int = 1,
) -> GeneralizationBound:
    """Compute the bounds for a bank of all pairs on validated samples.

    Parameters
    ----------
    bank : Bank
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        For a precomputed kernel, the kernel matrix of the training samples.
    class_index : ndarray of shape (n_samples,), int64
    labels, order : ndarray of shape (n_classes,)
        As in the result.
    delta, radius, base
        As for `SVC.generalization_bound`.
    n_threads : int

    Returns
    -------
    GeneralizationBound
    """
    _check_number("delta", delta, 0.0, 1.0)
    _check_number("base", base, 1.0, np.inf)
    kernel = bank.kernel
    if kernel.name == "sigmoid" or (kernel.name == "poly" and kernel.coef0 < 0):
        raise ValueError(
            f"the theorems are about hyperplanes, and {'sigmoid' if kernel.name == 'sigmoid' else 'poly with coef0 < 0'} is "
            "not a kernel of a space that could have any: it is not positive semi-definite"
        )
    R, radius_from, at_least = find_radius(X, kernel, radius)
    margins = margins_of(bank, X, class_index, n_threads)
    return GeneralizationBound(
        labels=labels.copy(),
        pairs=bank.pairs,
        margins=margins.smallest,
        margins_placed=margins.placed,
        misplaced=margins.misplaced,
        norms=margins.norm,
        slacks=margins.slack,
        class_sizes=np.bincount(class_index, minlength=len(labels)).astype(np.int64),
        radius=R,
        radius_from=radius_from,
        radius_at_least=at_least,
        delta=float(delta),
        base=float(base),
        order=order,
    )


def find_radius(X: Features, kernel: Kernel, radius: str | float) -> tuple[float, str, float]:
    """Return the radius, how it was found (`radius_from`), and a lower bound on it.

    If each pair has its own gamma, `kernel` has the largest. All distances in kernel space grow with gamma, and the ball with
    them, so its radius is large enough for all machines.
    """
    if isinstance(radius, str):
        if radius not in ("origin", "ball"):
            raise InvalidParameterError(f"radius must be 'origin', 'ball' or a finite number above 0; got {radius!r}")
        largest = 1.0
        if not kernel.has_unit_length:
            squares = Images(X, kernel, move=False).squares
            if squares.min() < 0:
                raise ValueError("the kernel is not positive semi-definite: a sample has a negative squared length")
            largest = float(np.sqrt(squares.max()))
        if radius == "origin":
            return largest, "kernel" if kernel.has_unit_length else "origin", largest
        ball = enclosing_ball(X, kernel)
        return min(ball.radius, largest), "ball", min(ball.at_least, largest)
    _check_number("radius", radius, 0.0, np.inf)
    return float(radius), "given", float(radius)


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (is_number and low < value < high):
        words = f"above {low:g}" if np.isinf(high) else f"between {low:g} and {high:g}"
        allowed = "'origin', 'ball' or a finite number " if name == "radius" else "a finite number "
        raise InvalidParameterError(f"{name} must be {allowed}{words}; got {value!r}")
