"""Fisher tree: which pair divides the classes of a node. What holds for every tree is in test_tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import fisher
from tables import REAL, TableWorkshop, assert_follows_on_data, random_points, random_table, real_data

from dagmar.structures import FisherTree


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_chosen_pair_is_that_of_the_reference(n_classes, seed, data):
    """The pair with the largest Fisher ratio is chosen from any classes, also with ties and infinite ratios."""
    points = random_points(seed, n_classes)
    workshop = TableWorkshop(*random_table(seed, n_classes), points)
    chosen = st.lists(st.integers(0, n_classes - 1), min_size=2, max_size=n_classes, unique=True)
    classes = np.array(sorted(data.draw(chosen)))
    expected = fisher.choose_pair(workshop.moments.fisher, classes.tolist())
    assert tuple(FisherTree().choose_pair(classes, workshop)) == tuple(expected)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    "structure", [FisherTree(), FisherTree(threshold=0.05), FisherTree(machines="groups")], ids=str
)
def test_real_data_follows_the_reference(name, structure):
    """On real data, labels and paths are those of the construction with counts and ratios by loops."""
    X, y, T, parameters = real_data(name)
    ratios = fisher.matrix(X, y)
    assert_follows_on_data(X, y, T, parameters, structure, lambda classes: fisher.choose_pair(ratios, classes))
