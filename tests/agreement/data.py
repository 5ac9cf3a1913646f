"""The data sets and kernels of these tests, scaled, with sensible parameters."""

import numpy as np
import pytest
from datasets import arrays
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler

from .duals import Task

KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly"},
    "poly with constant": {"kernel": "poly", "coef0": 1.0, "degree": 2},
    "rbf": {"kernel": "rbf"},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.02},
}
every_kernel = pytest.mark.parametrize("parameters", KERNELS.values(), ids=KERNELS)


def _scaled(X):
    return MinMaxScaler((-1, 1)).fit_transform(X)


def iris(**parameters):
    X, y = load_iris(return_X_y=True)
    return Task(_scaled(X), y, _scaled(X), **{"C": 10.0, "gamma": 0.5, **parameters})


def wine(**parameters):
    X, y = load_wine(return_X_y=True)
    return Task(_scaled(X), y, _scaled(X), **{"C": 10.0, "gamma": 0.1, **parameters})


def digits(**parameters):
    X, y = load_digits(return_X_y=True)
    X = X / 8 - 1
    return Task(X[:700], y[:700], X[700:], **{"C": 10.0, "gamma": 0.02, **parameters})


def glass():
    stored = arrays("glass")
    X = _scaled(stored["X"])
    return Task(X, stored["y"].astype(int), X, C=100.0, gamma=1.0)


def _split(name, scale, **parameters):
    stored = arrays(name)
    X, X_test = (scale(stored[part].astype(np.float64)) for part in ("X_train", "X_test"))
    return Task(X, stored["y_train"].astype(int), X_test, **parameters)


def vowel():
    scale = MinMaxScaler((-1, 1)).fit(arrays("vowel")["X_train"])
    return _split("vowel", scale.transform, C=10.0, gamma=1.0)


def letter():
    return _split("letter", lambda X: X / 7.5 - 1, C=10.0, gamma=2.5)


def pendigits():
    return _split("pendigits", lambda X: X / 50 - 1, C=10.0, gamma=1.0)


def usps():
    return _split("usps", lambda X: X, C=100.0, gamma=0.0195)
