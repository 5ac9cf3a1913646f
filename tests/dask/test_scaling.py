"""A scaler is fitted on a worker, on all rows at once."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from dagmar.dask.reading import read_rows
from dagmar.dask.scaling import scale_rows


@pytest.mark.parametrize("names", [None, np.array(["a", "b", "c"], dtype=object)], ids=["array", "names"])
@pytest.mark.parametrize("form", ["default", "pandas"])
def test_scaled_rows_have_the_bits_of_local_ones(client, X, names, form):
    """The scaler is the fitted one of a local call, and remembers the names; its rows stay in parts on the workers."""
    rows, _ = read_rows(client, da.from_array(X, chunks=(3000, 3)))
    scaler, scaled = scale_rows(
        client, rows, StandardScaler().set_output(transform=form), np.zeros(len(rows)), names, "SVCCV"
    )
    samples = X if names is None else pd.DataFrame(X, columns=names)
    local = StandardScaler().fit(samples)
    np.testing.assert_array_equal(scaler.mean_, local.mean_)
    assert hasattr(scaler, "feature_names_in_") == (names is not None)
    assert len(scaled.parts) == len(rows.parts)
    np.testing.assert_array_equal(scaled[:], local.transform(samples))
