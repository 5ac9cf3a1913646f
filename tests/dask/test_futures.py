"""Keys of tasks, values that are fetched, and futures that are released after an error."""

import dask.array as da
import numpy as np
import pytest
from distributed.comm import CommClosedError

from dagmar import ClusterError
from dagmar.dask import futures
from dagmar.dask.futures import fetch, named, released_on_error, send


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


class LosingClient:
    """A client whose first calls of `scatter` fail, as they do just after a worker has ended."""

    status = "running"

    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def scatter(self, data, broadcast, hash):
        """Fail, or return what is sent."""
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return data, broadcast, hash


@pytest.fixture
def no_waiting(monkeypatch):
    """Try again at once."""
    monkeypatch.setattr(futures, "FIRST_WAIT", 0.0)


@pytest.mark.parametrize("error", [CommClosedError("gone"), OSError("refused"), KeyError("tcp://worker")], ids=repr)
def test_values_are_sent_again_after_a_loss(no_waiting, error):
    """Whatever Dask says about a worker that it still knows and that is gone."""
    client = LosingClient(error, error)
    assert send(client, "data", broadcast=True) == ("data", True, False)
    assert client.calls == 3


def test_values_that_cannot_be_sent_are_an_error(no_waiting):
    """After some tries; at once if there is no worker, or no scheduler, or the value is the reason."""
    client = LosingClient(*[CommClosedError("gone")] * 100)
    with pytest.raises(ClusterError, match="the workers of the Dask cluster cannot be reached: gone"):
        send(client, "data")
    assert client.calls == futures.TRIES
    client = LosingClient(TimeoutError("No valid workers found"))
    with pytest.raises(ClusterError, match="No valid workers found"):
        send(client, "data")
    client = LosingClient(CommClosedError("gone"))
    client.status = "closed"
    with pytest.raises(CommClosedError):
        send(client, "data")
    client = LosingClient(TypeError("cannot pickle"))
    with pytest.raises(TypeError):
        send(client, "data")
    assert client.calls == 1


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
