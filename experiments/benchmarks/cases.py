"""The data sets, scaled, with the parameters at which they are compared."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.preprocessing import MinMaxScaler

Samples = NDArray[np.float64] | csr_matrix

TOL = 1e-3
COVERTYPE_TEST_ROWS = 20_000
CACHE_MB = 200  # the default of scikit-learn and of dagmar, given to everyone


@dataclass(frozen=True)
class Recipe:
    """Where a set comes from and how it is used; features become ``x / divisor - shift``."""

    gamma: float
    C: float
    divisor: float
    shift: float
    openml_id: int
    n_train: int  # the official split: first rows train, the rest test


RECIPES = {
    "letter": Recipe(gamma=2.5, C=10, divisor=7.5, shift=1, openml_id=6, n_train=16000),
    "pendigits": Recipe(gamma=1, C=10, divisor=50, shift=1, openml_id=32, n_train=7494),
    "usps": Recipe(gamma=0.0195, C=100, divisor=1, shift=0, openml_id=41082, n_train=7291),
    "mnist": Recipe(gamma=0.02, C=10, divisor=255, shift=0, openml_id=554, n_train=60000),
}


class DataMissingError(RuntimeError):
    """The data can be had neither from a folder nor from OpenML."""


@dataclass(frozen=True)
class Case:
    """One data set, ready to run: features scaled, in float64, row-major.

    Attributes
    ----------
    name : str
    source : {"DAGMAR_DATA", "OpenML", "scikit-learn", "a seed"}
        USPS is not the same numbers in both: OpenML has LIBSVM's version of the images.
    X_train, X_test : ndarray or csr_matrix of shape (n_samples, n_features), float64
    y_train, y_test : ndarray of shape (n_samples,), int
    gamma, C : float
    kernel : {"rbf", "linear"}
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
    """Read a set from the folder DAGMAR_DATA, or else from OpenML, and scale it.

    Parameters
    ----------
    name : str
        A key of `RECIPES`.

    Returns
    -------
    Case

    Raises
    ------
    DataMissingError
        If it is in neither place.
    """
    recipe = RECIPES[name]
    folder = os.environ.get("DAGMAR_DATA")
    file = Path(folder) / f"{name}.npz" if folder else None
    if file is not None and file.is_file():
        source, parts = "DAGMAR_DATA", _from_file(file)
    else:
        source, parts = "OpenML", _from_openml(name, recipe)
    X_train, y_train, X_test, y_test = parts
    return Case(
        name=name,
        source=source,
        X_train=_scaled(X_train, recipe),
        y_train=y_train.astype(np.int64),
        X_test=_scaled(X_test, recipe),
        y_test=y_test.astype(np.int64),
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
    DataMissingError
        If it is neither in the folder DAGMAR_DATA nor to be had from scikit-learn.
    """
    folder = os.environ.get("DAGMAR_DATA")
    file = Path(folder) / "covertype.npz" if folder else None
    if file is not None and file.is_file():
        source = "DAGMAR_DATA"
        with np.load(file) as arrays:
            X, y = (np.concatenate([arrays[f"{a}_{part}"] for part in ("train", "val", "test")]) for a in "Xy")
    else:
        from sklearn.datasets import fetch_covtype

        try:
            source, (X, y) = "scikit-learn", fetch_covtype(return_X_y=True)
        except OSError as error:
            raise DataMissingError(
                "No data for 'covertype': set the environment variable DAGMAR_DATA to a folder that has covertype.npz, or "
                f"go online for scikit-learn's copy, which failed with: {error}"
            ) from error
        y = y - 1
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:rows], order[-COVERTYPE_TEST_ROWS:]
    scaler = MinMaxScaler().fit(X[train])
    return Case(
        name="covertype",
        source=source,
        X_train=scaler.transform(X[train]),
        y_train=y[train].astype(np.int64),
        X_test=scaler.transform(X[test]),
        y_test=y[test].astype(np.int64),
        gamma=4,
        C=10,
    )


def _from_file(file: Path) -> list[NDArray]:
    with np.load(file) as arrays:
        return [arrays[key] for key in ("X_train", "y_train", "X_test", "y_test")]


def _from_openml(name: str, recipe: Recipe) -> list[NDArray]:
    from sklearn.datasets import fetch_openml

    try:
        # This parser alone does without pandas.
        bunch = fetch_openml(data_id=recipe.openml_id, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:  # urllib's errors are of the first kind, OpenML's own of the second
        raise DataMissingError(
            f"No data for {name!r}: set the environment variable DAGMAR_DATA to a folder that has {name}.npz (arrays "
            f"X_train, y_train, X_test, y_test), or go online for OpenML, which failed with: {error}"
        ) from error
    y = np.asarray(bunch.target)
    if all(str(label).isdigit() for label in np.unique(y)):
        y = y.astype(np.int64)  # so that "10" comes after "9"
    y = np.unique(y, return_inverse=True)[1]
    n = recipe.n_train
    return [bunch.data[:n], y[:n], bunch.data[n:], y[n:]]


def _scaled(X: NDArray, recipe: Recipe) -> NDArray[np.float64]:
    return np.ascontiguousarray(X.astype(np.float64) / recipe.divisor - recipe.shift)
