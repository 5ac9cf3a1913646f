"""The numbering of pairs, against `itertools.combinations`."""

from itertools import combinations

import numpy as np
import pytest

from dagmar.base.pairs import n_pairs, pair_classes, pair_numbers


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 11])
def test_pairs_are_numbered_as_combinations(n_classes):
    """Pairs come in the order of combinations, and each has one number, in either order of its classes."""
    pairs = list(combinations(range(n_classes), 2))
    assert n_pairs(n_classes) == len(pairs)
    earlier, later = pair_classes(n_classes)
    assert list(zip(earlier.tolist(), later.tolist(), strict=True)) == pairs
    numbers = pair_numbers(n_classes)
    assert numbers.dtype == np.int64
    assert (np.diag(numbers) == -1).all()
    for number, (i, j) in enumerate(pairs):
        assert numbers[i, j] == numbers[j, i] == number
