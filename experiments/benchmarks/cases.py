"""The data sets, scaled, with the parameters at which they are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.preprocessing import MinMaxScaler

from ..data import DataSets

Samples = Any  # a float64 array or a csr_matrix, for which there are no types

TOL = 1e-3
COVERTYPE_TEST_ROWS = 20_000
CACHE_MB = 200  # the default of scikit-learn and of dagmar, given to everyone


@dataclass(frozen=True)
class Recipe:
    """How a set is scaled and with which parameters it is used; features become ``x / divisor - shift``."""

    gamma: float
    C: float
    divisor: float
    shift: float


RECIPES = {
    "letter": Recipe(gamma=2.5, C=10, divisor=7.5, shift=1),
    "pendigits": Recipe(gamma=1, C=10, divisor=50, shift=1),
    "usps": Recipe(gamma=0.0195, C=100, divisor=1, shift=0),
    "mnist": Recipe(gamma=0.02, C=10, divisor=255, shift=0),
}


@dataclass(frozen=True)
class Case:
    """One data set, ready to run: features scaled, in float64, row-major.

    Attributes
    ----------
    name : str
    source : {"DAGMAR_DATA", "OpenML", "scikit-learn", "a seed"}
        USPS from OpenML has other numbers than the files in DAGMAR_DATA: it is LIBSVM's version of the images.
    X_train, X_test : ndarray or csr_matrix of shape (n_samples, n_features), float64
    y_train, y_test : ndarray of shape (n_samples,), int
    gamma, C : float
    kernel : {"rbf", "linear", "tanimoto"}
    cache_mb : int
        Megabytes of kernel rows that everyone may keep.
    """

    name: str
    source: str
    X_train: Samples
    y_train: NDArray[np.int64]
    X_test: Samples
    y_test: NDArray[np.int64]
    gamma: float
    C: float
    kernel: str = "rbf"
    cache_mb: int = CACHE_MB

    @property
    def parameters(self) -> dict[str, Any]:
        """What every SVC is given."""
        return {
            "kernel": self.kernel,
            "C": self.C,
            "gamma": self.gamma,
            "tol": TOL,
            "cache_size": self.cache_mb,
        }

    def head(self, n: int) -> Case:
        """The first n rows of either part, to warm up on."""
        return replace(
            self,
            X_train=self.X_train[:n],
            y_train=self.y_train[:n],
            X_test=self.X_test[:n],
            y_test=self.y_test[:n],
        )

    def rows(self, n: int) -> Case:
        """The first n training rows, and all test rows."""
        return replace(self, X_train=self.X_train[:n], y_train=self.y_train[:n])

    def classes(self, n: int) -> Case:
        """The rows of the first n classes."""
        train, test = self.y_train < n, self.y_test < n
        return replace(
            self,
            X_train=self.X_train[train],
            y_train=self.y_train[train],
            X_test=self.X_test[test],
            y_test=self.y_test[test],
        )

    def describe(self) -> dict[str, str | int | float]:
        """What belongs beside every number measured on this set."""
        X = self.X_train
        full = {"percent_full": 100 * X.nnz / (X.shape[0] * X.shape[1])} if issparse(X) else {}
        return {
            "source": self.source,
            "train_rows": len(self.y_train),
            "test_rows": len(self.y_test),
            "features": X.shape[1],
            **full,
            "classes": len(np.unique(self.y_train)),
            "kernel": self.kernel,
            "gamma": self.gamma,
            "C": self.C,
            "tol": TOL,
            "cache_mb": self.cache_mb,
        }


def load_case(name: str) -> Case:
    """Load a set and scale it.

    Parameters
    ----------
    name : str
        A key of `RECIPES`.

    Returns
    -------
    Case

    Raises
    ------
    DataError
        If it is neither in a folder of DAGMAR_DATA nor online.
    """
    recipe, data = RECIPES[name], DataSets().load(name)
    (X_train, y_train), (X_test, y_test) = data["train"], data["test"]
    return Case(
        name=name,
        source=data.source,
        X_train=X_train / recipe.divisor - recipe.shift,
        y_train=y_train,
        X_test=X_test / recipe.divisor - recipe.shift,
        y_test=y_test,
        gamma=recipe.gamma,
        C=recipe.C,
    )


def load_covertype(rows: int) -> Case:
    """All 581,012 rows of Covertype in a seeded order: the first to train on, the last to test.

    C is that of Platt et al. (NIPS 1999). Their gamma of 0.5 is for features of variance 1; features in [0, 1] vary less,
    and gamma 4 is about as good.

    Parameters
    ----------
    rows : int
        To train on. Features are scaled to [0, 1] by them.

    Returns
    -------
    Case

    Raises
    ------
    DataError
        If it is neither in a folder of DAGMAR_DATA nor online.
    """
    data = DataSets().load("covertype")
    order = np.random.default_rng(0).permutation(len(data))
    (X_train, y_train), (X_test, y_test) = data.take(order[:rows]), data.take(order[-COVERTYPE_TEST_ROWS:])
    scaler = MinMaxScaler().fit(X_train)
    return Case(
        name="covertype",
        source=data.source,
        X_train=scaler.transform(X_train),
        y_train=y_train,
        X_test=scaler.transform(X_test),
        y_test=y_test,
        gamma=4,
        C=10,
    )
