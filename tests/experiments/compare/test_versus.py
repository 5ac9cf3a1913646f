"""One scheme against another."""

import numpy as np
import pytest
from comparisons import SCHEMES, cube

from experiments.compare.versus import all_versus, per_set, versus, wins_matrix
from experiments.statistics import corrected_t_test, holm, signed_rank_test

MANY = tuple(f"set{i}" for i in range(12))


def noisy(name, number, scheme):
    """Forest is better by 2 points with some noise, ddag is as good as max_wins."""
    noise = np.random.default_rng([MANY.index(name), number, SCHEMES.index(scheme)]).normal()
    return 80.0 + 2.0 * (scheme == "forest") + 0.1 * noise


def test_tests_are_those_of_the_module_of_all_experiments():
    """Nadeau & Bengio with Holm on each set, Wilcoxon over the sets that count."""
    made = cube(noisy, sets=MANY)
    tests, p = per_set(made, "forest", "max_wins")
    differences = made.differences("forest", "max_wins")
    assert tests["set0"] == corrected_t_test(differences["set0"], 70.0, 30.0)
    np.testing.assert_allclose(p, holm([corrected_t_test(d, 70.0, 30.0).p for d in differences.values()]))
    found = versus(made, "forest", "max_wins")
    assert found.p == pytest.approx(signed_rank_test([d.mean() for d in differences.values()]))
    assert (found.wins, found.losses, found.better, found.worse) == (12, 0, 12, 0)
    assert found.mean == pytest.approx(2.0, abs=0.1)
    assert found.significant
    assert found.direction == 1


def test_generated_sets_are_tested_but_do_not_count():
    """They are among the sets of the table, not among those of the test over sets."""
    found = versus(cube(), "ddag", "max_wins")
    assert found.n_sets == 4
    assert (found.wins, found.losses) == (0, 4)
    assert (found.better, found.worse) == (0, 6)


def test_several_tests_are_corrected():
    """Holm's correction over the schemes."""
    made = cube(noisy, sets=MANY)
    alone = versus(made, "forest", "max_wins").p
    forest, _ = all_versus(made, ("forest", "neighbours"), "max_wins")
    assert forest.p == pytest.approx(2 * alone)
    assert all_versus(made, (), "max_wins") == []


def test_wins_matrix_is_a_share():
    """A share and that of the other add up to one; ties count half."""
    shares = wins_matrix(cube(), SCHEMES)
    assert shares[0, 1] == 1.0
    assert shares[1, 0] == 0.0
    assert np.isnan(np.diag(shares)).all()
    assert (wins_matrix(cube(lambda *_: 1.0), SCHEMES)[0, 1:] == 0.5).all()
