"""Transformers as operators, against the transformers of scikit-learn."""

import numpy as np
import pytest
from onnx_running import run_graph
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, PowerTransformer, RobustScaler, StandardScaler

from dagmar.exports.graph import Graph
from dagmar.exports.transformers import STEPS, add_step
from dagmar.tuning import FeatureWeights, Ranks

X = np.random.default_rng(0).normal(5.0, 3.0, size=(30, 4))
X[:, 2] = 7.0  # a constant feature
BEYOND = np.vstack([X[:3], X.max(axis=0) + 2.0, X.min(axis=0) - 9.0])

SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(feature_range=(-1, 2)),
    MinMaxScaler(clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False),
    RobustScaler(with_scaling=False),
    FeatureWeights([3.0, 1.0, 0.0, 0.2]),
]


OTHERS = [PowerTransformer(), PowerTransformer(standardize=False), Ranks()]


def transformed(step, X, dtype=np.float64):
    graph = Graph(dtype)
    graph.name(add_step(graph, "step", step, "X"), "out")
    return run_graph(graph, X, out=dtype)[0]


@pytest.mark.parametrize("scaler", SCALERS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scalers(scaler, dtype):
    """The output is scikit-learn's, also outside of the range of the fit; to the bit in float64."""
    expected = scaler.fit(X).transform(BEYOND)
    out = transformed(scaler, BEYOND, dtype)
    assert out.dtype == dtype
    if dtype == np.float64:
        np.testing.assert_array_equal(out, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("step", OTHERS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_and_ranks(step, dtype):
    """The output is that of the transformer, also where a training value is on a threshold; ranks to the bit."""
    data = np.vstack([X - 4.0, BEYOND - 4.0]).astype(dtype)
    expected = step.fit((X - 4.0).astype(dtype)).transform(data)
    out = transformed(step, data, dtype)
    if isinstance(step, Ranks):
        on = np.clip(step.thresholds_[::9], -1e30, 1e30).astype(dtype)
        np.testing.assert_array_equal(transformed(step, on, dtype), step.transform(on))
        np.testing.assert_array_equal(out, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)


@pytest.mark.skipif("clip" not in MaxAbsScaler().get_params(), reason="MaxAbsScaler has no clip here")
def test_max_abs_with_clip():
    scaler = MaxAbsScaler(clip=True).fit(X)
    np.testing.assert_array_equal(transformed(scaler, BEYOND), scaler.transform(BEYOND))


@pytest.mark.parametrize(
    "imputer",
    [
        SimpleImputer(),
        SimpleImputer(strategy="median", missing_values=-1),
        SimpleImputer(strategy="constant", fill_value=2.5),
    ],
    ids=repr,
)
def test_imputers(imputer):
    """Missing values are filled in, whatever marks them."""
    rng = np.random.default_rng(1)
    mark = imputer.missing_values
    train, test = (np.where(rng.random(part.shape) < 0.3, mark, part) for part in (X, BEYOND))
    np.testing.assert_array_equal(transformed(imputer.fit(train), test), imputer.transform(test))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.filterwarnings("ignore:Skipping features")
def test_a_feature_that_was_always_missing(keep):
    """It is left out, as by scikit-learn, or kept as 0."""
    empty = X.copy()
    empty[:, 1] = np.nan
    imputer = SimpleImputer(keep_empty_features=keep).fit(empty)
    out = transformed(imputer, BEYOND)
    assert out.shape[1] == (4 if keep else 3)
    np.testing.assert_array_equal(out, imputer.transform(BEYOND))


def test_passthrough_adds_nothing():
    graph = Graph(np.float64)
    assert add_step(graph, "a", "passthrough", "X") == add_step(graph, "b", None, "X") == "X"


def test_other_steps_are_refused_by_name():
    """So are an indicator of missing values, texts that are filled in, and what is not fitted."""
    graph = Graph(np.float64)
    with pytest.raises(ValueError, match="the step 'norm' is a Normalizer; only StandardScaler, "):
        add_step(graph, "norm", Normalizer(), "X")
    with pytest.raises(ValueError, match="add_indicator"):
        add_step(graph, "imputer", SimpleImputer(add_indicator=True).fit(X), "X")
    texts = np.array([["a"], ["b"], [np.nan]], dtype=object)
    with pytest.raises(ValueError, match="only if it fills in numbers"):
        add_step(graph, "imputer", SimpleImputer(strategy="most_frequent").fit(texts), "X")
    for class_ in STEPS:
        with pytest.raises(NotFittedError):
            add_step(graph, "step", class_(), "X")
