"""Class blocks hold whole classes, and are published once."""

import time
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import a_problem

from dagmar.dask.blocks import ClassBlock, Published, bytes_per_row, divide_classes


def test_a_block_has_the_rows_of_its_classes(seven_blobs):
    """Rows, caps and weights are those of the problem, class after class."""
    X, y = seven_blobs
    problem = a_problem(X, y, C=3.0)
    block = ClassBlock.of(problem, 2, 5)
    assert block.classes.tolist() == [2, 3, 4]
    assert np.array_equal(y[block.rows], np.repeat([2, 3, 4], 40))
    assert np.array_equal(block.X, X[block.rows])
    assert (block.cap == 3.0).all()
    assert block.first == problem.class_start[2]
    assert (y[block.rows[block.of_class(3)]] == 3).all()


@pytest.mark.parametrize("sizes", [[5], [1, 1, 1], [100, 1, 100], [3, 3, 3, 3]])
def test_blocks_divide_the_classes(sizes):
    """Every class is in one block; a block is larger than asked for only if it is a single class."""
    begin = divide_classes(np.array(sizes), 2.0, 12.0)
    assert begin[0] == 0
    assert begin[-1] == len(sizes)
    for first, last in pairwise(begin):
        assert last > first
        assert last == first + 1 or sum(sizes[first:last]) * 2.0 <= 12.0


def test_bytes_of_sparse_rows():
    """A sparse row takes 12 bytes per entry."""
    assert bytes_per_row(sp.csr_matrix(np.eye(4))) == 16.0


def _knows(key, dask_scheduler):
    return key in dask_scheduler.tasks


def test_lost_blocks_are_published_again(client, seven_blobs):
    """After a block is gone from the cluster, `restore` brings it back; the others stay."""
    problem = a_problem(*seven_blobs)
    published = Published(client, problem, np.array([0, 3, 7]), "test-lost")
    assert published.block_of.tolist() == [0, 0, 0, 1, 1, 1, 1]
    key = published.futures[1].key
    client.cancel([published.futures[1]])
    while published.futures[1].status != "cancelled" or client.run_on_scheduler(_knows, key):
        time.sleep(0.01)
    assert published.restore() == 1
    assert published.restore() == 0
    assert np.array_equal(published.futures[1].result().X, ClassBlock.of(problem, 3, 7).X)
    published.release()
    assert published.futures == []
