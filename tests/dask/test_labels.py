"""Labels and weights are fetched from the cluster and checked here."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dagmar.dask.labels import read_labels
from dagmar.dask.reading import read_rows


@pytest.fixture
def rows(client):
    return read_rows(client, da.zeros((5, 2)))[0]


def test_labels_and_weights_come_here(client, rows):
    """From collections or from memory, with the name of a series."""
    y = pd.Series([0, 1, 0, 1, 1], name="kind")
    for given in (y, dd.from_pandas(y, npartitions=2)):
        labels, weight, target = read_labels(client, rows, given, da.arange(5))
        assert (labels.tolist(), weight.tolist(), target) == ([0, 1, 0, 1, 1], [0, 1, 2, 3, 4], "kind")
    assert read_labels(client, rows, da.zeros(5), None)[1:] == (None, None)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (da.zeros(4), "inconsistent"),
        (np.array(["a", None, "b", np.nan, pd.NA], dtype=object), "y contains 3 missing values"),
        (np.array([0.1, 0.2, 0.3, 0.4, 0.5]), "Unknown label type"),
    ],
    ids=["length", "missing", "numbers"],
)
def test_bad_labels_are_refused(client, rows, y, words):
    """Another length, missing labels and numbers that are no labels each have their message."""
    with pytest.raises(ValueError, match=words):
        read_labels(client, rows, y, None)
