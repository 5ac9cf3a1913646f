"""Overrides: a small problem can be made to take every way, and the report says which it took."""

import numpy as np
import pytest
from helpers import blobs

from dagmar import SVC
from dagmar.machines.overrides import current_overrides, overridden


@pytest.fixture(scope="module")
def data():
    X, y = blobs(seed=5, n_classes=3, per_class=120, n_features=6, spread=1.5)
    return X, y


@pytest.mark.parametrize(("rows", "said"), [("small", "all at once"), ("kept", "kept"), ("streamed", "streamed")])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_every_source_of_rows_leads_to_the_same_optimum(data, rows, said, precision):
    """The objective and the labels do not depend on where rows come from; the report names the way."""
    X, y = data
    plain = SVC(C=10.0, precision=precision).fit(X, y)
    with overridden(rows=rows):
        forced = SVC(C=10.0, precision=precision).fit(X, y)
    assert forced.report_.choices["rows"] == f"{said} for 3 machines"
    assert forced.report_.converged.all()
    np.testing.assert_allclose(forced.report_.objective, plain.report_.objective, rtol=1e-4)
    np.testing.assert_array_equal(forced.predict(X), plain.predict(X))


def test_active_part_is_visited(rng):
    """A task of 600 samples that overlap visits its active part, if it is made to, and not by default."""
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 4)) + 0.3 * y[:, None]
    with overridden(rows="kept", active_part=True):
        visited = SVC(C=100.0, gamma=0.5).fit(X, y)
    plain = SVC(C=100.0, gamma=0.5).fit(X, y)
    assert visited.report_.ways["visits"] > 0
    assert plain.report_.choices["active part"] == "visited 0 times"
    np.testing.assert_allclose(visited.report_.objective, plain.report_.objective, rtol=1e-4)


def test_duplicates_are_merged_or_not(data):
    """Merging equal samples is a choice, too: fewer kernel rows, the same optimum."""
    X, y = np.repeat(data[0][::2], 3, axis=0), np.repeat(data[1][::2], 3)
    with overridden(rows="small"):
        merged = SVC(C=1.0).fit(X, y)
    with overridden(rows="small", duplicates=False):
        apart = SVC(C=1.0).fit(X, y)
    n_merged = 2 * 2 * len(data[0][::2])  # two of three samples, each in two of the three machines
    assert merged.report_.choices["duplicates"] == f"{n_merged} samples merged with equal ones"
    assert apart.report_.choices["duplicates"] == "0 samples merged with equal ones"
    assert 2 * merged.report_.rows_computed.sum() < apart.report_.rows_computed.sum()
    np.testing.assert_allclose(merged.report_.objective, apart.report_.objective, rtol=1e-4)


def test_overrides_end_with_the_block():
    """Also if an exception leaves it."""
    with pytest.raises(KeyError), overridden(rows="kept"):
        raise KeyError(current_overrides().rows)
    assert current_overrides().rows is None
