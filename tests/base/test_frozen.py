"""Frozen objects: nothing in them can be written to, and what is cached is left out of copies."""

import copy
import pickle
import sys
from dataclasses import FrozenInstanceError, dataclass
from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp

from dagmar.base.frozen import FrozenArrays, bytes_of, freeze
from dagmar.problem.tasks import all_pairs


@dataclass(frozen=True, eq=False)
class Squares(FrozenArrays):
    """Numbers, with their squares worked out on demand."""

    numbers: np.ndarray
    name: str = "some"

    @cached_property
    def squares(self):
        """The squares."""
        return self.numbers**2


def test_fields_and_arrays_are_read_only():
    """Neither a field nor an entry of an array can be changed."""
    made = Squares(np.arange(3.0))
    with pytest.raises(FrozenInstanceError):
        made.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        made.numbers[0] = 5.0


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_copies_have_the_fields_and_not_what_is_cached(way):
    """A copy has equal fields, is frozen itself, and works out again what was cached."""
    made = Squares(np.arange(3.0), "mine")
    assert made.squares.tolist() == [0.0, 1.0, 4.0]
    ways = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy}
    again = ways[way](made)
    assert again.__dict__.keys() == {"numbers", "name"}
    assert (again.name, again.numbers.tolist()) == ("mine", [0.0, 1.0, 2.0])
    assert not again.numbers.flags.writeable
    np.testing.assert_array_equal(again.squares, made.squares)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_sparse_members_are_read_only(kind):
    """The arrays of a sparse matrix are read-only too, also after a copy."""
    made = Squares(kind(np.eye(3)))
    for held in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        for name in ("data", "indices", "indptr"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(held.numbers, name)[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            held.numbers[0, 0] = 5.0


def test_freeze_returns_what_it_gets():
    """Whatever is no array is left alone."""
    array = np.zeros(2)
    assert freeze(array) is array
    assert not array.flags.writeable
    assert freeze("text") == "text"
    assert freeze(None) is None


def test_size_counts_the_arrays():
    """A cluster decides by `sys.getsizeof` what to move and to spill, so arrays count, also those of parts."""
    tasks = all_pairs(200)
    assert sys.getsizeof(tasks) > tasks.begin.nbytes + tasks.classes.nbytes + tasks.sides.nbytes
    rows = sp.csr_matrix(np.eye(50))
    assert bytes_of(rows) == rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
    assert bytes_of(None) < 100
