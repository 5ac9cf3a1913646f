"""A fitted structure as text, as scikit-learn's `export_text` has it for trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ..base.parameters import check_parameters, none, number
from ..structures.plans import GraphPlan, KnockoutPlan
from .decision_graph import DecisionGraph
from .labels import class_names as names_of
from .labels import listed, shortened
from .reading import classifier_of
from .tournament import Tournament

RULES = {
    "fewest_losses": "The class that wins most of its pairs; ties go to the earlier class.",
    "everyone": "The class that wins all its pairs; if there is none, the one that wins most.",
}


def export_text(
    estimator: Any,
    *,
    class_names: Sequence[Any] | None = None,
    max_depth: int | None = 10,
    max_lines: int | None = 1000,
    spacing: int = 3,
) -> str:
    """Describe the structure of a fitted classifier in text.

    Parameters
    ----------
    estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
        It must be fitted.
    class_names : sequence of n_classes names, optional
        Names for the classes; by default their labels.
    max_depth : int or None, default=10
        Steps from the root down to which a graph is described; None for all.
    max_lines : int or None, default=1000
        The text ends after this many lines, and says so; None for no limit.
    spacing : int, default=3
        Spaces between the edges of two levels.

    Returns
    -------
    str
        For a graph (DDAG, trees, divide and conquer): one line per verdict, indented by its depth. A node to which several
        ways lead has a number in brackets. It is described the first time, and later only its number is given. For other
        structures: the rule, and the pairs or the machines that it consults.

    See Also
    --------
    export_graphviz : The same as a DOT file.
    dagmar.pictures.StructureDisplay : The same as a picture.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris()
    >>> clf = dagmar.SVC(structure="ddag").fit(iris.data, iris.target_names[iris.target])
    >>> print(dagmar.export_text(clf))
    |--- setosa beats virginica
    |   |--- setosa beats versicolor
    |   |   |--- class: setosa
    |   |--- versicolor beats setosa
    |   |   |--- class: versicolor
    |--- virginica beats setosa
    |   |--- versicolor beats virginica
    |   |   |--- class: versicolor
    |   |--- virginica beats versicolor
    |   |   |--- class: virginica
    """
    whole = none | number(1, np.inf, "left", Integral)
    check_parameters(
        "export_text",
        {"max_depth": max_depth, "max_lines": max_lines, "spacing": spacing},
        {"max_depth": whole, "max_lines": whole, "spacing": number(1, np.inf, "left", Integral)},
    )
    clf = classifier_of(estimator)
    names = shortened(names_of(clf.classes_, class_names), 200)
    lines: list[str] = []
    for line in _lines(clf, names, np.inf if max_depth is None else max_depth, spacing):
        if max_lines is not None and len(lines) == max_lines:
            lines.append(f"... (the text ends here: max_lines={max_lines})")
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(clf: Any, names: Sequence[str], max_depth: float, spacing: int) -> Iterator[str]:
    plan, tasks = clf.plan_, clf.bank_.tasks
    mark = f"|{'-' * spacing} "
    if isinstance(plan, GraphPlan):
        yield from _graph(DecisionGraph.of(plan, tasks), names, max_depth, spacing)
    elif not isinstance(plan, KnockoutPlan):
        yield "The class with the largest value; ties go to the earlier class."
        yield from (f"{mark}{name} against the rest" for name in names)
    elif plan.rule == "bracket":
        yield from _bracket(Tournament.of(plan.order), names, mark)
    elif plan.rule == "ranked":
        yield from _ranked(plan, names, mark)
    else:
        yield RULES[plan.rule]
        yield from (f"{mark}{names[i]} or {names[j]}" for i, j in tasks.pairs.tolist())


def _graph(graph: DecisionGraph, names: Sequence[str], max_depth: float, spacing: int) -> Iterator[str]:
    """The verdicts of a graph, depth first; without recursion, because graphs may be deep."""
    parents = np.bincount(graph.children.ravel(), minlength=graph.n_vertices)
    seen: set[int] = set()
    stack: list[tuple[int, int, str]] = [(graph.root, 0, "")]
    while stack:
        vertex, depth, verdict = stack.pop()
        before = f"|{' ' * spacing}"
        if verdict:
            yield f"{before * (depth - 1)}|{'-' * spacing} {verdict}"
        line = f"{before * depth}|{'-' * spacing} "
        if not graph.is_node(vertex):
            classes = [names[c] for c in graph.ends(vertex)]
            if len(classes) == 1:
                yield f"{line}class: {classes[0]}"
            else:
                yield f"{line}list: {', '.join(classes)} (the first and the last meet, and the loser leaves the list)"
            continue
        if vertex in seen:
            yield f"{line}as at [{vertex}] above"
            continue
        if depth >= max_depth:
            count = len(graph.classes_of(vertex))
            yield f"{line}truncated: {count} classes left" if count else f"{line}truncated"
            continue
        seen.add(vertex)
        number = f"[{vertex}] " if parents[vertex] > 1 else ""
        negative, positive = (listed([names[c] for c in side], 8) for side in graph.sides(vertex))
        on_negative, on_positive = graph.children[vertex].tolist()
        stack.append((on_positive, depth + 1, f"{number}{positive} beats {negative}"))
        stack.append((on_negative, depth + 1, f"{number}{negative} beats {positive}"))


def _bracket(cup: Tournament, names: Sequence[str], mark: str) -> Iterator[str]:
    yield "A knockout tournament; its winner is the answer."

    def entrant(number: int) -> str:
        return names[number] if number < cup.n_classes else f"winner of match {number - cup.n_classes + 1}"

    played = 0
    for m, (a, b) in enumerate(cup.matches.tolist()):
        if cup.rounds[m] != played:
            played = int(cup.rounds[m])
            yield f"round {played}"
        yield f"{mark}match {m + 1}: {entrant(a)} or {entrant(b)}"


def _ranked(plan: KnockoutPlan, names: Sequence[str], mark: str) -> Iterator[str]:
    first = int(plan.order[0])
    yield f"{names[first]} and {names[plan.rivals[first, 0]]} meet first."
    yield "Each winner meets the first class of its own list that has not lost; the last that is left is the answer."
    for name, rivals in zip(names, plan.rivals.tolist(), strict=True):
        yield f"{mark}{name} meets {', '.join(names[r] for r in rivals)}"
