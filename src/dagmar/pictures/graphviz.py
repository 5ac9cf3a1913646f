"""A fitted structure as a DOT file for Graphviz, as scikit-learn's `export_graphviz` has it for trees."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ..base.parameters import check_parameters, none, number
from ..structures.plans import GraphPlan, KnockoutPlan
from .decision_graph import DecisionGraph
from .labels import class_names as names_of
from .labels import listed, shortened
from .reading import classifier_of
from .tournament import Tournament

HEADER = """digraph structure {
node [shape=box, style="rounded,filled", fillcolor="#F4F4F4", fontname="helvetica", fontsize=11];
edge [fontname="helvetica", fontsize=9];"""
LEAF = 'fillcolor="#56B4E9"'
CUT = 'style="dashed", fillcolor="white"'


def export_graphviz(
    estimator: Any,
    out_file: str | os.PathLike[str] | Any = None,
    *,
    class_names: Sequence[Any] | None = None,
    max_depth: int | None = None,
    max_nodes: int = 1000,
    show_classes: bool = True,
    rotate: bool = False,
) -> str | None:
    r"""Write the graph of a fitted classifier as a DOT file, which Graphviz draws: ``dot -Tsvg structure.dot``.

    Parameters
    ----------
    estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
        It must be fitted with a structure that walks a graph (DDAG, adaptive DDAG, divide and conquer, the trees) or with a
        bracket, whose matches are drawn.
    out_file : str, path, or object with `write`, optional
        Where to write; by default the text is returned.
    class_names : sequence of n_classes names, optional
        Names for the classes; by default their labels.
    max_depth : int or None, default=None
        Steps from the root down to which the graph is written; None for all. Vertices beyond are drawn as dashed boxes.
    max_nodes : int, default=1000
        A graph with more nodes than this within `max_depth` is an error: Graphviz would take very long.
    show_classes : bool, default=True
        Whether a node lists the classes that are still possible.
    rotate : bool, default=False
        Draw from left to right rather than from top to bottom.

    Returns
    -------
    str or None
        The text if `out_file` is None.

    Raises
    ------
    ValueError
        If the structure has no graph, or one with too many nodes.

    See Also
    --------
    export_text : The same as text, for every structure.
    dagmar.pictures.StructureDisplay : The same as a picture.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure="ddag").fit(*load_iris(return_X_y=True))
    >>> print("\n".join(dagmar.export_graphviz(clf).splitlines()[3:6]))
    0 [label="0 or 2\n0, 1, 2"];
    0 -> 1 [label="0"];
    0 -> 2 [label="2"];
    """
    whole = number(1, np.inf, "left", Integral)
    check_parameters(
        "export_graphviz",
        {"max_depth": max_depth, "max_nodes": max_nodes},
        {"max_depth": none | whole, "max_nodes": whole},
    )
    clf = classifier_of(estimator)
    names = shortened(names_of(clf.classes_, class_names), 40)
    plan = clf.plan_
    if isinstance(plan, KnockoutPlan) and plan.rule == "bracket":
        _refuse_large(len(plan.order) - 1, max_nodes, "a larger max_nodes draws it")
        body = [*_bracket(Tournament.of(plan.order), names)]
        rotate = True  # a tournament is read from left to right
    else:
        graph = _graph_of(clf, max_nodes)
        body = _graph(graph, names, np.inf if max_depth is None else max_depth, max_nodes, show_classes)
    lines = [HEADER, *(["rankdir=LR;"] if rotate else []), *body, "}", ""]
    text = "\n".join(lines)
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
    else:
        Path(out_file).write_text(text, encoding="utf-8")
    return None


def _graph_of(clf: Any, max_nodes: int) -> DecisionGraph:
    plan, tasks = clf.plan_, clf.bank_.tasks
    if isinstance(plan, GraphPlan):
        return DecisionGraph.of(plan, tasks)
    if isinstance(plan, KnockoutPlan) and plan.rule == "ranked":
        graph = DecisionGraph.of_ranked(plan, tasks, max_nodes)
        if graph is None:
            raise ValueError(
                f"the graph that {clf.structure_!r} walks has more than max_nodes={max_nodes} nodes. export_text describes it."
            )
        return graph
    what = "compares the votes of pairs" if isinstance(plan, KnockoutPlan) else "compares the values of all machines"
    raise ValueError(f"{clf.structure_!r} has no graph: it {what}. export_text describes it.")


def _refuse_large(n_nodes: int, max_nodes: int, instead: str) -> None:
    if n_nodes > max_nodes:
        raise ValueError(f"the graph has more than max_nodes={max_nodes} nodes; {instead}")


def _graph(
    graph: DecisionGraph, names: Sequence[str], max_depth: float, max_nodes: int, show_classes: bool
) -> list[str]:
    shown, level, depth = {graph.root: 0}, [graph.root], 0
    while level:  # breadth first: a vertex gets the length of its shortest way
        depth += 1
        following = []
        for vertex in level:
            if graph.is_node(vertex) and depth <= max_depth:
                for child in graph.children[vertex].tolist():
                    if child not in shown:
                        shown[child] = depth
                        following.append(child)
        n_nodes = sum(graph.is_node(v) for v in shown)
        _refuse_large(n_nodes, max_nodes, "pass a smaller max_depth, or a larger max_nodes")
        level = following
    lines = []
    for vertex, its_depth in shown.items():
        if not graph.is_node(vertex):
            lines.append(f'{vertex} [label="{_listed(graph.ends(vertex), names)}", {LEAF}];')
            continue
        left = graph.classes_of(vertex) if show_classes else []
        possible = _listed(left, names) if len(left) > 2 or its_depth >= max_depth else ""
        if its_depth >= max_depth:
            lines.append(f'{vertex} [label="{possible or "..."}", {CUT}];')
            continue
        negative, positive = (_listed(side, names, 4) for side in graph.sides(vertex))
        below = rf"\n{possible}" if possible else ""
        lines.append(f'{vertex} [label="{negative} or {positive}{below}"];')
        for child, winner in zip(graph.children[vertex].tolist(), (negative, positive), strict=True):
            lines.append(f'{vertex} -> {child} [label="{winner}"];')
    return lines


def _bracket(cup: Tournament, names: Sequence[str]) -> Iterator[str]:
    n = cup.n_classes
    for c in range(n):
        yield f'{c} [label="{_listed([c], names)}", {LEAF}];'
    for m, pair in enumerate(cup.matches.tolist()):
        words = "final" if m == n - 2 else f"match {m + 1}"
        yield f'{n + m} [label="{words}"];'
        yield from (f"{entrant} -> {n + m};" for entrant in pair)


def _listed(classes: Sequence[int], names: Sequence[str], most: int = 10) -> str:
    return quoted(listed([names[c] for c in classes], most))


def quoted(text: str) -> str:
    r"""Return text for a quoted string of DOT: quotes, backslashes and the ampersands of entities are escaped.

    Examples
    --------
    >>> from dagmar.pictures.graphviz import quoted
    >>> print(quoted('a "b" \\N'))
    a \"b\" \\N
    """
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
