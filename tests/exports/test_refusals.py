"""Samples that `predict` refuses have no label in ONNX, and no probabilities."""

import warnings

import numpy as np
import pytest
from helpers import blobs
from onnx_running import run, run_graph
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import dagmar
from dagmar.exports.graph import Graph
from dagmar.exports.refusals import add_acceptable, add_labels
from dagmar.structures import STRUCTURES

X, y = blobs(4, 4, 12, 3, spread=2.0)
BAD = np.array([[np.nan, 0, 0], [0, np.inf, 0], [0, 0, -np.inf], [np.nan, np.inf, np.nan]])
NONE = -(2**63)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_and_values_must_be_finite(dtype):
    graph = Graph(dtype)
    values = graph.add("Mul", "X", graph.constant([2.0, 2.0]))
    found = add_acceptable(graph, "X", values)
    large = np.finfo(dtype).max
    rows = np.array([[1, -2], [np.nan, 0], [0, -np.inf], [large, 0], [large / 2, -large / 2]])
    (out,) = run_graph(graph, rows, **{found: np.bool_})
    np.testing.assert_array_equal(out[:, 0], [True, False, False, False, True])


@pytest.mark.parametrize(
    ("classes", "none"),
    [([5, 7], NONE), ([0.5, 2.0], np.nan), ([False, True], False), (np.array(["a", "b"], dtype=object), "")],
)
def test_every_type_of_labels_has_one_for_none(classes, none):
    graph = Graph(np.float64)
    classes = np.asarray(classes)
    largest = graph.add("ArgMax", "X", axis=1, keepdims=0)
    label = add_labels(graph, classes, largest, add_acceptable(graph, "X", "X"))
    (out,) = run_graph(graph, [[1.0, 0.0], [0.0, 1.0], [np.nan, 1.0]], **{label: classes.dtype})
    assert out[:2].tolist() == list(classes)
    np.testing.assert_equal(out[2], none)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "laplacian"])
def test_what_predict_refuses_has_no_label(structure, kernel):
    """Rows beside it are answered as always."""
    clf = dagmar.SVC(kernel=kernel, structure=structure, probability=True, max_iter=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # steps are limited, to be quick
        clf.fit(X, y)
    for dtype in ("float64", "float32"):
        labels, probabilities = run(dagmar.to_onnx(clf, dtype=dtype), np.vstack([BAD, X]))
        assert (labels[:4] == NONE).all()
        assert np.isnan(probabilities[:4]).all()
        np.testing.assert_array_equal(labels[4:], clf.predict(X))
        assert np.isfinite(probabilities[4:]).all()


def test_an_imputer_accepts_what_is_missing():
    """It fills NaN in. A scaler that clips does not make an infinite feature acceptable."""
    filled = make_pipeline(SimpleImputer(), StandardScaler(), dagmar.SVC()).fit(X, y)
    labels = run(dagmar.to_onnx(filled), BAD)[0]
    assert labels[0] == filled.predict(BAD[:1])[0]
    assert (labels[1:] == NONE).all()
    clipped = make_pipeline(MinMaxScaler(clip=True), dagmar.SVC()).fit(X, y)
    assert (run(dagmar.to_onnx(clipped), BAD)[0] == NONE).all()


def test_a_precomputed_kernel_may_have_no_bad_value_at_all():
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    rows = X @ X.T
    unused = np.setdiff1d(np.arange(len(X)), clf.support_)[0]
    rows[0, unused] = np.nan
    labels = run(dagmar.to_onnx(clf), rows)[0]
    assert labels[0] == NONE
    np.testing.assert_array_equal(labels[1:], clf.predict(rows[1:]))


def test_negative_values_have_no_label():
    """A chi-squared kernel is not defined for them, and `predict` refuses them."""
    clf = dagmar.SVC(kernel="chi2").fit(np.abs(X), y)
    for dtype in ("float64", "float32"):
        (labels,) = run(dagmar.to_onnx(clf, dtype=dtype), np.vstack([-np.abs(X[:1]) - 1, np.abs(X)]))
        assert labels[0] == NONE
        np.testing.assert_array_equal(labels[1:], clf.predict(np.abs(X)))
