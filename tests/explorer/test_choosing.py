"""Which samples a page shows."""

import numpy as np

from dagmar.explorer.choosing import choose_rows


def test_few_samples_are_all_shown():
    """Up to the limit, nothing is left out."""
    assert choose_rows(np.zeros(5, dtype=int), np.zeros(5, dtype=bool), 5, 0).tolist() == [0, 1, 2, 3, 4]


def test_errors_are_kept_and_classes_keep_their_shares(rng):
    """All errors are there if they are at most half; of the others, each class has its share, within one."""
    classes = rng.choice(4, 10_000, p=[0.5, 0.3, 0.15, 0.05])
    wrong = rng.random(10_000) < 0.02
    chosen = choose_rows(classes, wrong, 1000, 0)
    assert len(chosen) == len(np.unique(chosen)) == 1000
    assert (np.diff(chosen) > 0).all()
    assert np.isin(np.flatnonzero(wrong), chosen).all()
    right = chosen[~wrong[chosen]]
    expected = np.bincount(classes[~wrong]) * len(right) / (~wrong).sum()
    assert np.abs(np.bincount(classes[right]) - expected).max() <= 1


def test_too_many_errors_get_half_of_the_places(rng):
    """With very many errors there is still room for right decisions."""
    classes, wrong = rng.integers(0, 3, 1000), rng.random(1000) < 0.8
    chosen = choose_rows(classes, wrong, 100, 0)
    assert len(chosen) == 100
    assert wrong[chosen].sum() == 50


def test_errors_fill_the_places_that_right_ones_leave():
    """If hardly anything is right, the page is still full."""
    wrong = np.ones(100, dtype=bool)
    wrong[:3] = False
    assert len(choose_rows(np.zeros(100, dtype=int), wrong, 50, 0)) == 50


def test_choice_depends_on_the_seed_alone(rng):
    """The same seed gives the same samples, another seed others."""
    classes, wrong = rng.integers(0, 3, 1000), rng.random(1000) < 0.1
    first, again, other = (choose_rows(classes, wrong, 200, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
