"""Real data as it may come: scaled, raw, and far from the origin; and how two solutions of one pair compare."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from datasets import arrays
from scipy.spatial.distance import cdist
from sklearn.preprocessing import MinMaxScaler

from .duals import pairs

# Three classes of each set that are not easily separated.
CLASSES = {
    "letter": (3, 14, 16),
    "pendigits": (1, 2, 7),
    "usps": (3, 5, 8),
    "mnist": (3, 5, 8),
    "covertype": (0, 1, 4),
    "iris": (0, 1, 2),
    "wine": (0, 1, 2),
    "glass": (0, 1, 2),
    "vowel": (0, 1, 2),
    "vehicle": (0, 1, 2),
    "segment": (2, 3, 4),
}

# What is done to the features.
PLACES = {
    "scaled": lambda X: MinMaxScaler((-1, 1)).fit_transform(X),
    "raw": lambda X: X,
    "far": lambda X: MinMaxScaler((-1, 1)).fit_transform(X) + 1000.0,
}


@cache
def _three_classes(name, per_class):
    stored = arrays(name)
    X, y = (stored["X_train"], stored["y_train"]) if "X_train" in stored else (stored["X"], stored["y"])
    chosen = np.concatenate([np.flatnonzero(y == c)[:per_class] for c in CLASSES[name]])
    return X[chosen].astype(np.float64), np.searchsorted(CLASSES[name], y[chosen])


def three_classes(name, place, per_class):
    """At most `per_class` samples of each of three classes of a real set, numbered 0, 1, 2."""
    X, y = _three_classes(name, per_class)
    return PLACES[place](X), y


def rbf(X, gamma):
    """The kernel matrix, from differences: the dot product of far samples would drown them."""
    return np.exp(-gamma * cdist(X, X, "sqeuclidean"))


@dataclass(frozen=True)
class Answer:
    """A solution of one pair, and all that can be said of it, in double precision from the kernel matrix.

    With signs s, coefficients c = s alpha and scores v = s - K c, `top` is the largest score of a sample whose c may
    grow, `bottom` the smallest of one whose c may shrink. `noise` is what rounding may do to a score.
    """

    coef: np.ndarray
    score: np.ndarray
    objective: float
    top: float
    bottom: float
    noise: float

    @property
    def gap(self):
        """How far from optimal."""
        return self.top - self.bottom

    def may_be_behind(self, other):
        """How much lower the objective of any other feasible answer may be, given the gap of this one.

        By convexity f(a) - f(b) <= grad f(a) (a - b) = sum (v_k - m) (b_k - a_k), if both sum to zero. With m in the
        middle of top and bottom, a score above top belongs to a sample whose c is as large as it may be, and its
        term is not positive; a score below bottom likewise; every other is at most half a gap away from m.
        """
        middle = (self.top + self.bottom) / 2
        apart = np.abs(self.coef - other.coef).sum()
        unbalanced = abs(middle * (self.coef.sum() - other.coef.sum()))
        return (
            max(0.0, self.gap / 2) * apart
            + unbalanced
            + (self.noise + other.noise) * (apart + np.abs(other.coef).sum())
        )


def answers(K, y, C, model):
    """The answer of a model with the attributes of `sklearn.svm.SVC` on each pair; asserts that it is feasible."""
    for pair, samples, coef in pairs(model):
        rows = np.flatnonzero(np.isin(y, pair))
        sign = np.where(y[rows] == pair[0], 1.0, -1.0)
        c = np.zeros(len(rows))
        c[np.searchsorted(rows, samples)] = coef
        alpha = sign * c
        assert alpha.min() >= 0
        assert alpha.max() <= C
        values = K[np.ix_(rows, rows)] @ c
        score = sign - values
        grows, shrinks = np.where(sign > 0, (alpha < C, alpha > 0), (alpha > 0, alpha < C))
        yield Answer(
            coef=c,
            score=score,
            objective=0.5 * c @ values - alpha.sum(),
            top=score[grows].max(initial=-np.inf),
            bottom=score[shrinks].min(initial=np.inf),
            noise=np.finfo(float).eps * (1 + alpha.sum()),
        )
