"""The page about tables."""

import pytest
from comparisons import content, cube

from experiments.compare.table_page import (
    against_rbf,
    better_variants,
    compose,
    losses,
    mean_ranks,
    strict_ranks,
    times,
)

SCHEMES = ("auto", "max_wins", "forest_default", "forest_300", "forest_timed", "boosting_default", "boosting_timed")
BASE = dict(zip(SCHEMES, (90.0, 89.0, 85.0, 86.0, 87.0, 88.0, 84.0), strict=True))


def accuracy(**changes):
    """Accuracies by scheme, and others for single sets: `{set: {scheme: accuracy}}`."""
    return lambda name, number, scheme: {**BASE, **changes.get(name, {})}[scheme] + 0.01 * number


def made(**changes):
    """Results with these accuracies."""
    return cube(accuracy(**changes), schemes=SCHEMES)


def test_the_better_variant_of_each_kind_of_trees_counts():
    """By the mean over the sets that count."""
    assert better_variants(made()) == {"forest": "forest_timed", "boosting": "boosting_default"}


def test_ranks_are_those_of_the_search_and_one_variant_each():
    """Three competitors, so the ranks are 1, 2 and 3."""
    answer = mean_ranks(made())
    assert answer.conclusion == "`auto`"
    assert "`auto` 1.00" in answer.words
    assert "`boosting_default` 2.00" in answer.words
    assert "`forest_timed` 3.00" in answer.words


def test_strict_ranks_take_the_best_variant_on_every_set():
    """A variant that is better on one set only counts there."""
    changed = made(iris={"forest_default": 99.0})
    assert "the best forest 3.00" in strict_ranks(made()).words
    assert "the best forest 3.00" not in strict_ranks(changed).words


def test_losses_are_named_with_the_winner():
    """Also on generated data, which does not count in ranks."""
    answer = losses(made(banana={"boosting_default": 95.5}))
    assert "on 1 of 6 sets: banana (5.5, `boosting_default`)" in answer.words
    assert losses(made()).conclusion == "nowhere"


def test_search_is_compared_with_rbf_where_that_is_best():
    """A loss of more than 0.3 points is named."""
    assert against_rbf(made()).conclusion == "rbf is best nowhere"
    answer = against_rbf(made(iris={"max_wins": 91.0}, wine={"max_wins": 90.2}))
    assert answer.conclusion == "not everywhere"
    assert "on 2 sets" in answer.words
    assert "more than 0.3 on 1: iris (1.0)" in answer.words


def test_time_is_that_of_the_search_over_a_forest_of_300_trees():
    """In the made-up results a scheme takes one second more than the one before it."""
    answer = times(made())
    assert answer.words.startswith("0.25 times a forest of 300 trees: 1 s against 4 s")


def test_page_says_losses_first_and_shows_every_set():
    """The page can be written from results alone."""
    results = content(accuracy(banana={"boosting_default": 95.5}), schemes=SCHEMES)
    page = compose(cube(accuracy(banana={"boosting_default": 95.5}), schemes=SCHEMES), results, "tables")
    assert page.index("Where does it lose?") < page.index("Which has the best mean rank?")
    for name in results["sets"]:
        assert f"| {name} |" in page


@pytest.mark.parametrize("answer", [losses, mean_ranks, strict_ranks, times, against_rbf])
def test_answers_need_results(answer):
    """With one scheme there is nothing to compare."""
    assert answer(cube(schemes=("auto",))) is None
