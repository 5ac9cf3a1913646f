"""The smallest ball around samples in kernel space.

    minimise over c     max over i of |phi(x_i) - c|^2                     the squared radius around the centre c
    maximise over a     sum_i a_i K_ii - a' K a,   a >= 0, sum_i a_i = 1   the same number, with c = sum_i a_i phi(x_i)

For any a, the second value is a lower bound on the smallest squared radius. The largest squared distance from the centre is an
upper bound, because that ball holds all samples. A step moves the centre towards the farthest sample, or away from the nearest
sample with a_i > 0, whichever promises more, by the best length on that line. The search stops when the two bounds are close
(Yildirim, Two algorithms for the minimum enclosing ball problem, SIAM Journal on Optimization 19, 2008). A step needs one row
of the kernel matrix; the whole matrix is never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.frozen import FrozenArrays
from ..base.parameters import OF_DIFFERENCES
from ..base.typing import Array, Features
from ..problem.kernels import Kernel, distances, squared_norms
from ..problem.samples import occurring_columns

NOT_DEFINITE = "the kernel is not positive semi-definite: a squared distance in its space is negative"


@dataclass(frozen=True, eq=False)
class Ball(FrozenArrays):
    """A ball in kernel space that holds all samples.

    Attributes
    ----------
    radius : float
        Radius of the ball; all samples are inside.
    centre : ndarray of shape (n_samples,)
        The centre is the sum of the images of the samples with these weights, which are not negative and sum to 1.
    at_least : float
        No ball with a smaller radius holds all samples.
    rows : int
        Number of kernel rows computed.
    """

    radius: float
    centre: Array
    at_least: float
    rows: int


class Images:
    """Samples in kernel space, represented by their kernel values in double precision.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        For a precomputed kernel, the kernel matrix.
    kernel : Kernel
    move : bool
        Whether all samples may be moved by the same vector, for kernels where this does not change their distances in kernel
        space.
    """

    def __init__(self, X: Features, kernel: Kernel, move: bool = True) -> None:
        self.kernel = kernel
        X = X.astype(np.float64, copy=False)
        # Distances between samples far from the origin lose digits.
        if move and kernel.trains_centred and not sp.issparse(X):
            X = X - X.mean(axis=0)
        if sp.issparse(X) and X.shape[1] > X.nnz:
            X, _ = occurring_columns(X)
        self._X = X
        self._norm2 = np.diag(X) if kernel.name == "precomputed" else squared_norms(X, None)

    def __len__(self) -> int:
        return len(self._norm2)

    @property
    def squares(self) -> Array:
        """The kernel of each sample with itself."""
        if self.kernel.name == "precomputed":
            return self._norm2
        return self.kernel.of(np.zeros(len(self)) if self.kernel.of_distance else self._norm2)

    def row(self, i: int) -> Array:
        """The kernel of a sample with every sample."""
        if self.kernel.name == "precomputed":
            row: Array = self._X[i]
            return row
        own: Any = self._X[i]
        if self.kernel.name in OF_DIFFERENCES:
            x = own.toarray().ravel() if sp.issparse(own) else own
            return self.kernel.of(distances(self.kernel.name, self._X, x))
        dots = np.asarray((self._X @ own.T).todense()).ravel() if sp.issparse(own) else self._X @ own
        rbf = self.kernel.name == "rbf"
        return self.kernel.of(np.maximum(self._norm2 + self._norm2[i] - 2.0 * dots, 0.0) if rbf else dots)


def enclosing_ball(X: Features, kernel: Kernel, tol: float = 1e-3, max_rows: int = 20000) -> Ball:
    """Return a ball around all samples in kernel space that is close to the smallest one.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        For a precomputed kernel, the kernel matrix.
    kernel : Kernel
        It must be positive semi-definite.
    tol : float, default=1e-3
        Stop when the radius is at most 1 + tol times that of the smallest ball.
    max_rows : int, default=20000
        Stop after this many kernel rows, even if `tol` is not reached.

    Returns
    -------
    Ball

    Examples
    --------
    The corners of a square of side 2:

    >>> import numpy as np
    >>> from dagmar.analysis.enclosing_ball import enclosing_ball
    >>> from dagmar.problem.kernels import Kernel
    >>> corners = np.array([[5.0, 5.0], [5.0, 7.0], [7.0, 5.0], [7.0, 7.0]])
    >>> round(enclosing_ball(corners, Kernel("linear")).radius, 3)
    1.414
    """
    images = Images(X, kernel)
    squares = images.squares
    start = int(np.argmax(squares - 2.0 * images.row(0)))  # the farthest from the first sample
    share = np.zeros(len(images))  # weight of each sample in the centre
    share[start] = 1.0
    inner = images.row(start).copy()  # inner product of every sample with the centre
    rows = 2
    radius2, centre = np.inf, share
    size = float(np.abs(squares).max())
    while True:
        centre2 = float(share @ inner)
        distance2 = squares - 2.0 * inner + centre2
        reached = float(share @ squares) - centre2  # the lower bound on the squared radius
        far = int(np.argmax(distance2))
        if distance2[far] < radius2:
            radius2, centre = float(distance2[far]), share.copy()
        if distance2.min() < -1e-8 * size or reached < -1e-8 * size:
            raise ValueError(NOT_DEFINITE)
        if radius2 <= (1.0 + tol) ** 2 * reached or radius2 <= 1e-14 * size or rows >= max_rows:
            return Ball(float(np.sqrt(max(radius2, 0.0))), centre, float(np.sqrt(max(reached, 0.0))), rows)
        sample, step, leaves = _best_step(share, distance2, reached, far)
        share *= 1.0 - step
        share[sample] = 0.0 if leaves else share[sample] + step
        inner = (1.0 - step) * inner + step * images.row(sample)
        rows += 1


def _best_step(share: Array, distance2: Array, reached: float, far: int) -> tuple[int, float, bool]:
    """Return the sample to move the centre towards, the step (negative: away from it), and whether its weight becomes 0."""
    near = int(np.argmin(np.where(share > 0, distance2, np.inf)))
    if distance2[far] - reached >= reached - distance2[near] or share[near] >= 1.0:
        return far, 0.5 * (1.0 - reached / distance2[far]), False
    most = share[near] / (1.0 - share[near])
    wanted = 0.5 * (reached / distance2[near] - 1.0) if distance2[near] > 0 else np.inf
    return near, -min(wanted, most), bool(wanted >= most)
