"""Transformers of pipelines in model files."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from dagmar import SVC, ModelFileError
from dagmar.files.transformers import read_step, write_step
from dagmar.tuning import FeatureWeights, Ranks


def there_and_back(step):
    arrays = {}
    said = json.loads(json.dumps(write_step("s", step, "steps.0", arrays), allow_nan=False))
    name, back = read_step(said, "steps.0", arrays)
    assert name == "s"
    return back


STEPS = [
    StandardScaler(), StandardScaler(with_mean=False), StandardScaler(with_std=False), MinMaxScaler(),
    MinMaxScaler(feature_range=(-1, 2), clip=True), MaxAbsScaler(), RobustScaler(), RobustScaler(with_centering=False),
    RobustScaler(quantile_range=(10.0, 80.0), unit_variance=True), SimpleImputer(), SimpleImputer(strategy="median"),
    SimpleImputer(strategy="most_frequent", missing_values=-1), SimpleImputer(strategy="constant", fill_value=7.5),
    SimpleImputer(keep_empty_features=True), PowerTransformer(), PowerTransformer(standardize=False), Ranks(),
]  # fmt: skip


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_transformers_come_back(step, frame, rng):
    """They transform to the same bits, keep their parameters and the names of the columns."""
    X = rng.normal(3.0, 2.0, size=(30, 4))
    X[:, 2] = 5.0  # a constant feature
    T = rng.normal(size=(10, 4))
    if isinstance(step, SimpleImputer):
        T[3, 1] = X[4, 1] = step.missing_values
    if frame:
        X, T = (pd.DataFrame(part, columns=list("abcd")) for part in (X, T))
    back = there_and_back(step.fit(X))
    np.testing.assert_array_equal(np.asarray(back.transform(T)), np.asarray(step.transform(T)))
    assert repr(back) == repr(step)
    assert back.n_features_in_ == 4
    assert getattr(back, "n_samples_seen_", None) == getattr(step, "n_samples_seen_", None)
    if frame:
        assert back.get_feature_names_out().tolist() == step.get_feature_names_out().tolist()


def test_single_precision_stays(rng):
    """Samples in float32 are transformed in float32."""
    X = rng.normal(size=(30, 4)).astype(np.float32)
    for step in (StandardScaler(), MinMaxScaler(), SimpleImputer()):
        back = there_and_back(step.fit(X))
        assert back.transform(X).dtype == step.transform(X).dtype == np.float32
        np.testing.assert_array_equal(back.transform(X), step.transform(X))


@pytest.mark.parametrize("frame", [False, True])
def test_feature_weights_come_back(three_blobs, frame):
    """The weights themselves, to the bit; how they were learned is not in the file."""
    X, y = three_blobs
    X = pd.DataFrame(X, columns=["a", "b"]) if frame else X
    step = FeatureWeights(svc=SVC(C=3.0), power=0.7).fit(X, y)
    back = there_and_back(step)
    np.testing.assert_array_equal(back.feature_weights_, step.feature_weights_)
    np.testing.assert_array_equal(back.transform(X), step.transform(X))
    assert back.svc is None
    np.testing.assert_array_equal(back.weights, step.feature_weights_)
    assert getattr(back, "feature_names_in_", np.array([])).tolist() == (["a", "b"] if frame else [])


@pytest.mark.parametrize("weights", [[1.0, -1.0], [0.0, 0.0], [np.nan, 1.0], [1.0], None])
def test_damaged_weights_are_refused(weights):
    arrays = {}
    said = write_step("s", FeatureWeights([2.0, 1.0]).fit(np.zeros((1, 2))), "steps.0", arrays)
    if weights is None:
        said["learned"]["feature_weights_"] = None
    else:
        arrays["steps.0.feature_weights_"] = np.array(weights)
    with pytest.raises(ModelFileError, match=r"steps\.0"):
        read_step(said, "steps.0", arrays)


def test_passthrough_comes_back():
    assert there_and_back("passthrough") == there_and_back(None) == "passthrough"


def test_other_transformers_are_named(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(ModelFileError, match="'s' is a QuantileTransformer; only StandardScaler"):
        write_step("s", QuantileTransformer(n_quantiles=5).fit(X), "steps.0", {})
    X[0, 0] = np.nan
    with pytest.raises(ModelFileError, match="add_indicator"):
        write_step("s", SimpleImputer(add_indicator=True).fit(X), "steps.0", {})
    texts = SimpleImputer(strategy="most_frequent").fit(np.array([["a"], ["b"], ["a"]], dtype=object))
    with pytest.raises(ModelFileError, match="not numbers"):
        write_step("s", texts, "steps.0", {})


def damaged(said, **changes):
    return {**said, **changes}


@pytest.mark.parametrize("changes", [
    {"class": "Pipeline"}, {"class": ["x"]}, {"name": 3}, {"parameters": {"evil": 1}}, {"parameters": {"with_mean": "x"}},
    {"n_features": -3}, {"n_features": 10**15}, {"n_features": "4"}, {"learned": {}}, {"learned": {"mean_": None}},
    {"names": {"type": "U1", "values": ["a"]}}, {"learned": {"mean_": [1.0], "scale_": None, "var_": None}},
])  # fmt: skip
def test_damaged_steps_are_refused(changes, rng):
    arrays = {}
    said = write_step("s", StandardScaler().fit(rng.normal(size=(9, 4))), "steps.0", arrays)
    with pytest.raises(ModelFileError, match=r"steps\.0"):
        read_step(damaged(said, **changes), "steps.0", arrays)


def test_what_the_parameters_need_must_be_there(rng):
    arrays = {}
    said = write_step("s", StandardScaler().fit(rng.normal(size=(9, 4))), "steps.0", arrays)
    with pytest.raises(ModelFileError, match=r"steps\.0\.scale_: must be there"):
        read_step({**said, "learned": {**said["learned"], "scale_": None}}, "steps.0", arrays)


def test_a_step_must_be_an_object():
    with pytest.raises(ModelFileError, match="must be a step"):
        read_step([], "steps.0", {})


def test_damaged_powers_and_ranks_are_refused(rng):
    """A scaler that the parameters exclude, and thresholds that do not ascend."""
    X, arrays = rng.normal(size=(10, 2)), {}
    said = write_step("s", PowerTransformer().fit(X), "steps.0", arrays)
    said["parameters"]["standardize"] = False
    with pytest.raises(ModelFileError, match="must not be there with these parameters"):
        read_step(said, "steps.0", arrays)
    said = write_step("s", Ranks().fit(X), "steps.0", arrays)
    arrays["steps.0.thresholds_"] = arrays["steps.0.thresholds_"][::-1]
    with pytest.raises(ModelFileError, match="must be ascending"):
        read_step(said, "steps.0", arrays)
