"""ONNX models: the labels of every structure, types of labels, pipelines, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from datasets import arrays, subset
from helpers import blobs, letter_like
from onnx_running import onnxruntime, outputs_of, run, with_values
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import dagmar
from dagmar.structures import STRUCTURES

X, y = letter_like(0, 7, 30)
T = letter_like(1, 7, 40)[0]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("dtype", ["float64", np.float32])
def test_labels_of_every_structure(structure, dtype):
    """The output "label" is `predict`, the output "probabilities" is `predict_proba`, for any number of samples."""
    clf = dagmar.SVC(C=10, gamma=0.5, structure=structure, probability=True, precision="double").fit(X, y)
    model = dagmar.to_onnx(clf, dtype=dtype)
    labels, probabilities = run(model, T)
    np.testing.assert_array_equal(labels, clf.predict(T))
    assert labels.dtype == np.int64
    atol = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(probabilities, clf.predict_proba(T), rtol=0, atol=atol)
    assert probabilities.dtype == np.dtype(dtype)
    for n in (0, 1):
        assert [len(out) for out in run(model, T[:n])] == [n, n]


SETS = {
    "letter": (2.5, 10, lambda X: X / 7.5 - 1),
    "pendigits": (1.0, 10, lambda X: X / 50 - 1),
    "usps": (0.0195, 100, lambda X: X),
    "vowel": (0.5, 10, lambda X: X / 3),
}


@pytest.mark.parametrize("name", SETS)
def test_labels_on_real_data(name):
    """A part of each set, with structures of each kind of plan."""
    gamma, C, _ = SETS[name]
    X, y = subset(name, 900)
    for structure in ("ddag", "adaptive_ddag", "one_vs_rest"):
        clf = dagmar.SVC(C=C, gamma=gamma, structure=structure).fit(X[:500], y[:500])
        np.testing.assert_array_equal(run(dagmar.to_onnx(clf), X[500:])[0], clf.predict(X[500:]))


@pytest.mark.slow
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("name", SETS)
def test_labels_on_every_test_row(name, structure):
    """In float64 all labels are equal; in float32 all but those with a value closer to zero than its rounding."""
    gamma, C, scaled = SETS[name]
    stored = arrays(name)
    X, T = (scaled(stored[part].astype(float)) for part in ("X_train", "X_test"))
    clf = dagmar.SVC(C=C, gamma=gamma, structure=structure).fit(X, stored["y_train"])
    labels = clf.predict(T)
    found, values = map(np.concatenate, zip(*in_parts(dagmar.to_onnx(clf), T), strict=True))
    np.testing.assert_array_equal(found, labels)
    single, rounded = map(np.concatenate, zip(*in_parts(dagmar.to_onnx(clf, dtype="float32"), T), strict=True))
    rounding = np.abs(rounded - values).max()
    assert rounding < 1e-3
    if structure == "one_vs_rest":
        best = np.sort(values, axis=1)
        margin = best[:, -1] - best[:, -2]
    else:
        margin = np.abs(values).min(axis=1)
    assert (margin[single != labels] <= 2 * rounding).all()


def in_parts(model, T):
    """Labels and values, for some samples at a time."""
    model = with_values(model)
    return [outputs_of(model, T[first : first + 500], ["label", "values"]) for first in range(0, len(T), 500)]


def test_ties_are_broken_where_the_model_breaks_them():
    """With classes that overlap, some labels differ between the two rules, and each is exported as it is."""
    X, y = blobs(3, 6, 15, 2, spread=4.0)
    far = 10 * np.random.default_rng(0).normal(size=(400, 2))
    clf = dagmar.SVC(C=10, gamma=0.3, structure="max_wins", precision="double").fit(X, y)
    broken = dagmar.SVC(**{**clf.get_params(), "break_ties": True}).fit(X, y)
    assert (clf.predict(far) != broken.predict(far)).any()
    for model in (clf, broken, clf.restructure("and_gate")):
        np.testing.assert_array_equal(run(dagmar.to_onnx(model), far)[0], model.predict(far))


def test_one_vs_rest_differs_only_where_values_are_equal():
    """Classes that no plane separates from the rest have the value -1 everywhere, so that rounding chooses between them."""
    rng = np.random.default_rng(32)
    X, y = rng.normal(size=(60, 1)), np.arange(60) % 6
    far = 4 * rng.normal(size=(200, 1))
    clf = dagmar.SVC(kernel="linear", structure="one_vs_rest", C=10).fit(X, y)
    found, labels = run(dagmar.to_onnx(clf), far)[0], clf.predict(far)
    best = np.sort(clf.pair_decisions(far), axis=1)
    tied = best[:, -1] - best[:, -2] < 1e-9
    assert tied.any()
    np.testing.assert_array_equal(found[~tied], labels[~tied])
    values = clf.pair_decisions(far)[np.arange(200), found]
    np.testing.assert_allclose(values[tied], best[tied, -1], rtol=0, atol=1e-9)


LABELS = {
    "texts": np.array(["a", "ü", "long text", "d", "e", "f", "g"]),
    "objects": np.array(list("abcdefg"), dtype=object),
    "small numbers": np.arange(7, dtype=np.int8) - 3,
    "unsigned": np.arange(7, dtype=np.uint32) + 4,
    "floats": np.arange(7) / 2,
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_types_of_labels(labels):
    """Texts are texts, whole numbers are int64, floats are double; scikit-learn takes only whole floats as labels."""
    labels = labels if labels.dtype.kind != "f" else 2 * labels
    clf = dagmar.SVC(gamma=0.5, structure="ddag").fit(X, labels[y])
    (found,) = run(dagmar.to_onnx(clf), T)
    assert found.dtype == {"U": object, "O": object, "f": np.float64}.get(labels.dtype.kind, np.int64)
    assert found.tolist() == clf.predict(T).tolist()


def test_truth_values_as_labels():
    """With two classes, and a structure that has one machine."""
    clf = dagmar.SVC(gamma=0.5, structure="ddag", probability=True).fit(X, y > 3)
    labels, probabilities = run(dagmar.to_onnx(clf), T)
    assert labels.dtype == bool
    np.testing.assert_array_equal(labels, clf.predict(T))
    np.testing.assert_allclose(probabilities, clf.predict_proba(T), atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pipelines(dtype):
    """Missing values and unscaled features go in; the names of the columns are in the model."""
    rng = np.random.default_rng(0)
    unscaled = 1000.0 * X + 5000.0
    frame = pd.DataFrame(np.where(rng.random(X.shape) < 0.1, np.nan, unscaled), columns=[f"f{k}" for k in range(16)])
    clf = dagmar.SVC(C=10, structure="adaptive_ddag", precision="double")
    steps = [SimpleImputer(), StandardScaler(), "passthrough", MinMaxScaler(clip=True), clf]
    pipeline = make_pipeline(*steps).fit(frame, y)
    model = dagmar.to_onnx(pipeline, dtype=dtype)
    np.testing.assert_array_equal(run(model, frame.to_numpy())[0], pipeline.predict(frame))
    facts = {fact.key: fact.value for fact in model.metadata_props}
    assert json.loads(facts["feature_names"]) == list(frame.columns)
    assert json.loads(facts["classes"]) == list(range(7))
    assert model.producer_name == "dagmar"


def test_sparse_precomputed_and_searched_models():
    """A model of sparse samples takes dense ones; one of a kernel matrix takes kernel rows; a search gives its best."""
    sparse = dagmar.SVC(gamma=0.5, structure="bracket").fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(run(dagmar.to_onnx(sparse), T)[0], sparse.predict(T))
    matrix = dagmar.SVC(kernel="precomputed", structure="ddag").fit(X @ X.T, y)
    np.testing.assert_array_equal(run(dagmar.to_onnx(matrix), T @ X.T)[0], matrix.predict(T @ X.T))
    search = dagmar.SVCCV([1.0, 10.0], [0.1, 0.5], cv=2, structure="ddag").fit(X, y)
    np.testing.assert_array_equal(run(dagmar.to_onnx(search), T)[0], search.predict(T))


def test_what_onnx_cannot_express_is_refused():
    """Each refusal says why."""
    fitted = dagmar.SVC(gamma=0.5, structure="ddag").fit(X, y)
    with pytest.raises(ValueError, match="dtype must be 'float64' or 'float32', not 'int32'"):
        dagmar.to_onnx(fitted, dtype="int32")
    with pytest.raises(ValueError, match="dtype must be"):
        dagmar.to_onnx(fitted, dtype="no type")
    with pytest.raises(ValueError, match="a function cannot be exported to ONNX"):
        dagmar.to_onnx(dagmar.SVC(kernel=lambda a, b: a @ b.T, structure="ddag").fit(X, y))
    with pytest.raises(ValueError, match="the step 'normalizer' is a Normalizer"):
        dagmar.to_onnx(make_pipeline(Normalizer(), dagmar.SVC(structure="ddag")).fit(X, y))
    with pytest.raises(ValueError, match=r"labels of type uint64 .* below 2\*\*63"):
        dagmar.to_onnx(dagmar.SVC(structure="ddag").fit(X, y.astype(np.uint64) + np.uint64(2**63)))
    with pytest.raises(TypeError, match="a StandardScaler cannot be exported"):
        dagmar.to_onnx(StandardScaler().fit(X))
    with pytest.raises(NotFittedError):
        dagmar.to_onnx(dagmar.SVC())


def test_the_scaler_of_a_search_goes_in():
    """The graph of a search with a scaler takes samples as its predict does."""
    X, y = blobs(3, 3, 20, 4, spread=2.0)
    search = dagmar.SVCCV([1.0], [0.1], cv=2, scaler=StandardScaler()).fit(X, y)
    np.testing.assert_array_equal(run(dagmar.to_onnx(search), X)[0], search.predict(X))


@pytest.mark.parametrize("form", [str, Path])
@pytest.mark.parametrize("dtype", ["float64", np.float32])
def test_a_path_is_written_as_well(tmp_path, three_blobs, form, dtype):
    """The file has the model that is returned, and replaces an older one; dtype is given by name only."""
    X, y = three_blobs
    clf, path = dagmar.SVC().fit(X, y), tmp_path / "model.onnx"
    path.write_bytes(b"older")
    made = dagmar.to_onnx(clf, form(path), dtype=dtype)
    assert path.read_bytes() == made.SerializeToString() == dagmar.to_onnx(clf, dtype=dtype).SerializeToString()
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
    session = onnxruntime.InferenceSession(path)
    np.testing.assert_array_equal(session.run(["label"], {"X": X.astype(dtype)})[0], clf.predict(X))
    with pytest.raises(TypeError, match="positional"):
        dagmar.to_onnx(clf, path, "float32")
    with pytest.raises(TypeError):
        dagmar.to_onnx(clf, np.float32)
    with pytest.raises(FileNotFoundError):
        dagmar.to_onnx(clf, tmp_path / "none" / "model.onnx")


def test_a_model_that_cannot_be_exported_leaves_the_file(tmp_path, three_blobs):
    """An error comes before anything is written."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"older")
    with pytest.raises(ValueError, match="a function cannot be exported"):
        dagmar.to_onnx(dagmar.SVC(kernel=lambda a, b: a @ b.T).fit(*three_blobs), path)
    assert path.read_bytes() == b"older"


@pytest.mark.parametrize("scaler", ["ranks", "power", "minmax", "robust"])
def test_searches_with_scalers_and_weights(scaler):
    """The best estimator of a search is a pipeline that can be exported, with the same labels."""
    fixed = {"Cs": [4.0], "gammas": [0.1], "cv": 2, "kernel": "laplacian", "precision": "double"}
    search = dagmar.SVCCV(**fixed, scaler=scaler, feature_weights="learned").fit(X, y)
    for dtype in ("float64", "float32"):
        samples = T.astype(dtype)
        np.testing.assert_array_equal(
            run(dagmar.to_onnx(search.best_estimator_, dtype=dtype), samples)[0], search.predict(samples)
        )
