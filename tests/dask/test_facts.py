"""Facts about classes, from blocks, are those of the whole problem."""

import numpy as np
import pytest
from clusters import a_problem

from dagmar.base.instructions import simd_level
from dagmar.dask.blocks import ClassBlock
from dagmar.dask.facts import count_in_block, distances_of_blocks, similarity_of_blocks, sums_of_block
from dagmar.dask.jobs import Shared
from dagmar.machines.training import TrainSettings, assemble, train
from dagmar.machines.workshop import count_positive
from dagmar.problem.separation import class_sums, dbtc_of_pairs, similarity
from dagmar.problem.tasks import all_pairs


@pytest.fixture
def problem(seven_blobs):
    return a_problem(*seven_blobs)


def facts(function, problem, ranges, *arguments):
    blocks = [ClassBlock.of(problem, *some) for some in ranges]
    return function(Shared.of(problem), simd_level(), blocks, *arguments)


@pytest.mark.parametrize("max_samples", [None, 7])
def test_counts(problem, max_samples):
    """The counts of the classes of a block."""
    bank = assemble(problem, train(problem, all_pairs(7), TrainSettings()))
    found = facts(count_in_block, problem, [(2, 5)], bank, max_samples)
    assert np.array_equal(found, count_positive(problem, bank, max_samples, 1)[:, 2:5])


def test_similarity(problem):
    """The mean kernel values between the classes of two blocks."""
    classes, values = facts(similarity_of_blocks, problem, [(4, 6), (0, 2)], None)
    assert classes.tolist() == [0, 1, 4, 5]
    assert np.array_equal(values, similarity(problem)[np.ix_(classes, classes)])


def test_distances(problem):
    """Every pair has its own gamma."""
    gamma = np.add.outer(np.arange(7), np.arange(7)) / 10 + 0.1
    classes, values = facts(distances_of_blocks, problem, [(1, 4)], gamma, None)
    assert np.array_equal(values, dbtc_of_pairs(problem, gamma)[np.ix_(classes, classes)])


def test_sums(problem):
    """The sums over the samples of each class."""
    whole = class_sums(problem.X[problem.order], problem.weight, problem.class_start)
    for found, wanted in zip(facts(sums_of_block, problem, [(3, 6)], None), whole, strict=True):
        assert np.array_equal(found, wanted[3:6])
