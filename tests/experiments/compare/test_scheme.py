"""What a scheme is."""

from experiments.compare.scheme import Kind, Scheme, Trial
from experiments.compare.schemes import scheme_of


def test_recipe_shows_a_change_of_the_grid():
    """Results of another grid must not count."""
    logistic = scheme_of("logistic")
    assert "1000" in logistic.recipe
    other = Scheme("logistic", Kind.INSTEAD, "", lambda trial: logistic.make(trial).set_params(cv=2))
    assert other.recipe != logistic.recipe


def test_folds_are_those_of_the_seed():
    """The same for every scheme with this number of folds, and others for another seed."""
    X, y = [[0.0]] * 20, [0, 1] * 10
    first, again = (list(Trial(seed, 1, 1).folds(5).split(X, y)) for seed in (1, 1))
    other = list(Trial(2, 1, 1).folds(5).split(X, y))
    assert all((a[1] == b[1]).all() for a, b in zip(first, again, strict=True))
    assert not all((a[1] == b[1]).all() for a, b in zip(first, other, strict=True))
