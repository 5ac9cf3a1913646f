"""A bracket in a picture: every match, and the way of its winner."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from dagmar.pictures.drawing import VERMILLION
from dagmar.pictures.tournament import Tournament
from dagmar.pictures.tournament_drawing import draw_tournament, tournament_places


@pytest.mark.parametrize("n", [3, 10, 26])
def test_lines_do_not_cross(n):
    """Classes have rows of their own, and the classes below a match are neighbours."""
    cup = Tournament.of(range(n))
    places = tournament_places(cup)
    assert sorted(places[:n, 1].tolist()) == list(range(-n + 1, 1))
    below = {c: {c} for c in range(n)}
    for m, (a, b) in enumerate(cup.matches.tolist()):
        below[n + m] = below[a] | below[b]
        rows = sorted(places[list(below[n + m]), 1])
        assert np.ptp(rows) == len(rows) - 1
        assert places[n + m, 1] == places[[a, b], 1].mean()
        assert places[n + m, 0] == cup.rounds[m]


@pytest.mark.parametrize("n", [3, 10, 26])
def test_matches_without_a_sample(n, ax, texts):
    """Every class and every match has its name, and every round its number."""
    draw_tournament(ax, Tournament.of(range(n)), [f"c{k}" for k in range(n)], None)
    assert sorted(texts(ax)) == sorted([f"c{k}" for k in range(n)] + [f"match {m + 1}" for m in range(n - 1)])
    assert len(ax.lines) == 2 * (n - 1)
    assert [t.get_text() for t in ax.get_xticklabels()] == [f"round {r + 1}" for r in range(int(np.ceil(np.log2(n))))]


def test_of_very_many_classes_the_winner_is_written(ax):
    """With 100 classes there is room for the way of the winner only."""
    cup = Tournament.of(range(100))
    values = np.where(np.arange(99) % 3 == 0, 1.0, -1.0)
    draw_tournament(ax, cup, [f"c{k}" for k in range(100)], values)
    winner = f"c{cup.play(values)[-1]}"
    assert {t.get_text() for t in ax.texts} == {winner, "1"}
    assert len(ax.lines) == 198


def test_the_winner_of_a_sample(fitted, ax):
    """Each match shows who won and by how much; the way of the answer is thick and coloured."""
    clf, X, _ = fitted("bracket", 5)
    path = clf.decision_path(X[:1])
    values, answer = path[0][1], int(path.answers[0])
    cup = Tournament.of(clf.plan_.order)
    names = list("abcde")
    draw_tournament(ax, cup, names, values)
    who = cup.play(values)
    shown = [text.get_text() for text in ax.texts]
    for m in range(4):
        assert f"{abs(values[m]):.2g}" in shown
    assert sum(text == names[answer] for text in shown) == (who == answer).sum()
    coloured = [line for line in ax.lines if to_rgba(line.get_color()) == to_rgba(VERMILLION)]
    assert len(coloured) == (who == answer).sum() - 1
    bold = {text.get_text() for text in ax.texts if text.get_fontweight() == "bold"}
    assert bold == {names[answer]}
