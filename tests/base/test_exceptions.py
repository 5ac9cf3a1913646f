"""Errors can be caught by the types that scikit-learn users know."""

import inspect
import pickle

import pytest

import dagmar
from dagmar.base import exceptions

ERRORS = dict(inspect.getmembers(exceptions, inspect.isclass))


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_a_value_error_that_can_be_pickled(name):
    """Each is a ValueError or a UserWarning, and survives the way back from a worker process with its words."""
    error = ERRORS[name]("what is wrong")
    assert isinstance(error, UserWarning if name.endswith("Warning") else ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (ERRORS[name], "what is wrong")


def test_wrong_type_and_wrong_value_are_one_error(three_blobs):
    """A parameter of a wrong type or value is caught as TypeError and as ValueError, as in scikit-learn."""
    for C in ("one", -1.0):
        for kind in (TypeError, ValueError):
            with pytest.raises(kind, match="'C' parameter"):
                dagmar.SVC(C=C).fit(*three_blobs)
