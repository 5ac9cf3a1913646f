"""Stand-ins for sets that cannot be had."""

import numpy as np
import pytest

from experiments.benchmarks import stand_ins
from experiments.benchmarks.census_sets import SETS


@pytest.mark.parametrize(
    ("make", "shape", "classes"),
    [
        (lambda: stand_ins.images(60, 8, 5, 1.0), (60, 64), 5),
        (lambda: stand_ins.dna(300), (300, 180), 3),
        (stand_ins.proteins, (1484, 8), 10),
    ],
)
def test_stand_ins_come_from_a_seed(make, shape, classes):
    """Shapes are those that were asked for, all classes occur, and a second call gives the same numbers."""
    (X, y), (X_again, y_again) = make(), make()
    assert X.shape == shape
    assert len(y) == len(X)
    assert np.unique(y).tolist() == list(range(classes))
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)


def test_dna_is_binary():
    """At most one of the three features of a letter is set."""
    X, _ = stand_ins.dna(50)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert X.reshape(50, 60, 3).sum(axis=2).max() == 1


@pytest.mark.parametrize("name", ["images-16x16", "leaves-100", "dna", "proteins"])
def test_stand_ins_can_be_learned_in_part(name):
    """They are neither trivial nor hopeless: machines do better than the largest class, and keep many vectors."""
    import dagmar

    case = SETS[name](2000)
    model = dagmar.SVC(**case.parameters).fit(case.X_train, case.y_train)
    largest = np.bincount(case.y_test).max() / len(case.y_test)
    assert model.score(case.X_test, case.y_test) > largest + 0.05
    assert len(model.support_) > 0.3 * len(case.y_train)
