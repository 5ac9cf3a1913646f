"""From training data to folds and grids."""

import numpy as np
from sklearn.preprocessing import MinMaxScaler

from dagmar import SVCCV
from dagmar.tuning.combinations import Combination


def test_scalers_are_fitted_on_training_samples(three_blobs):
    """Each fold has its own; grids are made from all samples, scaled."""
    X, y = three_blobs
    search = SVCCV(cv=3)
    samples, learned = search._samples(X, y, None, None)
    assert learned.classes.tolist() == np.unique(y).tolist()
    combination = Combination("rbf", "minmax")
    seen = search._as_seen(samples, combination)
    for fold, scaler in zip(seen.folds, seen.scalers, strict=True):
        np.testing.assert_array_equal(scaler.data_max_, X[fold.train].max(axis=0))
    scaled = MinMaxScaler().fit_transform(X)
    scale = 1 / (X.shape[1] * scaled.var())
    np.testing.assert_allclose(search._grid(seen, combination).gammas, scale * 4.0 ** np.arange(-2, 3))
    assert search._as_seen(samples, Combination("rbf", None)) is samples
