"""scikit-learn's estimator checks hold for every structure."""

import pytest
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data as weights_dense
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_sparse_data as weights_sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from dagmar import SVC, SVCCV
from dagmar.structures import STRUCTURES

WEIGHTS = (
    "gamma='scale' counts rows, not weights, as in scikit-learn; and answers agree to tol, not to the 1e-7 asked for"
)

# Check: why it cannot hold, for any structure.
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}


def expected_failures(estimator):
    return EXPECTED_FAILURES


@pytest.mark.filterwarnings("ignore:The least populated class in y has only")  # where a check has few samples to split
@parametrize_with_checks(
    [
        *(SVC(structure=name) for name in STRUCTURES),
        SVC(kernel="precomputed"),
        SVCCV([1, 10], [0.1, 1], cv=2),
        SVCCV([1, 10], "dbtc", 2, per_pair=True),
        SVCCV([1, 10], cv=2, kernel="precomputed"),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_checks(estimator, check):
    """What scikit-learn asks of every classifier holds whatever the structure."""
    assert check(estimator) is None


@pytest.mark.parametrize("check", [weights_dense, weights_sparse])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_weights_are_repetitions(structure, check):
    """With gamma fixed and tol tiny, the checks excused above hold: a weight of 2 is a sample given twice."""
    assert check("SVC", SVC(structure=structure, gamma=0.3, tol=1e-10)) is None


@pytest.mark.parametrize("check", [weights_dense, weights_sparse])
@pytest.mark.parametrize("per_pair", [False, True])
def test_weights_are_repetitions_in_a_search(per_pair, check):
    """So do they for a search, whose scores are weighted, too."""
    assert check("SVCCV", SVCCV([0.5, 8], [0.3], per_pair=per_pair, tol=1e-10)) is None
