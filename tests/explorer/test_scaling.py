"""Steps of a pipeline as operations."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from dagmar.explorer.packing import unpacked
from dagmar.explorer.scaling import page_steps
from dagmar.tuning import FeatureWeights


def computed(steps, X):
    """What the operations give, in NumPy."""
    for step in steps:
        for name, said in step.items():
            if name == "clip":
                X = np.clip(X, *said)
            elif name == "fill":
                missing = np.isnan(X) if step["missing"] is None else step["missing"] == X
                X = np.where(missing, unpacked(said), X)[:, unpacked(step["keep"])]
            elif name in ("subtract", "divide", "multiply", "add"):
                X = getattr(np, name)(X, unpacked(said))
    return X


SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(),
    MinMaxScaler(feature_range=(-1, 2), clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    FeatureWeights([3.0, 1.0, 0.0, 0.2]),
    SimpleImputer(strategy="median"),
    SimpleImputer(missing_values=0.0, strategy="most_frequent"),
]


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
def test_operations_give_what_the_transformer_gives(scaler, rng):
    """Every transformer that a model file can hold is computed to the last bits, also outside of the training range."""
    X = rng.normal(3.0, 2.0, (50, 4)) * [1.0, 10.0, 1e-3, 0.0]
    if isinstance(scaler, SimpleImputer):
        X[rng.random(X.shape) < 0.2] = scaler.missing_values
        X[0] = 1.0
    step = scaler.fit(X)
    Y = 1.5 * X
    np.testing.assert_allclose(computed(page_steps([("step", step)]), Y), step.transform(Y), rtol=1e-15, atol=1e-15)


def test_features_without_values_are_left_out():
    """A column that was always missing at the fit is dropped, as scikit-learn does."""
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    step = SimpleImputer().fit(X)
    with pytest.warns(UserWarning, match="without any observed values"):
        expected = step.transform(X)
    assert np.array_equal(computed(page_steps([("step", step)]), X), expected)


def test_steps_that_do_nothing_are_skipped():
    """Passthrough and None are no operations."""
    assert page_steps([("a", "passthrough"), ("b", None)]) == []


@pytest.mark.parametrize("step", [PCA(1), SimpleImputer(add_indicator=True)], ids=str)
def test_other_steps_are_not_for_the_page(step):
    """What the page cannot compute is said so."""
    X = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 0.5]])
    assert page_steps([("step", step.fit(X))]) is None
