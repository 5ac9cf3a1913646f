"""The questions of users of the workbench."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from .answers import (
    Answer,
    Sentence,
    ask,
    best_ranked,
    cheapest,
    compared,
    far_behind,
    fastest,
    on_one_set,
    why_trees_win,
)
from .cube import Cube
from .scheme import Kind
from .shapes import SHAPES, having, rivals_of
from .structured import BASES
from .versus import versus

# Up to this number of sets, each has a sentence of its own.
FEW_SETS = 3


class Topic(Enum):
    """What a question is about."""

    ACCURACY = "accuracy"
    SHAPE = "shape of the data"
    TIME = "time"
    STRUCTURE = "structures"
    COST = "cost of a decision"


def by_topic(cube: Cube) -> dict[Topic, list[Sentence]]:
    """Answer all questions that the results can answer.

    Parameters
    ----------
    cube : Cube

    Returns
    -------
    dict of Topic to list of Sentence
    """
    reference = cube.reference
    instead = cube.of_kind(Kind.INSTEAD.name)
    rivals = rivals_of(cube)
    # Those that win come first.
    gains = {scheme: versus(cube, scheme, reference).mean for scheme in instead if scheme != reference}
    alternatives = tuple(sorted(gains, key=lambda scheme: -gains[scheme]))
    structures = tuple(s for s in cube.of_kind(Kind.STRUCTURE.name) if s.partition("+")[2] not in BASES)
    others = tuple(s for s in (*structures, *cube.of_kind(Kind.OUTSIDE.name)) if s != reference)
    many = having(cube, lambda told: told["classes"] > 2)  # two classes need no structure
    found: dict[Topic, list[Sentence]] = {topic: [] for topic in Topic}

    def add(topic: Topic, question: str, answer: Callable[[Cube], Answer | None], some: Cube = cube) -> None:
        if (sentence := ask(question, answer, some)) is not None:
            found[topic].append(sentence)

    there = [name for name in cube.sets if any(at[0] == name for at in cube.steps)]
    for name in there if len(there) <= FEW_SETS else ():
        for scheme in cube.schemes:
            if scheme != reference:
                add(Topic.ACCURACY, f"`{scheme}` or `{reference}` on {name}?", on_one_set(name, scheme, reference))
    if alternatives:
        if len(there) > FEW_SETS:
            add(Topic.ACCURACY, "Where is it the wrong tool?", lambda c: far_behind(c, reference, alternatives))
        if {"forest", "rotated_forest"} <= set(cube.kinds):
            add(Topic.ACCURACY, "Why?", lambda c: why_trees_win(c, reference, "forest", "rotated_forest"))
        add(Topic.ACCURACY, "Which of those that people use is the most accurate?", lambda c: best_ranked(c, rivals))
        for scheme in alternatives:
            add(Topic.ACCURACY, f"Is `{scheme}` better than `{reference}`?", compared(scheme, alternatives, reference))
        for shape, holds in SHAPES.items():
            add(Topic.SHAPE, f"With {shape}?", lambda c: best_ranked(c, rivals), having(cube, holds))
        add(Topic.TIME, "Which is the fastest to a tuned model?", lambda c: fastest(c, rivals))
    if others:
        add(Topic.STRUCTURE, "Which of all schemes is the most accurate?", lambda c: best_ranked(c, cube.schemes), many)
    for scheme in others:
        add(Topic.STRUCTURE, f"Is `{scheme}` better than `{reference}`?", compared(scheme, others, reference), many)
    for field, unit in (
        ("kernel_evaluations", "kernel evaluations per decision"),
        ("machines", "machines per decision"),
    ):
        add(Topic.COST, f"Which needs the fewest {unit}?", cheapest(structures, field, unit), many)
    return found
