"""`dagmar.to_onnx`: a fitted model as an ONNX graph, in a file if wanted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from ..base.typing import Labels
from ..base.versions import running_version
from ..base.writing import write_whole
from ..estimators.svc import SVC
from ..interop.outgoing import steps_of
from ..machines.bank import Bank
from ..structures.plans import KnockoutPlan
from ..tuning.svccv import SVCCV
from .decisions import add_decisions, add_tie_breaking
from .graph import Graph
from .probabilities import add_probabilities
from .refusals import add_acceptable, add_labels
from .transformers import add_step
from .values import add_values

if TYPE_CHECKING:
    from onnx import ModelProto

TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def to_onnx(
    model: SVC | SVCCV | Pipeline, path: str | os.PathLike[str] | None = None, *, dtype: DTypeLike = "float64"
) -> ModelProto:
    """Make an ONNX model that gives the labels of a fitted model, for any structure.

    The graph has standard operators only (opset 17). It computes the values of all machines and follows the plan of the
    structure. A graph cannot raise an error. Samples that `predict` refuses, because a feature is NaN or infinite or a value
    overflows, get NaN as probabilities and a label that no class has: "" among texts, -2**63 among whole numbers, NaN among
    floats. (Among truth values it is False.)

    Parameters
    ----------
    model : SVC, SVCCV or Pipeline
        A fitted model with any kernel but a callable. Of an `SVCCV`, the best estimator is used. A `Pipeline` ends with one of
        these; its other steps may be `StandardScaler`, `MinMaxScaler`, `MaxAbsScaler`, `RobustScaler`, `SimpleImputer`,
        `dagmar.tuning.FeatureWeights` and "passthrough".
    path : str or path, optional
        The file to write the model to. It is written aside and renamed: an older one is replaced as a whole.
    dtype : {"float64", "float32"} or dtype, default="float64"
        Type of samples and values. With float64 labels are the same, unless a value that decides is within rounding of 0 (with
        "one_vs_rest", unless the two largest values are equal but for rounding). With float32 the model has half the size, and
        rounding is larger.

    Returns
    -------
    onnx.ModelProto
        It has the input "X", of shape (n_samples, n_features) with any number of samples; the output "label", of type int64,
        string, double or bool; and, if the model has probabilities, the output "probabilities", of shape (n_samples,
        n_classes). With a precomputed kernel, "X" has the kernel values against all training samples. A model trained on
        sparse samples takes dense ones here.

    Raises
    ------
    ImportError
        If `onnx` is not installed: ``pip install "dagmar[onnx]"``.
    TypeError
        If the model is not one of those above.
    ValueError
        If ONNX cannot express the model: a callable kernel, other transformers, labels that are not str, int, float or bool,
        or more than 2 GiB.
    OSError
        If the file cannot be written. An older file of that name is then unchanged.

    See Also
    --------
    save : A file for dagmar, with everything.
    to_libsvm : A file for LIBSVM.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = dagmar.to_onnx(dagmar.SVC(C=10, structure="ddag").fit(X, y))
    >>> [tensor.name for tensor in (*model.graph.input, *model.graph.output)]
    ['X', 'label']

    ``dagmar.to_onnx(clf, "iris.onnx")`` also writes the file. Run it with onnxruntime:

    >>> import onnxruntime
    >>> session = onnxruntime.InferenceSession(model.SerializeToString())
    >>> session.run(["label"], {"X": X[:2]})[0].tolist()
    [0, 0]
    """
    *transformers, (_, svc) = steps_of(model)
    try:
        type_ = np.dtype(dtype)
    except TypeError:
        type_ = np.dtype(object)
    if type_ not in TYPES:
        raise ValueError(f"dtype must be 'float64' or 'float32', not {dtype!r}")
    fitted = svc._asked()
    learned, bank = fitted.learned, fitted.bank_as(Bank)
    if learned.function is not None or learned.columns is None:
        raise ValueError("a function cannot be exported to ONNX; use kernel='precomputed'")
    classes = _label_values(learned.classes)
    graph = Graph(type_)
    x, n_features, names = "X", learned.columns.n_features, learned.columns.names
    complete = x
    for name, step in transformers:
        x = add_step(graph, name, step, x)
        if isinstance(step, SimpleImputer):  # before it, features may be missing
            complete = x
    for _, step in transformers[::-1]:  # the first that has columns tells those of X
        if hasattr(step, "n_features_in_"):
            n_features, names = step.n_features_in_, getattr(step, "feature_names_in_", None)
    values = graph.name(add_values(graph, bank, x), "values")
    if svc._breaks_ties(fitted) and isinstance(fitted.plan, KnockoutPlan):
        answers = add_tie_breaking(graph, fitted.plan, values)
    else:
        answers = add_decisions(graph, fitted.plan, values)
    acceptable = add_acceptable(graph, complete, values)
    graph.name(add_labels(graph, classes, answers, acceptable), "label")
    outputs: dict[str, tuple[DTypeLike, list[Any]]] = {"label": (_label_type(classes), ["n_samples"])}
    if fitted.sigmoids is not None:
        probabilities = add_probabilities(graph, bank, fitted.plan, fitted.sigmoids, values)
        graph.name(graph.add("Where", acceptable, probabilities, graph.constant(np.nan)), "probabilities")
        outputs["probabilities"] = (type_, ["n_samples", fitted.n_classes])
    facts = {"structure": repr(fitted.structure), "classes": json.dumps(classes.tolist())}
    if names is not None:
        facts["feature_names"] = json.dumps(list(map(str, names)))
    made: ModelProto = graph.model({"X": (type_, ["n_samples", n_features])}, outputs, facts, running_version())
    if path is not None:
        write_whole(path, made.SerializeToString())
    return made


def _label_values(labels: Labels) -> Labels:
    """Return the labels in a type that ONNX has; raise ValueError if there is none."""
    kind = labels.dtype.kind
    texts = kind == "O" and all(isinstance(label, str) for label in labels)
    large = kind == "u" and int(labels.max()) >= 2**63
    if not (texts or kind in "Uiufb") or large:
        raise ValueError(
            f"labels of type {labels.dtype} cannot be exported to ONNX; use str, int, float or bool"
            + (" (whole numbers below 2**63)" if large else "")
        )
    return labels.astype(_label_type(labels))


def _label_type(labels: Labels) -> Any:
    return {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}.get(labels.dtype.kind, object)
