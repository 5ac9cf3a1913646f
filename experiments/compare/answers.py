"""Answers to questions, each one sentence that is made from the results.

A sentence has a *conclusion*, such as the name of the best scheme. The conclusion is drawn from all splits, and from each half
of them alone. If the halves disagree, the sentence says that the question cannot be decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dagmar.base.showing import counted

from ..statistics import ALPHA, corrected_t_test, friedman, ranks
from .cube import Cube
from .versus import Versus, all_versus

CLOSE = 0.5  # points of accuracy that do not matter for a choice
FAR = 2.0  # points of accuracy that do
_SIGNS = {1: "better", -1: "worse", 0: "equal"}


@dataclass(frozen=True)
class Answer:
    """What some results say about a question.

    Attributes
    ----------
    conclusion : str
        Compared between the halves; empty if the results say nothing.
    words : str
        The sentence.
    """

    conclusion: str
    words: str


@dataclass(frozen=True)
class Sentence:
    """A question and its answer.

    Attributes
    ----------
    question, answer : str
    conclusion : str
        Of all splits.
    decided : bool
        Whether both halves of the splits have this conclusion.
    """

    question: str
    answer: str
    conclusion: str
    decided: bool


def ask(question: str, answer: Callable[[Cube], Answer | None], cube: Cube) -> Sentence | None:
    """Answer a question, and check the answer with the halves of the splits.

    Parameters
    ----------
    question : str
    answer : callable
        Takes results, returns what they say; None if they lack what it needs.
    cube : Cube

    Returns
    -------
    Sentence or None
    """
    found = answer(cube)
    if found is None:
        return None
    halves = cube.halves
    if halves is None:
        words = f"This cannot be decided by a single split. It says: {found.words}"
        return Sentence(question, words, found.conclusion, False)
    concluded = [one.conclusion if (one := answer(half)) is not None else "" for half in halves]
    if len({found.conclusion, *concluded}) == 1:
        return Sentence(question, found.words, found.conclusion, True)
    words = f"This cannot be decided: one half of the splits says {concluded[0] or 'nothing'}, the other says "
    words += f"{concluded[1] or 'nothing'}. All splits together say: {found.words}"
    return Sentence(question, words, found.conclusion, False)


# ------------------------------------------------------------------------ answers


def best_ranked(cube: Cube, schemes: Sequence[str]) -> Answer | None:
    """Which scheme has the best mean rank."""
    matrix = cube.means(schemes).counted()
    if len(schemes) < 2 or len(matrix.sets) < 2:
        return None
    mean = ranks(matrix.values).mean(axis=0)
    order = np.argsort(mean, kind="stable")
    listed = ", ".join(f"`{schemes[i]}` {mean[i]:.2f}" for i in order[1:4])
    p = friedman(matrix.values)
    return Answer(
        f"`{schemes[order[0]]}`",
        f"`{schemes[order[0]]}` has the best mean rank of {len(schemes)} schemes on {_sets(len(matrix.sets))}: "
        f"{mean[order[0]]:.2f} (next: {listed}; Friedman's test: p = {p:.2g}).",
    )


def compared(scheme: str, others: Sequence[str], reference: str) -> Callable[[Cube], Answer | None]:
    """Whether a scheme is better than the reference, as a function of the results; `others` are all that are compared."""

    def answer(cube: Cube) -> Answer | None:
        # All schemes of its kind are compared, for Holm's correction.
        found = {one.scheme: one for one in all_versus(cube, tuple(others), reference)}
        return _direction(found[scheme]) if found[scheme].n_sets > 1 else None

    return answer


def _direction(one: Versus) -> Answer:
    count = f"higher accuracy on {one.wins} of {_sets(one.n_sets)} and lower on {one.losses}, {one.mean:+.2f} points on average"
    if one.significant and one.direction:
        verdict = "better" if one.direction > 0 else "worse"
        words = f"`{one.scheme}` is {verdict} than `{one.other}`: {count} (Wilcoxon, Holm: p = {one.p:.2g})."
    else:
        words = f"No difference between `{one.scheme}` and `{one.other}` is shown: {count} (p = {one.p:.2g})."
    return Answer(f"`{one.scheme}` is {_SIGNS[one.direction]}", words)


def on_one_set(name: str, scheme: str, reference: str) -> Callable[[Cube], Answer | None]:
    """Whether a scheme is better than the reference on one set, as a function of the results."""

    def answer(cube: Cube) -> Answer | None:
        differences = cube.differences(scheme, reference).get(name)
        if differences is None:
            return None
        test = corrected_t_test(differences, *cube.sizes(name))
        sign = int(np.sign(round(test.mean, 9)))
        verdict = f"`{scheme}` is {_SIGNS[sign]}" if test.p < ALPHA else "no difference is shown"
        accuracy = cube.means([scheme, reference]).values[cube.means([scheme, reference]).sets.index(name)]
        words = (
            f"`{scheme}` {accuracy[0]:.2f} %, `{reference}` {accuracy[1]:.2f} %; the difference is {test.mean:+.2f} points, "
            f"95 % interval {test.low:+.2f} to {test.high:+.2f}: {verdict} (Nadeau & Bengio, p = {test.p:.2g})."
        )
        return Answer(f"`{scheme}` is {_SIGNS[sign]}", words)

    return answer


def cheapest(schemes: Sequence[str], field: str, unit: str) -> Callable[[Cube], Answer | None]:
    """Which scheme has the cheapest decisions, of those whose accuracy is within half a point of the reference."""

    def answer(cube: Cube) -> Answer | None:
        reference = cube.reference
        together = [reference, *(scheme for scheme in schemes if scheme != reference)]
        accuracy = cube.means(together).counted()
        cost = cube.means(together, field, logarithm=True).counted()
        if not len(accuracy.sets) or not len(cost.sets) or len(together) < 2:
            return None
        loss = accuracy.column(reference).mean() - accuracy.values.mean(axis=0)
        shares = np.exp(cost.values.mean(axis=0) - cost.values[:, 0].mean())
        order = sorted((i for i in range(len(together)) if loss[i] <= CLOSE), key=lambda i: float(shares[i]))
        best, words = together[order[0]], [f"`{together[i]}` {100 * shares[i]:.0f} %" for i in order]
        return Answer(
            f"`{best}`",
            f"`{best}` needs the fewest {unit} of the schemes that lose at most {CLOSE:g} points against `{reference}`. In "
            f"percent of those of `{reference}`, geometric mean over {_sets(len(cost.sets))}: {', '.join(words[:4])}.",
        )

    return answer


def fastest(cube: Cube, schemes: Sequence[str]) -> Answer | None:
    """The time to a tuned model."""
    matrix = cube.means(schemes, "seconds", logarithm=True)
    if not len(matrix.sets) or len(schemes) < 2:
        return None
    means = np.exp(matrix.values.mean(axis=0))
    order = np.argsort(means, kind="stable")
    listed = ", ".join(f"`{schemes[i]}` {seconds(means[i])}" for i in order)
    return Answer(
        f"`{schemes[order[0]]}`",
        f"`{schemes[order[0]]}` is the fastest to a tuned model. Processor time, search included, geometric mean over "
        f"{counted(len(matrix.sets), 'set')}: {listed}.",
    )


def far_behind(cube: Cube, reference: str, others: Sequence[str]) -> Answer | None:
    """The sets on which the reference loses much to the best of the others."""
    matrix = cube.means([reference, *others])
    if not others or not len(matrix.sets):
        return None
    behind = matrix.values[:, 1:].max(axis=1) - matrix.values[:, 0]
    best = matrix.values[:, 1:].argmax(axis=1)
    rows = [row for row in np.argsort(-behind, kind="stable") if behind[row] >= FAR]
    listed = ", ".join(f"{matrix.sets[row]} ({behind[row]:.1f}, `{others[best[row]]}`)" for row in rows)
    words = f"`{reference}` loses {FAR:g} points or more to the best of the others on {len(rows)} of "
    words += f"{counted(len(matrix.sets), 'set')}{': ' if listed else ''}{listed}."
    share = len(rows) / len(matrix.sets)
    return Answer(_share(share), words)


def why_trees_win(cube: Cube, reference: str, forest: str, rotated: str) -> Answer | None:
    """Whether the forest owes its gains to single features: then a rotation of the features takes them away."""
    matrix = cube.means([reference, forest, rotated])
    gain = matrix.column(forest) - matrix.column(reference)
    rows = [row for row in np.argsort(-gain, kind="stable") if gain[row] >= FAR]
    if not rows:
        return None
    left = matrix.column(rotated) - matrix.column(reference)
    gone = sum(left[row] < gain[row] / 2 for row in rows)
    listed = ", ".join(f"{matrix.sets[row]} ({gain[row]:+.1f}, rotated {left[row]:+.1f})" for row in rows)
    words = (
        f"On {counted(len(rows), 'set')} `{forest}` is {FAR:g} points or more above `{reference}`. If features are rotated, "
        f"it loses more than half of this on {gone} of them: {listed}. What a rotation takes away, the forest owed to splits "
        "along single features, which a kernel of distances does not have."
    )
    return Answer("single features" if 2 * gone > len(rows) else "something else", words)


# ------------------------------------------------------------------------- words


def seconds(value: float) -> str:
    """Seconds in words.

    Examples
    --------
    >>> from experiments.compare.answers import seconds
    >>> seconds(0.0123), seconds(2.34), seconds(45.6)
    ('0.012 s', '2.3 s', '46 s')
    """
    return f"{value:.3f} s" if value < 0.1 else f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def _share(share: float) -> str:
    return "none" if share == 0 else "a fifth or less" if share <= 0.2 else "half or less" if share <= 0.5 else "most"


def _sets(number: int) -> str:
    return f"{counted(number, 'set')} that count{'s' if number == 1 else ''}"
