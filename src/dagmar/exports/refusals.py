"""Samples that `predict` refuses. A graph cannot raise an error, so they get a label of no class, and NaN as probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.typing import Labels
from .graph import Graph

# By the kind of the labels. There are only two truth values, so False has to do.
NO_LABEL: dict[str, Any] = {"i": np.iinfo(np.int64).min, "f": np.nan, "b": False}


def add_acceptable(graph: Graph, samples: str, values: str) -> str:
    """Add whether samples have an answer: all their features are finite, and so are the values of all machines.

    Parameters
    ----------
    graph : Graph
    samples : str
        Shape (n_samples, n_features).
    values : str
        Shape (n_samples, n_machines).

    Returns
    -------
    str
        Of type bool, shape (n_samples, 1).
    """
    largest = graph.constant(float(np.finfo(graph.dtype).max))
    finite = []
    for numbers in (samples, values):
        within = graph.add("LessOrEqual", graph.add("Abs", numbers), largest)  # NaN is not
        finite.append(graph.add("ReduceMin", graph.cast(within, np.float32), axes=[1], keepdims=1))
    return graph.cast(graph.add("Mul", *finite), np.bool_)


def add_labels(graph: Graph, classes: Labels, answers: str, acceptable: str) -> str:
    """Add the label of each sample.

    Parameters
    ----------
    graph : Graph
    classes : ndarray of shape (n_classes,)
        Labels of type int64, float64, bool, or texts.
    answers : str
        The class of each sample, shape (n_samples,).
    acceptable : str
        From `add_acceptable`.

    Returns
    -------
    str
        Shape (n_samples,).
    """
    known = graph.add("Squeeze", acceptable, graph.constant([1]))
    place = graph.add("Where", known, answers, graph.constant(len(classes)))
    table = np.append(classes, np.array([NO_LABEL.get(classes.dtype.kind, "")], dtype=classes.dtype))
    return graph.add("Gather", graph.constant(table, None if table.dtype.kind == "O" else table.dtype), place)
