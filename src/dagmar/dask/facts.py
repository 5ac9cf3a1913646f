"""Facts about classes that structures ask for, computed by the workers from class blocks.

Each function gets what makes a problem of blocks: the shared facts of the problem, the instruction set, and the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _core
from ..base.instructions import at_level
from ..base.typing import Array, Index
from ..machines.bank import Bank
from ..machines.workshop import count_positive
from ..problem.per_pair import PerPair
from ..problem.problem import Problem
from ..problem.separation import class_sums, dbtc_of_pairs, similarity
from .blocks import ClassBlock
from .jobs import Shared


def _problem(shared: Shared, blocks: Sequence[ClassBlock]) -> tuple[Problem, Index]:
    """Return the problem of all classes of some blocks, and these classes."""
    classes = np.sort(np.concatenate([block.classes for block in blocks]))
    return shared.problem(blocks, classes, PerPair())[0], classes


def count_in_block(
    shared: Shared, level: _core.Level, blocks: Sequence[ClassBlock], bank: Bank, max_samples: int | None
) -> Array:
    """Return how many samples of each class of a block each machine classifies as positive: see `count_positive`."""
    with at_level(level):
        return count_positive(_problem(shared, blocks)[0], bank, max_samples, 1)


def similarity_of_blocks(
    shared: Shared, level: _core.Level, blocks: Sequence[ClassBlock], max_samples: int | None
) -> tuple[Index, Array]:
    """Return the classes of some blocks, and the mean kernel values between them."""
    with at_level(level):
        problem, classes = _problem(shared, blocks)
        return classes, similarity(problem, max_samples)


def distances_of_blocks(
    shared: Shared, level: _core.Level, blocks: Sequence[ClassBlock], gamma: Array, max_samples: int | None
) -> tuple[Index, Array]:
    """Return the classes of some blocks, and the squared distances between them, each pair with its own gamma."""
    with at_level(level):
        problem, classes = _problem(shared, blocks)
        return classes, dbtc_of_pairs(problem, gamma[np.ix_(classes, classes)], max_samples)


def sums_of_block(
    shared: Shared, level: _core.Level, blocks: Sequence[ClassBlock], centre: Array | None
) -> tuple[Array, Array]:
    """Return the sums of the classes of a block: see `class_sums`."""
    (block,) = blocks
    return class_sums(block.X, block.weight, block.class_start, centre)
