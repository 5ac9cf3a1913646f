"""Sentences that are made from the results."""

import pytest
from comparisons import SCHEMES, cube

from experiments.compare import answers as module
from experiments.compare.answers import (
    Answer,
    ask,
    best_ranked,
    cheapest,
    compared,
    far_behind,
    fastest,
    on_one_set,
    why_trees_win,
)

MANY = tuple(f"set{i}" for i in range(10))


def test_answer_on_which_halves_agree_is_given():
    """All splits and both halves say the same."""
    sentence = ask("Which?", lambda c: best_ranked(c, SCHEMES), cube())
    assert sentence.decided
    assert sentence.answer.startswith("`max_wins` has the best mean rank of 4 schemes on 4 sets that count: 1.00")


def test_answer_on_which_halves_disagree_cannot_be_decided():
    """Ddag is better on even splits, max_wins on odd ones."""
    made = cube(lambda name, number, scheme: 90.0 + (1 if (scheme == "ddag") == (number % 2 == 0) else 0))
    sentence = ask("Which?", lambda c: best_ranked(c, ("max_wins", "ddag")), made)
    assert not sentence.decided
    assert "cannot be decided: one half of the splits says `ddag`, the other says `max_wins`" in sentence.answer


def test_halves_that_agree_against_the_whole_cannot_decide():
    """The conclusion of all splits must be that of the halves."""
    said = iter([Answer("a", "a."), Answer("b", "b."), Answer("b", "b.")])
    assert not ask("Which?", lambda c: next(said), cube()).decided


def test_one_split_cannot_decide():
    """There are no halves."""
    sentence = ask("Which?", lambda c: best_ranked(c, SCHEMES), cube(splits=1))
    assert not sentence.decided
    assert sentence.answer.startswith("This cannot be decided by a single split")


def test_question_without_results_has_no_answer():
    """Ranks need two sets and two schemes, a comparison over sets needs two sets."""
    assert ask("Which?", lambda c: best_ranked(c, ["max_wins"]), cube()) is None
    assert best_ranked(cube(sets=("iris",)), SCHEMES) is None
    assert compared("ddag", ["ddag"], "max_wins")(cube(sets=("iris",))) is None
    assert on_one_set("wine", "ddag", "max_wins")(cube(sets=("iris",))) is None
    assert fastest(cube(), ["ddag"]) is None
    assert far_behind(cube(), "max_wins", []) is None


@pytest.mark.parametrize(
    ("gain", "words"),
    [(1.0, "`forest` is better than"), (-1.0, "`forest` is worse than"), (0.0, "No difference between `forest` and")],
)
def test_comparison_over_sets(gain, words):
    """Significant in one direction, in the other, and not at all."""
    made = cube(lambda name, number, scheme: 80.0 + gain * (scheme == "forest"), sets=MANY)
    assert words in compared("forest", ["forest", "ddag"], "max_wins")(made).words


def test_comparison_on_one_set_has_an_interval():
    """The interval of Nadeau & Bengio, around a difference that varies with the split."""
    made = cube(lambda name, number, scheme: 80.0 + (1.25 + 0.5 * (number % 2)) * (scheme == "forest"), sets=("iris",))
    answer = on_one_set("iris", "forest", "max_wins")(made)
    assert answer.conclusion == "`forest` is better"
    assert "`forest` 81.50 %, `max_wins` 80.00 %; the difference is +1.50 points" in answer.words
    assert "no difference is shown" not in answer.words


def test_cheapest_may_lose_half_a_point():
    """A scheme that is cheaper and loses more than half a point does not win."""
    losses = {"max_wins": 0.0, "ddag": 0.4, "bracket": 0.6}
    evaluations = {"max_wins": 100.0, "ddag": 50.0, "bracket": 10.0}
    made = cube(lambda name, number, scheme: 90.0 - losses[scheme], schemes=tuple(losses))
    for (_, _, scheme), found in made.steps.items():
        found["kernel_evaluations"] = evaluations[scheme]
    answer = cheapest(tuple(losses), "kernel_evaluations", "kernel evaluations")(made)
    assert answer.conclusion == "`ddag`"
    assert "`ddag` 50 %, `max_wins` 100 %." in answer.words


def test_fastest_and_far_behind():
    """Seconds in order; sets on which the reference loses two points or more, the worst first."""
    assert "`max_wins` 1 s, `ddag` 2 s, `forest` 3 s, `neighbours` 4 s" in fastest(cube(), SCHEMES).words
    gains = {"iris": 2.5, "wine": 7.0}
    made = cube(lambda name, number, scheme: 80.0 + gains.get(name, 0.0) * (scheme == "forest"))
    words = far_behind(made, "max_wins", ["forest", "neighbours"]).words
    assert "on 2 of 6 sets: wine (7.0, `forest`), iris (2.5, `forest`)." in words


def test_rotation_explains_the_forest():
    """On iris the rotated forest loses its gain, on wine it keeps it; glass has no gain."""
    gains = {("iris", "forest"): 8.0, ("wine", "forest"): 4.0, ("wine", "rotated_forest"): 3.0}
    made = cube(
        lambda name, number, scheme: 80.0 + gains.get((name, scheme), 0.0),
        sets=("iris", "wine", "glass"),
        schemes=("max_wins", "forest", "rotated_forest"),
    )
    answer = why_trees_win(made, "max_wins", "forest", "rotated_forest")
    assert "On 2 sets" in answer.words
    assert "on 1 of them: iris (+8.0, rotated +0.0), wine (+4.0, rotated +3.0)" in answer.words
    assert answer.conclusion == "something else"
    assert made.schemes == ("max_wins", "forest")
    assert (
        why_trees_win(cube(schemes=("max_wins", "forest", "rotated_forest")), "max_wins", "forest", "rotated_forest")
        is None
    )


def test_number_of_sets_is_grammatical():
    """One set counts, two sets count."""
    assert module._sets(1) == "1 set that counts"
    assert module._sets(2) == "2 sets that count"
