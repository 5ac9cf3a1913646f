"""Keys of tasks, values that are fetched, and futures that are released after an error."""

import dask.array as da
import numpy as np
import pytest

from dagmar.dask.futures import fetch, named, released_on_error


def test_keys_differ_and_begin_with_their_kind():
    """The dashboard groups by the kind."""
    assert named("check-rows") != named("check-rows")
    assert named("check-rows").startswith("check-rows-")


def test_collections_are_fetched_and_other_values_stay(client):
    """In their order."""
    array, other = np.arange(3), object()
    fetched, same, none = fetch(client, da.from_array(array), other, None)
    np.testing.assert_array_equal(fetched, array)
    assert same is other
    assert none is None


class FakeFuture:
    """A future that knows whether it was released."""

    released = False

    def release(self):
        """As `Future.release`."""
        self.released = True


def test_futures_are_released_after_an_error_only():
    """Without an error they stay; the error itself is raised."""
    kept, released = FakeFuture(), FakeFuture()
    with released_on_error([kept]):
        pass
    with pytest.raises(KeyboardInterrupt), released_on_error([released]):
        raise KeyboardInterrupt
    assert (kept.released, released.released) == (False, True)
